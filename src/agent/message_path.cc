#include "agent/message_path.h"

#include <algorithm>

#include "agent/detail/answer_text.h"
#include "base/text.h"

namespace anima::agent {
namespace {

using govern::Outcome;
using govern::Task;
using govern::Trust;

constexpr std::size_t kLongestSummaryLine = 200;
constexpr std::size_t kSummaryLines = 40;

std::string member(const Json& value, std::string_view name) {
  const Json* text = value.find(name);
  return text != nullptr && text->is_string() ? text->as_string() : std::string();
}

// For the argument of a later task.
std::string as_text(const Json& value) {
  auto content = detail::content_of(value);
  return content ? *std::move(content) : value.dump();
}

// {"task":"3"}: the output of task 3.
const std::string* referenced_task(const Json& value) {
  if (!value.is_object() || value.as_object().size() != 1) return nullptr;
  const Json* task = value.find("task");
  return task != nullptr && task->is_string() ? &task->as_string() : nullptr;
}

// What the path does itself: one line for each thing, cut to a readable length. Content is data.
std::string summarize(const std::string& text) {
  std::string summary;
  std::size_t lines = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view content = trim(line);
    if (content.empty() || ++lines > kSummaryLines) continue;
    summary += "- " + std::string(substring_by_code_points(content, 0, kLongestSummaryLine)) + "\n";
  }
  return summary;
}

ReplyKind kind_of(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::kDone:
      return ReplyKind::kAnswered;
    case Outcome::Kind::kWaiting:
      return ReplyKind::kWaiting;
    case Outcome::Kind::kFailed:
      return ReplyKind::kFailed;
    case Outcome::Kind::kHalted:
      return ReplyKind::kHalted;
    case Outcome::Kind::kBusy:
      return ReplyKind::kBusy;
    case Outcome::Kind::kDenied:
      break;
  }
  return ReplyKind::kDenied;
}

Json result_json(const Outcome& outcome) {
  if (outcome.kind == Outcome::Kind::kDone) return outcome.result;
  return Json::object(
      {{"error", outcome.reason}, {"outcome", std::string(to_string(outcome.kind))}});
}

std::string answer_of(const Reply& reply, const std::string& done) {
  if (!done.empty()) return done;
  return reply.tasks.empty()
             ? "Nothing to do"
             : detail::answer_text(reply.tasks.back().tool, reply.tasks.back().outcome.result);
}

}  // namespace

std::string_view to_string(ReplyKind kind) {
  switch (kind) {
    case ReplyKind::kAnswered:
      return "answered";
    case ReplyKind::kBlocked:
      return "blocked";
    case ReplyKind::kClarify:
      return "clarify";
    case ReplyKind::kWaiting:
      return "waiting";
    case ReplyKind::kDenied:
      return "denied";
    case ReplyKind::kFailed:
      return "failed";
    case ReplyKind::kHalted:
      return "halted";
    case ReplyKind::kBusy:
      return "busy";
  }
  return "failed";
}

Json Reply::to_json() const {
  Json json = Json::object({{"outcome", std::string(to_string(kind))},
                            {"message", text},
                            {"messageId", admission.message_id},
                            {"status", admission.status},
                            {"trust", std::string(govern::trust_name(admission.trust))},
                            {"assessment", admission.assessment.to_json()}});
  if (!plan.is_null()) json.set("plan", plan);
  Json list = Json::array();
  for (const TaskReport& report : tasks) {
    list.push_back(
        Json::object({{"task", report.task},
                      {"tool", report.tool},
                      {"outcome", std::string(to_string(report.outcome.kind))},
                      {"result", result_json(report.outcome)},
                      {"trust", std::string(govern::trust_name(report.outcome.output_trust))}}));
  }
  if (!tasks.empty()) json.set("tasks", std::move(list));
  Json choices = Json::array();
  for (const std::string& option : options) choices.push_back(option);
  if (!options.empty()) json.set("options", std::move(choices));
  for (const auto& [key, value] :
       {std::pair{"approvalId", &approval_id}, std::pair{"auditId", &audit_id},
        std::pair{"memoryId", &memory_id}}) {
    if (!value->empty()) json.set(key, *value);
  }
  return json;
}

MessagePath::MessagePath(govern::Gateway& gateway, govern::Executor& executor,
                         memory::MemoryManager& memory, bus::EventBus& events, Clock& clock,
                         std::string agent)
    : gateway_(gateway),
      executor_(executor),
      memory_(memory),
      events_(events),
      clock_(clock),
      agent_(std::move(agent)) {}

void MessagePath::respond(const Reply& reply) {
  events_.emit({"core:response", Json::object({{"message", reply.text},
                                               {"messageId", reply.admission.message_id},
                                               {"outcome", std::string(to_string(reply.kind))}})});
}

Result<Reply> MessagePath::handle(const govern::IncomingMessage& message) {
  Reply reply;
  ANIMA_ASSIGN(reply.admission, gateway_.admit(message));
  if (!reply.admission.accepted()) {
    reply.kind = ReplyKind::kBlocked;
    reply.text = reply.admission.reason;
    reply.audit_id = reply.admission.audit_id;
    return reply;
  }
  events_.emit({"core:route",
                Json::object({{"target", "planner"}, {"messageId", reply.admission.message_id}})});
  auto planned = govern::plan_request(message.content, clock_.now());
  if (!planned) {
    reply.kind = ReplyKind::kFailed;
    reply.text = planned.error().describe();
    respond(reply);
    return reply;
  }
  if (planned->intent == govern::Intent::kAmbiguous) {
    reply.kind = ReplyKind::kClarify;
    reply.text = planned->question;
    reply.options = planned->options;
    Json options = Json::array();
    for (const std::string& option : reply.options) options.push_back(option);
    events_.emit({"planner:clarify", Json::object({{"question", reply.text},
                                                   {"options", std::move(options)},
                                                   {"messageId", reply.admission.message_id}})});
    respond(reply);
    return reply;
  }
  return carry_out(message, std::move(reply), std::move(*planned));
}

// Each argument with the label of what it was made from.
govern::CallRequest MessagePath::request_of(const Task& task, Trust trust,
                                            const std::map<std::string, Made>& made) const {
  govern::CallRequest request;
  request.tool = task.tool;
  request.agent = agent_;
  request.trust = trust;
  for (const auto& [name, value] : task.parameters.as_object()) {
    const std::string* from = referenced_task(value);
    const auto found = from == nullptr ? made.end() : made.find(*from);
    if (found == made.end()) {
      request.arguments.set(name, value);
      request.origins.push_back({name, "message", trust});
    } else {
      request.arguments.set(name, as_text(found->second.value));
      request.origins.push_back({name, "call:" + *from, found->second.trust});
    }
  }
  return request;
}

Outcome MessagePath::run_task(const Task& task, Trust trust,
                              const std::map<std::string, Made>& made) {
  const govern::CallRequest request = request_of(task, trust, made);
  if (!task.tool.empty()) return executor_.execute(request);
  Outcome outcome;
  outcome.kind = Outcome::Kind::kDone;
  const Json* text = request.arguments.find("text");
  const std::string content = text == nullptr ? std::string() : as_text(*text);
  const std::string heading = member(request.arguments, "heading");
  outcome.result = heading.empty() ? summarize(content) : heading + "\n" + content;
  outcome.output_trust = govern::effective_trust(request, nullptr);
  return outcome;
}

Result<Reply> MessagePath::carry_out(const govern::IncomingMessage& message, Reply reply,
                                     govern::Plan plan) {
  reply.plan = plan.graph.to_json();
  events_.emit({"planner:task_ready", Json::object({{"taskId", reply.admission.message_id},
                                                    {"dag", reply.plan},
                                                    {"tasks", *reply.plan.find("tasks")}})});
  const Trust trust = reply.admission.trust;
  Trust lowest = trust;
  std::map<std::string, Made> made;
  for (const std::string& id : plan.graph.order()) {
    const Task task = *plan.graph.find(id);
    // Else it is skipped, or waits for a task that waits.
    if (const auto ready = plan.graph.ready(); std::ranges::find(ready, id) == ready.end())
      continue;
    ANIMA_TRY(plan.graph.start(id));
    TaskReport report{id, task.tool, run_task(task, trust, made)};
    const Outcome& outcome = report.outcome;
    const bool done = outcome.kind == Outcome::Kind::kDone;
    // Of a tool that ran, what it says of its failure may be quoted.
    if (done || outcome.kind == Outcome::Kind::kFailed)
      lowest = govern::lowest(lowest, outcome.output_trust);
    if (done) {
      ANIMA_TRY(plan.graph.complete(id));
      made.emplace(id, Made{outcome.result, outcome.output_trust});
    } else {
      ANIMA_TRY(outcome.kind == Outcome::Kind::kWaiting ? plan.graph.put_back(id)
                                                        : plan.graph.mark_failed(id));
      if (reply.kind == ReplyKind::kAnswered) {
        reply.kind = kind_of(outcome.kind);
        reply.text = outcome.reason;
        reply.approval_id = outcome.approval_id;
        reply.audit_id = outcome.audit_id;
      }
    }
    const Json payload = Json::object({{"taskId", id}, {"result", result_json(outcome)}});
    events_.emit({"executor:task_complete", payload});
    events_.emit({"executor:result", payload});
    reply.tasks.push_back(std::move(report));
  }
  reply.plan = plan.graph.to_json();
  if (reply.kind == ReplyKind::kAnswered) reply.text = answer_of(reply, plan.done);
  ANIMA_TRY(remember(message, reply, lowest));
  respond(reply);
  return reply;
}

// The exchange, as a session item with the lowest label of what went into it.
Status MessagePath::remember(const govern::IncomingMessage& message, Reply& reply, Trust lowest) {
  memory::NewMemory item;
  item.kind = memory::ItemKind::kSession;
  item.type = memory::ItemType::kContext;
  item.partition = memory::Partition::kInternal;
  item.content = message.content + "\n" + std::string(to_string(reply.kind)) + ": " + reply.text;
  item.created_by = message.sender;
  item.source = message.channel;
  item.session = message.session;
  item.trust = lowest;
  item.request_id = reply.admission.message_id;
  ANIMA_ASSIGN(const memory::StoredMemory stored, memory_.store(item));
  reply.memory_id = stored.id;
  return {};
}

}  // namespace anima::agent
