#include "govern/rules/detail/policy_trace.h"

#include <array>

namespace anima::govern::detail {
namespace {

using datalog::Code;
using datalog::Transaction;

void append(Transaction& to, const Transaction& from) {
  to.steps().insert(to.steps().end(), from.steps().begin(), from.steps().end());
}

void remove_all(Transaction& change, const Transaction& inserted) {
  for (const auto& step : inserted.steps())
    change.remove_rows(step.predicate, step.rows, step.codes);
}

}  // namespace

Result<std::unique_ptr<PolicyTrace>> PolicyTrace::create(
    const datalog::Program& program, const PolicyScope& scope,
    std::shared_ptr<datalog::ValueTable> values, datalog::PredicateId finished, std::size_t most) {
  std::unique_ptr<PolicyTrace> trace(new PolicyTrace);
  trace->reads_.assign(program.predicates.size(), false);
  for (const datalog::Rule& rule : program.rules) {
    if (!scope.traced[rule.id]) continue;
    for (const datalog::Literal& literal : rule.body) {
      if (literal.predicate != datalog::kNone) trace->reads_[literal.predicate] = true;
    }
  }
  for (const datalog::Predicate& predicate : program.predicates)
    trace->columns_.push_back(predicate.columns);
  trace->values_ = values;
  trace->finished_ = finished;
  trace->most_ = most;
  datalog::EngineOptions options;
  options.prepare = true;
  ANIMA_ASSIGN(trace->engine_, datalog::Engine::create(std::make_shared<const datalog::Program>(
                                                           traced_program(program, scope)),
                                                       std::move(values), std::move(options)));
  return trace;
}

Transaction PolicyTrace::facts_of(const CallFacts& facts) const {
  Transaction out;
  for (const datalog::PredicateId predicate : facts.filled()) {
    const std::vector<Code>& rows = facts.rows(predicate);
    if (reads_[predicate]) out.insert_rows(predicate, rows.size() / columns_[predicate], rows);
  }
  return out;
}

// The least calls leave, until there is room for so many.
void PolicyTrace::make_room(Transaction& change, std::size_t room) {
  while (!calls_.empty() && calls_.size() + room > most_) {
    remove_all(change, calls_.begin()->second);
    calls_.erase(calls_.begin());
  }
}

Status PolicyTrace::take(const Transaction& change, bool drop_inserts,
                         const datalog::Limits& limits) {
  if (change.empty() && owed_.empty()) return {};
  Transaction all = owed_;
  append(all, change);
  const auto done = engine_->transact(all, limits);
  if (done) {
    owed_ = {};
    return {};
  }
  for (const auto& step : change.steps()) {
    if (!step.insert || !drop_inserts) owed_.steps().push_back(step);
  }
  return fail(done.error());
}

Status PolicyTrace::settle(const datalog::Limits& limits) { return take({}, false, limits); }

Status PolicyTrace::add(std::uint64_t call, Transaction facts, const datalog::Limits& limits) {
  ++changes_;
  Transaction change = facts;
  make_room(change, 1);
  const Status taken = take(change, true, limits);
  calls_.insert_or_assign(call, taken ? std::move(facts) : Transaction());
  return taken;
}

bool PolicyTrace::put(const Foreign& call, Transaction& change) {
  const auto known = calls_.find(call.call);
  if (!call.is_call) {
    if (known == calls_.end()) return false;
    append(known->second, call.facts);
  } else {
    const bool too_old =
        calls_.size() >= most_ && !calls_.empty() && call.call < calls_.begin()->first;
    if (known != calls_.end() || too_old) return false;
    calls_.emplace(call.call, call.facts);
  }
  append(change, call.facts);
  ++changes_;
  return true;
}

void PolicyTrace::add_foreign(const std::vector<Foreign>& calls, const datalog::Limits& limits) {
  const bool done = owed_.empty() && calls.size() > 1 && add_together(calls, limits);
  if (!done) add_singly(calls, limits);
}

// All or none. Room is made afterwards, so that none can be taken back.
bool PolicyTrace::add_together(const std::vector<Foreign>& calls, const datalog::Limits& limits) {
  Transaction change;
  std::vector<const Foreign*> entered;
  for (const Foreign& call : calls) {
    if (put(call, change)) entered.push_back(&call);
  }
  if (const auto done = engine_->transact(change, limits); !done) {
    for (auto call = entered.rbegin(); call != entered.rend(); ++call) {
      auto& steps = calls_.at((*call)->call).steps();
      steps.resize(steps.size() - (*call)->facts.steps().size());
      if ((*call)->is_call) calls_.erase((*call)->call);
    }
    return false;
  }
  Transaction left;
  make_room(left, 0);
  (void)take(left, false, limits);
  return true;
}

// Only what the rules cannot be evaluated over is left out or owed.
void PolicyTrace::add_singly(const std::vector<Foreign>& calls, const datalog::Limits& limits) {
  for (const Foreign& call : calls) {
    Transaction change;
    put(call, change);
    make_room(change, 0);
    const bool may_be_dropped = call.denied && owed_.empty();  // else the error may be another's
    const Status taken = take(change, may_be_dropped, limits);
    if (!taken && may_be_dropped) calls_.insert_or_assign(call.call, Transaction());
  }
}

Transaction PolicyTrace::end_of(std::uint64_t call, std::string_view outcome) const {
  Transaction end;
  if (!reads(finished_)) return end;
  const std::array<Code, 2> row = {values_->integer(static_cast<std::int64_t>(call)),
                                   values_->name("/" + std::string(outcome))};
  end.insert(finished_, row);
  return end;
}

void PolicyTrace::finish(std::uint64_t call, std::string_view outcome,
                         const datalog::Limits& limits) {
  Transaction change;
  make_room(change, 1);
  const auto known = calls_.find(call);
  if (known != calls_.end()) {
    const Transaction end = end_of(call, outcome);
    // Remembered with its call, so that they leave the trace together.
    append(known->second, end);
    append(change, end);
    ++changes_;
  }
  if (!change.empty()) (void)take(change, false, limits);  // else the next call is denied
}

void PolicyTrace::renumber(std::uint64_t call, std::uint64_t number,
                           const datalog::Limits& limits) {
  const auto known = calls_.find(call);
  if (known == calls_.end()) return;
  Transaction facts = std::move(known->second);
  calls_.erase(known);
  Transaction change;
  remove_all(change, facts);
  const Code code = values_->integer(static_cast<std::int64_t>(number));
  for (auto& step : facts.steps()) {
    // Every predicate of the trace has the call in its first column.
    for (std::size_t at = 0; at < step.codes.size(); at += columns_[step.predicate])
      step.codes[at] = code;
  }
  append(change, facts);
  calls_.insert_or_assign(number, std::move(facts));
  ++changes_;
  (void)take(change, false, limits);
}

Result<std::unique_ptr<datalog::Fork>> PolicyTrace::fork_with(const Transaction& facts,
                                                              const datalog::Limits& limits) {
  auto fork = engine_->fork();
  Transaction all = owed_;
  append(all, facts);
  ANIMA_TRY(fork->transact(all, limits));
  return fork;
}

}  // namespace anima::govern::detail
