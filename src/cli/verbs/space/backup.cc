// anima backup, anima restore: one file, while the space is in use.
#include "store/backup.h"

#include <fmt/format.h>

#include "agent/learnings/kept_learnings.h"
#include "base/json/text_array.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/terminal/progress.h"
#include "store/archive.h"

namespace anima::cli {
namespace {

Json to_json(const store::BackupInfo& info) {
  return Json::object({{"path", info.path},
                       {"time", format_timestamp(info.time)},
                       {"entries", info.entries},
                       {"keys", text_array(info.keys)}});
}

store::BackupProgress shown_by(Progress& progress) {
  return [&progress](std::uint64_t done, std::uint64_t) {
    progress.update(done);
    return !interrupted();
  };
}

// The space is whole; some of what was learnt is not in it. Gives the exit code.
int left_out(Context& context, std::string_view where, const std::vector<Error>& errors) {
  for (const Error& each : errors)
    context.warn(fmt::format("these learnings are {}: {}", where, each.describe()));
  return errors.empty() ? static_cast<int>(kDone) : exit_code_for(errors.front());
}

int run_backup(Context& context, Arguments arguments) {
  std::string path;
  store::BackupOptions backup;
  Options options;
  options.positional("FILE", path, "where the backup goes").output().required();
  options.flag("--with-keys", backup.with_keys,
               "put the keys of sealed entries in it: an erasure will not reach this file");
  bool without_note = false;
  options.flag("--without-note", without_note,
               "also where the space cannot be written: no erasure will name this file");
  options.flag("--overwrite", backup.overwrite, "replace FILE when it exists");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  backup.salvage = context.salvage;
  backup.noted = !without_note;
  auto learnings = agent::kept_learnings((*space)->folder(), context.files);
  if (!learnings) return context.fail(learnings.error());
  backup.kept = std::move(learnings->files);
  SystemClock clock;
  Progress progress(context, "backup", backup.salvage ? "entries" : "pages");
  backup.progress = shown_by(progress);
  const auto info = store::backup_space(**space, path, clock, context.files, backup);
  if (!info) return context.fail(info.error());
  progress.finish();
  const int exit = left_out(context, "not in the backup", learnings->left_out);
  if (context.json) {
    context.print_json(to_json(*info));
    return exit;
  }
  context.print(fmt::format("backed up {} entries to {}\n", info->entries, path));
  if (store::has_archived_entries((*space)->log()).value_or(false)) {
    context.note("payloads of old entries lie in archives: keep those files with the backup");
  }
  if (without_note) context.note("it is not noted in the space: no erasure will name it");
  const auto keys = (*space)->keys();
  if (!backup.with_keys && keys && !keys->empty()) {
    context.note(
        "the keys of sealed entries are not in it (--with-keys); the signing key never is");
  }
  return exit;
}

agent::RestoredLearnings restored_learnings(Context& context, const std::string& path) {
  const auto kept = store::kept_files(path);
  if (!kept) return {0, {kept.error()}};
  return agent::restore_learnings(*kept, context.space, context.files);
}

int run_restore(Context& context, Arguments arguments) {
  std::string path;
  Options options;
  options.positional("FILE", path, "a backup").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const Status let_in = pass_door(context, agent::Act::kWrites); !let_in)
    return context.fail(let_in.error());
  Progress progress(context, "restore", "pages");
  const auto info = store::restore_space(path, context.space, context.files, shown_by(progress));
  if (!info) return context.fail(info.error());
  progress.finish();
  const agent::RestoredLearnings learnings = restored_learnings(context, path);
  if (context.json) {
    Json json = to_json(*info);
    json.set("space", context.space);
    json.set("shards", static_cast<std::uint64_t>(learnings.shards));
    context.print_json(json);
  } else {
    context.print(fmt::format("restored {} entries to {}\n", info->entries, context.space));
    if (learnings.shards > 0)
      context.print(fmt::format("and the learnings of {} shards\n", learnings.shards));
  }
  return left_out(context, "not in the space", learnings.left_out);
}

}  // namespace

extern const Verb kBackup;
extern const Verb kRestore;
const Verb kBackup{"backup",
                   Group::kKeeping,
                   "copies the space to one file, while it is in use",
                   "FILE [--with-keys] [--without-note] [--overwrite]",
                   "anima backup memory-monday.anima",
                   run_backup};
const Verb kRestore{"restore",
                    Group::kKeeping,
                    "makes a space from a backup, verified entry by entry",
                    "FILE [--space DIR]",
                    "anima restore memory-monday.anima --space ./restored",
                    run_restore};

}  // namespace anima::cli
