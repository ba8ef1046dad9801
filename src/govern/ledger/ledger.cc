#include "govern/ledger/ledger.h"

#include <algorithm>
#include <array>

#include "base/json/json_member.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "base/trace/trace.h"
#include "govern/ledger/detail/record_index.h"
#include "govern/ledger/sealed_members.h"
#include "store/verify/offline_audit.h"

namespace anima::govern {
namespace {

// A part that others' writes of the same turn make wait gets the next ones.
constexpr int kMostAttempts = 1000;

// What the record holds: everything but the links of the chain.
Json record_of(const AuditEntry& entry) {
  Json content = Json::object({{"id", entry.id},
                               {"timestamp", entry.timestamp},
                               {"action", entry.action},
                               {"actor", entry.actor},
                               {"trustLevel", entry.trust_level}});
  if (entry.details) content.set("details", *entry.details);
  return content;
}

Result<AuditEntry> entry_of(Json content, store::Sequence sequence) {
  content.set("previousHash", "");
  content.set("hash", "");
  return AuditEntry::from_json(content,
                               "log entry " + std::to_string(static_cast<std::uint64_t>(sequence)));
}

Result<Json> parse_record(std::string_view payload, store::Sequence sequence) {
  auto content = parse_json(payload);
  if (content) return content;
  return fail(ErrorCode::kCorrupt, "a governance record does not parse: " + content.error().message,
              "log entry " + std::to_string(static_cast<std::uint64_t>(sequence)));
}

// Sealed payloads cannot hold governance records; they are passed over.
Status visit_kind(const store::LogEntry& entry, store::RecordKind kind,
                  const std::function<Status(const LedgerEntry&)>& visit) {
  if (!entry.seal.empty() || entry.payload.empty()) return {};
  return store::visit_records(
      entry, [&](store::RecordKind found, std::string_view payload) -> Status {
        if (found != kind) return {};
        ANIMA_ASSIGN(Json content, parse_record(payload, entry.sequence));
        return visit({entry.sequence, entry.time, found, std::move(content)});
      });
}

// What the store itself writes of an erasure or an archive is no decision.
bool tells_a_decision(const Json& content) {
  constexpr std::array kOfTheStore{"erased", "archive", "pruned", "forgotten", "compacted"};
  return std::none_of(kOfTheStore.begin(), kOfTheStore.end(),
                      [&](const char* name) { return content.find(name) != nullptr; });
}

Status visit_audit(const store::LogEntry& entry, const std::function<Status(PlacedAudit)>& visit) {
  return visit_kind(entry, store::RecordKind::kAudit, [&](const LedgerEntry& found) -> Status {
    if (!tells_a_decision(found.content)) return {};
    ANIMA_ASSIGN(AuditEntry audit, entry_of(found.content, found.sequence));
    return visit({found.sequence, std::move(audit)});
  });
}

Status visit_audit(store::Log& log, const std::function<Status(PlacedAudit)>& visit) {
  return log.read(store::Sequence{1},
                  [&](const store::LogEntry& entry) { return visit_audit(entry, visit); });
}

bool is_critical(const AuditEntry& entry) {
  if (entry.action == "constitutional_violation" || entry.action == "emergency_stop") return true;
  const Json* severity = entry.details ? entry.details->find("severity") : nullptr;
  return entry.action == "security_event" && severity != nullptr && *severity == Json("critical");
}

bool tells_of_calls(std::string_view action) {
  return action.starts_with("tool_") || action.starts_with("permission_") ||
         action.starts_with("approval_");
}

// Adds the next one of a chain.
void chain_on(std::vector<PlacedAudit>& chain, PlacedAudit placed) {
  chain_after(placed.entry, chain.empty() ? nullptr : &chain.back().entry);
  chain.push_back(std::move(placed));
}

}  // namespace

// What is written is read again as JSON, by everybody and for ever: a record that would not parse
// (bytes that are no UTF-8, numbers that are none, too deep) would close the log for its readers.
Result<std::string> record_payload(const Json& content) {
  std::string payload = valid_text(content.dump());
  if (auto read = parse_json(payload); !read)
    return fail(ErrorCode::kInvalidArgument, "this cannot be recorded: " + read.error().message);
  return payload;
}

Ledger::Ledger(store::Space& space, Clock& clock, Random& random, bus::EventBus* events)
    : space_(space),
      clock_(clock),
      random_(random),
      events_(events),
      index_(std::make_unique<detail::RecordIndex>(space.log(), space.folder())) {}

Ledger::~Ledger() = default;

Result<std::string> Ledger::write(std::string_view action, std::string_view actor, Trust trust,
                                  Json details, const EntryPart& part) {
  return write_with({}, action, actor, trust, std::move(details), part);
}

Status Ledger::announce(std::string_view actor, Trust trust, const Json& details,
                        const EntryPart& part) {
  Json start = Json::object({{"actor", std::string(actor)}});
  for (const auto& [name, value] : details.as_object()) start.set(name, value);
  // What the actor does is the entry after it.
  return commit("executor", trust, {{kStartRecord, std::move(start)}}, part);
}

Status Ledger::write_part(std::string_view author, Trust trust, const EntryPart& part) {
  return commit(author, trust, {}, part);
}

Result<std::string> Ledger::write_with(const std::vector<LedgerRecord>& records,
                                       std::string_view action, std::string_view actor, Trust trust,
                                       Json details, const EntryPart& part) {
  std::vector<LedgerRecord> all = records;
  const std::optional<Json> anchor = index_->anchor();
  if (anchor) all.push_back({kIndexRecord, *anchor});
  const LedgerRecord decision = audit_record(action, actor, trust, std::move(details));
  all.push_back(decision);
  for (LedgerRecord& record : all) {
    Json* kept =
        record.kind == store::RecordKind::kAudit ? record.content.find("details") : nullptr;
    if (kept != nullptr && tells_of_calls(text_member(record.content, "action")))
      ANIMA_TRY(seal_members(space_, kAuditKey, kSealedOfAudits, *kept));
  }
  ANIMA_TRY(commit(actor, trust, all, part));
  if (anchor) (void)index_->look();  // who looks next says what is wrong with the log
  const Json& audit = decision.content;
  if (events_ != nullptr) events_->emit({"audit:logged", Json::object({{"event", audit}})});
  return audit.find("id")->as_string();
}

Status Ledger::commit(std::string_view author, Trust trust,
                      const std::vector<LedgerRecord>& records, const EntryPart& part) {
  std::vector<std::string> payloads;
  for (const LedgerRecord& record : records) {
    ANIMA_ASSIGN(std::string each, record_payload(record.content));
    payloads.push_back(std::move(each));
  }
  store::Origin origin;
  origin.author = author;
  origin.source = "governance";
  origin.trust = trust;
  WriterTurn turn;
  // Asked of the log itself: whoever decides by it must not be told an old one.
  turn.committed = [this]() -> Result<store::Sequence> {
    ANIMA_ASSIGN(const store::Head head, space_.log().head());
    return head.sequence;
  };
  const auto change = [&](store::Transaction& transaction) -> Status {
    for (std::size_t i = 0; i < records.size(); ++i)
      ANIMA_TRY(transaction.record(records[i].kind, payloads[i]));
    if (!part) return {};
    turn.place = transaction.live().sequence();
    ANIMA_ASSIGN(const std::vector<LedgerRecord> more, part(turn));
    for (const LedgerRecord& record : more) {
      ANIMA_ASSIGN(const std::string payload, record_payload(record.content));
      ANIMA_TRY(transaction.record(record.kind, payload));
    }
    return {};
  };
  for (int attempt = 0;; ++attempt) {
    turn.again = false;
    const auto receipt = space_.write(origin, change);
    if (receipt) return {};
    if (!turn.again || attempt == kMostAttempts) return fail(receipt.error());
  }
}

LedgerRecord Ledger::audit_record(std::string_view action, std::string_view actor, Trust trust,
                                  Json details) const {
  const auto trace = TraceScope::current();
  if (trace && details.is_object()) details.set("traceId", trace->trace_id());
  const std::string request = RequestScope::current();
  if (!request.empty() && details.is_object()) details.set("requestId", request);
  return {store::RecordKind::kAudit,
          record_of(make_audit_entry(action, actor, trust, std::move(details), clock_, random_))};
}

Result<store::Sequence> Ledger::read(store::RecordKind kind, store::Sequence after,
                                     const std::function<Status(const LedgerEntry&)>& visit,
                                     const std::function<bool(store::Sequence)>& skip,
                                     store::Sequence head) const {
  if (detail::RecordIndex::covers(kind)) {
    return index_->visit(
        kind, after, [&](const store::LogEntry& entry) { return visit_kind(entry, kind, visit); },
        skip, head);
  }
  store::Sequence last = after;
  const store::Sequence first{static_cast<std::uint64_t>(after) + 1};
  ANIMA_TRY(space_.log().read(first, [&](const store::LogEntry& entry) -> Status {
    if (!skip || !skip(entry.sequence)) ANIMA_TRY(visit_kind(entry, kind, visit));
    last = entry.sequence;
    return {};
  }));
  return last;
}

Result<store::Sequence> Ledger::before_newest(store::RecordKind kind, std::size_t count) const {
  return index_->before_newest(kind, count);
}

Result<std::vector<PlacedAudit>> audit_chain_of(store::Log& log) {
  std::vector<PlacedAudit> chain;
  ANIMA_TRY(visit_audit(log, [&](PlacedAudit placed) -> Status {
    chain_on(chain, std::move(placed));
    return {};
  }));
  return chain;
}

Result<std::vector<PlacedAudit>> audit_chain_of(std::string_view lines, std::string_view where) {
  std::vector<PlacedAudit> chain;
  std::size_t number = 0;
  for (const std::string_view line : split(lines, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const std::string place = std::string(where) + ":" + std::to_string(number);
    ANIMA_ASSIGN(const Json json, parse_json(line));
    ANIMA_ASSIGN(const store::LogEntry entry, store::entry_from_json(json, place));
    ANIMA_TRY(visit_audit(entry, [&](PlacedAudit placed) -> Status {
      chain_on(chain, std::move(placed));
      return {};
    }));
  }
  return chain;
}

Result<PlacedAudit> find_audit(store::Log& log, const std::string& folder, std::string_view id) {
  std::vector<PlacedAudit> found;
  if (id.empty()) return fail(ErrorCode::kInvalidArgument, "the id is empty");
  detail::RecordIndex index(log, folder);
  ANIMA_TRY(index.find_audits(id, [&](const store::LogEntry& entry) -> Result<bool> {
    ANIMA_TRY(visit_audit(entry, [&](PlacedAudit placed) -> Status {
      if (placed.entry.id.starts_with(id)) found.push_back(std::move(placed));
      return {};
    }));
    return found.size() < 2;
  }));
  if (found.empty()) {
    return fail(
        ErrorCode::kNotFound, "there is no decision '" + std::string(id) + "'", {},
        "`anima audit log` shows the newest, `anima audit export --format ari` every decision");
  }
  if (found.size() > 1) {
    return fail(ErrorCode::kInvalidArgument, "several decisions begin with '" + std::string(id) +
                                                 "': " + found[0].entry.id + ", " +
                                                 found[1].entry.id);
  }
  return std::move(found.front());
}

Result<int> critical_events(store::Log& log, Timestamp since) {
  // A clock can be set back; the times of the log never go back, and may stand still instead.
  const std::string first = audit_timestamp(since);
  int count = 0;
  ANIMA_TRY(log.read(store::Sequence{1}, [&](const store::LogEntry& entry) -> Status {
    return visit_audit(entry, [&](const PlacedAudit& placed) -> Status {
      const bool is_late = entry.time >= since || placed.entry.timestamp >= first;
      if (is_late && is_critical(placed.entry)) ++count;
      return {};
    });
  }));
  return count;
}

Result<PlacedAudit> find_refusal(store::Space& space, std::string_view id) {
  constexpr std::string_view kRefusals[] = {"permission_denied",        "security_event",
                                            "constitutional_violation", "memory_denied",
                                            "approval_rejected",        "approval_expired"};
  ANIMA_ASSIGN(PlacedAudit placed, find_audit(space.log(), space.folder(), id));
  if (placed.entry.details) ANIMA_TRY(unseal_members(space, *placed.entry.details));
  const std::string& action = placed.entry.action;
  if (std::ranges::find(kRefusals, action) != std::end(kRefusals)) return placed;
  return fail(ErrorCode::kInvalidArgument,
              "the entry " + placed.entry.id + " refused nothing: it is '" + action + "'");
}

}  // namespace anima::govern
