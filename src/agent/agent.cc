#include "agent/agent.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/detail/bench.h"
#include "agent/detail/mind.h"
#include "agent/detail/record.h"
#include "agent/episodes.h"
#include "agent/grammar.h"
#include "base/text.h"
#include "memory/names.h"
#include "memory/provenance.h"
#include "store/symbols.h"
#include "tools/graph.h"

namespace anima::agent {
namespace {

using detail::Draft;
using store::EntityId;

constexpr std::size_t kRecallInObserve = 3;
constexpr std::size_t kRecent = 5;
constexpr std::size_t kMaxKnown = 16;
constexpr std::size_t kMaxEntrySymbols = 24;
constexpr std::size_t kMaxRunFindings = 2'000;
constexpr double kOpenGap = 0.7;
constexpr std::string_view kDefaultCriteria = "Agent-determined completion";

Psyche neutral() {
  Psyche psyche;
  psyche.shadow = {};
  psyche.archetypes = {0.5, 0.5, 0.5, 0.5};
  return psyche;
}

// To look at the goal itself brings nothing.
bool involves_others(const Goal& goal, const tools::ToolOutput& output) {
  const auto& symbols = output.symbols_involved;
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](EntityId symbol) { return symbol != goal.symbol; });
}

bool plan_decides(const Goal& goal) {
  return goal.criteria.empty() || goal.criteria == kDefaultCriteria;
}

}  // namespace

class Agent::Impl {
 public:
  Impl(store::Space& space, memory::CompartmentManager& compartments, FileSystem& files,
       AgentConfig config)
      : space_(space), compartments_(compartments), files_(files), config_(std::move(config)) {
    if (!config_.clock) config_.clock = std::make_shared<SystemClock>();
    tools::add_graph_tools(tools_);
  }

  Status open() {
    ANIMA_ASSIGN(state_, read_session(space_, config_.name, config_.memory_capacity));
    if (config_.fresh) {
      const std::uint64_t session = state_.session + 1;
      state_ = SessionState();
      state_.session = session;
      state_.memory = WorkingMemory(config_.memory_capacity);
    }
    warnings_.insert(warnings_.end(), state_.warnings.begin(), state_.warnings.end());
    state_.warnings.clear();
    for (const memory::Compartment* compartment : compartments_.active()) {
      if (compartment->content.psyche.empty() || state_.psyche_stored) continue;
      std::vector<std::string> notes;
      Result<Psyche> psyche = parse_psyche(compartment->content.psyche,
                                           compartment->manifest.id + "/psyche.toml", {}, &notes);
      warnings_.insert(warnings_.end(), notes.begin(), notes.end());
      if (psyche) {
        state_.psyche = std::move(*psyche);
      } else {
        warnings_.push_back("the psyche cannot be read, so the default is used: " +
                            psyche.error().describe());
      }
    }
    if (!config_.psyche) state_.psyche = neutral();
    questions_ = compartments_.questions();
    restore_statuses();
    return {};
  }

  // The graph's word on a goal's status is the newest: somebody may have changed it.
  void restore_statuses() {
    const store::Snapshot snapshot = space_.snapshot();
    for (Goal& goal : state_.goals.all()) {
      const auto term = goal.symbol == EntityId::kNone
                            ? std::nullopt
                            : snapshot.attribute(goal.symbol, detail::kGoalStatusKey);
      if (!term) continue;
      const auto status = goal_status(snapshot.value(*term).text);
      if (status) goal.status = *status;
    }
  }

  Result<std::string> add_goal(std::string_view description, std::uint8_t priority,
                               std::string_view criteria) {
    ANIMA_TRY(store::check_label(cut_text(description, store::kMaxSymbolBytes)));
    const SessionState before = state_;
    Goal& goal =
        state_.goals.add(description, priority, criteria, config_.clock->now(), state_.cycle);
    const std::string label = goal.label;
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
    if (Status written = commit(draft, nullptr); !written) {
      state_ = before;
      return fail(written.error());
    }
    return label;
  }

  Result<CycleReport> run_cycle() {
    if (state_.goals.top() == nullptr) {
      return fail(ErrorCode::kNotFound, "NoGoals: no goal is active", {},
                  "give one: anima run \"...\"");
    }
    const SessionState before = state_;
    CycleReport report;
    Draft draft;
    Status done = turn(report, draft);
    if (done) done = commit(draft, &report);
    if (!done) {
      state_ = before;
      return fail(done.error());
    }
    return report;
  }

  Result<Reflection> reflect_now() {
    const SessionState before = state_;
    Draft draft;
    CycleReport report;
    reflect(draft, report);
    if (Status written = commit(draft, nullptr); !written) {
      state_ = before;
      return fail(written.error());
    }
    return *report.reflection;
  }

  Result<WorkingMemory::Outcome> consolidate_now() {
    const SessionState before = state_;
    Draft draft;
    const store::Snapshot snapshot = space_.snapshot();
    const WorkingMemory::Outcome outcome = consolidate(snapshot, draft);
    if (Status written = commit(draft, nullptr); !written) {
      state_ = before;
      return fail(written.error());
    }
    return outcome;
  }

  Result<Plan> plan_for(const std::string& label) {
    Goal* goal = state_.goals.find(label);
    if (goal == nullptr) return fail(ErrorCode::kNotFound, "there is no such goal", label);
    const store::Snapshot snapshot = space_.snapshot();
    Observation seen;
    const DecisionFacts facts = look(snapshot, *goal, seen);
    return ensure_plan(*goal, facts);
  }

  Status set_goal_status(const std::string& label, GoalStatus status, std::string_view reason) {
    if (state_.goals.find(label) == nullptr) {
      return fail(ErrorCode::kNotFound, "there is no such goal", label);
    }
    const SessionState before = state_;
    Draft draft;
    for (const std::string& changed : state_.goals.set_status(label, status, reason)) {
      draft.goals.insert(changed);
    }
    Status written = commit(draft, nullptr);
    if (!written) state_ = before;
    return written;
  }

  Status set_psyche(Psyche psyche) {
    const SessionState before = state_;
    state_.psyche = std::move(psyche);
    Status written = commit({}, nullptr);
    if (!written) state_ = before;
    return written;
  }

  std::optional<memory::QuestionMatch> match(std::string_view text) const {
    return memory::match_question(text, questions_);
  }

  std::optional<AnswerableQuestion> understand(std::string_view text) const {
    const auto found = match(text);
    if (!found) return std::nullopt;
    AnswerableQuestion question;
    question.query = memory::fill_slots(found->pattern->query, found->slots, true);
    const auto subject = found->slots.find(found->pattern->subject);
    if (subject != found->slots.end()) question.subject = subject->second;
    question.words = found->words;
    return question;
  }

  std::vector<std::string> askable() const {
    std::vector<std::string> examples;
    for (const memory::QuestionPattern& pattern : questions_) {
      examples.push_back(memory::example_of(pattern.ask.front()));
    }
    return examples;
  }

  Document findings(const std::string& label) const {
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

  std::string synthesize_findings(const std::string& label, std::string_view grammar) {
    const std::string preference =
        grammar.empty() ? state_.psyche.persona.grammar_preference : std::string(grammar);
    GrammarChoice choice = choose_grammar(preference, files_, ".");
    if (!choice.warning.empty()) warnings_.push_back(choice.warning);
    return linearize(findings(label), choice.grammar);
  }

 private:
  friend class Agent;

  Status turn(CycleReport& report, Draft& draft) {
    Goal& goal = *state_.goals.top();
    const std::string label = goal.label;
    const store::Snapshot snapshot = space_.snapshot();
    report.cycle = ++state_.cycle;
    report.goal = label;
    report.description = goal.description;

    const DecisionFacts facts = look(snapshot, goal, report.observation);
    report.knowledge = facts.knowledge.size();
    report.inferences = facts.inferences.size();
    report.pressure = facts.pressure;
    report.strategy = ensure_plan(goal, facts).strategy;
    remember_look(goal, report);

    report.decision = decide(facts, tools_, state_.psyche);
    remember_decision(goal, report);
    ANIMA_TRY(act(snapshot, goal, report, draft));
    draft.goals.insert(label);
    if (reflection_due(config_.reflection, state_.cycle)) reflect(draft, report);
    take_stalled_apart(draft, report);
    if (state_.memory.consolidation_due()) report.consolidation = consolidate(snapshot, draft);
    report.goal_status = state_.goals.find(label)->status;
    return {};
  }

  // Observe and orient.
  DecisionFacts look(const store::Snapshot& snapshot, const Goal& goal, Observation& seen) {
    DecisionFacts facts;
    facts.goal = goal.description;
    facts.goal_label = goal.label;
    facts.question = understand(goal.description);
    const std::vector<std::string> mentions = detail::mentioned_labels(snapshot, goal.description);
    seen.active_goals = state_.goals.active().size();
    seen.memory_size = state_.memory.size();
    seen.recent = state_.memory.recent(kRecent);
    std::vector<EntityId> symbols{goal.symbol};
    for (const std::string& label : mentions) {
      if (const auto symbol = store::find_symbol(snapshot, label)) symbols.push_back(*symbol);
    }
    seen.episodes = recall_episodes(snapshot, symbols, kRecallInObserve);
    for (const tools::RecalledEpisode& episode : seen.episodes) {
      facts.recalled_episodes.push_back(episode.summary);
    }
    for (const std::string& label : mentions) facts.recalled_symbols.push_back(label);
    if (facts.recalled_symbols.empty()) facts.recalled_symbols.push_back(goal.label);

    detail::Orientation around =
        detail::orient(snapshot, goal, seen.episodes, !facts.question.has_value());
    facts.knowledge = std::move(around.knowledge);
    facts.inferences = std::move(around.inferences);
    facts.pressure = state_.memory.pressure();
    if (!facts.question) {
      for (const std::string& label : mentions) {
        if (std::find(goal.known.begin(), goal.known.end(), label) == goal.known.end()) {
          facts.mentions.push_back(label);
        }
      }
    }
    if (const auto history = state_.history.find(goal.label); history != state_.history.end()) {
      facts.tool_history = history->second;
    }
    if (const auto vetoed = state_.vetoed.find(goal.label); vetoed != state_.vetoed.end()) {
      facts.excluded = vetoed->second;
    }
    return facts;
  }

  Plan& ensure_plan(const Goal& goal, const DecisionFacts& facts) {
    const auto known = state_.plans.find(goal.label);
    if (known != state_.plans.end() && known->second.status == PlanStatus::kActive) {
      return known->second;
    }
    const std::uint32_t attempt = known == state_.plans.end() ? 0 : known->second.attempt;
    return state_.plans[goal.label] = make_plan(facts, tools_, attempt);
  }

  void push(MemoryEntry entry) {
    entry.time = config_.clock->now();
    entry.source_cycle = state_.cycle;
    if (entry.symbols.size() > kMaxEntrySymbols) entry.symbols.resize(kMaxEntrySymbols);
    state_.memory.push(std::move(entry));
  }

  void remember_look(const Goal& goal, const CycleReport& report) {
    MemoryEntry seen;
    seen.kind = EntryKind::kObservation;
    seen.relevance = 0.6;
    seen.symbols = {goal.symbol};
    seen.content = fmt::format("{} active goals, {} entries in memory, {} episodes recalled",
                               report.observation.active_goals, report.observation.memory_size,
                               report.observation.episodes.size());
    push(std::move(seen));
    if (report.knowledge + report.inferences == 0) return;
    MemoryEntry oriented;
    oriented.kind = EntryKind::kInference;
    oriented.relevance = 0.5;
    oriented.symbols = {goal.symbol};
    oriented.content = fmt::format("{} facts and {} inferences around the goal", report.knowledge,
                                   report.inferences);
    push(std::move(oriented));
  }

  void remember_decision(const Goal& goal, const CycleReport& report) {
    state_.memory.refer(state_.memory.recent(kRecent), state_.cycle);
    const Candidate& chosen = report.chosen();
    state_.history[goal.label].push_back(chosen.tool);
    MemoryEntry decision;
    decision.kind = EntryKind::kDecision;
    decision.relevance = 0.7;
    decision.symbols = {goal.symbol};
    decision.tool = chosen.tool;
    decision.goal = goal.symbol;
    decision.success = true;
    decision.content = fmt::format("{}: {}", chosen.tool, reasoning(chosen));
    push(std::move(decision));
  }

  Status act(const store::Snapshot& snapshot, Goal& goal, CycleReport& report, Draft& draft) {
    const Candidate& chosen = report.chosen();
    const ActionText action = describe_action(chosen.tool, chosen.input);
    ++goal.cycles_worked;
    ToolUse& use = state_.uses[chosen.tool];
    use.tool = chosen.tool;
    ++use.invocations;
    draft.decided(goal, state_.cycle);
    if (const ShadowPattern* veto = state_.psyche.check_veto(action)) {
      blocked(goal, *veto, report, draft);
      return {};
    }
    report.bias = state_.psyche.check_bias(action);
    detail::Bench bench(snapshot, compartments_, match(goal.description));
    Result<tools::ToolOutput> ran = tools_.run(chosen.tool, chosen.input, bench);
    tools::ToolOutput output;
    if (ran) {
      output = std::move(*ran);
    } else {
      output.success = false;
      output.result = ran.error().describe();
    }
    report.success = output.success;
    report.result = output.result;
    report.answer = std::move(bench.answer);
    if (output.success) {
      ++use.successes;
      for (tools::Proposal& proposal : bench.proposals) {
        report.written.push_back(proposal);
        draft.proposals.push_back({std::move(proposal), chosen.tool, state_.cycle});
      }
    }
    record(goal, output, report);
    return progress(snapshot, goal, output, report, draft);
  }

  void blocked(Goal& goal, const ShadowPattern& veto, CycleReport& report, Draft& draft) {
    const Candidate& chosen = report.chosen();
    report.vetoed_by = veto.name;
    report.result = fmt::format("VETOED by Shadow pattern '{}': {}", veto.name, veto.explanation);
    report.progress = {ProgressKind::kFailed, "Shadow veto: " + veto.name};
    state_.psyche.record_shadow_encounter();
    state_.vetoed[goal.label].insert(action_key(chosen.tool, chosen.input));
    draft.vetoed(goal, veto, state_.cycle);
    MemoryEntry entry;
    entry.kind = EntryKind::kToolResult;
    entry.relevance = 0.8;
    entry.symbols = {goal.symbol};
    entry.tool = chosen.tool;
    entry.goal = goal.symbol;
    entry.content = report.result;
    push(std::move(entry));
    step_failed(goal, report, draft);
  }

  void record(const Goal& goal, const tools::ToolOutput& output, const CycleReport& report) {
    MemoryEntry entry;
    entry.kind = EntryKind::kToolResult;
    entry.relevance = 0.6;
    entry.symbols = {goal.symbol};
    entry.symbols.insert(entry.symbols.end(), output.symbols_involved.begin(),
                         output.symbols_involved.end());
    entry.tool = report.chosen().tool;
    entry.goal = goal.symbol;
    entry.success = output.success;
    entry.content = std::string(cut_text(output.result, kMaxResultBytes));
    entry.findings = output.findings;
    auto& found = run_findings_[goal.label];
    for (const tools::Finding& finding : output.findings) {
      if (found.size() < kMaxRunFindings) found.push_back(finding);
    }
    push(std::move(entry));
  }

  Status progress(const store::Snapshot& snapshot, Goal& goal, const tools::ToolOutput& output,
                  CycleReport& report, Draft& draft) {
    if (!output.success) {
      report.progress = {ProgressKind::kNoChange, "the tool failed"};
      step_failed(goal, report, draft);
      return {};
    }
    const Candidate& chosen = report.chosen();
    Plan& plan = state_.plans[goal.label];
    plan.completed(chosen.tool);
    learn_known(snapshot, goal, chosen);
    const auto answer = std::find_if(
        output.findings.begin(), output.findings.end(),
        [](const tools::Finding& finding) { return finding.kind == tools::FindingKind::kAnswer; });
    if (answer != output.findings.end()) {
      goal.answer = answer->text;
      report.progress = {ProgressKind::kCompleted, "the rules answered"};
    } else if (plan_decides(goal)) {
      report.progress = measure_progress({}, {}, involves_others(goal, output), {});
      if (plan.status == PlanStatus::kCompleted && !has_open_gap(snapshot, goal)) {
        report.progress = {ProgressKind::kCompleted, "the plan is done and no gap is left"};
      }
    } else {
      report.progress =
          measure_progress(goal.criteria, output.result, involves_others(goal, output),
                           labels_near(snapshot, goal.criteria));
    }
    settle_progress(goal, report, draft);
    return {};
  }

  void settle_progress(Goal& goal, const CycleReport& report, Draft& draft) {
    const ProgressKind kind = report.progress.kind;
    if (kind == ProgressKind::kAdvanced || kind == ProgressKind::kCompleted) {
      goal.last_progress_cycle = state_.cycle;
      ++goal.progress_count;
    }
    if (kind != ProgressKind::kCompleted) return;
    for (const std::string& changed : state_.goals.set_status(goal.label, GoalStatus::kCompleted)) {
      draft.goals.insert(changed);
    }
  }

  // What was asked about is known from now on.
  static void learn_known(const store::Snapshot& snapshot, Goal& goal, const Candidate& chosen) {
    if (chosen.tool != "kg_query") return;
    const auto symbol = store::find_symbol(snapshot, chosen.input.at("symbol"));
    if (!symbol || *symbol == goal.symbol) return;
    const std::string label = store::symbol_label(snapshot, *symbol);
    if (std::find(goal.known.begin(), goal.known.end(), label) != goal.known.end()) return;
    goal.known.push_back(label);
    if (goal.known.size() > kMaxKnown) goal.known.erase(goal.known.begin());
  }

  // A gap of 0.7 or more around what the goal is about.
  bool has_open_gap(const store::Snapshot& snapshot, const Goal& goal) {
    detail::Bench bench(snapshot, compartments_, std::nullopt);
    for (const std::string& label : goal.known) {
      const auto gaps = tools_.run("gap_analysis", {{"goal", label}}, bench);
      if (!gaps || !gaps->success) continue;
      for (const tools::Finding& finding : gaps->findings) {
        if (finding.score >= kOpenGap) return true;
      }
    }
    return goal.known.empty();
  }

  static std::vector<std::string> labels_near(const store::Snapshot& snapshot,
                                              const std::string& criteria) {
    std::vector<std::string> labels;
    for (const Word& word : split_words(criteria)) {
      store::TextQuery query;
      query.text = std::string(word.text);
      query.prefix = false;
      query.fuzzy = false;
      for (const store::TextHit& hit : snapshot.search(query)) {
        const std::string label = store::symbol_label(snapshot, hit.entity);
        if (!tools::is_bookkeeping(label)) labels.push_back(label);
      }
    }
    return labels;
  }

  void step_failed(Goal& goal, CycleReport& report, Draft& draft) {
    Plan& plan = state_.plans[goal.label];
    plan.failed(report.chosen().tool);
    if (plan.status != PlanStatus::kFailed) return;
    const std::uint32_t attempt = plan.attempt + 1;
    plan.status = PlanStatus::kSuperseded;
    if (attempt >= kMaxAttempts) {
      for (const std::string& changed : state_.goals.set_status(
               goal.label, GoalStatus::kFailed, fmt::format("{} plans failed", attempt))) {
        draft.goals.insert(changed);
      }
      report.progress = {ProgressKind::kFailed, fmt::format("{} plans failed", attempt)};
      return;
    }
    Observation unused;
    const store::Snapshot snapshot = space_.snapshot();
    state_.plans[goal.label] = make_plan(look(snapshot, goal, unused), tools_, attempt);
    report.new_plan = state_.plans[goal.label].strategy;
    MemoryEntry entry;
    entry.kind = EntryKind::kGoalUpdate;
    entry.relevance = 0.7;
    entry.symbols = {goal.symbol};
    entry.content = report.new_plan;
    push(std::move(entry));
  }

  void reflect(Draft& draft, CycleReport& report) {
    std::vector<ToolUse> uses;
    for (const auto& [tool, use] : state_.uses) uses.push_back(use);
    Reflection reflection = agent::reflect(uses, state_.goals.all(), state_.memory.pressure(),
                                           state_.cycle, config_.reflection);
    apply_priorities(reflection, state_.goals);
    for (const Adjustment& adjustment : reflection.adjustments) {
      draft.goals.insert(adjustment.goal);
    }
    if (config_.psyche) {
      report.evolution = state_.psyche.evolve(uses, reflection.abandon_suggestions(), state_.cycle);
      draft.evolved(report.evolution, state_.cycle);
    }
    state_.uses.clear();
    MemoryEntry entry;
    entry.kind = EntryKind::kInference;
    entry.relevance = 0.8;
    entry.content = reflection.summary();
    push(std::move(entry));
    report.reflection = std::move(reflection);
  }

  void take_stalled_apart(Draft& draft, CycleReport& report) {
    std::vector<std::string> stalled;
    for (const Goal* goal : state_.goals.active()) {
      if (goal->children.empty() && goal->parent.empty() &&
          GoalList::stalled(*goal, state_.cycle)) {
        stalled.push_back(goal->label);
      }
    }
    for (const std::string& label : stalled) {
      draft.goals.insert(label);
      for (const std::string& child :
           state_.goals.take_apart(label, config_.clock->now(), state_.cycle)) {
        draft.goals.insert(child);
        report.new_goals.push_back(child);
      }
    }
  }

  WorkingMemory::Outcome consolidate(const store::Snapshot& snapshot, Draft& draft) {
    std::vector<const Goal*> active;
    for (const Goal* goal : state_.goals.active()) active.push_back(goal);
    return state_.memory.consolidate(
        state_.cycle, detail::graph_view(snapshot, active),
        [&](const MemoryEntry& entry, const ConsolidationScore& score) {
          draft.episodes.push_back({state_.session, entry, score});
          return true;
        });
  }

  Status commit(const Draft& draft, CycleReport* report) {
    const auto change = [&](store::Transaction& transaction) -> Status {
      ANIMA_TRY(detail::write_draft(transaction, draft, state_));
      if (report != nullptr) {
        ANIMA_TRY(transaction.record(store::RecordKind::kDecision, report->to_json().dump()));
      }
      return write_session(transaction, config_.name, state_);
    };
    store::Origin origin = config_.origin;
    if (origin.source.empty()) origin.source = "agent:" + config_.name;
    ANIMA_ASSIGN(const store::Receipt receipt, space_.write(origin, change));
    settle(state_, receipt.sequence);
    state_.psyche_stored = true;
    if (report != nullptr) report->sequence = receipt.sequence;
    return {};
  }

  store::Space& space_;
  memory::CompartmentManager& compartments_;
  FileSystem& files_;
  AgentConfig config_;
  tools::ToolTable tools_;
  SessionState state_;
  std::vector<memory::QuestionPattern> questions_;
  std::map<std::string, std::vector<tools::Finding>> run_findings_;
  std::vector<std::string> warnings_;
};

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

std::vector<tools::RecalledEpisode> Agent::recall(std::span<const EntityId> symbols,
                                                  std::size_t limit) {
  return recall_episodes(impl_->space_.snapshot(), symbols, limit);
}
Document Agent::findings(const std::string& goal) const { return impl_->findings(goal); }
std::string Agent::synthesize_findings(const std::string& goal, std::string_view grammar) {
  return impl_->synthesize_findings(goal, grammar);
}
std::optional<AnswerableQuestion> Agent::understand(std::string_view text) {
  return impl_->understand(text);
}
std::vector<std::string> Agent::askable() { return impl_->askable(); }

}  // namespace anima::agent
