// The audit chain in the source's own format: what `anima audit export --format ari` writes and
// verify accepts.
//
// hash = lower-case hex SHA-256 of the compact JSON object {id, timestamp, action, actor,
// trustLevel, details, previousHash} in exactly this order; `details` is left out when absent; the
// first previousHash is 64 zeros. There is no update and no delete. Thread-safety: one thread at a
// time. Source: governance specification 1.4 (known-answer vectors), table rows 35-41.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/random.h"
#include "base/result.h"
#include "govern/trust.h"
#include "store/ids.h"

namespace anima::govern {

struct AuditEntry {
  std::string id;         // UUID, version 4
  std::string timestamp;  // ISO 8601 UTC with milliseconds: "2026-01-01T00:00:00.000Z"
  std::string action;
  std::string actor;
  std::string trust_level;
  std::optional<Json> details;
  std::string previous_hash;
  std::string hash;

  Json to_json() const;
  static Result<AuditEntry> from_json(const Json& json, std::string_view where);
};

// With an id and the time of now; no links yet.
AuditEntry make_audit_entry(std::string_view action, std::string_view actor, Trust trust,
                            std::optional<Json> details, Clock& clock, Random& random);
std::string audit_hash(const AuditEntry& entry);
// Fills previous_hash and hash of the entry that follows `before` (null: the first).
void chain_after(AuditEntry& entry, const AuditEntry* before);
std::string audit_timestamp(Timestamp time);

struct AuditVerdict {
  bool valid = true;
  std::size_t broken_at = 0;  // index of the first bad entry when not valid
  std::string details;        // "3 events" or what is wrong
};
// Walks from the first entry: the link is checked before the content. O(entries).
AuditVerdict verify_audit(const std::vector<AuditEntry>& entries);

struct LedgerRecord;  // ledger.h

// The writer's turn of a log, as a part of an entry sees it that is made in it.
struct WriterTurn {
  store::Sequence place = store::Sequence::kNone;  // of the entry that is being made
  // The last entry that can be read: what lies between is of the same turn.
  std::function<Result<store::Sequence>()> committed = nullptr;
  bool again = false;            // set beside an error: ask again in the next turn
  std::string approval_id = {};  // of the approval that the entry asks for
};
// Further records of an entry, made in the writer's turn, where nobody else can write. An error
// leaves nothing of the entry. Asked on any thread, while whoever writes waits; null: no records.
using EntryPart = std::function<Result<std::vector<LedgerRecord>>(WriterTurn&)>;

// Where decisions are written. An error means that what was to be written must not happen.
class AuditLog {
 public:
  virtual ~AuditLog() = default;
  // Adds an entry and gives its id; durable when it returns, where the log is. Without turns of
  // writers `part` is not asked.
  virtual Result<std::string> write(std::string_view action, std::string_view actor, Trust trust,
                                    Json details, const EntryPart& part = nullptr) = 0;
  // Says that what `details` tells is about to happen: no entry of its own, but a trace of it
  // where the log is durable, and an error when that log takes nothing.
  virtual Status announce(std::string_view, Trust, const Json&, const EntryPart& = nullptr) {
    return {};
  }
};

// The chain alone, in memory. Ledger (ledger.h) is the one on the log of a space.
class AuditChain final : public AuditLog {
 public:
  AuditChain(Clock& clock, Random& random) : clock_(clock), random_(random) {}

  Result<std::string> write(std::string_view action, std::string_view actor, Trust trust,
                            Json details, const EntryPart& = nullptr) override {
    return append(action, actor, trust, std::move(details)).id;
  }

  const AuditEntry& append(std::string_view action, std::string_view actor, Trust trust,
                           std::optional<Json> details = std::nullopt);
  const std::vector<AuditEntry>& entries() const { return entries_; }

  // One entry a line. read() verifies nothing: ask verify_audit.
  std::string write_lines() const;
  static Result<std::vector<AuditEntry>> read_lines(std::string_view text, std::string_view where);
  // Goes on from entries that verify; kCorrupt otherwise.
  Status restore(std::vector<AuditEntry> entries);

 private:
  Clock& clock_;
  Random& random_;
  std::vector<AuditEntry> entries_;
};

std::string make_uuid(Random& random);

}  // namespace anima::govern
