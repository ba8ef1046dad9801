// The stop-the-line switch: while it is on, nothing executes.
//
// Halt by operator or guardian; resume by the operator. An emergency stop may be asked for by any
// agent; lifting it needs the arbiter and the operator, and these are two persons: who lifts it in
// both roles has lifted it in one. With a ledger each change is a record of
// the space's log beside its audit entry, so a halt holds for every process of the space and after
// a restart, until it is undone the same way. What stands is the fold of the records in log order,
// the same for everybody who reads it: a halt that cannot be written is none, and who asked for it
// is told so. A log that cannot be read is no halt, but whether one stands is not known then; the
// call that asked fails, and the next one asks again.
//
// Thread-safety: from any thread. Ownership: the ledger outlives it. Errors: kDenied (the role may
// not), kConflict, those of the log. Complexity: O(log) for the first look, then what was appended.
// Source: source document 004; governance specification 1.9, table row 97.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bus/event_bus.h"
#include "govern/approve/approver_book.h"
#include "govern/ledger/ledger.h"

namespace anima::govern {

struct LineState {
  bool halted = false;
  bool emergency = false;
  std::string by = {};                                             // who stopped it
  std::string reason = {};                                         // as they said
  Timestamp since = {};                                            // of that record of the log
  store::Sequence entry = store::Sequence::kNone;                  // that holds the record
  std::map<std::string, std::string, std::less<>> lifted_by = {};  // role -> person
};

// What a look at the line finds; kUnknown: the log cannot be read now.
enum class LineLook : std::uint8_t { kRuns, kStopped, kUnknown };

class StopSwitch {
 public:
  StopSwitch() = default;  // of this object alone
  // `events`, when there is one, tells of each stop (system:halted) and of the end of one
  // (system:resumed), and outlives it.
  explicit StopSwitch(Ledger& ledger, bus::EventBus* events = nullptr)
      : ledger_(&ledger), events_(events), book_(std::make_unique<ApproverBook>(ledger)) {}

  Status halt(std::string_view by, std::string_view reason = {});  // idempotent
  // Errors: kConflict while an emergency stands; kDenied; those of the signer, who is asked where
  // the space has approvers.
  Status resume(std::string_view by, const Signer& signer = nullptr);
  Status emergency(std::string_view by, std::string_view reason = {});
  // Twice: as the arbiter and as the operator, by two persons (an account, a key: whatever names
  // one). Where the space has approvers a person is who signs, whatever `person` says. Errors:
  // kDenied (another role, or the same person again; a signature that is missing or does not do),
  // kConflict (no emergency), those of the signer.
  Status lift_emergency(std::string_view role, std::string_view person,
                        const Signer& signer = nullptr);
  // As far as the head tells that all processes share in memory.
  LineLook look() const;
  bool halted() const { return look() == LineLook::kStopped; }
  // Asked of the log itself, in a turn of its writer: what stands before the entry that is made.
  LineLook look_in(const WriterTurn& turn) const;
  // The entry is the caller's own and tells nothing of the line: when it is the next one, it need
  // not be read.
  void pass(store::Sequence entry) const;
  Result<LineState> state() const;

 private:
  Status change(std::string_view event, std::string_view action, std::string_view by,
                std::string_view reason, std::string_view person = {},
                const Signer& signer = nullptr);
  Status sign(Json& event, const Signer& signer);
  Status write(Json event, std::string_view action, std::string_view by, Json details);
  Status catch_up() const;
  Status read_on() const;
  void tell(bool stops, std::string_view by, std::string_view reason) const;

  Ledger* ledger_ = nullptr;
  bus::EventBus* events_ = nullptr;
  std::unique_ptr<ApproverBook> book_;  // where there is a ledger
  mutable std::mutex mutex_;
  mutable LineState line_;
  mutable store::Sequence read_ = store::Sequence::kNone;
};

}  // namespace anima::govern
