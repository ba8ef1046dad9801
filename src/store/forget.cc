#include "store/forget.h"

#include <memory>
#include <utility>

#include "store/archive.h"
#include "store/log/entry_codec.h"
#include "store/log/exclusive_log.h"
#include "store/log/operations.h"
#include "store/log/redacted.h"
#include "store/space/redaction.h"

namespace anima::store {
namespace {

std::string record_of(const ForgetReport& report, const Forgetting& what) {
  JsonArray entries;
  for (const ForgottenEntry& each : report.entries) {
    entries.emplace_back(
        JsonArray{detail::to_number(each.sequence), to_hex(each.hash), to_hex(each.left)});
  }
  JsonArray stays;
  for (const std::string& each : report.stays) stays.emplace_back(each);
  return Json::object({{"forgotten", Json::object({{"version", 1},
                                                   {"request", what.request},
                                                   {"reason", what.reason},
                                                   {"statements", report.statements.size()},
                                                   {"things", report.things},
                                                   {"values", report.values},
                                                   {"records", report.records},
                                                   {"attachments", report.attachments},
                                                   {"stays", std::move(stays)},
                                                   {"entries", std::move(entries)}})}})
      .dump();
}

Status nothing_there() {
  return fail(ErrorCode::kNotFound, "there is nothing to forget: no entry of the log says it");
}

// What was overwritten in the log's file is in no other, the views are made again without it, and a
// base of them takes the place of older ones. The base comes last: until it is there, whoever opens
// the space does all of this (SpaceImpl::forget_old_bases).
Status settle(Space& space) {
  if (space.folder().empty()) return space.snapshot().map([](const Snapshot&) {});
  {
    ANIMA_ASSIGN(detail::ExclusiveLog log, detail::ExclusiveLog::open(space.folder()));
    ANIMA_TRY(log.fold().map([](bool) {}));
  }
  ANIMA_TRY(space.snapshot().map([](const Snapshot&) {}));
  return space.checkpoint();
}

Result<ForgetReport> redact(Space& space, const Origin& origin, const Forgetting& what,
                            Timestamp now) {
  ANIMA_ASSIGN(const std::unique_ptr<Log::Turn> turn, space.log().take_turn());
  auto* const redacting = dynamic_cast<detail::RedactingTurn*>(turn.get());
  if (redacting == nullptr) {
    return fail(ErrorCode::kUnsupported, "nothing can be taken from this log");
  }
  detail::Redaction redaction(space, what, false);
  ANIMA_ASSIGN(ForgetReport report,
               redaction.run([&](const LogEntry& entry) { return redacting->redact(entry); }));
  if (report.entries.empty()) return fail(nothing_there().error());
  const std::string text = record_of(report, what);
  detail::Operation record;
  record.kind = detail::OperationKind::kRecord;
  record.id = static_cast<std::uint32_t>(RecordKind::kAudit);
  record.text = text;
  detail::OperationWriter operations;
  operations.write(record);
  LogEntry entry;
  entry.origin = origin;
  entry.origin.source = std::string(detail::kForgetSource);
  entry.payload = operations.take();
  ANIMA_ASSIGN(const Head head, turn->append(std::move(entry), now));
  ANIMA_TRY(turn->commit());
  report.receipt = {head.sequence, head.time, head.hash, true};
  return report;
}

}  // namespace

Result<ForgetReport> forget(Space& space, const Origin& origin, const Forgetting& what,
                            Timestamp now, bool dry_run) {
  if (!space.folder().empty()) {
    ANIMA_ASSIGN(const bool archived, has_archived_entries(space.folder()));
    if (archived) {
      return fail(ErrorCode::kConflict,
                  "forgetting reads the whole log, and some of its payloads lie in archives",
                  space.folder(), "bring them back first with `anima archive --restore FILE`");
    }
  }
  if (dry_run) {
    detail::Redaction redaction(space, what, true);
    ANIMA_ASSIGN(ForgetReport report, redaction.run([](const LogEntry&) { return Status(); }));
    if (report.entries.empty()) return fail(nothing_there().error());
    return report;
  }
  ANIMA_ASSIGN(ForgetReport report, redact(space, origin, what, now));
  ANIMA_TRY(settle(space));
  return report;
}

Result<Json> forgotten_record(Log& log, Sequence entry) {
  ANIMA_ASSIGN(const LogEntry there, log.entry(entry));
  std::optional<Json> found;
  ANIMA_TRY(detail::visit_forgotten(there, [&](const Json& forgotten) { found = forgotten; }));
  if (found) return std::move(*found);
  return fail(ErrorCode::kNotFound, "it does not tell of anything that was forgotten",
              detail::entry_place(entry));
}

}  // namespace anima::store
