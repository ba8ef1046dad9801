// anima events: what the bus told, from the log; and what it tells now.
#include <fmt/format.h>

#include "bus/event_journal.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "store/read_around.h"

namespace anima::cli {
namespace {

using bus::KeptEvent;
using store::Sequence;

constexpr std::int64_t kLookMilliseconds = 500;

Json json_of(const KeptEvent& kept) {
  return Json::object({{"entry", static_cast<std::uint64_t>(kept.entry)},
                       {"time", format_timestamp(kept.time)},
                       {"event", kept.event.type},
                       {"payload", kept.event.payload}});
}

// "guardian:assessment_complete", or "guardian:" for all of the guardian's.
bool wanted(const std::string& type, const std::string& event) {
  return type.empty() || event == type || (type.ends_with(':') && event.starts_with(type));
}

void print_event(Context& context, const KeptEvent& kept) {
  if (context.json) {
    context.print(json_of(kept).dump() + "\n");
    return;
  }
  context.print(fmt::format(
      "{}  {}  {}  {}\n", static_cast<std::uint64_t>(kept.entry), format_timestamp(kept.time),
      context.paint(Paint::kBold, kept.event.type), kept.event.payload.dump()));
}

void print_unreadable(Context& context, Sequence entry, const std::string& why) {
  const auto number = static_cast<std::uint64_t>(entry);
  context.print(context.json ? Json::object({{"entry", number}, {"unreadable", why}}).dump() + "\n"
                             : fmt::format("{}  unreadable: {}\n", number, why));
}

// Prints the events behind `after`; gives the last entry that was looked at.
Result<Sequence> print_behind(Context& context, store::Space& space, Sequence after,
                              const std::string& type) {
  ANIMA_ASSIGN(const Sequence last, store::last_entry(space.log()));
  std::size_t unreadable = 0;
  ANIMA_TRY(bus::EventJournal::replay(
      space, after,
      [&](const KeptEvent& kept) -> Status {
        if (interrupted()) return anima::fail(ErrorCode::kCancelled, "stopped");
        if (kept.entry <= last && wanted(type, kept.event.type)) print_event(context, kept);
        return {};
      },
      [&](Sequence entry, const std::string& why) -> Status {
        ++unreadable;
        print_unreadable(context, entry, why);
        return {};
      }));
  if (unreadable != 0)
    context.warn(fmt::format(
        "{} of the log cannot be read: `anima doctor` says why",
        unreadable == 1 ? std::string("one entry") : fmt::format("{} entries", unreadable)));
  return std::max(last, after);
}

int run_events(Context& context, Arguments arguments) {
  std::uint64_t after = 0;
  std::string type;
  bool follow = false;
  Options options;
  options.value("--after ENTRY", after, "only what lies behind this log entry");
  options.value("--type T", type, "only events of this type; `memory:` stands for all of memory's");
  options.flag("--follow", follow, "go on with what comes, until Ctrl-C");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  auto seen = print_behind(context, **space, Sequence{after}, type);
  while (seen && follow && !interrupted()) {
    const auto grown = (*space)->log().follow(*seen, kLookMilliseconds);
    if (!grown) return context.fail(grown.error());
    if (*grown) seen = print_behind(context, **space, *seen, type);
  }
  if (!seen) return context.fail(seen.error());
  return follow ? kInterrupted : kDone;
}

}  // namespace

extern const Verb kEvents;
const Verb kEvents{"events",
                   Group::kActing,
                   "what happened, event by event, from the log",
                   "[--after ENTRY] [--type T] [--follow] [--json]",
                   "anima events --type guardian:\n"
                   "anima events --after 120 --follow --json",
                   run_events};

}  // namespace anima::cli
