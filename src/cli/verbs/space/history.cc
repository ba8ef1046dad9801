// anima history: what happened to an entity, entry by entry.
#include "store/history.h"

#include <fmt/format.h>

#include "base/json/text_array.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "store/act.h"
#include "store/compact.h"
#include "store/symbols.h"
#include "store/verify/audit.h"

namespace anima::cli {
namespace {

using store::Sequence;
using store::Snapshot;
using store::Triple;

std::string statement_text(const Snapshot& snapshot, const Triple& triple) {
  const store::StatementWords words = store::statement_words(snapshot, triple);
  return words.subject + " " + words.predicate + " " + words.object;
}

// With what the statements say in words.
struct Change {
  Sequence sequence = Sequence::kNone;
  std::vector<std::string> added, removed;
};

Change in_words(const Snapshot& snapshot, const store::EntityChange& change) {
  Change words;
  words.sequence = change.sequence;
  for (const Triple& triple : change.added) words.added.push_back(statement_text(snapshot, triple));
  for (const Triple& triple : change.removed) {
    words.removed.push_back(statement_text(snapshot, triple));
  }
  return words;
}

Json to_json(const Change& change, const store::EntryInfo& info, Sequence act) {
  return Json::object({{"sequence", static_cast<std::uint64_t>(change.sequence)},
                       {"time", format_timestamp(info.time)},
                       {"author", info.author},
                       {"source", info.source},
                       {"trust", store::trust_label(info.trust)},
                       {"act", static_cast<std::uint64_t>(act)},
                       {"added", text_array(change.added)},
                       {"removed", text_array(change.removed)}});
}

std::string to_text(const Change& change, const store::EntryInfo& info, Sequence act,
                    bool compacted) {
  std::string text = fmt::format(
      "{}  {}  {}  {}{}{}\n", static_cast<std::uint64_t>(change.sequence),
      format_timestamp(info.time), info.author, store::trust_label(info.trust),
      info.source.empty() ? "" : fmt::format("  ({})", info.source),
      act == change.sequence ? "" : fmt::format("  act {}", static_cast<std::uint64_t>(act)));
  if (change.added.empty() && change.removed.empty() && compacted)
    text += "  (what it changed was compacted)\n";
  for (const std::string& line : change.removed) text += "  - " + line + "\n";
  for (const std::string& line : change.added) text += "  + " + line + "\n";
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
  const auto entity = find_entity(*snapshot, name);
  if (!entity) return context.fail(entity.error());
  JsonArray changes;
  for (const store::EntityChange& changed : store::entity_changes(*snapshot, *entity, limit)) {
    const Change change = in_words(*snapshot, changed);
    const store::EntryInfo info = snapshot->entry(change.sequence);
    const Sequence act = store::act_of(*snapshot, change.sequence);
    if (context.json) {
      changes.emplace_back(to_json(change, info, act));
    } else {
      context.print(to_text(change, info, act, change.sequence <= store::oldest_state(*snapshot)));
    }
  }
  if (context.json) {
    context.print_json(
        Json::object({{"entity", "C:" + std::to_string(static_cast<std::uint32_t>(*entity))},
                      {"name", snapshot->name(*entity)},
                      {"entries", std::move(changes)}}));
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
