#include "agent/mind/reflection.h"

#include <fmt/format.h>

#include <algorithm>

namespace anima::agent {
namespace {

constexpr std::uint64_t kAbandonAfter = 16;
constexpr std::uint8_t kDecrease = 30;
constexpr std::uint8_t kDecreaseAbove = 20;
constexpr std::uint8_t kIncrease = 20;
constexpr std::uint8_t kIncreaseBelow = 230;
constexpr std::uint64_t kIncreaseAfter = 3;
constexpr std::uint32_t kJudgedFrom = 2;

void adjust(const Goal& goal, bool stagnant, std::vector<Adjustment>& adjustments) {
  if (!stagnant) {
    if (goal.cycles_worked >= kIncreaseAfter && goal.priority < kIncreaseBelow &&
        goal.progress_count > goal.rewarded_progress) {
      adjustments.push_back({AdjustmentKind::kIncreasePriority,
                             goal.label,
                             static_cast<std::uint8_t>(goal.priority + kIncrease),
                             {}});
    }
    return;
  }
  if (goal.cycles_worked >= kAbandonAfter) {
    adjustments.push_back({AdjustmentKind::kSuggestAbandon, goal.label, goal.priority, {}});
  }
  if (goal.priority > kDecreaseAbove) {
    adjustments.push_back(
        {AdjustmentKind::kDecreasePriority,
         goal.label,
         static_cast<std::uint8_t>(goal.priority - std::min(goal.priority, kDecrease)),
         {}});
  }
  if (goal.children.empty()) {
    adjustments.push_back({AdjustmentKind::kSuggestNewGoal, goal.label,
                           static_cast<std::uint8_t>(std::min(255, goal.priority + 10)),
                           "Decompose: " + goal.description});
  }
}

}  // namespace

std::string_view to_string(AdjustmentKind kind) {
  switch (kind) {
    case AdjustmentKind::kSuggestAbandon:
      return "suggest_abandon";
    case AdjustmentKind::kDecreasePriority:
      return "decrease_priority";
    case AdjustmentKind::kIncreasePriority:
      return "increase_priority";
    case AdjustmentKind::kSuggestNewGoal:
      return "suggest_new_goal";
  }
  return "suggest_abandon";
}

std::uint64_t Reflection::abandon_suggestions() const {
  return static_cast<std::uint64_t>(
      std::count_if(adjustments.begin(), adjustments.end(), [](const Adjustment& adjustment) {
        return adjustment.kind == AdjustmentKind::kSuggestAbandon;
      }));
}

std::string Reflection::summary() const {
  const auto ineffective = std::count_if(tools.begin(), tools.end(),
                                         [](const ToolReview& tool) { return tool.ineffective; });
  const auto stagnant = std::count_if(goals.begin(), goals.end(),
                                      [](const GoalReview& goal) { return goal.stagnant; });
  return fmt::format(
      "Reflection at cycle {}: {} tools used ({} ineffective), {} goals ({} stagnant), memory "
      "pressure {:.0f}%, {} adjustments recommended.",
      cycle, tools.size(), ineffective, goals.size(), stagnant, memory_pressure * 100,
      adjustments.size());
}

Json Reflection::to_json() const {
  Json tool_list = Json::array(), goal_list = Json::array(), adjustment_list = Json::array();
  for (const ToolReview& tool : tools) {
    tool_list.push_back(Json::object({{"tool", tool.use.tool},
                                      {"invocations", tool.use.invocations},
                                      {"successes", tool.use.successes},
                                      {"rate", tool.rate},
                                      {"ineffective", tool.ineffective}}));
  }
  for (const GoalReview& goal : goals) {
    goal_list.push_back(Json::object(
        {{"goal", goal.goal}, {"cycles_worked", goal.cycles_worked}, {"stagnant", goal.stagnant}}));
  }
  for (const Adjustment& adjustment : adjustments) {
    adjustment_list.push_back(Json::object({{"kind", to_string(adjustment.kind)},
                                            {"goal", adjustment.goal},
                                            {"priority", static_cast<int>(adjustment.priority)},
                                            {"description", adjustment.description}}));
  }
  return Json::object({{"cycle", cycle},
                       {"tools", std::move(tool_list)},
                       {"strategy_diversity", static_cast<std::uint64_t>(strategy_diversity)},
                       {"goals", std::move(goal_list)},
                       {"memory_pressure", memory_pressure},
                       {"adjustments", std::move(adjustment_list)},
                       {"summary", summary()}});
}

bool reflection_due(const ReflectionConfig& config, std::uint64_t cycle) {
  return config.every_n_cycles != 0 && cycle != 0 && cycle % config.every_n_cycles == 0;
}

Reflection reflect(std::span<const ToolUse> tools, std::span<const Goal> goals,
                   double memory_pressure, std::uint64_t cycle, const ReflectionConfig& config) {
  Reflection reflection;
  reflection.cycle = cycle;
  reflection.memory_pressure = memory_pressure;
  for (const ToolUse& use : tools) {
    if (use.invocations == 0) continue;
    const double rate = static_cast<double>(use.successes) / use.invocations;
    reflection.tools.push_back(
        {use, rate, use.invocations >= kJudgedFrom && rate < config.min_success_rate});
  }
  std::sort(reflection.tools.begin(), reflection.tools.end(),
            [](const auto& a, const auto& b) { return a.use.tool < b.use.tool; });
  reflection.strategy_diversity = reflection.tools.size();
  for (const Goal& goal : goals) {
    if (goal.status != GoalStatus::kActive) continue;
    const bool stagnant = goal.cycles_worked >= config.stagnation_threshold &&
                          cycle >= goal.last_progress_cycle + config.stagnation_threshold;
    reflection.goals.push_back({goal.label, goal.cycles_worked, stagnant});
    adjust(goal, stagnant, reflection.adjustments);
  }
  return reflection;
}

void apply_priorities(const Reflection& reflection, GoalList& goals) {
  for (const Adjustment& adjustment : reflection.adjustments) {
    Goal* goal = goals.find(adjustment.goal);
    if (goal == nullptr) continue;
    if (adjustment.kind == AdjustmentKind::kIncreasePriority) {
      goal->rewarded_progress = goal->progress_count;
      goal->priority = adjustment.priority;
    } else if (adjustment.kind == AdjustmentKind::kDecreasePriority) {
      goal->priority = adjustment.priority;
    }
  }
}

}  // namespace anima::agent
