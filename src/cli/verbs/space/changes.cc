// anima changes: what is known now and was not, and what was known and is no more.
#include <fmt/format.h>

#include "agent/house/space_reads.h"
#include "base/past_time.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "store/history.h"

namespace anima::cli {
namespace {

int run_changes(Context& context, Arguments arguments) {
  std::string since;
  std::uint64_t limit = 100;
  store::ChangesShown shown;
  Options options;
  options
      .positional("SINCE", since,
                  "a log entry's number, a time, a date, yesterday, \"2 hours ago\"")
      .required();
  options.value("--limit N", limit, "at most so many of each, what came and what went (100)");
  options.flag("--metadata", shown.metadata, "also sources, confidences and other metadata");
  options.flag("--schema", shown.schema,
               "also definitions of types and predicates, and what a new space begins with");
  options.flag("--upkeep", shown.upkeep,
               "also how the memory keeps its house: domains, the log of sleep; behind the rest");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto point = past_point(since, SystemClock().now());
  if (!point) return context.fail(point.error());
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto now = space_snapshot(context, **space);
  if (!now) return context.fail(now.error());
  const auto then = store::state_at(*now, *point);
  if (!then) return context.fail(then.error());
  const auto change = store::changes_in_words(**space, *now, then->sequence(), shown);
  if (!change) return context.fail(change.error());
  if (change->unread != 0)
    context.warn(
        fmt::format("{} entries are sealed, and their keys are not here, or are damaged: what they "
                    "changed is not told (`anima doctor` names them)",
                    change->unread));
  const auto& came = change->came;
  const auto& went = change->went;
  if (context.json) {
    context.print_json(agent::changes_json(*change, then->sequence(), now->sequence(), limit));
    return kDone;
  }
  for (std::size_t i = 0; i < went.size() && i < limit; ++i) context.print("- " + went[i] + "\n");
  for (std::size_t i = 0; i < came.size() && i < limit; ++i) context.print("+ " + came[i] + "\n");
  context.print(
      fmt::format("since entry {}: {} statements came, {} went{}\n",
                  static_cast<std::uint64_t>(then->sequence()), came.size(), went.size(),
                  std::max(came.size(), went.size()) > limit ? " (--limit shows more)" : ""));
  if (change->upkeep() > 0)
    context.print(fmt::format("and the upkeep of the memory: {} came, {} went (--upkeep)\n",
                              change->upkeep_came, change->upkeep_went));
  return kDone;
}

}  // namespace

extern const Verb kChanges;
const Verb kChanges{"changes",
                    Group::kKnowledge,
                    "what is known now and was not, and what is known no more",
                    "SINCE [--limit N] [--metadata] [--schema] [--upkeep]",
                    "anima changes yesterday",
                    run_changes};

}  // namespace anima::cli
