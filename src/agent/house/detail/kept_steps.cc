#include "agent/house/detail/kept_steps.h"

#include <map>
#include <utility>

namespace anima::agent::detail {

using govern::Outcome;
using govern::Trust;

namespace {

std::string id_of(const Json& found) {
  const Json* id = found.find("id");
  return id != nullptr && id->is_string() ? id->as_string() : std::string();
}

}  // namespace

std::string tell_steps(const KeptPlan& plan) {
  std::string done, left;
  for (const std::string& id : plan.graph.order()) {
    const Task& task = *plan.graph.find(id);
    std::string* list = task.status == TaskStatus::kCompleted ? &done
                        : task.status == TaskStatus::kPending ? &left
                                                              : nullptr;
    if (list == nullptr) continue;
    *list += (list->empty() ? "" : ", ") + step_name(plan, id);
  }
  return (done.empty() ? "" : " Done before: " + done + ".") +
         (left.empty() ? "" : " Left: " + left + ".");
}

std::string tell_failures(const KeptPlan& plan) {
  std::string failed;
  for (const Task& task : plan.graph.tasks()) {
    if (task.status == TaskStatus::kFailed)
      failed += (failed.empty() ? "" : ", ") + step_name(plan, task.id);
  }
  return failed + " failed or was refused";
}

Trust lowest_of(const KeptPlan& plan) {
  Trust lowest = Trust::kSystem;
  for (const auto& [step, output] : plan.outputs) lowest = govern::lowest(lowest, output.trust);
  return lowest;
}

std::vector<TaskReport> earlier_steps(const KeptPlan& plan) {
  std::vector<TaskReport> reports;
  for (const std::string& id : plan.graph.order()) {
    const Task& task = *plan.graph.find(id);
    if (task.status != TaskStatus::kCompleted) continue;
    TaskReport report{id, task.tool, {}, true};
    report.outcome.kind = Outcome::Kind::kDone;
    if (const auto output = plan.outputs.find(id); output != plan.outputs.end()) {
      report.outcome.output_trust = output->second.trust;
      report.outcome.result = output->second.value;
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

bool changes_something(const govern::PermissionTable& permissions, const Task& task) {
  if (task.tool.empty()) return false;
  const govern::ToolPolicy* policy = permissions.find(task.tool);
  return policy == nullptr || policy->tier > govern::Tier::kReadOnly;
}

Status lower_labels(KeptPlan& plan, const govern::PermissionTable& permissions,
                    memory::MemoryManager& memory, std::string_view agent) {
  std::map<std::string, Trust> memories;
  ANIMA_ASSIGN(const auto items, memory.list(agent));
  for (const memory::MemoryItem& item : items) {
    const bool quarantined = item.type == memory::ItemType::kQuarantine;
    memories.insert_or_assign(item.id, quarantined ? Trust::kUntrusted : item.trust);
  }
  const auto of_memory = [&](const Json& found) {
    const auto item = memories.find(id_of(found));
    return item == memories.end() ? Trust::kUntrusted : item->second;
  };
  for (const std::string& id : plan.graph.order()) {
    const auto output = plan.outputs.find(id);
    if (output == plan.outputs.end()) continue;
    Trust& trust = output->second.trust;
    const Task& task = *plan.graph.find(id);
    if (task.tool.empty()) {
      for (const std::string& input : inputs_of(task)) {
        const auto from = plan.outputs.find(input);
        trust = govern::lowest(trust,
                               from == plan.outputs.end() ? Trust::kUntrusted : from->second.trust);
      }
      continue;
    }
    const govern::ToolPolicy* policy = permissions.find(task.tool);
    trust = govern::lowest(trust, policy == nullptr ? Trust::kUntrusted : policy->output_trust);
    if (!output->second.kept) continue;
    if (task.tool == "memory:lookup")
      trust = govern::lowest(trust, of_memory(output->second.value));
    const Json* hits = task.tool == "memory:search" ? output->second.value.find("hits") : nullptr;
    if (hits == nullptr) continue;
    for (const Json& hit : hits->as_array()) trust = govern::lowest(trust, of_memory(hit));
  }
  return {};
}

}  // namespace anima::agent::detail
