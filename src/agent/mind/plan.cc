#include "agent/mind/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/json_fields.h"
#include "base/text/text.h"
#include "language/text/word_uses.h"
#include "language/text/words.h"
#include "tools/made_tools.h"

namespace anima::agent {
namespace {

class Planner {
 public:
  Planner(const DecisionFacts& facts, const tools::ToolTable& tools, std::uint32_t attempt)
      : facts_(facts),
        tools_(tools),
        attempt_(attempt),
        needs_(read_needs(facts.goal, tools)),
        known_(!facts.knowledge.empty()) {}

  Plan make() {
    if (facts_.question) {
      answer_question();
    } else if (attempt_ % 2 == 0) {
      explore_first();
    } else {
      reason_first();
    }
    for (const std::string& tool : needs_.external) {
      step(tool, "The goal names what this tool needs.");
    }
    if (!facts_.question) {
      const auto tool = related_tool(facts_, tools_);
      if (tool && std::ranges::find(needs_.external, *tool) == needs_.external.end())
        step(*tool, "The goal sounds like work for this tool.");
    }
    if (!facts_.question) step(kModelThink, "The model answers from what is known.");
    if (plan_.steps.empty()) step("kg_query", "Begin with what the graph says.");
    finish();
    return std::move(plan_);
  }

 private:
  void step(std::string_view tool, std::string rationale) {
    if (tools_.find(tool) == nullptr) return;
    plan_.steps.push_back({std::string(tool), {}, std::move(rationale), StepStatus::kPending});
  }

  void answer_question() {
    if (attempt_ % 2 == 0)
      step("kg_query", "See what the graph says about the question's subject.");
    step("infer_rules", "The loaded rules answer this question.");
    if (attempt_ % 2 == 1)
      step("kg_query", "See what the graph says about the question's subject.");
  }

  void explore_first() {
    // A model looks further than what resembles the words of the goal.
    const bool external = !needs_.external.empty() || tools_.find(kModelThink) != nullptr;
    if (needs_.knowledge || !known_) step("kg_query", "Find what the graph knows.");
    if (needs_.similarity || (!known_ && !external)) {
      step("similarity_search", "Find what resembles it.");
    }
    if (needs_.reasoning || (known_ && !external)) step("reason", "Work with what is known.");
    if (needs_.creation) step("kg_mutate", "Write down what was found.");
  }

  void reason_first() {
    step("memory_recall", "See what earlier episodes taught.");
    if (known_) step("reason", "Work with what is known.");
    step("kg_query", "Find what the graph knows.");
    if (needs_.creation) step("kg_mutate", "Write down what was found.");
  }

  void finish() {
    plan_.goal = facts_.goal_label;
    plan_.attempt = attempt_;
    if (attempt_ > 0 && plan_.steps.size() > 1) {
      const auto& history = facts_.tool_history;
      PlanStep& first = plan_.steps.front();
      if (std::find(history.begin(), history.end(), first.tool) != history.end()) {
        first.status = StepStatus::kSkipped;
      }
    }
    std::string path;
    for (const PlanStep& each : plan_.steps) path += (path.empty() ? "" : " → ") + each.tool;
    plan_.strategy = fmt::format("Attempt {}: {}", attempt_ + 1, path);
  }

  const DecisionFacts& facts_;
  const tools::ToolTable& tools_;
  std::uint32_t attempt_;
  Needs needs_;
  bool known_;
  Plan plan_;
};

}  // namespace

std::string_view to_string(StepStatus status) {
  switch (status) {
    case StepStatus::kPending:
      return "pending";
    case StepStatus::kActive:
      return "active";
    case StepStatus::kCompleted:
      return "completed";
    case StepStatus::kFailed:
      return "failed";
    case StepStatus::kSkipped:
      return "skipped";
  }
  return "pending";
}

std::string_view to_string(PlanStatus status) {
  switch (status) {
    case PlanStatus::kActive:
      return "active";
    case PlanStatus::kCompleted:
      return "completed";
    case PlanStatus::kFailed:
      return "failed";
    case PlanStatus::kSuperseded:
      return "superseded";
  }
  return "active";
}

void Plan::completed(std::string_view tool) {
  for (PlanStep& step : steps) {
    if (step.tool != tool || step.status != StepStatus::kPending) continue;
    step.status = StepStatus::kCompleted;
    break;
  }
  if (done()) status = PlanStatus::kCompleted;
}

void Plan::failed(std::string_view tool) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const PlanStep& step) {
    return step.tool == tool && step.status == StepStatus::kPending;
  });
  if (found == steps.end()) return;
  found->status = StepStatus::kFailed;
  for (PlanStep& step : steps) {
    if (step.status == StepStatus::kPending) step.status = StepStatus::kSkipped;
  }
  status = PlanStatus::kFailed;
}

std::vector<std::string> Plan::open() const {
  std::vector<std::string> tools;
  for (const PlanStep& step : steps) {
    if (step.status == StepStatus::kPending) tools.push_back(step.tool);
  }
  return tools;
}

void Plan::skip_to(std::string_view tool) {
  for (PlanStep& step : steps) {
    if (step.status != StepStatus::kPending) continue;
    if (step.tool == tool) return;
    step.status = StepStatus::kSkipped;
  }
}

bool Plan::done() const {
  return std::all_of(steps.begin(), steps.end(), [](const PlanStep& step) {
    return step.status == StepStatus::kCompleted || step.status == StepStatus::kSkipped;
  });
}

Needs read_needs(std::string_view goal, const tools::ToolTable& tools) {
  Needs needs;
  const std::vector<std::string> words = language::folded_words(goal);
  const auto has_one = [&](std::string_view use) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return language::words_used_as(use).contains(word);
    });
  };
  needs.knowledge = has_one("ask_for_knowledge");
  needs.reasoning = has_one("ask_for_reasons");
  needs.creation = has_one("ask_for_writing");
  needs.similarity = has_one("ask_for_likeness");
  const ExternalArguments given = external_arguments(goal);
  const auto offer = [&](std::string_view tool, bool wanted) {
    if (wanted && tools.find(tool) != nullptr) needs.external.emplace_back(tool);
  };
  offer("file_io", given.path.has_value());
  offer("http_fetch", given.url.has_value());
  offer("shell_exec", given.command.has_value());
  for (const tools::Tool* tool : tools.all()) {
    const auto& capabilities = tool->info().capabilities;
    const bool made =
        std::find(capabilities.begin(), capabilities.end(), tools::kMade) != capabilities.end();
    offer(tool->info().name, made && names_tool(goal, tool->info().name));
  }
  return needs;
}

Plan make_plan(const DecisionFacts& facts, const tools::ToolTable& tools, std::uint32_t attempt) {
  return Planner(facts, tools, attempt).make();
}

Json to_json(const Plan& plan) {
  Json steps = Json::array();
  for (const PlanStep& step : plan.steps) {
    steps.push_back(Json::object(
        {{"tool", step.tool}, {"rationale", step.rationale}, {"status", to_string(step.status)}}));
  }
  return Json::object({{"goal", plan.goal},
                       {"attempt", plan.attempt},
                       {"status", to_string(plan.status)},
                       {"strategy", plan.strategy},
                       {"steps", std::move(steps)}});
}

Result<Plan> plan_from_json(const Json& json) {
  Plan plan;
  plan.goal = text_of(json, "goal");
  plan.attempt = static_cast<std::uint32_t>(count_of(json, "attempt"));
  plan.strategy = text_of(json, "strategy");
  const std::string status = text_of(json, "status");
  for (const PlanStatus each : {PlanStatus::kActive, PlanStatus::kCompleted, PlanStatus::kFailed,
                                PlanStatus::kSuperseded}) {
    if (status == to_string(each)) plan.status = each;
  }
  for (const Json& item : items_of(json, "steps")) {
    PlanStep step;
    step.tool = text_of(item, "tool");
    step.rationale = text_of(item, "rationale");
    const std::string state = text_of(item, "status");
    for (const StepStatus each : {StepStatus::kPending, StepStatus::kActive, StepStatus::kCompleted,
                                  StepStatus::kFailed, StepStatus::kSkipped}) {
      if (state == to_string(each)) step.status = each;
    }
    if (step.tool.empty()) return fail(ErrorCode::kCorrupt, "a stored plan step has no tool");
    plan.steps.push_back(std::move(step));
  }
  if (plan.goal.empty() || plan.steps.empty()) {
    return fail(ErrorCode::kCorrupt, "a stored plan is incomplete");
  }
  return plan;
}

}  // namespace anima::agent
