#include "agent/loop/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "agent/findings/doc_tool.h"
#include "agent/findings/grammar_shelf.h"
#include "agent/loop/detail/agent_impl.h"
#include "agent/mind/detail/mind.h"
#include "agent/mind/episodes.h"
#include "agent/mind/psyche_change.h"
#include "base/text/text.h"
#include "store/act.h"
#include "store/present.h"
#include "store/symbols.h"

namespace anima::agent {
namespace {

using store::EntityId;

Psyche neutral() {
  Psyche psyche;
  psyche.shadow = {};
  psyche.archetypes = {0.5, 0.5, 0.5, 0.5};
  return psyche;
}

Error no_goals() {
  return {ErrorCode::kNotFound, "NoGoals: no goal is active", {}, "give one: anima run \"...\""};
}

}  // namespace

Agent::Impl::Impl(store::Space& space, memory::CompartmentManager& compartments, FileSystem& files,
                  AgentConfig config)
    : space_(space),
      compartments_(compartments),
      files_(files),
      config_(std::move(config)),
      rules_(space, compartments) {
  if (!config_.clock) config_.clock = std::make_shared<SystemClock>();
  add_inside_tools(tools_);
}

Status Agent::Impl::open() {
  warnings_ = config_.warnings;
  ANIMA_ASSIGN(const store::Snapshot now, space_.snapshot());
  opened_ = static_cast<std::uint64_t>(now.sequence());
  ANIMA_ASSIGN(state_, read_session(space_, config_.name, config_.memory_capacity));
  if (state_.unread && config_.psyche && !config_.psyche_anew)
    return fail(ErrorCode::kCorrupt,
                "the psyche in force cannot be read, so that nothing that it vetoes would hold: " +
                    state_.unread->message,
                state_.unread->where,
                "restore a backup into another folder; or `anima psyche set FILE` begins anew with "
                "what FILE says and can be read");
  if (config_.fresh) {
    // What the owner set stays: the psyche with what it learnt, and what was forbidden.
    SessionState fresh;
    fresh.session = state_.session + 1;
    fresh.memory = WorkingMemory(config_.memory_capacity);
    fresh.psyche = std::move(state_.psyche);
    fresh.psyche_stored = state_.psyche_stored;
    fresh.vetoed = std::move(state_.vetoed);
    fresh.warnings = std::move(state_.warnings);
    state_ = std::move(fresh);
  }
  warnings_.insert(warnings_.end(), state_.warnings.begin(), state_.warnings.end());
  state_.warnings.clear();
  if (config_.psyche) ANIMA_TRY(take_psyche());
  if (!config_.psyche) state_.psyche = neutral();
  questions_ = compartments_.questions();
  return restore_statuses();
}

namespace {

// Why a changed file is not taken, for people.
std::string not_taken(const std::string& path, const Result<Psyche>& laid,
                      const std::vector<std::string>& lost) {
  if (!laid)
    return path + " changed since it was read, and cannot be taken: " + laid.error().describe();
  if (lost.empty()) return path + " changed since it was read; `anima psyche reload` takes it";
  return fmt::format(
      "{} changed since it was read and is not taken: what is vetoed is weaker in it, or no longer "
      "there: {}. It stays vetoed; `anima psyche reload` takes the rest of the file, `anima psyche "
      "drop-veto {}` removes a veto",
      path, join(lost, ", "), lost.front());
}

}  // namespace

// The psyche is that of the session; without one that of a Core compartment. A file that changed
// since it was read is laid over what is in force where that is followed, else told. One that lost
// a veto is taken by no one but who asks for it: it may be cut off.
Status Agent::Impl::take_psyche() {
  if (!state_.psyche_stored) return first_psyche();
  const bool follows = compartments_.follows_psyche();
  for (const auto& file : compartments_.changed_psyches()) {
    std::vector<std::string> notes;
    Result<Psyche> laid = file.unreadable ? Result<Psyche>(fail(*file.unreadable))
                                          : lay_over(state_.psyche, file.text, file.path, &notes);
    const std::vector<std::string> lost = lost_by(file, state_.psyche);
    if (!follows || (laid && !lost.empty())) {
      warnings_.push_back(not_taken(file.path, laid, lost));
      continue;
    }
    if (!laid) return fail(laid.error());
    warnings_.insert(warnings_.end(), notes.begin(), notes.end());
    ANIMA_TRY(set_psyche(std::move(*laid)));
    ANIMA_TRY(compartments_.note_psyche(file, config_.origin));
  }
  return {};
}

// By the text of it that was read, which the log has.
std::vector<std::string> Agent::Impl::lost_by(const memory::CompartmentManager::ChangedPsyche& file,
                                              const Psyche& in_force) const {
  const memory::Compartment* const compartment = compartments_.find(file.compartment);
  if (compartment == nullptr || file.unreadable) return {};
  return lost_vetoes(in_force, compartment->content.psyche, file.text, file.path);
}

// A file that cannot be read is an error until it can: the defaults would hold for good. One that
// lost a veto is not taken: the text that was read before is in the log, and holds.
Status Agent::Impl::first_psyche() {
  std::map<std::string, std::string> taken;
  for (const auto& file : compartments_.changed_psyches()) {
    if (file.unreadable) return fail(*file.unreadable);
    const Result<Psyche> now = read_psyche(file.text, file.path, {});
    if (!now) return fail(now.error());
    const std::string before = compartments_.find(file.compartment)->content.psyche;
    const Result<Psyche> read = read_psyche(before, file.path, {});
    const std::vector<std::string> lost =
        before.empty() || !read ? std::vector<std::string>() : lost_by(file, *read);
    if (lost.empty()) {
      const Status noted = compartments_.note_psyche(file, config_.origin);
      // Who may only read goes by the file all the same.
      if (!noted && noted.error().code != ErrorCode::kDenied) return noted;
      taken[file.compartment] = file.text;
    } else {
      warnings_.push_back(not_taken(file.path, now, lost));
    }
  }
  for (const memory::Compartment* compartment : compartments_.active()) {
    const auto file = taken.find(compartment->manifest.id);
    const std::string& text = file == taken.end() ? compartment->content.psyche : file->second;
    if (text.empty()) continue;
    const std::string& folder = compartment->manifest.directory;
    const std::string path = (folder.empty() ? compartment->manifest.id : folder) + "/psyche.toml";
    std::vector<std::string> notes;
    ANIMA_ASSIGN(state_.psyche, read_psyche(text, path, {}, &notes));
    warnings_.insert(warnings_.end(), notes.begin(), notes.end());
  }
  return {};
}

// The graph's word on a goal's status is the newest: somebody may have changed it.
Status Agent::Impl::restore_statuses() {
  ANIMA_ASSIGN(const store::Snapshot snapshot, space_.snapshot());
  for (Goal& goal : state_.goals.all()) {
    const auto term = goal.symbol == EntityId::kNone
                          ? std::nullopt
                          : snapshot.attribute(goal.symbol, detail::kGoalStatusKey);
    if (!term) continue;
    const auto status = goal_status(snapshot.value(*term).text);
    if (status) goal.status = *status;
  }
  return {};
}

Status Agent::Impl::begin(std::string name, Json arguments) {
  ANIMA_ASSIGN(store::Snapshot now, space_.snapshot());
  call_.emplace(Call{{}, std::move(now), {}});
  call_->record.call = std::move(name);
  call_->record.arguments = std::move(arguments);
  call_->record.from = static_cast<std::uint64_t>(call_->snapshot.sequence());
  call_->record.now = store::present(call_->snapshot, *config_.clock);
  return {};
}

Result<store::Sequence> Agent::Impl::finish(const SessionState& before, const Draft& draft,
                                            const Json& decision) {
  Result<store::Sequence> written = commit(draft, decision);
  if (!written) state_ = before;
  return written;
}

Result<std::string> Agent::Impl::add_goal(std::string_view description, std::uint8_t priority,
                                          std::string_view criteria) {
  ANIMA_TRY(store::check_label(cut_text(description, store::kMaxSymbolBytes)));
  ANIMA_TRY(begin("add_goal", Json::object({{"description", description},
                                            {"priority", static_cast<int>(priority)},
                                            {"criteria", criteria}})));
  const SessionState before = state_;
  Goal& goal = state_.goals.add(description, priority, criteria, call_->record.now, state_.cycle);
  const std::string label = goal.label;
  goal.priority = std::max(goal.priority, priority);
  if (goal.status == GoalStatus::kCompleted || goal.status == GoalStatus::kFailed) {
    goal.status = GoalStatus::kActive;
    goal.failure.clear();
    goal.answer.clear();
    goal.cycles_worked = 0;
    goal.last_progress_cycle = state_.cycle;
    goal.known.clear();
    state_.plans.erase(label);
    state_.history.erase(label);
  }
  Draft draft;
  draft.goals.insert(label);
  ANIMA_TRY(finish(before, draft).map([](store::Sequence) {}));
  return label;
}

Result<CycleReport> Agent::Impl::run_cycle() {
  if (state_.goals.top() == nullptr) return fail(no_goals());
  const store::ActScope act("cycle");
  ANIMA_TRY(begin("run_cycle"));
  const store::Snapshot& snapshot = call_->snapshot;
  const SessionState before = state_;
  CycleReport report;
  Draft draft;
  if (Status done = turn(snapshot, report, draft); !done) {
    state_ = before;
    return fail(done.error());
  }
  ANIMA_ASSIGN(report.sequence, finish(before, draft, report.to_json()));
  return report;
}

Result<CycleReport> Agent::Impl::deliberate() {
  const Goal* goal = state_.goals.top();
  if (goal == nullptr) return fail(no_goals());
  ANIMA_ASSIGN(const store::Snapshot snapshot, space_.snapshot());
  CycleReport report;
  report.cycle = state_.cycle + 1;
  DecisionFacts facts = look(snapshot, *goal, report.observation);
  const auto kept = state_.plans.find(goal->label);
  const bool goes_on = kept != state_.plans.end() && kept->second.status != PlanStatus::kSuperseded;
  const Plan plan = goes_on ? kept->second : make_plan(facts, tools_, 0);
  report.strategy = plan.strategy;
  facts.plan = plan.open();
  consider(*goal, facts, report);
  return report;
}

Result<Reflection> Agent::Impl::reflect_now() {
  ANIMA_TRY(begin("reflect"));
  const SessionState before = state_;
  Draft draft;
  CycleReport report;
  reflect(draft, report);
  ANIMA_TRY(finish(before, draft).map([](store::Sequence) {}));
  return *report.reflection;
}

Result<WorkingMemory::Outcome> Agent::Impl::consolidate_now() {
  ANIMA_TRY(begin("consolidate"));
  const store::Snapshot& snapshot = call_->snapshot;
  const SessionState before = state_;
  Draft draft;
  const WorkingMemory::Outcome outcome = consolidate(snapshot, draft);
  ANIMA_TRY(finish(before, draft).map([](store::Sequence) {}));
  return outcome;
}

Status Agent::Impl::goal_exists(const std::string& label) const {
  if (state_.goals.find(label) != nullptr) return {};
  return fail(ErrorCode::kNotFound, "there is no such goal", label, "see: anima agent goals");
}

Result<Plan> Agent::Impl::plan_for(const std::string& label) const {
  ANIMA_TRY(goal_exists(label));
  const auto plan = state_.plans.find(label);
  if (plan != state_.plans.end() && plan->second.status == PlanStatus::kActive) {
    return plan->second;
  }
  Observation seen;
  const std::uint32_t attempt = plan == state_.plans.end() ? 0 : plan->second.attempt;
  ANIMA_ASSIGN(const store::Snapshot snapshot, space_.snapshot());
  return make_plan(look(snapshot, *state_.goals.find(label), seen), tools_, attempt);
}

Status Agent::Impl::set_goal_status(const std::string& label, GoalStatus status,
                                    std::string_view reason) {
  ANIMA_TRY(goal_exists(label));
  ANIMA_TRY(
      begin("set_goal_status",
            Json::object({{"goal", label}, {"status", to_string(status)}, {"reason", reason}})));
  const SessionState before = state_;
  Draft draft;
  for (const std::string& changed : state_.goals.set_status(label, status, reason)) {
    draft.goals.insert(changed);
  }
  return finish(before, draft).map([](store::Sequence) {});
}

Status Agent::Impl::set_psyche(Psyche psyche) {
  ANIMA_TRY(begin("set_psyche", Json::object({{"psyche", to_json(psyche)}})));
  const SessionState before = state_;
  state_.psyche = std::move(psyche);
  return finish(before, {}).map([](store::Sequence) {});
}

Status Agent::Impl::forbid(const std::string& label, const std::string& tool,
                           const tools::ToolInput& input) {
  ANIMA_TRY(goal_exists(label));
  ANIMA_TRY(
      begin("forbid",
            Json::object({{"goal", label}, {"tool", tool}, {"input", detail::input_json(input)}})));
  const SessionState before = state_;
  state_.vetoed[label].insert(action_key(tool, input));
  Draft draft;
  draft.vetoed(*state_.goals.find(label), {"person", {}, 1.0, "forbidden for this goal"},
               state_.cycle);
  return finish(before, draft).map([](store::Sequence) {});
}

std::optional<memory::QuestionMatch> Agent::Impl::match(std::string_view text) const {
  return memory::match_question(text, questions_);
}

std::optional<AnswerableQuestion> Agent::Impl::understand(std::string_view text) const {
  const auto found = match(text);
  if (!found) return std::nullopt;
  AnswerableQuestion question;
  question.query = memory::fill_slots(found->pattern->query, found->slots, true);
  const auto subject = found->slots.find(found->pattern->subject);
  if (subject != found->slots.end()) question.subject = subject->second;
  question.words = found->words;
  return question;
}

std::vector<std::string> Agent::Impl::askable() const {
  std::vector<std::string> examples;
  for (const memory::QuestionPattern& pattern : questions_) {
    examples.push_back(memory::example_of(pattern.ask.front()));
  }
  return examples;
}

Document Agent::Impl::findings(const std::string& label) const {
  const Goal* goal = state_.goals.find(label);
  std::vector<tools::Finding> found;
  const auto run = run_findings_.find(label);
  if (run != run_findings_.end()) {
    found = run->second;
  } else if (goal != nullptr) {
    for (const MemoryEntry& entry : state_.memory.entries()) {
      if (entry.kind != EntryKind::kToolResult || entry.goal != goal->symbol) continue;
      found.insert(found.end(), entry.findings.begin(), entry.findings.end());
    }
  }
  return synthesize(goal == nullptr ? label : goal->description,
                    goal == nullptr ? 0 : goal->cycles_worked, found);
}

Grammar Agent::Impl::grammar(std::string_view given) {
  const std::string preference =
      given.empty() ? state_.psyche.persona.grammar_preference : std::string(given);
  const GrammarShelf shelf = grammar_shelf(files_, space_.folder(), &compartments_);
  GrammarChoice choice = choose_grammar(preference, shelf, files_, ".");
  if (!choice.warning.empty()) warnings_.push_back(choice.warning);
  return std::move(choice.grammar);
}

std::string Agent::Impl::synthesize_findings(const std::string& label, std::string_view given) {
  return linearize(findings(label), grammar(given));
}

Agent::Agent(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Agent::~Agent() = default;

Result<std::unique_ptr<Agent>> Agent::create(store::Space& space,
                                             memory::CompartmentManager& compartments,
                                             FileSystem& files, AgentConfig config) {
  auto impl = std::make_unique<Impl>(space, compartments, files, std::move(config));
  ANIMA_TRY(impl->open());
  return std::unique_ptr<Agent>(new Agent(std::move(impl)));
}

Result<std::string> Agent::add_goal(std::string_view description, std::uint8_t priority,
                                    std::string_view criteria) {
  return impl_->add_goal(description, priority, criteria);
}
Result<CycleReport> Agent::run_cycle() { return impl_->run_cycle(); }

Result<RunEnd> Agent::run_until_complete(std::uint64_t max_cycles,
                                         const std::function<bool(const CycleReport&)>& seen) {
  for (std::uint64_t i = 0; i < max_cycles; ++i) {
    if (impl_->state_.goals.top() == nullptr) return RunEnd::kDone;
    ANIMA_ASSIGN(const CycleReport report, run_cycle());
    if (seen && !seen(report)) return RunEnd::kStopped;
  }
  return impl_->state_.goals.top() == nullptr ? RunEnd::kDone : RunEnd::kMaxCycles;
}

Result<CycleReport> Agent::deliberate() { return impl_->deliberate(); }
Result<Performed> Agent::perform(const std::string& tool, const tools::ToolInput& input) {
  return impl_->perform(tool, input);
}
Status Agent::forbid(const std::string& goal, const std::string& tool,
                     const tools::ToolInput& input) {
  return impl_->forbid(goal, tool, input);
}
store::Sequence Agent::run() const { return store::Sequence{impl_->run_}; }
Result<Reflection> Agent::reflect() { return impl_->reflect_now(); }
Result<WorkingMemory::Outcome> Agent::consolidate() { return impl_->consolidate_now(); }
Result<Plan> Agent::plan_for(const std::string& goal) { return impl_->plan_for(goal); }
Status Agent::set_goal_status(const std::string& goal, GoalStatus status, std::string_view reason) {
  return impl_->set_goal_status(goal, status, reason);
}
const Psyche& Agent::psyche() const { return impl_->state_.psyche; }
Status Agent::set_psyche(Psyche psyche) { return impl_->set_psyche(std::move(psyche)); }
const GoalList& Agent::goals() const { return impl_->state_.goals; }
const WorkingMemory& Agent::memory() const { return impl_->state_.memory; }
const SessionState& Agent::session() const { return impl_->state_; }
std::uint64_t Agent::cycle() const { return impl_->state_.cycle; }
const tools::ToolTable& Agent::tools() const { return impl_->tools_; }
tools::ToolTable& Agent::tools() { return impl_->tools_; }

std::vector<std::string> Agent::take_warnings() {
  std::vector<std::string> taken;
  taken.swap(impl_->warnings_);
  return taken;
}

Result<std::vector<tools::RecalledEpisode>> Agent::recall(std::span<const EntityId> symbols,
                                                          std::size_t limit) {
  ANIMA_ASSIGN(const store::Snapshot now, impl_->space_.snapshot());
  return recall_episodes(now, symbols, limit);
}
Document Agent::findings(const std::string& goal) const { return impl_->findings(goal); }
std::string Agent::synthesize_findings(const std::string& goal, std::string_view grammar) {
  return impl_->synthesize_findings(goal, grammar);
}
std::optional<AnswerableQuestion> Agent::understand(std::string_view text) {
  return impl_->understand(text);
}
std::vector<std::string> Agent::askable() { return impl_->askable(); }
Result<std::vector<std::string>> Agent::mentioned(std::string_view text) {
  ANIMA_ASSIGN(const store::Snapshot now, impl_->space_.snapshot());
  return detail::mentioned_labels(now, text);
}
Result<std::vector<std::string>> Agent::unknown_words(std::string_view text) {
  ANIMA_ASSIGN(const store::Snapshot now, impl_->space_.snapshot());
  return detail::unknown_words(now, text);
}
std::string Agent::tell(const Document& document) {
  return linearize_sections(document, impl_->grammar({}));
}

}  // namespace anima::agent
