#include "world/citizen.h"

namespace anima::world {

Genome seed_genome(std::size_t number) {
  static const Genome kSeeds[] = {
      {AgentRole::kCompilerSmith, {0.3F, 0.5F, 0.2F, 0.2F}, {}},
      {AgentRole::kCompilerSmith, {0.7F, 0.3F, 0.3F, 0.6F}, {}},
      {AgentRole::kLibrarian, {0.4F, 0.7F, 0.5F, 0.3F}, {}},
      {AgentRole::kLibrarian, {0.5F, 0.6F, 0.8F, 0.4F}, {}},
      {AgentRole::kArchitect, {0.3F, 0.8F, 0.4F, 0.1F}, {}},
      {AgentRole::kExplorer, {0.9F, 0.4F, 0.7F, 0.7F}, {}},
      {AgentRole::kGeneralist, {0.5F, 0.5F, 0.5F, 0.5F}, {}},
      {AgentRole::kGeneralist, {0.6F, 0.6F, 0.6F, 0.4F}, {}},
  };
  return kSeeds[number % std::size(kSeeds)];
}

std::vector<Goal>& GoalStack::layer(GoalLayer layer) {
  return layer == GoalLayer::kAspiration  ? aspirations
         : layer == GoalLayer::kObjective ? objectives
                                          : tasks;
}
const std::vector<Goal>& GoalStack::layer(GoalLayer layer) const {
  return const_cast<GoalStack*>(this)->layer(layer);
}

Goal* GoalStack::find(const Digest& id) {
  for (std::vector<Goal>* list : {&aspirations, &objectives, &tasks}) {
    for (Goal& goal : *list) {
      if (goal.id == id) return &goal;
    }
  }
  return nullptr;
}
const Goal* GoalStack::find(const Digest& id) const {
  return const_cast<GoalStack*>(this)->find(id);
}

std::vector<const Goal*> GoalStack::live() const {
  std::vector<const Goal*> out;
  for (const std::vector<Goal>* list : {&aspirations, &objectives, &tasks}) {
    for (const Goal& goal : *list) {
      if (goal.status == GoalStatus::kPending || goal.status == GoalStatus::kActive)
        out.push_back(&goal);
    }
  }
  return out;
}

}  // namespace anima::world
