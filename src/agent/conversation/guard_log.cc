#include "agent/conversation/guard_log.h"

#include "agent/conversation/session_floor.h"
#include "base/crypto.h"
#include "base/json/json_member.h"

namespace anima::agent {
namespace {

constexpr const char* kValuesKey = "values";

}  // namespace

Result<std::int64_t> GuardLog::write(const Json& event, govern::Trust trust) {
  if (!read_) ANIMA_TRY(note_session_begin(ledger_.space(), origin_, session_));
  std::int64_t place = 0;
  ANIMA_ASSIGN(const std::string secret, govern::record_payload(event));
  ANIMA_TRY(ledger_.write_part(
      origin_.author, trust,
      [&](govern::WriterTurn& turn) -> Result<std::vector<govern::LedgerRecord>> {
        place = static_cast<std::int64_t>(turn.place);
        ANIMA_ASSIGN(const store::SealedText sealed, ledger_.space().seal(kValuesKey, secret));
        Json content = Json::object(
            {{"session", session_}, {"seal", sealed.seal}, {"sealed", to_base64url(sealed.bytes)}});
        std::vector<govern::LedgerRecord> records;
        records.push_back({kValuesRecord, std::move(content)});
        return records;
      }));
  return place;
}

Status GuardLog::read(const std::function<Status(std::int64_t, const Json&)>& visit) {
  if (!read_) {
    ANIMA_ASSIGN(read_, session_begin(ledger_.space(), session_));
    if (!read_) return {};
  }
  ANIMA_ASSIGN(read_,
               ledger_.read(kValuesRecord, *read_, [&](const govern::LedgerEntry& entry) -> Status {
                 if (text_member(entry.content, "session") != session_) return {};
                 const std::string where =
                     "log entry " + std::to_string(static_cast<std::uint64_t>(entry.sequence));
                 const auto bytes = from_base64url(text_member(entry.content, "sealed"));
                 if (!bytes)
                   return fail(ErrorCode::kCorrupt, "a kept value lacks its sealed part", where);
                 ANIMA_ASSIGN(const store::UnsealedText opened,
                              ledger_.space().unseal({text_member(entry.content, "seal"), *bytes}));
                 if (opened.state != store::SealState::kOpen) return {};  // erased: nobody knows it
                 ANIMA_ASSIGN(const Json event, parse_json(opened.text));
                 return visit(static_cast<std::int64_t>(entry.sequence), event);
               }));
  return {};
}

}  // namespace anima::agent
