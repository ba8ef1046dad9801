// The turn of the loop: observe, orient, decide, act, and what the outcome means for the goal.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "agent/loop/detail/agent_impl.h"
#include "agent/loop/detail/effects.h"
#include "agent/mind/detail/mind.h"
#include "agent/mind/episodes.h"
#include "base/text/text.h"
#include "language/text/words.h"
#include "store/symbols.h"
#include "tools/graph.h"

namespace anima::agent {
namespace {

using store::EntityId;

constexpr std::size_t kRecallInObserve = 3;
constexpr std::size_t kRecent = 5;
constexpr std::size_t kMaxKnown = 16;
constexpr std::size_t kMaxEntrySymbols = 24;
constexpr std::size_t kMaxRunFindings = 2'000;
constexpr double kOpenGap = 0.7;
constexpr std::string_view kWriteGraph = "WriteGraph";
// Cycles without progress after which a plan that is done makes room for the next one. Until then
// the scores decide.
constexpr std::uint64_t kPatience = 3;
constexpr std::string_view kDefaultCriteria = "Agent-determined completion";

// To look at the goal itself brings nothing.
bool involves_others(const Goal& goal, const tools::ToolOutput& output) {
  const auto& symbols = output.symbols_involved;
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](EntityId symbol) { return symbol != goal.symbol; });
}

bool plan_decides(const Goal& goal) {
  return goal.criteria.empty() || goal.criteria == kDefaultCriteria;
}

// What was asked about is known from now on.
void learn_known(const store::Snapshot& snapshot, Goal& goal, const Candidate& chosen) {
  if (chosen.tool != "kg_query") return;
  const auto symbol = store::find_symbol(snapshot, chosen.input.at("symbol"));
  if (!symbol || *symbol == goal.symbol) return;
  const std::string label = store::symbol_label(snapshot, *symbol);
  if (std::find(goal.known.begin(), goal.known.end(), label) != goal.known.end()) return;
  goal.known.push_back(label);
  if (goal.known.size() > kMaxKnown) goal.known.erase(goal.known.begin());
}

std::vector<std::string> labels_near(const store::Snapshot& snapshot, const std::string& criteria) {
  std::vector<std::string> labels;
  for (const language::PlainWord& word : language::plain_words(criteria)) {
    store::TextQuery query;
    query.text = std::string(word.written);
    query.prefix = false;
    query.fuzzy = false;
    for (const store::TextHit& hit : snapshot.search(query)) {
      const std::string label = store::symbol_label(snapshot, hit.entity);
      if (!tools::is_bookkeeping(label)) labels.push_back(label);
    }
  }
  return labels;
}

bool over(GoalStatus status) {
  return status == GoalStatus::kCompleted || status == GoalStatus::kFailed;
}

// Nothing that the goal names is known, nobody asked the like before, and only the tools that go
// with every goal would look for it.
bool unserved(const DecisionFacts& facts, const Decision& decision) {
  const auto always = [](const Candidate& each) {
    return each.tool == "kg_query" || each.tool == "gap_analysis";
  };
  return !facts.question && !facts.named && facts.knowledge.empty() &&
         facts.recalled_episodes.empty() && facts.tool_history.empty() &&
         std::all_of(decision.candidates.begin(), decision.candidates.end(), always);
}

std::string unserved_text(const store::Snapshot& snapshot, const tools::ToolTable& tools,
                          std::string_view goal) {
  std::string text =
      "nothing here serves this goal: it names nothing that is in the graph, and no work that a "
      "tool does";
  for (const tools::Tool* tool : tools.all()) {
    if (names_tool(goal, tool->info().name))
      text += fmt::format("; {} is a tool, but a goal says what is wanted", tool->info().name);
  }
  const std::vector<std::string> words = detail::unknown_words(snapshot, goal);
  if (!words.empty()) text += fmt::format("; nothing is known about {}", join(words, ", "));
  return text;
}

}  // namespace

Status Agent::Impl::turn(const store::Snapshot& snapshot, CycleReport& report, Draft& draft) {
  Goal& goal = *state_.goals.top();
  const std::string label = goal.label;
  report.cycle = ++state_.cycle;
  DecisionFacts facts = look(snapshot, goal, report.observation);
  Plan& plan = ensure_plan(goal, facts);
  report.strategy = plan.strategy;
  facts.plan = plan.open();
  consider(goal, facts, report);
  if (report.chosen().planned) plan.skip_to(report.chosen().tool);
  remember_look(goal, report);
  remember_decision(goal, report);
  ANIMA_TRY(act(snapshot, goal, report, draft));
  draft.goals.insert(label);
  if (reflection_due(config_.reflection, state_.cycle)) reflect(draft, report);
  take_stalled_apart(draft, report);
  if (state_.memory.consolidation_due()) report.consolidation = consolidate(snapshot, draft);
  report.goal_status = state_.goals.find(label)->status;
  return {};
}

void Agent::Impl::consider(const Goal& goal, const DecisionFacts& facts,
                           CycleReport& report) const {
  report.goal = goal.label;
  report.description = goal.description;
  report.knowledge = facts.knowledge.size();
  report.inferences = facts.inferences.size();
  report.pressure = facts.pressure;
  report.decision = decide(facts, tools_, state_.psyche);
  leave_out_avoided(facts, report);
  report.unserved = unserved(facts, report.decision);
}

// What the owner refused often is no candidate, and the report says so.
void Agent::Impl::leave_out_avoided(const DecisionFacts& facts, CycleReport& report) const {
  if (config_.avoid.empty()) return;
  DecisionFacts rest = facts;
  for (const Candidate& candidate : report.decision.candidates) {
    const std::string kind = kind_of_action(candidate.tool, detail::input_json(candidate.input));
    const auto avoided =
        std::find_if(config_.avoid.begin(), config_.avoid.end(),
                     [&](const AvoidedAction& each) { return each.action == kind; });
    if (avoided == config_.avoid.end()) continue;
    rest.excluded.insert(action_key(candidate.tool, candidate.input));
    report.set_aside.push_back(*avoided);
  }
  if (!report.set_aside.empty()) report.decision = decide(rest, tools_, state_.psyche);
}

// Observe and orient.
DecisionFacts Agent::Impl::look(const store::Snapshot& snapshot, const Goal& goal,
                                Observation& seen) const {
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
  if (!mentions.empty()) facts.named = mentions.front();
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

Plan& Agent::Impl::ensure_plan(const Goal& goal, const DecisionFacts& facts) {
  const auto known = state_.plans.find(goal.label);
  const auto in_force = [](PlanStatus status) {
    return status == PlanStatus::kActive || status == PlanStatus::kCompleted;
  };
  if (known != state_.plans.end() && in_force(known->second.status)) return known->second;
  const std::uint32_t attempt = known == state_.plans.end() ? 0 : known->second.attempt;
  return state_.plans[goal.label] = make_plan(facts, tools_, attempt);
}

void Agent::Impl::push(MemoryEntry entry) {
  entry.time = call_->record.now;
  entry.source_cycle = state_.cycle;
  if (entry.symbols.size() > kMaxEntrySymbols) entry.symbols.resize(kMaxEntrySymbols);
  state_.memory.push(std::move(entry));
}

void Agent::Impl::remember_look(const Goal& goal, const CycleReport& report) {
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

void Agent::Impl::remember_decision(const Goal& goal, const CycleReport& report) {
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

Status Agent::Impl::act(const store::Snapshot& snapshot, Goal& goal, CycleReport& report,
                        Draft& draft) {
  const Candidate& chosen = report.chosen();
  const ActionText action = describe_action(chosen.tool, chosen.input);
  ++goal.cycles_worked;
  ToolUse& use = state_.uses[chosen.tool];
  use.tool = chosen.tool;
  ++use.invocations;
  draft.decided(goal, state_.cycle);
  if (const ShadowPattern* veto = state_.psyche.check_veto(action)) {
    blocked(snapshot, goal, *veto, report, draft);
    return {};
  }
  report.bias = state_.psyche.check_bias(action);
  detail::Bench bench(snapshot, config_.origin.trust, rules_, call_->record.now,
                      match(goal.description));
  ANIMA_ASSIGN(const tools::ToolOutput output, run_tool(chosen.tool, chosen.input, bench));
  report.success = output.success;
  report.result = output.result;
  report.answer = std::move(bench.answer);
  if (output.success && !bench.proposals.empty()) {
    ANIMA_ASSIGN(report.effects, foresee(snapshot, bench.proposals));
    for (const std::string& reason : report.effects->contradictions) {
      draft.contradicted(goal, reason, state_.cycle);
    }
    if (const ShadowPattern* veto = state_.psyche.veto_named(report.effects->vetoed_by)) {
      report.success = false;
      blocked(snapshot, goal, *veto, report, draft);
      return {};
    }
  }
  if (output.success) {
    ++use.successes;
    for (tools::Proposal& proposal : bench.proposals) {
      report.written.push_back(proposal);
      draft.proposals.push_back({std::move(proposal), chosen.tool, state_.cycle});
    }
  }
  record(goal, output, report);
  progress(snapshot, goal, output, report, draft);
  return {};
}

Result<tools::ToolOutput> Agent::Impl::run_tool(const std::string& name,
                                                const tools::ToolInput& input,
                                                detail::Bench& bench) {
  const tools::Tool* tool = tools_.find(name);
  const bool outside = tool != nullptr && detail::is_outside(tool->info());
  if (config_.judge && tool != nullptr && !outside) {
    const std::vector<std::string>& can = tool->info().capabilities;
    ANIMA_TRY(config_.judge(name, input, std::ranges::find(can, kWriteGraph) != can.end()));
  }
  Result<tools::ToolOutput> ran = tools_.run(name, input, bench);
  tools::ToolOutput output;
  if (ran) {
    output = std::move(*ran);
  } else {
    output.success = false;
    output.result = ran.error().describe();
  }
  if (outside) {
    const detail::Answerer who = detail::answerer_of(tool->info());
    call_->answers.push_back({who, name, output, bench.proposals});
  }
  return output;
}

Result<Effects> Agent::Impl::foresee(const store::Snapshot& snapshot,
                                     const std::vector<tools::Proposal>& proposals) {
  return detail::foresee(space_, snapshot, proposals, rules_, call_->record.now, state_.psyche);
}

void Agent::Impl::blocked(const store::Snapshot& snapshot, Goal& goal, const ShadowPattern& veto,
                          CycleReport& report, Draft& draft) {
  const Candidate& chosen = report.chosen();
  report.vetoed_by = veto.name;
  report.result = veto_text(veto);
  // The goal stays open: there may be another way.
  report.progress = {ProgressKind::kNoChange, "Shadow veto: " + veto.name};
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
  step_failed(snapshot, goal, report, draft);
}

void Agent::Impl::record(const Goal& goal, const tools::ToolOutput& output,
                         const CycleReport& report) {
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

void Agent::Impl::progress(const store::Snapshot& snapshot, Goal& goal,
                           const tools::ToolOutput& output, CycleReport& report, Draft& draft) {
  if (!output.success) {
    report.progress = {ProgressKind::kNoChange, "the tool failed"};
    step_failed(snapshot, goal, report, draft);
    return;
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
    draft.noted_from.insert(draft.noted_from.end(), output.symbols_involved.begin(),
                            output.symbols_involved.end());
    report.progress = {ProgressKind::kCompleted,
                       chosen.tool == kModelThink ? "the model answered" : "the rules answered"};
  } else if (plan_decides(goal)) {
    report.progress = measure_progress({}, {}, involves_others(goal, output), {});
    if (plan.status == PlanStatus::kCompleted && !has_open_gap(snapshot, goal)) {
      report.progress = {ProgressKind::kCompleted, "the plan is done and no gap is left"};
    }
  } else {
    report.progress = measure_progress(goal.criteria, output.result, involves_others(goal, output),
                                       labels_near(snapshot, goal.criteria));
  }
  const bool in_vain = report.unserved && plan_decides(goal) && !involves_others(goal, output);
  if (in_vain) {
    report.progress = {ProgressKind::kFailed,
                       report.set_aside.empty() ? unserved_text(snapshot, tools_, goal.description)
                                                : "what would serve this goal is not proposed: " +
                                                      describe(report.set_aside.front())};
  }
  settle_progress(goal, report, draft);
  const bool in_time = state_.cycle < goal.last_progress_cycle + kPatience;
  if (plan.status == PlanStatus::kCompleted && !over(goal.status) && !in_time) {
    replace_plan(snapshot, goal, "brought no end", report, draft);
  }
}

void Agent::Impl::settle_progress(Goal& goal, const CycleReport& report, Draft& draft) {
  const ProgressKind kind = report.progress.kind;
  if (kind == ProgressKind::kAdvanced || kind == ProgressKind::kCompleted) {
    goal.last_progress_cycle = state_.cycle;
    ++goal.progress_count;
  }
  if (kind != ProgressKind::kCompleted && kind != ProgressKind::kFailed) return;
  end_goal(goal, kind == ProgressKind::kCompleted ? GoalStatus::kCompleted : GoalStatus::kFailed,
           report, draft);
}

void Agent::Impl::end_goal(const Goal& goal, GoalStatus status, const CycleReport& report,
                           Draft& draft) {
  const std::string_view reason =
      status == GoalStatus::kFailed ? std::string_view(report.progress.reason) : "";
  for (const std::string& changed : state_.goals.set_status(goal.label, status, reason)) {
    draft.goals.insert(changed);
  }
}

// A gap of 0.7 or more around what the goal is about, after an action of it.
bool Agent::Impl::has_open_gap(const store::Snapshot& snapshot, const Goal& goal) {
  detail::Bench bench(snapshot, config_.origin.trust, rules_, call_->record.now, std::nullopt);
  for (const std::string& label : goal.known) {
    const auto gaps = tools_.run("gap_analysis", {{"goal", label}}, bench);
    if (!gaps || !gaps->success) continue;
    for (const tools::Finding& finding : gaps->findings) {
      if (finding.score >= kOpenGap) return true;
    }
  }
  if (!goal.known.empty()) return false;
  // What a tool brought from outside leaves no gap in a graph that the goal names nothing of.
  const tools::Tool* last = tools_.find(state_.history[goal.label].back());
  return last == nullptr || !detail::is_outside(last->info()) ||
         detail::answerer_of(last->info()) != detail::Answerer::kTool;
}

void Agent::Impl::step_failed(const store::Snapshot& snapshot, Goal& goal, CycleReport& report,
                              Draft& draft) {
  Plan& plan = state_.plans[goal.label];
  plan.failed(report.chosen().tool);
  if (plan.status == PlanStatus::kFailed) replace_plan(snapshot, goal, "failed", report, draft);
}

void Agent::Impl::replace_plan(const store::Snapshot& snapshot, Goal& goal, std::string_view how,
                               CycleReport& report, Draft& draft) {
  Plan& plan = state_.plans[goal.label];
  const std::uint32_t attempt = plan.attempt + 1;
  plan.status = PlanStatus::kSuperseded;
  if (attempt >= kMaxAttempts) {
    report.progress = {ProgressKind::kFailed, fmt::format("{} plans {}", attempt, how)};
    end_goal(goal, GoalStatus::kFailed, report, draft);
    return;
  }
  Observation unused;
  state_.plans[goal.label] = make_plan(look(snapshot, goal, unused), tools_, attempt);
  report.new_plan = state_.plans[goal.label].strategy;
  MemoryEntry entry;
  entry.kind = EntryKind::kGoalUpdate;
  entry.relevance = 0.7;
  entry.symbols = {goal.symbol};
  entry.content = report.new_plan;
  push(std::move(entry));
}

}  // namespace anima::agent
