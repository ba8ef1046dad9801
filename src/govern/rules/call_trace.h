// CallTrace: the trace of calls that the rules of a policy look at, of all processes of a space.
//
// Every call that is decided while somebody's rules look back (Policy::Sight) is a record of
// the log, in the entries that the executor writes anyway: one that changes something where it is
// announced, and its end beside its audit entry; what only reads, waits or is refused in its one
// entry. Its number is the place of the first of these, so that numbers order the calls of all
// processes. What may hold secrets is sealed under the key "trace". A process reads the last calls
// through the index of the log when it decides its first one, and then what is new.
//
// What holds: a call that changes something is judged over all that stand before it in the log,
// for it is judged again in the writer's turn when there are new ones. What only reads is seen by
// others from before its result is given to anybody. A call without an end runs still, or its
// process was killed.
//
// While no rule looks back there are no records, and no cost but a look at the index. The newest
// record says until when calls are recorded; a process whose rules look back puts that off by 30
// days with each call, one without such rules takes it over. So a rule that is added sees the calls
// of processes that do not have it, from the first one that was decided by it.
//
// Where the policy follows files, each decision goes by what they say then: rules that come into
// force are given the calls of the log first. (Without a ledger they see none before them.) A call
// that was judged by other rules is judged again when it is announced.
//
// Thread-safety: from any thread; a Call belongs to one thread. Ownership: policy, ledger and clock
// outlive it, and a policy has one trace. Errors: those of the space and of the policy; what cannot
// be known is denied. Complexity: of a decision, the records that others wrote since. On disk:
// docs/formats.md, kind 26.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "govern/ledger/audit_chain.h"
#include "govern/ledger/ledger.h"
#include "govern/rules/policy.h"

namespace anima::govern {

class CallTrace {
 public:
  // `policy` null: no rules, calls are recorded for others. `ledger` null: the calls of this
  // process alone, in memory.
  CallTrace(Policy* policy, Ledger* ledger, Clock& clock);

  // A call from its decision to its end. Request and tool outlive it.
  struct Call {
    Call(const CallRequest& called, const ToolPolicy* policy_row)
        : request(called), tool(policy_row) {}
    const CallRequest& request;
    std::string id = {};       // by which the events of one call are known
    const ToolPolicy* tool;    // null: nobody knows the tool, and the trace has no such call
    bool may_be_asked = true;  // a verdict that asks is one against it; false: a person answered
    std::uint64_t number = 0;  // in the policy's trace; 0: it was not judged
    bool placed = false;       // the number is that of the log
    std::optional<PolicyVerdict> overruled = {};  // what was said in the writer's turn instead

   private:
    friend class CallTrace;
    store::Sequence entry_ = store::Sequence::kNone;  // that is being written
    bool refused_ = false;                            // nothing of it runs
    std::uint64_t rules_ = 0;                         // Policy::rules() when it was judged
  };

  // What the rules say of a call, which is in the trace from then on.
  PolicyVerdict decide(Call& call);
  // The same without a trace left.
  PolicyVerdict would_decide(const CallRequest& request, const ToolPolicy& tool);

  // Part of the entry that announces a call: the call is judged again if need be, and recorded.
  // Fails, with `overruled` set, when the rules now say otherwise. Call and trace outlive the part.
  EntryPart announcing(Call& call);
  // Part of the entry that says how a call went on: "done", "failed", "denied", "waiting".
  EntryPart ending(Call& call, std::string_view outcome);
  // What came of the entry that one of these was given to.
  void entered(Call& call, bool written);
  // How it went on, once its entry is written or could not be.
  void ended(Call& call, std::string_view outcome);
  // Whether calls are recorded as far as this process knows.
  bool is_recording();

 private:
  // What tells that nothing is new: the head that all processes share in memory, or the log itself.
  enum class Head : std::uint8_t { kShared, kLog };
  Status catch_up(Head from);
  Status take_new_rules();
  Status follow(const Policy::Sink& add, Policy::Sight sight, store::Sequence head);
  Status look_who_records();
  bool recording() const;
  // The records of a call, in the entry that is being made.
  std::vector<LedgerRecord> put(Call& call, const WriterTurn& turn, LedgerRecord record);
  Json record_of(Json content) const;
  Result<LedgerRecord> record_of_call(const Call& call, std::string_view outcome) const;
  Result<TracedCall> traced_from(const LedgerEntry& entry, Policy::Sight sight);
  bool is_mine(store::Sequence sequence) const { return mine_.contains(sequence); }
  // The trace has what was decided by the rules in force; of other calls it reads the log.
  bool in_trace(const Call& call) const { return call.rules_ == rules_; }

  Policy* policy_;
  Ledger* ledger_;
  Clock& clock_;
  std::mutex mutex_;
  std::optional<store::Sequence> read_ = {};  // the last entry that was looked at
  std::set<store::Sequence> mine_;            // entries whose calls are known here, from `read_` on
  std::uint64_t rules_ = 0;                   // that the trace is for
  Timestamp until_ = {};                      // when nobody need record any more
};

}  // namespace anima::govern
