// anima archive: payloads of old log entries in a file of their own, and back.
#include "store/archive.h"

#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"

namespace anima::cli {
namespace {

// The last entry before a number or a time.
Result<store::Sequence> last_before(store::Space& space, std::string_view when) {
  if (const auto sequence = parse_sequence(when)) {
    const auto number = static_cast<std::uint64_t>(*sequence);
    return store::Sequence{number == 0 ? 0 : number - 1};
  }
  ANIMA_ASSIGN(const Timestamp time, parse_timestamp(when));
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  ANIMA_ASSIGN(const store::Snapshot then, now.as_of(Timestamp{time.microseconds - 1}));
  return then.sequence();
}

int say(Context& context, const store::ArchiveReport& report, std::string_view sentence) {
  if (context.json) {
    context.print_json(Json::object({{"path", report.path},
                                     {"first", static_cast<std::uint64_t>(report.first)},
                                     {"last", static_cast<std::uint64_t>(report.last)},
                                     {"entries", report.entries},
                                     {"changed", report.changed},
                                     {"log_bytes", report.log_bytes}}));
  } else {
    context.print(fmt::format(fmt::runtime(sentence), fmt::arg("entries", report.entries),
                              fmt::arg("changed", report.changed),
                              fmt::arg("first", static_cast<std::uint64_t>(report.first)),
                              fmt::arg("last", static_cast<std::uint64_t>(report.last)),
                              fmt::arg("path", report.path), fmt::arg("bytes", report.log_bytes)));
  }
  return kDone;
}

int run_archive(Context& context, Arguments arguments) {
  std::string path;
  std::string before;
  bool restore = false;
  bool verify = false;
  Options options;
  options.positional("FILE", path, "the archive").required();
  options.value("--before SEQ|TIME", before,
                "moves the payloads of the entries before this one, or this time (RFC 3339), to "
                "the new FILE");
  options.flag("--verify", verify, "checks FILE against the log, entry by entry");
  options.flag("--restore", restore, "puts the payloads of FILE back into the log");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if ((before.empty() ? 0 : 1) + (verify ? 1 : 0) + (restore ? 1 : 0) != 1) {
    return context.usage_error("give one of --before, --verify and --restore");
  }
  if (!before.empty()) {
    const auto space = open_space(context, Access::kWrite);
    if (!space) return context.fail(space.error());
    const auto last = last_before(**space, before);
    if (!last) return context.fail(last.error());
    const auto report = store::archive_entries(**space, *last, path, context.files);
    if (!report) return context.fail(report.error());
    return say(context, *report,
               "moved the payloads of {entries} entries ({first} to {last}) to {path}; the log "
               "now takes {bytes} bytes\n"
               "Keep the file: a lost base, an undo that far back and an erasure need it.\n");
  }
  const auto report = restore ? store::restore_archive(context.space, path, context.files)
                              : store::verify_archive(context.space, path, context.files);
  if (!report) return context.fail(report.error());
  return say(context, *report,
             restore ? "brought back {changed} of {entries} entries; the log now takes {bytes} "
                       "bytes\n"
                     : "{path} is whole: {entries} entries ({first} to {last}), as the log says\n");
}

}  // namespace

extern const Verb kArchive;
const Verb kArchive{"archive",
                    Group::kKeeping,
                    "moves payloads of old log entries to a file, and back",
                    "FILE --before SEQ|TIME | FILE --verify | FILE --restore",
                    "anima archive log-2025.archive --before 2026-01-01T00:00:00Z",
                    run_archive};

}  // namespace anima::cli
