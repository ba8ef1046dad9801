#include "agent/house/message_path.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "agent/house/detail/answer_text.h"
#include "agent/house/detail/kept_steps.h"
#include "base/json/json_member.h"
#include "base/json/text_array.h"
#include "base/text/text.h"
#include "store/act.h"

namespace anima::agent {
namespace {

using govern::Outcome;
using govern::Trust;

constexpr std::size_t kLongestSummaryLine = 200;
constexpr std::size_t kSummaryLines = 40;

// For the argument of a later task.
std::string as_text(const Json& value) {
  auto content = detail::content_of(value);
  return content ? *std::move(content) : value.dump();
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

std::string answer_of(const Reply& reply, const std::string& done) {
  if (!done.empty()) return done;
  if (reply.tasks.empty()) return "Nothing to do";
  // Sentences that were told: what came of each.
  const bool told = std::ranges::all_of(
      reply.tasks, [](const TaskReport& task) { return task.tool == kRememberTool; });
  if (told && reply.tasks.size() > 1) {
    std::vector<std::string> texts;
    for (const TaskReport& task : reply.tasks)
      texts.push_back(detail::answer_text(task.tool, task.outcome.result));
    return join(texts, "\n");
  }
  const TaskReport& last = reply.tasks.back();
  if (last.earlier && last.outcome.result.is_null())
    return "All is done. What the last step gave was not kept.";
  return detail::answer_text(last.tool, last.outcome.result);
}

}  // namespace

MessagePath::MessagePath(govern::Gateway& gateway, govern::Executor& executor, PlanBook& plans,
                         memory::MemoryManager& memory, bus::EventBus& events, Clock& clock,
                         std::string agent, WordOrigins words)
    : gateway_(gateway),
      executor_(executor),
      plans_(plans),
      memory_(memory),
      events_(events),
      clock_(clock),
      agent_(std::move(agent)),
      words_(std::move(words)) {}

void MessagePath::respond(const Reply& reply) {
  events_.emit({"core:response", Json::object({{"message", reply.text},
                                               {"messageId", reply.admission.message_id},
                                               {"outcome", std::string(to_string(reply.kind))}})});
}

Result<bool> MessagePath::admit(Sent& sent) {
  Reply& reply = sent.reply;
  ANIMA_ASSIGN(reply.admission, gateway_.admit(sent.message));
  if (!reply.admission.accepted()) {
    reply.kind = ReplyKind::kBlocked;
    reply.text = reply.admission.reason;
    reply.audit_id = reply.admission.audit_id;
    return false;
  }
  if (words_.admitted) words_.admitted(sent.message, reply.admission.trust);
  events_.emit({"core:route",
                Json::object({{"target", "planner"}, {"messageId", reply.admission.message_id}})});
  return true;
}

Result<Reply> MessagePath::handle(const govern::IncomingMessage& message) {
  Sent sent{message, {}};
  ANIMA_ASSIGN(const bool admitted, admit(sent));
  if (!admitted) return std::move(sent.reply);
  ANIMA_ASSIGN(const auto kept, plans_.open_plan_of(message));
  if (!kept) return begin(std::move(sent));
  const auto hold = plans_.hold(kept->id);
  if (!hold && hold.error().code == ErrorCode::kBusy)
    return somebody_is_at_it(std::move(sent), "this message is being worked on already");
  if (!hold) return fail(hold.error());
  ANIMA_ASSIGN(KeptPlan plan, plans_.find(kept->id));
  if (plan.state == PlanState::kOver) {
    return somebody_is_at_it(std::move(sent), "somebody else has just gone on with this message (" +
                                                  plan.reason + "); sent again, it begins anew");
  }
  const bool ended = plan.state == PlanState::kRefused || plan.state == PlanState::kExpired;
  const bool did_something = std::ranges::any_of(plan.graph.tasks(), [&](const Task& task) {
    return task.status == TaskStatus::kCompleted &&
           detail::changes_something(executor_.permissions(), task);
  });
  if (!ended || did_something) return go_on_held(std::move(sent), std::move(plan));
  ANIMA_TRY(plans_.close(plan.id));
  return begin(std::move(sent));
}

Result<Reply> MessagePath::go_on(const KeptPlan& named, StepAnswer answer) {
  const auto hold = plans_.hold(named.id);
  if (!hold) return fail(hold.error());
  ANIMA_ASSIGN(KeptPlan plan, plans_.find(named.id));
  if (plan.state == PlanState::kOver) {
    return fail(ErrorCode::kConflict, "the plan is over: " + plan.reason, {},
                "send its message again to begin anew");
  }
  const govern::IncomingMessage message = plan.message;
  Sent sent{message, {}};
  ANIMA_ASSIGN(const bool admitted, admit(sent));
  if (!admitted) return std::move(sent.reply);
  if (answer != StepAnswer::kNone) {
    ANIMA_TRY(plans_.settle(plan, answer, "operator"));
    ANIMA_ASSIGN(plan, plans_.find(named.id));
  }
  return go_on_held(std::move(sent), std::move(plan));
}

Status MessagePath::delivered(const Reply& reply) {
  const bool tells_an_end = reply.kind == ReplyKind::kAnswered ||
                            reply.kind == ReplyKind::kDenied || reply.kind == ReplyKind::kFailed;
  return tells_an_end ? plans_.close(reply.plan_id) : Status();
}

Result<Reply> MessagePath::begin(Sent sent) {
  Reply& reply = sent.reply;
  auto planned = plan_request(sent.message.content, clock_.now());
  if (!planned) {
    reply.kind = ReplyKind::kFailed;
    reply.text = planned.error().describe();
    respond(reply);
    return std::move(reply);
  }
  if (planned->no_request && words_.told) {
    const std::vector<std::string> sentences = words_.told(sent.message);
    if (!sentences.empty()) {
      ANIMA_ASSIGN(planned, plan_to_remember(sentences));
    }
  }
  if (planned->no_request && planned->intent == Intent::kAmbiguous && words_.ask_again) {
    ANIMA_ASSIGN(reply.asks_again, words_.ask_again(sent.message, reply));
    if (reply.asks_again) {
      planned->question = std::move(reply.text);
      planned->options = std::move(reply.options);
    }
  }
  if (planned->intent == Intent::kAmbiguous) {
    ask_back(reply, std::move(planned->question), std::move(planned->options));
    return std::move(reply);
  }
  KeptPlan plan;
  plan.id = reply.admission.message_id;
  plan.message = sent.message;
  plan.trust = reply.admission.trust;
  plan.graph = std::move(planned->graph);
  plan.done = std::move(planned->done);
  std::unique_ptr<PlanBook::Hold> hold;  // a single step is kept when it does not run
  if (plan.graph.tasks().size() > 1) {
    ANIMA_ASSIGN(hold, plans_.hold(plan.id));
  }
  return carry_out(std::move(sent), plan);
}

void MessagePath::ask_back(Reply& reply, std::string question, std::vector<std::string> choices) {
  reply.kind = ReplyKind::kClarify;
  reply.text = std::move(question);
  reply.options = std::move(choices);
  events_.emit({"planner:clarify", Json::object({{"question", reply.text},
                                                 {"options", text_array(reply.options)},
                                                 {"messageId", reply.admission.message_id}})});
  respond(reply);
}

Result<Reply> MessagePath::somebody_is_at_it(Sent sent, std::string text) {
  sent.reply.kind = ReplyKind::kBusy;
  sent.reply.text = std::move(text);
  respond(sent.reply);
  return std::move(sent.reply);
}

// --- going on -----------------------------------------------------------------------------------

// Requires that the plan is held.
Result<Reply> MessagePath::go_on_held(Sent sent, KeptPlan plan) {
  ANIMA_TRY(store::WholeAct::goes_on());  // who comes next takes it up where it stands then
  sent.reply.plan_id = plan.id;
  sent.reply.plan = plan.graph.to_json();
  switch (plan.state) {
    case PlanState::kUnknown:
      ask_back(sent.reply,
               plan.reason + "." + detail::tell_steps(plan) + " See whether it was done.",
               {"anima plan continue " + plan.id.substr(0, 8) + " --step done",
                "anima plan continue " + plan.id.substr(0, 8) + " --step again",
                "anima plan abandon " + plan.id.substr(0, 8)});
      return std::move(sent.reply);
    case PlanState::kRefused:
    case PlanState::kExpired:
      return tell_the_end(std::move(sent), plan);
    case PlanState::kReady:
    case PlanState::kWaiting:
    case PlanState::kOver:
      break;
  }
  plan.trust = govern::lowest(plan.trust, sent.reply.admission.trust);
  ANIMA_TRY(detail::lower_labels(plan, executor_.permissions(), memory_, agent_));
  return carry_out(std::move(sent), plan);
}

// The approval that the plan waited for was not given.
Result<Reply> MessagePath::tell_the_end(Sent sent, const KeptPlan& plan) {
  Reply& reply = sent.reply;
  reply.kind = ReplyKind::kDenied;
  reply.text = plan.reason + ", so the plan is over." + detail::tell_steps(plan) +
               " Sent again, the message begins anew.";
  ANIMA_TRY(remember(sent.message, reply, detail::lowest_of(plan)));
  respond(reply);
  return std::move(reply);
}

// --- doing --------------------------------------------------------------------------------------

// Each argument with the label of what it was made from.
govern::CallRequest MessagePath::request_of(const Task& task, const KeptPlan& plan) const {
  govern::CallRequest request;
  request.tool = task.tool;
  request.agent = agent_;
  request.trust = plan.trust;
  for (const auto& [name, value] : task.parameters.as_object()) {
    const std::string* from = referenced_task(value);
    const auto found = from == nullptr ? plan.outputs.end() : plan.outputs.find(*from);
    if (found == plan.outputs.end()) {
      request.arguments.set(name, value);
      request.origins.push_back({name, "message", plan.trust});
    } else {
      request.arguments.set(name, as_text(found->second.value));
      request.origins.push_back({name, "call:" + *from, found->second.trust});
    }
  }
  if (words_.label && !task.tool.empty()) words_.label(request);
  return request;
}

Result<Outcome> MessagePath::run_task(const Task& task, const KeptPlan& plan) {
  for (const std::string& input : inputs_of(task)) {
    const auto output = plan.outputs.find(input);
    if (output == plan.outputs.end() || output->second.kept) continue;
    Outcome missing;
    missing.kind = Outcome::Kind::kFailed;
    missing.reason = "what step " + input + " gave was too long to be kept while the plan waited";
    ANIMA_TRY(plans_.ended(plan, task.id, missing));
    return missing;
  }
  const govern::CallRequest request = request_of(task, plan);
  if (!task.tool.empty())
    return executor_.execute(
        request,
        plans_.parts(plan, task.id, detail::changes_something(executor_.permissions(), task)));
  Outcome outcome;
  outcome.kind = Outcome::Kind::kDone;
  const Json* text = request.arguments.find("text");
  const std::string content = text == nullptr ? std::string() : as_text(*text);
  const std::string heading = text_member(request.arguments, "heading");
  outcome.result = heading.empty() ? summarize(content) : heading + "\n" + content;
  outcome.output_trust = govern::effective_trust(request, nullptr);
  return outcome;
}

Status MessagePath::take_step(const std::string& id, Reply& reply, KeptPlan& plan) {
  ANIMA_TRY(plan.graph.start(id));
  const Task task = *plan.graph.find(id);
  ANIMA_ASSIGN(Outcome came, run_task(task, plan));
  TaskReport report{id, task.tool, std::move(came)};
  const Outcome& outcome = report.outcome;
  switch (outcome.kind) {
    case Outcome::Kind::kDone:
      ANIMA_TRY(plan.graph.complete(id));
      plan.outputs.insert_or_assign(id, StepOutput{outcome.result, true, outcome.output_trust});
      break;
    case Outcome::Kind::kWaiting:
      ANIMA_TRY(plan.graph.put_back(id));
      ANIMA_TRY(plans_.waits(plan, id, outcome.approval_id));
      break;
    case Outcome::Kind::kHalted:
    case Outcome::Kind::kBusy:
      ANIMA_TRY(plan.graph.put_back(id));
      break;
    case Outcome::Kind::kFailed:
    case Outcome::Kind::kDenied:
      ANIMA_TRY(plan.graph.mark_failed(id));
  }
  if (outcome.kind != Outcome::Kind::kDone && reply.kind == ReplyKind::kAnswered) {
    reply.kind = kind_of(outcome.kind);
    reply.text = outcome.reason;
    reply.approval_id = outcome.approval_id;
    reply.audit_id = outcome.audit_id;
  }
  const Json payload = Json::object({{"taskId", id}, {"result", result_json(outcome)}});
  events_.emit({"executor:task_complete", payload});
  events_.emit({"executor:result", payload});
  reply.tasks.push_back(std::move(report));
  return {};
}

Result<Reply> MessagePath::carry_out(Sent sent, KeptPlan& plan) {
  Reply& reply = sent.reply;
  reply.plan_id = plan.id;
  reply.plan = plan.graph.to_json();
  events_.emit({"planner:task_ready", Json::object({{"taskId", plan.id},
                                                    {"dag", reply.plan},
                                                    {"tasks", *reply.plan.find("tasks")}})});
  reply.tasks = detail::earlier_steps(plan);
  Trust lowest = govern::lowest(plan.trust, detail::lowest_of(plan));
  if (plan.graph.status() == GraphStatus::kFailed) {
    reply.kind = ReplyKind::kFailed;
    reply.text = detail::tell_failures(plan);
  }
  std::optional<store::ActStep> anew;  // steps of a message that nobody goes on with
  if (store::WholeAct::runs()) anew.emplace(plans_.space());
  for (const std::string& id : plan.graph.order()) {
    // Else it is done, is skipped, or waits for a task that waits.
    if (const auto ready = plan.graph.ready(); std::ranges::find(ready, id) == ready.end())
      continue;
    ANIMA_TRY(take_step(id, reply, plan));
    // Of a tool that ran, what it says of its failure may be quoted.
    const Outcome& outcome = reply.tasks.back().outcome;
    if (outcome.kind == Outcome::Kind::kDone || outcome.kind == Outcome::Kind::kFailed)
      lowest = govern::lowest(lowest, outcome.output_trust);
  }
  if (anew) ANIMA_TRY(all_or_nothing(*anew, reply, plan));
  reply.plan = plan.graph.to_json();
  if (reply.kind == ReplyKind::kAnswered) reply.text = answer_of(reply, plan.done);
  ANIMA_TRY(remember(sent.message, reply, lowest));
  respond(reply);
  return std::move(reply);
}

// Nobody goes on with them: sentences that were told are kept together, or none of them is.
Status MessagePath::all_or_nothing(store::ActStep& steps, Reply& reply, KeptPlan& plan) {
  const auto runs = [](const TaskReport& task) {
    return task.outcome.kind == Outcome::Kind::kDone && !task.earlier;
  };
  const bool waits = reply.kind == ReplyKind::kAnswered || reply.kind == ReplyKind::kWaiting;
  if (waits || std::ranges::none_of(reply.tasks, runs)) return {};
  ANIMA_ASSIGN(const bool gone, steps.take_back());
  if (!gone) return {};
  for (TaskReport& task : reply.tasks) {
    if (!runs(task)) continue;
    ANIMA_TRY(plan.graph.mark_failed(task.task));
    task.outcome.kind = Outcome::Kind::kFailed;
    task.outcome.result = {};
    task.outcome.reason = "taken back, for another part of the message failed";
  }
  reply.text += "; what the message told beside it was taken back";
  return {};
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
