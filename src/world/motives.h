// Why an agent does what it does: goals from five sources, and which of them goes first.
//
//   priority = 1.0 urgency + (0.5 + 0.5 (1 - quality_vs_speed)) reward
//            + (0.5 + 0.5 (1 - depth_vs_breadth)) capability
//            + 0.5 risk_tolerance novelty + 0.5 collaboration social
//
// Ties go to the older goal, then to the smaller id. Source: source 002 10.2, 10.4;
// governance_and_runtime 2.6. Thread-safety: functions without state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "world/citizen.h"

namespace anima::world {

// Each from 0 to 1.
struct PriorityTerms {
  double urgency = 0, reward = 0, capability = 0, novelty = 0, social = 0;
};
struct PriorityWeights {
  double urgency = 1, reward = 0, capability = 0, novelty = 0, social = 0;
};
PriorityWeights priority_weights(const Traits& traits);
double priority(const PriorityWeights& weights, const PriorityTerms& terms);
PriorityTerms priority_terms(const Citizen& citizen, const Goal& goal, std::uint64_t now);
// How many own experiences are of this kind and tag.
std::uint64_t experience_count(const Citizen& citizen, std::string_view kind, std::string_view tag);

// Gives every live goal its priority and orders the layers. O(goals x experiences).
void prioritise(Citizen& citizen, std::uint64_t now);
// The live goal that goes first, or null.
const Goal* best_goal(const Citizen& citizen);

// Cycles without anything new, above which curiosity sets in; in 32-bit floats, as the traits are.
float curiosity_threshold(const Traits& traits);

struct NewGoal {
  GoalLayer layer = GoalLayer::kTask;
  GoalSource source = GoalSource::kSurvival;
  std::string description;
  std::optional<std::uint64_t> deadline;
  GoalNotes notes;
};
// Errors: kLimitExceeded (the layer is full). True: it is new; false: one of that source and
// description is live already.
Result<bool> inject(Citizen& citizen, NewGoal goal, std::uint64_t now);

// Survival, role, curiosity, social, and bounties that the agent knows of.
void inject_from_sources(Citizen& citizen, std::uint64_t now);
// Whether a bounty is worth an objective.
bool accepts_bounty(const Citizen& citizen, const KnownBounty& bounty, std::uint64_t now);
std::vector<std::string> role_tags(AgentRole role);

// How a goal ended: it leaves the stack, what it taught is learnt, and the satisfaction is kept.
Satisfaction end_goal(Citizen& citizen, const Digest& goal, GoalStatus status, Outcome outcome,
                      std::uint64_t now);
// Abandons goals past their deadline, and survival goals that are no longer needed.
void drop_outdated(Citizen& citizen, std::uint64_t now);

}  // namespace anima::world
