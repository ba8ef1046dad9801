#include "store/space/redact_log.h"

#include <memory>
#include <utility>

#include "base/files/file.h"
#include "store/log/draft_name.h"
#include "store/log/operations.h"
#include "store/log/redacted.h"
#include "store/log/stored_rows.h"

namespace anima::store::detail {

namespace {

struct Turn {
  std::unique_ptr<Log::Turn> held;
  RedactingTurn* redacting = nullptr;
};

Result<Turn> take_redacting_turn(Space& space) {
  ANIMA_TRY(check_takes_base(space.folder()));
  Turn turn;
  ANIMA_ASSIGN(turn.held, space.log().take_turn());
  turn.redacting = dynamic_cast<RedactingTurn*>(turn.held.get());
  if (turn.redacting == nullptr)
    return fail(ErrorCode::kUnsupported, "nothing can be taken from this log");
  return turn;
}

// The entry that tells of it, and the end of the turn.
Status tell_and_commit(Turn& turn, const Redaction& redaction, const RedactionEntry& told,
                       Timestamp now, ForgetReport& report) {
  const std::string text = told.record(report);
  Operation record;
  record.kind = OperationKind::kRecord;
  record.id = static_cast<std::uint32_t>(RecordKind::kAudit);
  record.text = text;
  OperationWriter operations;
  operations.write(record);
  LogEntry entry;
  entry.origin = told.origin;
  entry.payload = operations.take();
  if (redaction.compacts()) ANIMA_TRY(turn.redacting->mark_compacted());
  ANIMA_ASSIGN(const Head head, turn.held->append(std::move(entry), now));
  ANIMA_TRY(turn.held->commit());
  report.receipt = {head.sequence, head.time, head.hash, true};
  return {};
}

}  // namespace

Status check_takes_base(const std::string& folder) {
  if (folder.empty()) return {};
  const std::string draft = draft_name(join_path(folder, "base"));
  const auto made = system_files().open(draft, OpenMode::kExclusive, 0600);
  if (made) return system_files().remove(draft);
  Error error = made.error();
  error.message =
      "nothing was taken away, for the space takes no new file, and its old ones would "
      "keep what goes: " +
      error.message;
  error.where = folder;
  if (error.hint.empty()) error.hint = "let this account write to the folder, then repeat it";
  return fail(std::move(error));
}

Result<ForgetReport> redact_log(Space& space, Redaction& redaction, const RedactionEntry& told,
                                Timestamp now) {
  ANIMA_ASSIGN(Turn turn, take_redacting_turn(space));
  ANIMA_ASSIGN(ForgetReport report,
               redaction.run([&](const LogEntry& entry) { return turn.redacting->redact(entry); }));
  if (!report.entries.empty()) ANIMA_TRY(tell_and_commit(turn, redaction, told, now, report));
  return report;
}

Result<std::optional<ForgetReport>> exchange_log(Space& space, Redaction& redaction,
                                                 ForgetReport report, RedactionSpool& entries,
                                                 const RedactionEntry& told, Timestamp now) {
  if (report.entries.empty()) return std::optional(std::move(report));
  ANIMA_ASSIGN(Turn turn, take_redacting_turn(space));
  ANIMA_ASSIGN(const bool holds, redaction.still_holds());
  if (!holds) return std::optional<ForgetReport>();
  ANIMA_TRY(entries.visit([&](const LogEntry& entry) { return turn.redacting->redact(entry); }));
  ANIMA_TRY(tell_and_commit(turn, redaction, told, now, report));
  return std::optional(std::move(report));
}

Status settle_redaction(Space& space, bool shrink) {
  if (space.folder().empty()) return space.snapshot().map([](const Snapshot&) {});
  ANIMA_ASSIGN(StoredRows* const rows, rows_of(space.log()));
  ANIMA_TRY(rows->sweep(shrink));
  ANIMA_TRY(space.snapshot().map([](const Snapshot&) {}));
  return space.checkpoint();
}

}  // namespace anima::store::detail
