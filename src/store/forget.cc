#include "store/forget.h"

#include <utility>

#include "base/json/text_array.h"
#include "store/archive.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"
#include "store/space/redact_log.h"

namespace anima::store {
namespace {

std::string record_of(const ForgetReport& report, const Forgetting& what) {
  JsonArray entries;
  for (const ForgottenEntry& each : report.entries) {
    JsonArray one{detail::to_number(each.sequence), to_hex(each.hash), to_hex(each.left)};
    if (each.before) one.emplace_back(to_hex(*each.before));
    entries.emplace_back(std::move(one));
  }
  return Json::object({{"forgotten", Json::object({{"version", 2},
                                                   {"request", what.request},
                                                   {"reason", what.reason},
                                                   {"statements", report.statements.size()},
                                                   {"things", report.things},
                                                   {"values", report.values},
                                                   {"records", report.records},
                                                   {"attachments", report.attachments},
                                                   {"graphs", report.graphs},
                                                   {"stays", text_array(report.stays)},
                                                   {"entries", std::move(entries)}})}})
      .dump();
}

Status nothing_there() {
  return fail(ErrorCode::kNotFound, "there is nothing to forget: no entry of the log says it");
}

}  // namespace

Result<ForgetReport> forget(Space& space, const Origin& origin, const Forgetting& what,
                            Timestamp now, bool dry_run) {
  if (!space.folder().empty()) {
    ANIMA_ASSIGN(const bool archived, has_archived_entries(space.log()));
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
  detail::Redaction redaction(space, what, false);
  detail::RedactionEntry told;
  told.origin = origin;
  told.origin.source = std::string(detail::kForgetSource);
  told.record = [&](const ForgetReport& report) { return record_of(report, what); };
  ANIMA_ASSIGN(ForgetReport report, detail::redact_log(space, redaction, told, now));
  if (report.entries.empty()) return fail(nothing_there().error());
  if (Status settled = detail::settle_redaction(space, false); !settled) {
    Error error = std::move(settled).error();
    error.message = "it is gone from the log, but not from all views yet: " + error.message;
    error.hint =
        "open the space again where it can be written, then `anima forget "
        "--certificate-of last`";
    return fail(std::move(error));
  }
  return report;
}

Status check_can_be_taken_from(Space& space) { return detail::check_takes_base(space.folder()); }

Result<Json> forgotten_record(Log& log, Sequence entry) {
  ANIMA_ASSIGN(const LogEntry there, log.entry(entry));
  std::optional<Json> found;
  ANIMA_TRY(detail::visit_forgotten(there, [&](const Json& forgotten) { found = forgotten; }));
  if (found) return std::move(*found);
  return fail(ErrorCode::kNotFound, "it does not tell of anything that was forgotten",
              detail::entry_place(entry));
}

}  // namespace anima::store
