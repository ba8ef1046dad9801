#include "agent/plans/detail/plan_record.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/crypto.h"
#include "base/json/text_array.h"

namespace anima::agent::detail {
namespace {

constexpr std::array kKept = {TaskStatus::kPending, TaskStatus::kCompleted, TaskStatus::kFailed,
                              TaskStatus::kSkipped};

Error damaged(std::string_view what) {
  return {ErrorCode::kCorrupt, "the record of a plan lacks " + std::string(what), {}, {}};
}

Result<std::string> plan_text(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  if (value != nullptr && value->is_string()) return value->as_string();
  return fail(damaged("'" + std::string(key) + "'"));
}

Result<govern::Trust> plan_trust(const Json& json) {
  ANIMA_ASSIGN(const std::string name, plan_text(json, "trust"));
  const auto trust = govern::parse_trust(name);
  if (trust) return *trust;
  return fail(damaged("its trust"));
}

Json message_json(const govern::IncomingMessage& message) {
  Json json = Json::object({{"content", message.content},
                            {"channel", message.channel},
                            {"sender", message.sender},
                            {"peer", message.peer},
                            {"session", message.session}});
  if (message.source) json.set("source", *message.source);
  return json;
}

Result<govern::IncomingMessage> message_from(const Json& json) {
  govern::IncomingMessage message;
  ANIMA_ASSIGN(message.content, plan_text(json, "content"));
  ANIMA_ASSIGN(message.channel, plan_text(json, "channel"));
  ANIMA_ASSIGN(message.sender, plan_text(json, "sender"));
  ANIMA_ASSIGN(message.peer, plan_text(json, "peer"));
  ANIMA_ASSIGN(message.session, plan_text(json, "session"));
  if (json.find("source") != nullptr) {
    ANIMA_ASSIGN(message.source, plan_text(json, "source"));
  }
  return message;
}

Json task_json(const Task& task) {
  const bool runs = task.status == TaskStatus::kInProgress;
  return Json::object(
      {{"id", task.id},
       {"name", task.name},
       {"tool", task.tool},
       {"parameters", task.parameters},
       {"status", std::string(to_string(runs ? TaskStatus::kPending : task.status))},
       {"dependencies", text_array(task.dependencies)}});
}

Result<Task> task_from(const Json& json) {
  Task task;
  ANIMA_ASSIGN(task.id, plan_text(json, "id"));
  ANIMA_ASSIGN(task.name, plan_text(json, "name"));
  ANIMA_ASSIGN(task.tool, plan_text(json, "tool"));
  ANIMA_ASSIGN(const std::string status, plan_text(json, "status"));
  const auto known = std::ranges::find(kKept, status, [](TaskStatus s) { return to_string(s); });
  const Json* parameters = json.find("parameters");
  const Json* dependencies = json.find("dependencies");
  const bool whole = known != kKept.end() && parameters != nullptr && parameters->is_object() &&
                     dependencies != nullptr && dependencies->is_array();
  if (!whole) return fail(damaged("a step"));
  task.status = *known;
  task.parameters = *parameters;
  for (const Json& each : dependencies->as_array()) {
    if (!each.is_string()) return fail(damaged("a step"));
    task.dependencies.push_back(each.as_string());
  }
  return task;
}

Status take_outputs(const Json& list, KeptPlan& plan) {
  if (!list.is_object()) return fail(damaged("its outputs"));
  for (const auto& [step, output] : list.as_object()) {
    StepOutput taken;
    ANIMA_ASSIGN(taken.trust, plan_trust(output));
    if (const Json* value = output.find("value"); value != nullptr) {
      taken.value = *value;
      taken.kept = true;
    }
    plan.outputs.insert_or_assign(step, std::move(taken));
  }
  return {};
}

}  // namespace

std::string plan_mark(const std::string& plan, const govern::IncomingMessage& message) {
  constexpr std::size_t kCharacters = 6;
  Json parts = Json::array({plan, message.content, message.channel, message.source.value_or(""),
                            message.sender, message.peer, message.session});
  return to_hex(sha256(parts.dump())).substr(0, kCharacters);
}

std::size_t most_of_output(const TaskGraph& graph, const std::string& step) {
  const bool is_input = std::ranges::any_of(graph.tasks(), [&](const Task& task) {
    const bool open = task.status == TaskStatus::kPending || task.status == TaskStatus::kInProgress;
    return open && std::ranges::count(inputs_of(task), step) > 0;
  });
  if (is_input) return kMostKeptBytes;
  const std::vector<std::string> order = graph.order();
  return !order.empty() && order.back() == step ? kMostAnswerBytes : 0;
}

Json plan_secret(const KeptPlan& plan) {
  Json tasks = Json::array();
  for (const Task& task : plan.graph.tasks()) tasks.push_back(task_json(task));
  Json outputs = Json::object();
  for (const auto& [step, output] : plan.outputs) {
    Json kept = Json::object({{"trust", std::string(govern::trust_name(output.trust))}});
    if (output.kept && most_of_output(plan.graph, step) > 0) kept.set("value", output.value);
    outputs.set(step, std::move(kept));
  }
  return Json::object({{"message", message_json(plan.message)},
                       {"trust", std::string(govern::trust_name(plan.trust))},
                       {"done", plan.done},
                       {"tasks", std::move(tasks)},
                       {"outputs", std::move(outputs)}});
}

Status take_plan_secret(const Json& secret, KeptPlan& plan) {
  const Json* message = secret.find("message");
  const Json* tasks = secret.find("tasks");
  const Json* outputs = secret.find("outputs");
  if (message == nullptr || tasks == nullptr || !tasks->is_array() || outputs == nullptr)
    return fail(damaged("its steps"));
  ANIMA_ASSIGN(plan.message, message_from(*message));
  ANIMA_ASSIGN(plan.trust, plan_trust(secret));
  ANIMA_ASSIGN(plan.done, plan_text(secret, "done"));
  for (const Json& each : tasks->as_array()) {
    ANIMA_ASSIGN(Task task, task_from(each));
    ANIMA_TRY(plan.graph.add(std::move(task)));
  }
  return take_outputs(*outputs, plan);
}

}  // namespace anima::agent::detail
