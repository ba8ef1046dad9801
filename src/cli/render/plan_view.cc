#include "cli/render/plan_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace anima::cli {

using agent::KeptPlan;
using agent::TaskStatus;

namespace {

std::string state_of(const KeptPlan& plan) {
  return std::string(to_string(plan.state)) + (plan.reason.empty() ? "" : ": " + plan.reason);
}

std::ptrdiff_t done_in(const KeptPlan& plan) {
  return std::ranges::count(plan.graph.tasks(), TaskStatus::kCompleted, &agent::Task::status);
}

}  // namespace

std::string steps_done(const KeptPlan& plan) {
  return fmt::format("{} of {}", done_in(plan), plan.graph.tasks().size());
}

std::string plan_text(const KeptPlan& plan) {
  std::string text = fmt::format(
      "{}  {}\n  message    {}\n  from       {} on {}, session {} ({})\n  begun      {}\n"
      "  changed    {}\n  steps      {} done\n",
      plan.id, visible_text(state_of(plan)), visible_text(plan.message.content),
      visible_text(plan.message.sender), visible_text(plan.message.channel),
      visible_text(plan.message.session), govern::trust_name(plan.trust),
      format_timestamp(plan.begun), format_timestamp(plan.changed), steps_done(plan));
  for (const std::string& id : plan.graph.order()) {
    const agent::Task& task = *plan.graph.find(id);
    text +=
        fmt::format("  {:>5}  {:<9}  {}{}\n", id, status_of(plan, task), visible_text(task.name),
                    task.tool.empty() ? "" : " (" + visible_text(task.tool) + ")");
  }
  return text;
}

Json step_json(const KeptPlan& plan, const std::string& step) {
  return Json::object({{"id", plan.id},
                       {"step", step},
                       {"state", std::string(to_string(plan.state))},
                       {"done", std::int64_t{done_in(plan)}},
                       {"steps", static_cast<std::uint64_t>(plan.graph.tasks().size())}});
}

std::string step_text(const KeptPlan& plan, const std::string& step) {
  return fmt::format("step {} of the plan {}, {} done: {}", step, plan.id.substr(0, 8),
                     steps_done(plan), visible_text(plan.message.content));
}

std::vector<WaitingStep> waiting_for(const std::vector<KeptPlan>& plans,
                                     const std::string& approval) {
  std::vector<WaitingStep> found;
  for (const KeptPlan& plan : plans) {
    for (const auto& [step, id] : plan.waits) {
      if (id == approval) found.push_back({&plan, step});
    }
  }
  return found;
}

}  // namespace anima::cli
