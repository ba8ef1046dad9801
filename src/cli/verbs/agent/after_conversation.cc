#include "cli/verbs/agent/after_conversation.h"

#include <fmt/format.h>

#include "cli/frame/interrupt.h"
#include "sleep/sleep.h"

namespace anima::cli {
namespace {

Status sleep_when_due(Context& context, const std::shared_ptr<store::Space>& space) {
  ANIMA_ASSIGN(const auto sleeper, sleep::Sleeper::open(space));
  sleep::Request request;
  request.trigger = "the end of a conversation";
  request.stop = &interrupt_flag();
  ANIMA_ASSIGN(const sleep::Due due, sleeper->due(request.policy, 0));
  if (!due.due) return {};
  context.note("the memory is tidied up: " + due.reason);
  ANIMA_ASSIGN(const sleep::CycleRecord record, sleeper->run(request));
  if (record.cycle != 0) {
    context.note(fmt::format("cycle {} of sleep: {} changes; `anima sleep undo {}` takes it back",
                             record.cycle, record.changes(), record.cycle));
  }
  return {};
}

}  // namespace

void sleep_after_conversation(Context& context, const std::shared_ptr<store::Space>& space) {
  if (!context.config.flag("sleep.after_conversation") || interrupted()) return;
  if (const Status slept = sleep_when_due(context, space); !slept)
    context.warn("the memory was not tidied up: " + slept.error().describe());
}

}  // namespace anima::cli
