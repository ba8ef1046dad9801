// Ledger: governance on the log of a space. Every decision is a record of the log (kAudit, in the
// source's event vocabulary); approvals and votes are records beside the audit entry that tells of
// them, in the same transaction. What stands is read back by folding the records in log order, so
// several processes see one state and nobody can write it through a query language.
//
// What entries of calls and approvals hold of arguments and outputs is sealed (sealed_members.h):
// reasons, errors, evidence. Erasing the key `audit` destroys it, and chain and proofs still
// verify.
//
// The source's hash chain (audit_chain.h) is a view: it is computed over the audit records in log
// order, while the log's own chain and tree prove them. Thread-safety: from any thread. Ownership:
// space, clock, randomness and bus outlive it. Errors: those of the space.
// Source: DATA.md 10; governance specification 1.4.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/event_bus.h"
#include "govern/ledger/audit_chain.h"
#include "store/space.h"

namespace anima::govern {

// The line is stopped, or a step of its way on (stop_switch.h).
inline constexpr store::RecordKind kLineRecord{22};
// A message that was judged: {"source","length","hit","at","session"} (gateway.h).
inline constexpr store::RecordKind kMessageRecord{23};
// Vouches for <space>/ledger.index (docs/formats.md).
inline constexpr store::RecordKind kIndexRecord{24};
// A call that changes something and is about to run.
inline constexpr store::RecordKind kStartRecord{25};
// A call of the trace that policies look at, or its end (call_trace.h).
inline constexpr store::RecordKind kTraceRecord{26};
// What became of a plan and of its steps (plan_book.h).
inline constexpr store::RecordKind kPlanRecord{27};

struct LedgerRecord {
  store::RecordKind kind = store::RecordKind::kAudit;
  Json content;
};

// A record as it lies in the log.
struct LedgerEntry {
  store::Sequence sequence = store::Sequence::kNone;
  Timestamp time;
  store::RecordKind kind = store::RecordKind::kAudit;
  Json content;
};

namespace detail {
class RecordIndex;
}

class Ledger final : public AuditLog {
 public:
  // Each entry is announced as `audit:logged` when there is a bus. Who writes may hold a lock of
  // its own then: a handler of that event asks nothing of approvals, council or memory.
  Ledger(store::Space& space, Clock& clock, Random& random, bus::EventBus* events = nullptr);
  ~Ledger() override;

  Result<std::string> write(std::string_view action, std::string_view actor, Trust trust,
                            Json details, const EntryPart& part = nullptr) override;
  // A record of the kind kStartRecord.
  Status announce(std::string_view actor, Trust trust, const Json& details,
                  const EntryPart& part = nullptr) override;
  // The records and the audit entry, in one transaction.
  Result<std::string> write_with(const std::vector<LedgerRecord>& records, std::string_view action,
                                 std::string_view actor, Trust trust, Json details,
                                 const EntryPart& part = nullptr);
  // What the part gives, without a decision; no entry when that is nothing.
  Status write_part(std::string_view author, Trust trust, const EntryPart& part);

  // A decision as a record, for a transaction of the caller's own.
  LedgerRecord audit_record(std::string_view action, std::string_view actor, Trust trust,
                            Json details) const;

  // Records of one kind after `after`, in log order, but for those of entries that `skip` names.
  // Returns the last sequence read. The log is not asked whether there are newer entries than
  // `head` by who gives one that is known for sure (store::Log::known_head). Approvals, votes, the
  // line, messages, calls and plans are found by an index over the log (<space>/ledger.index,
  // believed only as far as the log vouches for it): O(records found and entries newer than the
  // index); other kinds are read for, O(log after).
  Result<store::Sequence> read(store::RecordKind kind, store::Sequence after,
                               const std::function<Status(const LedgerEntry&)>& visit,
                               const std::function<bool(store::Sequence)>& skip = nullptr,
                               store::Sequence head = store::Sequence::kNone) const;

  // The entry behind which the newest `count` entries with such a record lie; kNone: there are no
  // more than those. For kinds that the index finds alone. O(entries newer than the index).
  Result<store::Sequence> before_newest(store::RecordKind kind, std::size_t count) const;

  store::Space& space() const { return space_; }

 private:
  // One entry of these records and those of the part.
  Status commit(std::string_view author, Trust trust, const std::vector<LedgerRecord>& records,
                const EntryPart& part);

  store::Space& space_;
  Clock& clock_;
  Random& random_;
  bus::EventBus* events_;
  std::unique_ptr<detail::RecordIndex> index_;
};

// A record as it is written: JSON that reads again. Bytes that are no UTF-8 stand as U+FFFD.
// Errors: kInvalidArgument (nested too deep, a number that is none).
Result<std::string> record_payload(const Json& content);

// An audit record of the log, with its place.
struct PlacedAudit {
  store::Sequence sequence = store::Sequence::kNone;
  AuditEntry entry;
};
// The whole chain of a log. O(log).
Result<std::vector<PlacedAudit>> audit_chain_of(store::Log& log);
// The same of an exported log, one entry a line; it is not verified here.
Result<std::vector<PlacedAudit>> audit_chain_of(std::string_view lines, std::string_view where);
// The audit record whose id is, or alone begins with, `id`, by the index of the space's folder
// (empty: there is none). Errors: kNotFound, kInvalidArgument (several). O(entries newer than the
// index), and a nanosecond or two for each audit record.
Result<PlacedAudit> find_audit(store::Log& log, const std::string& folder, std::string_view id);
// The same for an entry that tells of a refusal, with what of it is sealed, where its key is there.
// Errors: kInvalidArgument (it refused nothing) too.
Result<PlacedAudit> find_refusal(store::Space& space, std::string_view id);

// How many entries since `since` are critical: a violated constitution, an emergency stop, a
// security event that says so of itself. O(log).
Result<int> critical_events(store::Log& log, Timestamp since);

}  // namespace anima::govern
