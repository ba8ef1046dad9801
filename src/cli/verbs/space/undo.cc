// anima undo, anima erase: taking back and taking away.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/frame/vectors_access.h"
#include "cli/render/undo_view.h"
#include "store/act.h"
#include "store/backup.h"
#include "store/history.h"

namespace anima::cli {
namespace {

using store::Sequence;

constexpr std::string_view kLast = "last";

// The numbers that were named, as far as the log goes; at most one more, which is not there.
struct Range {
  Sequence first = Sequence::kNone, last = Sequence::kNone;
};

Result<Range> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    ANIMA_ASSIGN(const Sequence one, parse_sequence(text));
    return Range{one, one};
  }
  ANIMA_ASSIGN(const Sequence first, parse_sequence(text.substr(0, dots)));
  ANIMA_ASSIGN(const Sequence last, parse_sequence(text.substr(dots + 2)));
  return Range{first, last};
}

bool is_bootstrap(const store::Act& act) {
  return act.info.trust == store::Trust::kSystem && act.info.source == store::kBootstrapSource;
}

// The acts that have an entry in the range. What a space begins with is among them only where
// nothing else is named.
Result<std::vector<store::Act>> acts_in(store::Space& space, const store::Snapshot& now,
                                        const Range& range) {
  std::vector<store::Act> acts;
  std::set<Sequence> taken;
  const std::uint64_t last =
      std::min(sequence_number(range.last), sequence_number(now.sequence()) + 1);
  for (std::uint64_t at = sequence_number(range.first); at <= last; ++at) {
    if (taken.contains(Sequence{at})) continue;
    ANIMA_ASSIGN(store::Act act, store::act_at(space, now, Sequence{at}));
    taken.insert(act.entries.begin(), act.entries.end());
    acts.push_back(std::move(act));
  }
  if (!std::ranges::all_of(acts, is_bootstrap)) std::erase_if(acts, is_bootstrap);
  if (acts.empty())
    return anima::fail(ErrorCode::kInvalidArgument, "there are no such entries", {},
                       "`anima audit log` lists them");
  return acts;
}

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
  const Result<Range> range = named == kLast ? Range{} : parse_range(named);
  if (!range) return context.usage_error(range.error().describe());
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto now = (*space)->snapshot();
  if (!now) return context.fail(now.error());
  Result<std::vector<store::Act>> acts = std::vector<store::Act>();
  if (named == kLast) {
    auto last = store::newest_act_to_undo(**space, *now);
    if (!last) return context.fail(last.error());
    acts->push_back(*std::move(last));
  } else {
    acts = acts_in(**space, *now, *range);
    if (!acts) return context.fail(acts.error());
  }
  std::vector<Sequence> entries;
  for (const store::Act& act : *acts)
    entries.insert(entries.end(), act.entries.begin(), act.entries.end());
  auto undone = store::undo_entries(**space, local_origin(context, "anima undo"), entries,
                                    {.cascade = cascade, .dry_run = dry_run});
  if (!undone) {
    context.fail(undone.error());
    // Refused because of what depends on it, not to be tried again.
    return undone.error().code == ErrorCode::kConflict ? kRefused : exit_code_for(undone.error());
  }
  const UndoShown shown = undo_shown(*now, *std::move(acts), *std::move(undone), dry_run);
  if (context.json) {
    context.print_json(undo_json(shown, limit));
  } else {
    context.print(undo_text(shown, SystemClock().now(), limit));
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
