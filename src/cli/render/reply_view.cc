#include "cli/render/reply_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/exit_code.h"

namespace anima::cli {
namespace {

using agent::Reply;
using agent::ReplyKind;

int reply_exit(const Reply& reply) {
  if (reply.admission.status == 429) return kTryAgain;
  if (reply.admission.status == 400) return kFailed;
  switch (reply.kind) {
    case ReplyKind::kAnswered:
      return kDone;
    case ReplyKind::kWaiting:
      return kWaitsForApproval;
    case ReplyKind::kBlocked:
    case ReplyKind::kDenied:
    case ReplyKind::kHalted:
      return kRefused;
    case ReplyKind::kBusy:
      return kTryAgain;
    case ReplyKind::kClarify:
    case ReplyKind::kFailed:
      return kFailed;
  }
  return kFailed;
}

void print_reply(Context& context, const Reply& reply) {
  context.print(reply.text + "\n");
  for (const std::string& option : reply.options) context.print("  for example: " + option + "\n");
  const auto earlier = std::ranges::count(reply.tasks, true, &agent::TaskReport::earlier);
  if (earlier > 0)
    context.note(fmt::format("{} of {} steps were done before, and not done again", earlier,
                             reply.plan.find("order")->as_array().size()));
  if (reply.kind == ReplyKind::kWaiting) {
    context.note(fmt::format(
        "it waits for an approval\n  anima approve grant {}   then   anima plan continue {}   (or "
        "the same message again: what is done is not done again)",
        reply.approval_id.substr(0, 8), reply.plan_id.substr(0, 8)));
  } else if (!reply.audit_id.empty() && reply.kind != ReplyKind::kFailed) {
    context.note("anima why-denied " + reply.audit_id.substr(0, 8));
  }
}

}  // namespace

int show_work(Context& context, agent::GovernedHouse& house, bool events,
              const std::function<Result<Reply>(agent::GovernedHouse&)>& work) {
  bus::Subscription listening;
  if (events) {
    listening = house.events().subscribe("*", [&](const bus::Event& event) {
      context.print(Json::object({{"event", event.type}, {"payload", event.payload}}).dump() +
                    "\n");
    });
  }
  const auto reply = work(house);
  if (!reply) return context.fail(reply.error());
  if (context.json) {
    context.print_json(reply->to_json());
  } else if (!events) {
    print_reply(context, *reply);
  }
  context.out.flush();
  if (context.out.failure() != 0) return reply_exit(*reply);  // nobody has it: it is given again
  if (const Status closed = house.delivered(*reply); !closed)
    context.warn("sent again, the message is answered again: " + closed.error().describe());
  return reply_exit(*reply);
}

}  // namespace anima::cli
