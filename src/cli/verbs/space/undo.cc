// anima undo, anima erase: taking back and taking away.
#include <fmt/format.h>

#include "agent/house/undo_acts.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/frame/vectors_access.h"
#include "cli/render/undo_view.h"
#include "store/backup.h"

namespace anima::cli {
namespace {

int run_undo(Context& context, Arguments arguments) {
  std::string named;
  bool cascade = false;
  bool dry_run = false;
  std::uint64_t limit = 20;
  Options options;
  options
      .positional("SEQ[..SEQ]|last", named,
                  "log entries, as `anima audit log` lists them: the whole act of each is undone; "
                  "last: the newest act that changed something and is not undone yet")
      .required();
  options.flag("--cascade", cascade, "undo later acts that depend on them, too");
  options.flag("--dry-run", dry_run, "say what would be undone, and which facts go and come");
  options.value("--limit N", limit, "list at most so many facts that go, and that come (20)");
  options.epilogue(
      "An act is a command, a line of a conversation, a message or a call of a tool, with all "
      "entries that it wrote. What a new space begins with is undone only by its own number.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const Status range = agent::check_undo_range(named); !range)
    return context.usage_error(range.error().describe());
  const auto space = open_space(context, dry_run ? Access::kRead : Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto now = (*space)->snapshot();
  if (!now) return context.fail(now.error());
  const auto shown = agent::undo_acts(**space, *now, local_origin(context, "anima undo"),
                                      {named, cascade, dry_run});
  if (!shown) {
    context.fail(shown.error());
    // Refused because of what depends on it, not to be tried again.
    return shown.error().code == ErrorCode::kConflict ? kRefused : exit_code_for(shown.error());
  }
  if (context.json) {
    context.print_json(agent::undo_json(*shown, limit));
  } else {
    context.print(undo_text(*shown, SystemClock().now(), limit));
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
  // Read first: without it nobody is told which backups still hold what is erased.
  const auto notes = store::backup_notes(context.space, context.files);
  if (!notes) return context.fail(notes.error());
  if (const Status erased = (*space)->erase(key); !erased) return context.fail(erased.error());
  if (const Status dropped = drop_vectors_of(context, **space, {}); !dropped)
    return context.fail(dropped.error());
  const std::string doubt = store::doubt_about(*notes);
  JsonArray holding;
  for (const store::BackupInfo& backup : notes->backups) {
    const bool has = std::find(backup.keys.begin(), backup.keys.end(), key) != backup.keys.end();
    if (has) holding.emplace_back(backup.path);
  }
  if (context.json) {
    context.print_json(
        Json::object({{"erased", key}, {"backups", std::move(holding)}, {"backups_note", doubt}}));
    return kDone;
  }
  context.print(fmt::format("erased what was sealed under {}\n", key));
  for (const Json& path : holding) {
    context.warn(fmt::format("this backup still holds it: {}", path.as_string()));
  }
  if (!doubt.empty()) context.note(doubt);
  return kDone;
}

}  // namespace

extern const Verb kUndo;
extern const Verb kErase;
const Verb kUndo{"undo",
                 Group::kKnowledge,
                 "takes back what was done, act by act, as a new entry",
                 "SEQ[..SEQ]|last [--cascade] [--dry-run] [--limit N]",
                 "anima undo last --dry-run\nanima undo 120..124",
                 run_undo};
const Verb kErase{"erase",
                  Group::kKeeping,
                  "destroys the key of sealed entries, and with it their content",
                  "KEY --confirm",
                  "anima erase alice --confirm",
                  run_erase};

}  // namespace anima::cli
