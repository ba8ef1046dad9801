// Plans: the steps an agent means to take for a goal, and what it does when one fails.
//
// The next open step goes before whatever scores best; after the last one scores decide, until
// nothing more comes of it and the next attempt takes over. Even attempts explore first, odd ones
// reason first. A step is Completed only when the tool that ran is that step's tool and succeeded;
// a failed or vetoed step skips the rest, and the next attempt supersedes the plan, until
// kMaxAttempts are used up and the goal fails. Source: learning_and_psyche 2.12. Thread-safety:
// plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/mind/scoring.h"
#include "base/json/json.h"
#include "base/result.h"
#include "tools/tool.h"

namespace anima::agent {

// On disk, never renumber.
enum class StepStatus : std::uint8_t { kPending, kActive, kCompleted, kFailed, kSkipped };
enum class PlanStatus : std::uint8_t { kActive, kCompleted, kFailed, kSuperseded };
std::string_view to_string(StepStatus status);
std::string_view to_string(PlanStatus status);

inline constexpr std::uint32_t kMaxAttempts = 3;

struct PlanStep {
  std::string tool;
  tools::ToolInput input;
  std::string rationale;
  StepStatus status = StepStatus::kPending;
  bool operator==(const PlanStep&) const = default;
};

struct Plan {
  std::string goal;  // label
  std::vector<PlanStep> steps;
  PlanStatus status = PlanStatus::kActive;
  std::uint32_t attempt = 0;
  std::string strategy;  // "Attempt 1: kg_query → reason"
  bool operator==(const Plan&) const = default;

  // What happened to `tool`. A tool that is no open step changes nothing.
  void completed(std::string_view tool);
  void failed(std::string_view tool);
  bool done() const;                      // every step Completed or Skipped
  std::vector<std::string> open() const;  // the tools of its open steps, in order
  // The steps before the first open one of `tool` are left out: there is nothing to do for them.
  void skip_to(std::string_view tool);
};

// What a goal's text asks for.
struct Needs {
  bool knowledge = false;
  bool reasoning = false;
  bool creation = false;
  bool similarity = false;
  std::vector<std::string> external;  // tools that the text gives an argument for
};
Needs read_needs(std::string_view goal, const tools::ToolTable& tools);

// Requires nothing; the plan is never empty.
Plan make_plan(const DecisionFacts& facts, const tools::ToolTable& tools, std::uint32_t attempt);

Json to_json(const Plan& plan);
Result<Plan> plan_from_json(const Json& json);

}  // namespace anima::agent
