#include "agent/plans/kept_plan.h"

#include <utility>

namespace anima::agent {

std::string_view to_string(PlanState state) {
  switch (state) {
    case PlanState::kReady:
      return "ready";
    case PlanState::kWaiting:
      return "waiting";
    case PlanState::kUnknown:
      return "unknown";
    case PlanState::kRefused:
      return "refused";
    case PlanState::kExpired:
      return "expired";
    case PlanState::kOver:
      return "over";
  }
  return "over";
}

std::string_view status_of(const KeptPlan& plan, const Task& task) {
  if (task.status == TaskStatus::kInProgress) return "unknown";
  if (task.status == TaskStatus::kPending && plan.waits.contains(task.id)) return "waiting";
  return to_string(task.status);
}

std::string step_name(const KeptPlan& plan, const std::string& step) {
  const Task* task = plan.graph.find(step);
  return "step " + step + (task == nullptr ? "" : " (" + task->name + ")");
}

const std::string* referenced_task(const Json& parameter) {
  if (!parameter.is_object() || parameter.as_object().size() != 1) return nullptr;
  const Json* task = parameter.find("task");
  return task != nullptr && task->is_string() ? &task->as_string() : nullptr;
}

std::vector<std::string> inputs_of(const Task& task) {
  std::vector<std::string> inputs;
  for (const auto& [name, value] : task.parameters.as_object()) {
    if (const std::string* from = referenced_task(value)) inputs.push_back(*from);
  }
  return inputs;
}

Json KeptPlan::to_json() const {
  Json steps = Json::array();
  for (const std::string& id_of_step : graph.order()) {
    const Task& task = *graph.find(id_of_step);
    Json step = Json::object({{"id", task.id},
                              {"name", task.name},
                              {"tool", task.tool},
                              {"parameters", task.parameters},
                              {"status", std::string(status_of(*this, task))}});
    if (const auto output = outputs.find(task.id); output != outputs.end())
      step.set("trust", std::string(govern::trust_name(output->second.trust)));
    if (const auto wait = waits.find(task.id); wait != waits.end())
      step.set("approval", wait->second);
    steps.push_back(std::move(step));
  }
  return Json::object({{"id", id},
                       {"state", std::string(to_string(state))},
                       {"reason", reason},
                       {"message", message.content},
                       {"channel", message.channel},
                       {"sender", message.sender},
                       {"session", message.session},
                       {"trust", std::string(govern::trust_name(trust))},
                       {"steps", std::move(steps)},
                       {"begun", format_timestamp(begun)},
                       {"changed", format_timestamp(changed)}});
}

}  // namespace anima::agent
