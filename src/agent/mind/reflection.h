// Reflection: how the tools, the goals and the memory have been doing, and what to change.
//
// Pure: it reads counts and gives a result; the agent applies the priority changes and shows the
// rest as recommendations. Success is the recorded flag of each invocation, never a word in its
// text. Source: learning_and_psyche 2.13. Thread-safety: plain functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/mind/goals.h"
#include "agent/mind/psyche.h"
#include "base/json/json.h"

namespace anima::agent {

struct ReflectionConfig {
  std::uint32_t every_n_cycles = 5;  // 0 = never
  double min_success_rate = 0.3;
  std::uint64_t stagnation_threshold = 8;
};

struct ToolReview {
  ToolUse use;
  double rate = 0;
  bool ineffective = false;  // two or more invocations and a rate below the minimum
};

struct GoalReview {
  std::string goal;
  std::uint64_t cycles_worked = 0;
  bool stagnant = false;
};

enum class AdjustmentKind : std::uint8_t {
  kSuggestAbandon,
  kDecreasePriority,
  kIncreasePriority,
  kSuggestNewGoal,
};
std::string_view to_string(AdjustmentKind kind);

struct Adjustment {
  AdjustmentKind kind = AdjustmentKind::kSuggestAbandon;
  std::string goal;           // label
  std::uint8_t priority = 0;  // the new one
  std::string description;    // of a new goal
};

struct Reflection {
  std::uint64_t cycle = 0;
  std::vector<ToolReview> tools;  // by name
  std::size_t strategy_diversity = 0;
  std::vector<GoalReview> goals;
  double memory_pressure = 0;
  std::vector<Adjustment> adjustments;
  std::uint64_t abandon_suggestions() const;
  std::string summary() const;
  Json to_json() const;
};

bool reflection_due(const ReflectionConfig& config, std::uint64_t cycle);

// `tools` are the uses since the last reflection; `goals` all goals.
Reflection reflect(std::span<const ToolUse> tools, std::span<const Goal> goals,
                   double memory_pressure, std::uint64_t cycle, const ReflectionConfig& config);

// The priority changes; marks progress as rewarded, so that one progress raises once.
void apply_priorities(const Reflection& reflection, GoalList& goals);

}  // namespace anima::agent
