// What one turn of the loop saw, thought and did: the record that people and programs read.
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/learnings/own_learnings.h"
#include "agent/mind/goals.h"
#include "agent/mind/reflection.h"
#include "agent/mind/scoring.h"
#include "agent/mind/working_memory.h"
#include "memory/compartments/reasoner.h"
#include "tools/workbench.h"

namespace anima::agent {

struct Observation {
  std::size_t active_goals = 0;
  std::size_t memory_size = 0;
  std::vector<std::uint64_t> recent;
  std::vector<tools::RecalledEpisode> episodes;
};

// What a tool's proposals would do, tried out on a branch before they are written.
struct Effects {
  std::size_t statements = 0;             // proposed
  std::vector<std::string> gained, lost;  // derived facts, as Datalog; the first of them
  std::uint64_t gained_total = 0, lost_total = 0;
  std::vector<std::string> contradictions;  // what becomes superseded, with the reason
  std::string vetoed_by;                    // a shadow pattern that a fact fires, or empty
  std::string vetoed_fact;
  std::string note;  // why something is not known
  Json to_json() const;
};

struct CycleReport {
  std::uint64_t cycle = 0;
  std::string goal;  // label
  std::string description;
  std::string strategy;  // of the plan that was in force
  Observation observation;
  std::size_t knowledge = 0;
  std::size_t inferences = 0;
  double pressure = 0;
  Decision decision;
  std::vector<AvoidedAction> set_aside;  // what would have been a candidate
  bool unserved = false;                 // the goal names nothing that is known, and no tool
  std::string vetoed_by;                 // a shadow pattern, or empty
  double bias = 0;
  bool success = false;
  std::string result;
  Progress progress;
  GoalStatus goal_status = GoalStatus::kActive;
  std::optional<memory::QuestionAnswer> answer;
  std::vector<tools::Proposal> written;
  std::optional<Effects> effects;  // of an action that proposes statements
  std::optional<Reflection> reflection;
  std::string evolution;  // how the psyche changed, when it reflected
  std::optional<WorkingMemory::Outcome> consolidation;
  std::vector<std::string> new_goals;
  std::string new_plan;                               // the strategy that replaced a failed plan
  store::Sequence sequence = store::Sequence::kNone;  // the log entry of this cycle

  const Candidate& chosen() const { return decision.candidates.front(); }
  Json to_json() const;
};

}  // namespace anima::agent
