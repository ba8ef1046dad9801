#include "store/space/redact_log.h"

#include <memory>
#include <utility>

#include "store/log/exclusive_log.h"
#include "store/log/operations.h"
#include "store/log/redacted.h"

namespace anima::store::detail {

Result<ForgetReport> redact_log(Space& space, Redaction& redaction, const RedactionEntry& told,
                                Timestamp now) {
  ANIMA_ASSIGN(const std::unique_ptr<Log::Turn> turn, space.log().take_turn());
  auto* const redacting = dynamic_cast<RedactingTurn*>(turn.get());
  if (redacting == nullptr) {
    return fail(ErrorCode::kUnsupported, "nothing can be taken from this log");
  }
  ANIMA_ASSIGN(ForgetReport report,
               redaction.run([&](const LogEntry& entry) { return redacting->redact(entry); }));
  if (report.entries.empty()) return report;
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
  if (redaction.compacts()) ANIMA_TRY(redacting->mark_compacted());
  ANIMA_ASSIGN(const Head head, turn->append(std::move(entry), now));
  ANIMA_TRY(turn->commit());
  report.receipt = {head.sequence, head.time, head.hash, true};
  return report;
}

Status settle_redaction(Space& space, bool shrink) {
  if (space.folder().empty()) return space.snapshot().map([](const Snapshot&) {});
  {
    ANIMA_ASSIGN(ExclusiveLog log, ExclusiveLog::open(space.folder()));
    if (shrink) ANIMA_TRY(log.shrink());
    ANIMA_TRY(log.fold().map([](bool) {}));
  }
  ANIMA_TRY(space.snapshot().map([](const Snapshot&) {}));
  return space.checkpoint();
}

}  // namespace anima::store::detail
