// anima undo, anima erase: taking back and taking away.
#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/frame/vectors_access.h"
#include "store/backup.h"
#include "store/history.h"

namespace anima::cli {
namespace {

using store::Sequence;

using Range = std::pair<Sequence, Sequence>;

constexpr std::string_view kLast = "last";

Result<Range> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    ANIMA_ASSIGN(const Sequence one, parse_sequence(text));
    return Range(one, one);
  }
  ANIMA_ASSIGN(const Sequence first, parse_sequence(text.substr(0, dots)));
  ANIMA_ASSIGN(const Sequence last, parse_sequence(text.substr(dots + 2)));
  return Range(first, last);
}

int run_undo(Context& context, Arguments arguments) {
  std::string range;
  bool cascade = false;
  bool dry_run = false;
  Options options;
  options
      .positional("SEQ[..SEQ]|last", range,
                  "the log entries, as `anima audit log` lists them; last: the newest that changed "
                  "something and is not undone yet")
      .required();
  options.flag("--cascade", cascade, "undo later entries that depend on them, too");
  options.flag("--dry-run", dry_run, "say what would be undone");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  Result<Range> entries_named = range == kLast ? Range{} : parse_range(range);
  if (!entries_named) return context.usage_error(entries_named.error().describe());
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  if (range == kLast) {
    const auto last = store::newest_to_undo(**space);
    if (!last) return context.fail(last.error());
    entries_named = Range(*last, *last);
  }
  const auto report = (*space)->undo(local_origin(context, "anima undo"), entries_named->first,
                                     entries_named->second, cascade, dry_run);
  if (!report) {
    context.fail(report.error());
    // Refused because of what depends on it, not to be tried again.
    return report.error().code == ErrorCode::kConflict ? kRefused
                                                       : exit_code_for(report.error().code);
  }
  JsonArray entries;
  for (const Sequence sequence : report->entries) entries.emplace_back(sequence_number(sequence));
  if (context.json) {
    Json json = Json::object(
        {{"dry_run", dry_run}, {"entries", std::move(entries)}, {"keys", report->keys}});
    if (!dry_run) json.set("sequence", sequence_number(report->receipt.sequence));
    context.print_json(json);
  } else if (dry_run) {
    context.print(fmt::format("would undo {} entries, putting {} keys back\n",
                              report->entries.size(), report->keys));
  } else {
    context.print(fmt::format("undid {} entries in entry {}, putting {} keys back\n",
                              report->entries.size(), sequence_number(report->receipt.sequence),
                              report->keys));
  }
  return kDone;
}

int run_erase(Context& context, Arguments arguments) {
  std::string key;
  bool confirm = false;
  Options options;
  options.positional("KEY", key, "the name that the entries were sealed under").required();
  options.flag("--confirm", confirm, "yes: the content cannot be brought back");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!confirm) {
    return context.fail({ErrorCode::kDenied, "erasing cannot be undone", key, "add --confirm"});
  }
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  if (const Status erased = (*space)->erase(key); !erased) return context.fail(erased.error());
  if (const Status dropped = drop_vectors_of(context, **space, {}); !dropped)
    return context.fail(dropped.error());
  const auto backups = store::known_backups(context.space, context.files);
  if (!backups) return context.fail(backups.error());
  JsonArray holding;
  for (const store::BackupInfo& backup : *backups) {
    const bool has = std::find(backup.keys.begin(), backup.keys.end(), key) != backup.keys.end();
    if (has) holding.emplace_back(backup.path);
  }
  if (context.json) {
    context.print_json(Json::object({{"erased", key}, {"backups", std::move(holding)}}));
    return kDone;
  }
  context.print(fmt::format("erased what was sealed under {}\n", key));
  for (const Json& path : holding) {
    context.warn(fmt::format("this backup still holds it: {}", path.as_string()));
  }
  return kDone;
}

}  // namespace

extern const Verb kUndo;
extern const Verb kErase;
const Verb kUndo{"undo",
                 Group::kKnowledge,
                 "puts back what log entries changed, as a new entry",
                 "SEQ[..SEQ]|last [--cascade] [--dry-run]",
                 "anima undo 120..124 --dry-run",
                 run_undo};
const Verb kErase{"erase",
                  Group::kKeeping,
                  "destroys the key of sealed entries, and with it their content",
                  "KEY --confirm",
                  "anima erase alice --confirm",
                  run_erase};

}  // namespace anima::cli
