// What stands behind Agent: its state, and the steps of a call.
//
// Each public call begins with begin(), which takes one snapshot and one reading of the clock,
// works on the state in memory, and ends with commit(): one log entry, or the state as it was
// before. Calls are in agent.cc, the turn of the loop in turn.cc, what is kept at its end in
// keep.cc. Thread-safety: one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/findings/grammar.h"
#include "agent/loop/agent.h"
#include "agent/loop/detail/bench.h"
#include "agent/loop/detail/record.h"
#include "agent/loop/detail/run_record.h"

namespace anima::agent {

class Agent::Impl {
 public:
  Impl(store::Space& space, memory::CompartmentManager& compartments, FileSystem& files,
       AgentConfig config);
  Status open();

  Result<std::string> add_goal(std::string_view description, std::uint8_t priority,
                               std::string_view criteria);
  Result<Performed> perform(const std::string& tool, const tools::ToolInput& input);
  Result<CycleReport> run_cycle();
  Result<CycleReport> deliberate();
  Result<Reflection> reflect_now();
  Result<WorkingMemory::Outcome> consolidate_now();
  Result<Plan> plan_for(const std::string& label) const;
  Status set_goal_status(const std::string& label, GoalStatus status, std::string_view reason);
  Status set_psyche(Psyche psyche);
  Status forbid(const std::string& label, const std::string& tool, const tools::ToolInput& input);

  std::optional<memory::QuestionMatch> match(std::string_view text) const;
  std::optional<AnswerableQuestion> understand(std::string_view text) const;
  std::vector<std::string> askable() const;
  Document findings(const std::string& label) const;
  // The one given, else the psyche's; what is wrong with it is a warning.
  Grammar grammar(std::string_view given);
  std::string synthesize_findings(const std::string& label, std::string_view grammar);

 private:
  friend class Agent;
  using Draft = detail::Draft;

  // One call: what it read, when, and what was answered from outside the graph.
  struct Call {
    detail::RunRecord record;
    store::Snapshot snapshot;
    std::vector<detail::OutsideAnswer> answers;
  };
  Status begin(std::string name, Json arguments = Json::object());
  // Writes the call's entry, with the decision when there is one; on failure the state is `before`.
  Result<store::Sequence> finish(const SessionState& before, const Draft& draft,
                                 const Json& decision = {});
  Result<store::Sequence> commit(const Draft& draft, const Json& decision);
  Json setup() const;

  Status take_psyche();
  Status first_psyche();
  std::vector<std::string> lost_by(const memory::CompartmentManager::ChangedPsyche& file,
                                   const Psyche& in_force) const;
  Status restore_statuses();
  Status goal_exists(const std::string& label) const;

  // turn.cc
  Status turn(const store::Snapshot& snapshot, CycleReport& report, Draft& draft);
  void consider(const Goal& goal, const DecisionFacts& facts, CycleReport& report) const;
  void leave_out_avoided(const DecisionFacts& facts, CycleReport& report) const;
  DecisionFacts look(const store::Snapshot& snapshot, const Goal& goal, Observation& seen) const;
  Plan& ensure_plan(const Goal& goal, const DecisionFacts& facts);
  void push(MemoryEntry entry);
  void remember_look(const Goal& goal, const CycleReport& report);
  void remember_decision(const Goal& goal, const CycleReport& report);
  Status act(const store::Snapshot& snapshot, Goal& goal, CycleReport& report, Draft& draft);
  Result<tools::ToolOutput> run_tool(const std::string& name, const tools::ToolInput& input,
                                     detail::Bench& bench);
  // What the proposals would do; a veto that it fires is in it.
  Result<Effects> foresee(const store::Snapshot& snapshot,
                          const std::vector<tools::Proposal>& proposals);
  void blocked(const store::Snapshot& snapshot, Goal& goal, const ShadowPattern& veto,
               CycleReport& report, Draft& draft);
  void record(const Goal& goal, const tools::ToolOutput& output, const CycleReport& report);
  void progress(const store::Snapshot& snapshot, Goal& goal, const tools::ToolOutput& output,
                CycleReport& report, Draft& draft);
  void settle_progress(Goal& goal, const CycleReport& report, Draft& draft);
  bool has_open_gap(const store::Snapshot& snapshot, const Goal& goal);
  void end_goal(const Goal& goal, GoalStatus status, const CycleReport& report, Draft& draft);
  // By the next attempt; without one the goal fails.
  void replace_plan(const store::Snapshot& snapshot, Goal& goal, std::string_view how,
                    CycleReport& report, Draft& draft);
  void step_failed(const store::Snapshot& snapshot, Goal& goal, CycleReport& report, Draft& draft);

  // perform.cc
  Status act_alone(const store::Snapshot& snapshot, const std::string& tool,
                   const tools::ToolInput& input, Performed& done, Draft& draft);

  // keep.cc
  void reflect(Draft& draft, CycleReport& report);
  void take_stalled_apart(Draft& draft, CycleReport& report);
  WorkingMemory::Outcome consolidate(const store::Snapshot& snapshot, Draft& draft);

  store::Space& space_;
  memory::CompartmentManager& compartments_;
  FileSystem& files_;
  AgentConfig config_;
  tools::ToolTable tools_;
  SessionState state_;
  std::vector<memory::QuestionPattern> questions_;
  memory::RuleKeeper rules_;
  std::map<std::string, std::vector<tools::Finding>> run_findings_;
  std::vector<std::string> warnings_;
  std::optional<Call> call_;
  std::uint64_t opened_ = 0;  // the sequence that the state was read at
  std::uint64_t run_ = 0;     // 0 until the first entry is written
  std::uint64_t step_ = 0;
};

}  // namespace anima::agent
