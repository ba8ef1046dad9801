#include "store/compact.h"

#include <algorithm>

#include "base/files/file.h"
#include "base/json/json.h"
#include "store/archive.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"
#include "store/log/stored_rows.h"
#include "store/space/redact_log.h"
#include "store/state/state.h"

namespace anima::store {
namespace {

using detail::to_number;

std::string record_of(const Compaction& what, const ForgetReport& report,
                      const detail::Redaction::Totals& totals) {
  Json compacted = Json::object({{"version", 1},
                                 {"until", to_number(what.until)},
                                 {"changed", report.entries.size()},
                                 {"statements", totals.statements},
                                 {"emptied", totals.emptied},
                                 {"things", report.things},
                                 {"values", report.values},
                                 {"payload_bytes", totals.saved()},
                                 {"entries", totals.cut},
                                 {"digest", to_hex(totals.digest)}});
  if (!what.kept.empty()) compacted.set("kept", what.kept);
  return Json::object({{"compacted", std::move(compacted)}}).dump();
}

// The log with its write-ahead file, or its tables, and the bases.
std::uint64_t bytes_on_disk(Space& space) {
  const std::string& folder = space.folder();
  if (folder.empty()) return 0;
  const bool in_database = space.log().rows() != nullptr && !space.log().rows()->identity().empty();
  std::uint64_t bytes = in_database ? space.log().stored_bytes().value_or(0) : 0;
  const auto entries = system_files().list(folder);
  if (!entries) return bytes;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.starts_with("log.db") && !entry.name.starts_with("base-")) continue;
    if (const auto info = system_files().info(join_path(folder, entry.name))) bytes += info->size;
  }
  return bytes;
}

Status check(Space& space, const Compaction& what) {
  ANIMA_ASSIGN(const Snapshot now, space.snapshot());
  if (what.until == Sequence::kNone || what.until > now.sequence()) {
    return fail(ErrorCode::kInvalidArgument, "there is no such entry",
                detail::entry_place(what.until));
  }
  if (what.until < oldest_state(now)) {
    return fail(ErrorCode::kInvalidArgument,
                "the log is compacted up to " + detail::entry_place(oldest_state(now)) + " already",
                detail::entry_place(what.until));
  }
  if (space.folder().empty()) return {};
  ANIMA_ASSIGN(const bool archived, has_archived_entries(space.log()));
  if (!archived) return {};
  return fail(ErrorCode::kConflict,
              "compacting reads the whole log, and some of its payloads lie in archives",
              space.folder(), "bring them back first with `anima archive --restore FILE`");
}

CompactReport report_of(const Compaction& what, const ForgetReport& report,
                        const detail::Redaction::Totals& totals) {
  CompactReport told;
  told.receipt = report.receipt;
  told.until = what.until;
  told.entries = report.entries.size();
  told.statements = totals.statements;
  told.emptied = totals.emptied;
  told.things = report.things;
  told.values = report.values;
  told.payload_bytes = totals.saved();
  return told;
}

}  // namespace

namespace {

// How often the log is read anew without the turn, when what others wrote meanwhile needs what was
// to go.
constexpr int kAttempts = 3;

struct Redacted {
  ForgetReport report;
  detail::Redaction::Totals totals;
};

// The log is read beside the writers; they wait for the exchange of what is left alone.
Result<Redacted> redact(Space& space, const Origin& origin, const Compaction& what, Timestamp now) {
  const auto told_by = [&](const detail::Redaction& redaction) {
    detail::RedactionEntry told;
    told.origin = origin;
    told.origin.source = std::string(detail::kCompactSource);
    told.record = [&what, &redaction](const ForgetReport& done) {
      return record_of(what, done, redaction.totals());
    };
    return told;
  };
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ANIMA_TRY(check(space, what));
    detail::Redaction redaction(space, what.until, what.progress, false);
    detail::RedactionSpool entries(space.folder());
    ANIMA_ASSIGN(ForgetReport report,
                 redaction.run([&](const LogEntry& entry) { return entries.add(entry); }));
    ANIMA_ASSIGN(auto done, detail::exchange_log(space, redaction, std::move(report), entries,
                                                 told_by(redaction), now));
    if (done) return Redacted{*std::move(done), redaction.totals()};
  }
  ANIMA_TRY(check(space, what));
  detail::Redaction redaction(space, what.until, what.progress, false);
  ANIMA_ASSIGN(ForgetReport report, detail::redact_log(space, redaction, told_by(redaction), now));
  return Redacted{std::move(report), redaction.totals()};
}

}  // namespace

Sequence oldest_state(const Snapshot& now) {
  const auto& horizon = now.state().horizon;
  return horizon == nullptr ? Sequence::kNone : Sequence{horizon->oldest};
}

Sequence last_older_than(const Snapshot& now, Timestamp time) {
  std::uint64_t low = 0, high = to_number(now.sequence());
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (now.entry(Sequence{middle}).time < time) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return Sequence{low};
}

Sequence last_but(const Snapshot& now, std::uint64_t entries) {
  const std::uint64_t all = to_number(now.sequence());
  return Sequence{all - std::min(all, entries)};
}

Result<CompactReport> compact(Space& space, const Origin& origin, const Compaction& what,
                              Timestamp now, bool dry_run) {
  ANIMA_TRY(check(space, what));
  const std::uint64_t before = bytes_on_disk(space);
  Redacted redacted;
  if (dry_run) {
    detail::Redaction redaction(space, what.until, what.progress, true);
    ANIMA_ASSIGN(redacted.report, redaction.run([](const LogEntry&) { return Status(); }));
    redacted.totals = redaction.totals();
  } else {
    ANIMA_ASSIGN(redacted, redact(space, origin, what, now));
    // Also where nothing was left to take: who was cut short before has not given it back.
    if (Status settled = detail::settle_redaction(space, true); !settled) {
      Error error = std::move(settled).error();
      error.message = "the log is compacted, but not all views are made yet: " + error.message;
      error.hint = "free some space; the next command that writes makes them";
      return fail(std::move(error));
    }
  }
  CompactReport done = report_of(what, redacted.report, redacted.totals);
  done.bytes_before = before;
  done.bytes_after = dry_run ? before : bytes_on_disk(space);
  return done;
}

}  // namespace anima::store
