#include "govern/rules/detail/policy_state.h"

#include <algorithm>

#include "base/packs.h"
#include "datalog/analyze.h"
#include "datalog/parser.h"
#include "govern/rules/detail/call_record.h"
#include "govern/rules/detail/idle_rules.h"

namespace anima::govern {
namespace {

// Calls that the log has not numbered are newer than all it has.
constexpr std::uint64_t kRunning = std::uint64_t{1} << 62;

datalog::Query about(datalog::PredicateId predicate, datalog::Code id) {
  datalog::Query query;
  query.predicate = predicate;
  query.arguments = {datalog::Argument::code(id), datalog::Argument::variable(0)};
  query.variables = {"Reason"};
  return query;
}

PolicyVerdict broken(const Error& error) {
  return {Permission::kDenied, "the policy could not be evaluated: " + error.describe(), {}};
}

}  // namespace

Result<std::unique_ptr<Policy::State>> Policy::State::compile(
    const std::vector<PolicySource>& sources, const PolicyOptions& options) {
  auto state = std::make_unique<State>();
  state->options_ = options;
  datalog::ValueTable& values = *state->values_;
  std::vector<datalog::Unit> units;
  ANIMA_ASSIGN(datalog::Unit prelude,
               datalog::parse_program(std::string(pack_file(kPrelude).value_or("")),
                                      std::string(kPrelude), &values));
  units.push_back(std::move(prelude));
  for (const PolicySource& source : sources) {
    ANIMA_ASSIGN(datalog::Unit unit, datalog::parse_program(source.text, source.name, &values));
    units.push_back(std::move(unit));
  }
  ANIMA_ASSIGN(datalog::Program program,
               datalog::analyze_program(std::move(units), values,
                                        {.base = detail::CallPredicates::declared()}));
  state->program_ = std::make_shared<const datalog::Program>(std::move(program));
  ANIMA_TRY(state->prepare());
  return state;
}

// From the analysed program: which rules go where.
Status Policy::State::prepare() {
  decisions_ = {program_->find("deny"), program_->find("ask")};
  for (const PredicateId decision : decisions_) {
    if (decision == datalog::kNone || program_->predicates[decision].columns == 2) continue;
    return fail(ErrorCode::kInvalidArgument,
                "'" + program_->predicates[decision].name + "' takes a call and a reason",
                program_->predicates[decision].where);
  }
  std::vector<PredicateId> decisions(decisions_.begin(), decisions_.end());
  // Also where no rule of the owner derives it, it speaks of a call: else all that read it would
  // need the trace.
  if (const PredicateId allow = program_->find("allow"); allow != datalog::kNone)
    decisions.push_back(allow);
  undeniable_ = program_->find("undeniable");
  if (undeniable_ != datalog::kNone) decisions.push_back(undeniable_);
  predicates_ = detail::CallPredicates::of(*program_);
  scope_ = detail::scope_of(*program_, predicates_.all(), decisions);
  ANIMA_ASSIGN(const auto all, datalog::Engine::create(program_, values_));
  rules_.emplace(*program_, scope_, *all->snapshot(), *values_, clock_);
  if (scope_.needs_trace) {
    ANIMA_ASSIGN(trace_, detail::PolicyTrace::create(*program_, scope_, values_,
                                                     predicates_.finished, options_.window));
  }
  idle_ = detail::idle_rules(*program_, decisions, kPolicyPacks);
  encoder_.emplace(predicates_, scope_, program_->predicates.size(), values_, options_.work_folder);
  return {};
}

datalog::Limits Policy::State::limits() const {
  datalog::Limits limits;
  limits.deadline_ms = options_.deadline_milliseconds;
  return limits;
}

Policy::Sight Policy::State::sight() const {
  if (trace_ == nullptr) return {};
  bool arguments = false;
  for (const PredicateId predicate : predicates_.all()) {
    const bool open = predicate == predicates_.call || predicate == predicates_.tier ||
                      predicate == predicates_.finished || predicate == predicates_.door ||
                      predicate == predicates_.governs;
    arguments = arguments || (!open && trace_->reads(predicate));
  }
  return {true, arguments};
}

void Policy::State::take_over(const State& before) {
  follows_log_ = before.follows_log_;
  next_ = before.next_;
  running_ = before.running_;
}

std::uint64_t Policy::State::next_number() const { return follows_log_ ? kRunning + next_ : next_; }

std::uint64_t Policy::State::take_number() {
  const std::uint64_t number = next_number();
  ++next_;
  return number;
}

bool Policy::State::is_behind_others(std::uint64_t number) const {
  return !running_.empty() && running_.begin()->first < number;
}

void Policy::State::leave(std::uint64_t number) {
  running_.erase(number);
  while (trace_ != nullptr && !late_.empty() && !is_behind_others(late_.begin()->first)) {
    trace_->renumber(late_.begin()->first, late_.begin()->second, limits());
    late_.erase(late_.begin());
  }
}

template <typename Ask, typename Explain>
Status Policy::State::add_traced(Code id, std::span<detail::RuleDecision> found, const Ask& rows_of,
                                 const Explain& explain) {
  for (std::size_t i = 0; i < decisions_.size(); ++i) {
    if (decisions_[i] == datalog::kNone) continue;
    ANIMA_ASSIGN(const datalog::Rows rows, rows_of(about(decisions_[i], id)));
    if (rows.count == 0) continue;
    const Code reason = rows.row(0)[1];
    if (found[i].found && values_->compare(found[i].reason, reason) <= 0) continue;
    const auto proof = explain(decisions_[i], rows.row(0));
    found[i] = {true, reason,
                proof && !proof->nodes.empty() ? proof->nodes[0].where : std::string()};
  }
  return {};
}

Status Policy::State::add_traced(Code id, std::span<detail::RuleDecision> found) {
  const auto snapshot = trace_->engine().snapshot();
  return add_traced(
      id, found, [&](const datalog::Query& query) { return snapshot->query(query); },
      [&](PredicateId predicate, std::span<const Code> row) {
        return trace_->engine().explain(predicate, row);
      });
}

std::string Policy::State::text_of(Code reason) const {
  const datalog::ValueView view = values_->view(reason);
  return view.kind == datalog::ValueKind::kString ? std::string(view.text) : values_->text(reason);
}

PolicyVerdict Policy::State::verdict(std::span<const detail::RuleDecision> found) const {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i].found) continue;
    PolicyVerdict result;
    result.permission = i == 0 ? Permission::kDenied : Permission::kNeedsApproval;
    result.reason = text_of(found[i].reason);
    result.rule = found[i].where;
    return result;
  }
  return {};
}

template <typename Traced>
PolicyVerdict Policy::State::judge(const CallRequest& request, const ToolPolicy& tool,
                                   std::uint64_t number, const Traced& traced) {
  const Code id = values_->integer(static_cast<std::int64_t>(number));
  encoder_->encode(request, tool, id);
  if (!encoder_->unseen().empty()) {
    return {Permission::kDenied,
            "a rule reads the argument '" + encoder_->unseen() + "', which is longer than the " +
                std::to_string(detail::kLongestChoice) + " bytes that rules see",
            {}};
  }
  std::array<detail::RuleDecision, 2> found;
  // The trace has every call, also one whose judgement fails.
  Status status = trace_ == nullptr ? Status{} : traced(id, found);
  if (status) {
    status = rules_->decide(encoder_->facts(), options_.deadline_milliseconds, decisions_, found);
  }
  return status ? verdict(found) : broken(status.error());
}

PolicyVerdict Policy::State::decide(const CallRequest& request, const ToolPolicy& tool,
                                    std::uint64_t& call) {
  call = take_number();
  return judge(request, tool, call, [&](Code id, auto& found) -> Status {
    const Status added = trace_->add(call, trace_->facts_of(encoder_->facts()), limits());
    if (follows_log_) running_.insert_or_assign(call, trace_->changes());
    return added ? add_traced(id, found) : added;
  });
}

std::optional<PolicyVerdict> Policy::State::decide_again(const CallRequest& request,
                                                         const ToolPolicy& tool,
                                                         std::uint64_t& call, bool other_rules) {
  const auto running = running_.find(call);
  const bool nothing_new =
      trace_ == nullptr || running == running_.end() || running->second == trace_->changes();
  if (!other_rules && nothing_new) return std::nullopt;
  const bool is_new = other_rules && trace_ != nullptr && !trace_->has(call);
  if (is_new) {
    // Of two that were judged before, the second to be judged again sees the first.
    running_.erase(call);
    call = take_number();
  }
  return judge(request, tool, call, [&](Code id, auto& found) -> Status {
    if (is_new) {
      ANIMA_TRY(trace_->add(call, trace_->facts_of(encoder_->facts()), limits()));
    } else if (!trace_->has(call)) {
      return fail(ErrorCode::kLimitExceeded, "more calls are decided at once than it remembers");
    }
    running_.insert_or_assign(call, trace_->changes());
    ANIMA_TRY(trace_->settle(limits()));
    return add_traced(id, found);
  });
}

PolicyVerdict Policy::State::would_decide(const CallRequest& request, const ToolPolicy& tool) {
  return decide_changes(request, tool, next_number());
}

// A call that is in the trace is there once: the fork only adds what was not known of it.
PolicyVerdict Policy::State::decide_changes(const CallRequest& request, const ToolPolicy& tool,
                                            std::uint64_t call) {
  return judge(request, tool, call, [&](Code id, auto& found) -> Status {
    ANIMA_ASSIGN(const auto fork, trace_->fork_with(trace_->facts_of(encoder_->facts()), limits()));
    return add_traced(
        id, found, [&](const datalog::Query& query) { return fork->query(query); },
        [&](PredicateId predicate, std::span<const Code> row) {
          return fork->explain(predicate, row);
        });
  });
}

std::optional<std::string> Policy::State::undeniable(const CallRequest& request,
                                                     const ToolPolicy& tool) {
  if (undeniable_ == datalog::kNone) return std::nullopt;
  encoder_->encode(request, tool, values_->integer(static_cast<std::int64_t>(next_number())));
  detail::RuleDecision found;
  const Status judged = rules_->decide(encoder_->facts(), options_.deadline_milliseconds,
                                       {&undeniable_, 1}, {&found, 1});
  if (!judged || !found.found) return std::nullopt;
  return text_of(found.reason);
}

void Policy::State::place(std::uint64_t call, std::uint64_t number, bool refused) {
  running_.erase(call);
  if (refused && is_behind_others(call)) {
    late_.emplace(call, number);
    return;
  }
  if (trace_ != nullptr) trace_->renumber(call, number, limits());
  leave(call);
}

void Policy::State::finished(std::uint64_t call, std::string_view outcome) {
  const auto late =
      std::ranges::find_if(late_, [&](const auto& each) { return each.second == call; });
  const std::uint64_t known_as = late == late_.end() ? call : late->first;
  if (trace_ != nullptr) trace_->finish(known_as, outcome, limits());
  leave(call);
}

void Policy::State::add(const std::vector<TracedCall>& calls) {
  if (trace_ == nullptr) return;
  std::vector<detail::PolicyTrace::Foreign> foreign;
  for (const TracedCall& call : calls) {
    detail::PolicyTrace::Foreign one{call.number, !call.is_end, call.outcome == "denied", {}};
    if (!call.is_end) {
      encoder_->encode(call.request, call.tool,
                       values_->integer(static_cast<std::int64_t>(call.number)));
      one.facts = trace_->facts_of(encoder_->facts());
    }
    if (!call.outcome.empty()) {
      const datalog::Transaction end = trace_->end_of(call.number, call.outcome);
      one.facts.steps().insert(one.facts.steps().end(), end.steps().begin(), end.steps().end());
    }
    foreign.push_back(std::move(one));
  }
  trace_->add_foreign(std::move(foreign), limits());
}

}  // namespace anima::govern
