// anima history: what happened to an entity, entry by entry.
#include <fmt/format.h>

#include "agent/house/space_reads.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "store/verify/audit.h"

namespace anima::cli {
namespace {

std::string to_text(const agent::HistoryEntry& entry) {
  const store::EntryInfo& info = entry.info;
  std::string text = fmt::format(
      "{}  {}  {}  {}{}{}\n", sequence_number(entry.sequence), format_timestamp(info.time),
      info.author, store::trust_label(info.trust),
      info.source.empty() ? "" : fmt::format("  ({})", info.source),
      entry.act == entry.sequence ? "" : fmt::format("  act {}", sequence_number(entry.act)));
  if (entry.added.empty() && entry.removed.empty() && entry.compacted)
    text += "  (what it changed was compacted)\n";
  for (const std::string& line : entry.removed) text += "  - " + line + "\n";
  for (const std::string& line : entry.added) text += "  + " + line + "\n";
  return text;
}

int run_history(Context& context, Arguments arguments) {
  std::string name;
  std::uint64_t limit = 100;
  Options options;
  options.positional("ENTITY", name, "C:12, or a name").required();
  options.value("--limit N", limit, "at most so many entries, the newest (100)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto snapshot = space_snapshot(context, **space);
  if (!snapshot) return context.fail(snapshot.error());
  const auto history = agent::entity_history(*snapshot, name, limit);
  if (!history) return context.fail(history.error());
  if (context.json) {
    context.print_json(agent::history_json(*snapshot, *history));
  } else {
    for (const agent::HistoryEntry& entry : history->entries) context.print(to_text(entry));
  }
  return kDone;
}

}  // namespace

extern const Verb kHistory;
const Verb kHistory{"history",
                    Group::kKnowledge,
                    "what changed about an entity, when, by whom, from where",
                    "ENTITY [--limit N]",
                    "anima history Ada",
                    run_history,
                    true};

}  // namespace anima::cli
