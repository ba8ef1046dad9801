// anima compact: what nobody needs any more leaves the log, and the disk is given back.
#include "store/compact.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/text/read_number.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/frame/sequence_number.h"
#include "cli/terminal/progress.h"
#include "store/backup.h"

namespace anima::cli {
namespace {

using store::Sequence;

constexpr std::int64_t kMicrosecondsPerDay = 86'400 * kMicrosecondsPerSecond;
constexpr std::uint64_t kMostDays = 100'000;

// What stays able to be undone: the newest entries, or those of the last days.
struct Window {
  bool days = true;
  std::uint64_t count = 30;
};

Result<Window> parse_window(std::string_view text) {
  Window window;
  const std::string_view digits = text.ends_with('d') ? text.substr(0, text.size() - 1) : text;
  window.days = digits.size() != text.size();
  const auto count = read_number<std::uint64_t>(digits);
  if (count && (!window.days || *count <= kMostDays)) {
    window.count = *count;
    return window;
  }
  return anima::fail(ErrorCode::kInvalidArgument,
                     "--keep-undo takes days (30d) or a number of entries", std::string(text));
}

Sequence last_of(const store::Snapshot& now, const Window& window) {
  if (!window.days) return store::last_but(now, window.count);
  const auto back = static_cast<std::int64_t>(window.count) * kMicrosecondsPerDay;
  return store::last_older_than(now, Timestamp{SystemClock().now().microseconds - back});
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

Json report_json(const store::CompactReport& report, bool dry_run) {
  Json json = Json::object({{"dry_run", dry_run},
                            {"until", sequence_number(report.until)},
                            {"entries", report.entries},
                            {"statements", report.statements},
                            {"emptied", report.emptied},
                            {"things", report.things},
                            {"values", report.values},
                            {"payload_bytes", report.payload_bytes},
                            {"bytes_before", report.bytes_before}});
  if (dry_run) return json;
  json.set("bytes_after", report.bytes_after);
  if (report.receipt.sequence != Sequence::kNone)
    json.set("sequence", sequence_number(report.receipt.sequence));
  return json;
}

void say_report(Context& context, const store::CompactReport& report, bool dry_run) {
  if (report.entries == 0) {
    context.print(fmt::format("up to entry {} nothing was withdrawn that is still there\n",
                              sequence_number(report.until)));
  } else {
    context.print(fmt::format(
        "{} {} withdrawn statements, {} names of things and {} values out of {} entries up to "
        "entry {}: {} of payload\n",
        dry_run ? "would take" : "took", report.statements + report.emptied, report.things,
        report.values, report.entries, sequence_number(report.until),
        size_text(report.payload_bytes)));
  }
  if (dry_run) {
    context.print(
        fmt::format("the log and its bases take {} now\n", size_text(report.bytes_before)));
    return;
  }
  const std::string now =
      fmt::format("the log and its bases take {}", size_text(report.bytes_after));
  if (report.bytes_after == report.bytes_before) {
    context.print(now + ", as before\n");
    return;
  }
  const bool less = report.bytes_after < report.bytes_before;
  context.print(fmt::format("{}; they took {}, so {} {}\n", now, size_text(report.bytes_before),
                            size_text(less ? report.bytes_before - report.bytes_after
                                           : report.bytes_after - report.bytes_before),
                            less ? "were given back" : "came to it, mostly a newer base"));
}

// The whole log, put aside first. Gives the file's path from the root.
Result<std::string> keep_whole(Context& context, store::Space& space, const std::string& path) {
  SystemClock clock;
  Progress progress(context, "backup", "pages");
  store::BackupOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t) {
    progress.update(done);
    return !interrupted();
  };
  ANIMA_ASSIGN(const store::BackupInfo info,
               store::backup_space(space, path, clock, context.files, options));
  progress.finish();
  return std::filesystem::absolute(info.path).lexically_normal().string();
}

int carry_out(Context& context, const Window& window, const std::string& backup, bool dry_run) {
  const auto space = open_space(context, dry_run ? Access::kRead : Access::kWrite);
  if (!space) return context.fail(space.error());
  const auto now = (*space)->snapshot();
  if (!now) return context.fail(now.error());
  store::Compaction what;
  what.until = last_of(*now, window);
  if (what.until == Sequence::kNone || what.until < store::oldest_state(*now)) {
    return context.fail({ErrorCode::kNotFound,
                         what.until == Sequence::kNone
                             ? "every entry is newer than what stays able to be undone"
                             : "the log is compacted up to entry " +
                                   std::to_string(sequence_number(store::oldest_state(*now))) +
                                   " already",
                         {},
                         "--keep-undo takes fewer days (7d) or a number of entries"});
  }
  if (!backup.empty() && !dry_run) {
    const auto kept = keep_whole(context, **space, backup);
    if (!kept) return context.fail(kept.error());
    what.kept = *kept;
    const auto keys = (*space)->keys();
    if (keys && !keys->empty())
      context.note("the keys of sealed entries are not in the backup: `anima backup --with-keys`");
  }
  constexpr std::uint64_t kReadings = 4;
  Progress progress(context, "compact", "entries",
                    kReadings * static_cast<std::uint64_t>(now->sequence()));
  what.progress = [&](std::uint64_t done) {
    progress.update(done);
    return !interrupted();
  };
  const auto report = store::compact(**space, local_origin(context, "anima compact"), what,
                                     SystemClock().now(), dry_run);
  if (!report) return context.fail(report.error());
  progress.finish();
  if (context.json) {
    context.print_json(report_json(*report, dry_run));
  } else {
    say_report(context, *report, dry_run);
  }
  return kDone;
}

int run_compact(Context& context, Arguments arguments) {
  std::string keep = "30d";
  std::string backup;
  bool dry_run = false;
  Options options;
  options.value("--keep-undo DAYS|N", keep,
                "what can still be undone and looked back to: so many days (30d, the default), or "
                "the newest N entries");
  options.value("--backup FILE", backup, "the whole log goes there first; errors name it later")
      .output();
  options.flag("--dry-run", dry_run, "say what would go");
  options.epilogue(
      "What was withdrawn before that window leaves the log: old values, deleted things and their\n"
      "names. The log keeps every entry's number, header and hash, and all records; it verifies,\n"
      "and the state is the very same. An older state cannot be read any more, nor an older entry\n"
      "undone. While payloads lie in an archive it refuses. For what must be gone everywhere "
      "there\n"
      "is `anima forget`.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto window = parse_window(keep);
  if (!window) return context.usage_error(window.error().describe());
  return carry_out(context, *window, backup, dry_run);
}

}  // namespace

extern const Verb kCompact;
const Verb kCompact{"compact",
                    Group::kKeeping,
                    "takes out of the log what nobody needs any more",
                    "[--keep-undo DAYS|N] [--backup FILE] [--dry-run]",
                    "anima compact --keep-undo 90d --dry-run",
                    run_compact};

}  // namespace anima::cli
