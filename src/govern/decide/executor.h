// Executor: the only way in which a tool runs and a door is used (agent/house/gate.h). It judges
// every call by the three layers (permissions.h), then by the policy (policy.h) and the
// constitution (constitution.h), asks for approvals (approvals.h), limits concurrency
// (call_slots.h) and time, stops with the line (looked at before a call is judged, where it is
// announced and before it runs), and leaves one audit entry for every outcome. An approval is used
// when nothing but the tool itself can keep the call from running. A call that changes something is
// announced in the log before it runs, as the use of an approval is entered, so that what cannot be
// audited is not run; when the entry of a call that ran cannot be written, its result is withheld.
// What a call that failed or is withheld has written to the space is taken back (store/act.h).
// A log that cannot be read or written is an error of the call (kBusy when nothing was done), and
// stops nothing.
//
// A call of a tool that has a rehearser (rehearsal.h) is run where it changes nothing once the
// layers and the policy let its caller through; what it would change is judged then, in place of
// the confirmation of its tier. Nobody is asked about an effect that is not there, and what is
// approved is the effect itself: the call is not run again.
//
// A call that waited runs when it is made again, exactly, after its approval was granted, by any
// process; approve() grants and runs at once. A refusal names its layer or rule, the evidence, and
// the grants that it lacks; `anima why-denied` finds them by the audit id.
// Tools are reached through ToolRunner, which the room `tools` implements. Time and randomness are
// injected. Thread-safety: from any thread. Source: governance specification 1.7, table rows 51-65.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "bus/event_bus.h"
#include "govern/approve/approvals.h"
#include "govern/approve/call_token.h"
#include "govern/decide/call_slots.h"
#include "govern/decide/stop_switch.h"
#include "govern/ledger/audit_chain.h"
#include "govern/rules/call_trace.h"
#include "govern/rules/permissions.h"
#include "govern/rules/policy.h"
#include "govern/rules/rehearsal.h"

namespace anima::govern {

class ToolRunner {
 public:
  virtual ~ToolRunner() = default;
  // Is there such a tool? What there is not is refused before anybody is asked for an approval.
  virtual bool has(std::string_view) const { return true; }
  // Who rehearses the calls of this tool; null: they are judged before they run, and run once.
  virtual Rehearser* rehearser(std::string_view) { return nullptr; }
  // Runs the tool to its end or its time limit (kTimeout). Errors are results, not exceptions.
  virtual Result<Json> run(std::string_view tool, const Json& arguments,
                           std::int64_t timeout_milliseconds) = 0;
  // The same, and ends early when it is asked to (kCancelled), as far as the tool can be ended;
  // what it has done stays done. Unless overridden it runs to its end.
  virtual Result<Json> run_until(const std::stop_token& stop, std::string_view tool,
                                 const Json& arguments, std::int64_t timeout_milliseconds) {
    (void)stop;
    return run(tool, arguments, timeout_milliseconds);
  }
};

struct Outcome {
  enum class Kind : std::uint8_t { kDone, kFailed, kDenied, kWaiting, kHalted, kBusy };
  Kind kind = Kind::kDenied;
  Decision decision;
  Json result;                             // of the tool when kDone
  std::string reason;                      // for every other kind
  std::string approval_id;                 // when kWaiting
  std::string audit_id;                    // of the entry that tells of it
  Trust output_trust = Trust::kUntrusted;  // of `result`: the least of call, tool and its own label
  std::uint64_t call = 0;                  // its number in the trace (call_trace.h); 0 = not judged
};
std::string_view to_string(Outcome::Kind kind);

// What whoever makes a call adds to the log entries that tell of it, in the same commits. A part
// that fails keeps its entry from being written: what was to start does not start.
struct CallParts {
  EntryPart starting = nullptr;  // it is about to change something
  EntryPart asking = nullptr;    // an approval is asked for, which WriterTurn::approval_id names
  // It ended or was refused; of the outcome kind, result, reason and output_trust are known.
  std::function<EntryPart(const Outcome&)> ended = nullptr;
};

struct ExecutorOptions {
  int max_concurrent = 10;  // calls at once; over all processes where there is a ledger
  std::int64_t approval_milliseconds = 30'000;
  Approvals* approvals = nullptr;  // shared ones, on a ledger; null: its own, in memory
  Policy* policy = nullptr;        // null: the three layers alone
  Ledger* ledger = nullptr;  // of the space whose processes act together; null: this one alone
};

class Executor {
 public:
  using Options = ExecutorOptions;
  Executor(PermissionTable permissions, ToolRunner& tools, AuditLog& audit, StopSwitch& line,
           bus::EventBus& events, Clock& clock, Random& random, Options options = {});

  Outcome execute(const CallRequest& request, const CallParts& parts = {});
  // What execute() would say, without running, asking or leaving a trace.
  Decision decide(const CallRequest& request) const;
  // What execute() would say of a call that is rehearsed, which runs it where it changes nothing;
  // of others what decide() says. Without asking or leaving a trace.
  Decision preview(const CallRequest& request);
  // Grants that together would allow the call and of which none can be left out, in words; empty:
  // it is allowed, or nobody can grant it.
  std::vector<std::string> what_would_allow(const CallRequest& request) const;

  std::vector<Approval> approvals() const;  // pending first, in the order asked
  // Runs the call that waited. Approvers: arbiter, overseer, operator; never the requester.
  // The signer is asked where the space has approvers (Approvals::grant).
  Result<Outcome> approve(std::string_view approval_id, std::string_view by,
                          const Signer& signer = nullptr);
  Status reject(std::string_view approval_id, std::string_view by, std::string_view reason);
  void expire();  // whatever waited too long is denied, and audited

  const PermissionTable& permissions() const { return permissions_; }

 private:
  struct Call : CallTrace::Call {
    Call(const CallRequest& called, const ToolPolicy* policy_row, const CallParts* added = nullptr)
        : CallTrace::Call(called, policy_row), parts(added) {}
    const CallParts* parts;           // null: none
    LineLook line = LineLook::kRuns;  // as it was last seen
    std::optional<Result<Rehearsal>> rehearsal = {};
    store::Sequence announcement = store::Sequence::kNone;  // its entry
  };
  std::string next_call_id();
  bool has(const CallRequest& request) const;
  Rehearser* rehearser_of(const CallRequest& request) const;
  Decision judge(Call& call);
  void lift_tier(const CallRequest& request, Decision& decision) const;
  Outcome refuse(Call& call, Outcome::Kind kind, Decision decision, std::string reason);
  Outcome refuse(Call& call, Decision decision);  // for the decision's own reason
  // The call that may run has no slot to run in.
  Outcome crowded(Call& call, Decision decision, const Error& error);
  Outcome wait(Call& call, Decision decision);
  Outcome enter(Call& call, Decision decision);
  Outcome rehearse(Call& call, Decision decision);
  // What the rules say of what the call would change, and what a person needs to judge it.
  void judge_changes(const CallRequest& request, std::uint64_t number, const Rehearsal& rehearsal,
                     Decision& decision) const;
  Result<Json> run_tool(Call& call);
  // The rules say otherwise now that the call was to be announced.
  Outcome overruled(Call& call);
  // `approval_id` empty: none was needed.
  Outcome run(Call& call, Decision decision, std::string_view approval_id = {});
  Outcome run_approved(Call& call, Decision decision, std::string_view approval_id);
  Outcome line_stopped(const CallRequest& request, LineLook line);
  Outcome line_stopped(Call& call);
  // Of the entries that tell of a call: what the trace adds, and whoever made it; where it is
  // announced a look at the line too.
  EntryPart announcing(Call& call);
  EntryPart ending(Call& call, const Outcome& outcome);
  // Whether its entry was written, before which the line was looked at.
  void announced(Call& call, bool written);

  PermissionTable permissions_;
  ToolRunner& tools_;
  AuditLog& audit_;
  StopSwitch& line_;
  bus::EventBus& events_;
  Options options_;
  std::unique_ptr<Approvals> own_approvals_;
  Approvals* approvals_;
  TokenIssuer tokens_;
  std::string call_prefix_;  // of this executor
  std::atomic<std::uint64_t> calls_ = 0;
  CallSlots slots_;
  mutable CallTrace trace_;  // asking what would be decided reads what is new
};

}  // namespace anima::govern
