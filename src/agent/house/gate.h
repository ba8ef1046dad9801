// Gate: whether a door of the space may be used, and what decides about it, put together once: the
// ledger, approvals, plans and council on the log, the stop switch, the owner's rules, the
// approvers that the account knows, and the executor that judges by all of them.
//
//   ANIMA_ASSIGN(auto gate, Gate::open(space, clock, random, options));
//   ANIMA_TRY(gate->pass({"http", "/sparql", "http", trust, arguments}, Act::kWrites));
//   const auto mine = gate->space_for({"terminal", "kip", "ada", govern::Trust::kOperator});
//
// A door is a way to the space that is not a tool: a verb of the program, a route of a server, a
// tool of the memory over MCP, a call of the library, the loop's own tools, a world. Each use is a
// call with a subject, an effect and arguments, which the executor judges like those of tools
// (govern/decide/executor.h): the stop switch, the rules, the constitution, approvals. What is let
// through leaves no trace but what it does; what is not is in the audit with its reason. Calls that
// packs/policy/undeniable.mg names are let through before anything else is asked.
//
// space_for() gives the space as that door sees it: what is read or written through it is judged as
// a call of the door, so that nothing reaches the log unjudged, and a stop that is written while a
// write waits for its turn keeps it from happening.
//
// Thread-safety: from any thread. Ownership: holds the space; clock and randomness outlive it.
// Errors: pass() kDenied, kBusy (the log cannot be read or written now: make the call again) and
// kCorrupt (a record of the ledger is damaged).
// Complexity: O(rules) a call, no look at the disk but whether the files of the rules were touched;
// the rules are read when they are first needed. Source: HOUSE.md, "There is one gate".
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/plans/plan_book.h"
#include "base/clock.h"
#include "base/random.h"
#include "bus/event_journal.h"
#include "govern/approve/approvals.h"
#include "govern/council/council_book.h"
#include "govern/decide/executor.h"
#include "govern/decide/stop_switch.h"
#include "govern/ledger/ledger.h"
#include "govern/rules/policy.h"
#include "store/space.h"

namespace anima::agent {

// What a use of a door does; kGoverns: stops, resumes, answers approvals, sets who may.
enum class Act : std::uint8_t { kReads, kWrites, kGoverns };
std::string_view to_string(Act act);

struct DoorCall {
  std::string place;    // "terminal", "http", "mcp", "library", "loop", "world"
  std::string name;     // of the verb, the route, the tool, the call
  std::string subject;  // who asks
  govern::Trust trust = govern::Trust::kUntrusted;
  Json arguments = Json::object();  // for rules and approvers; they choose nothing by themselves
};
// As rules and the audit name it: "terminal:kip".
std::string name_of(const DoorCall& call);

struct GateOptions {
  govern::ApprovalOptions approvals = govern::kPersonAnswers;
  // The account's folder (approver_pins.h); empty: it knows of no approvers.
  std::string approver_pins = {};
  // Beside the shipped rules and those of the space, FOLDER/policy, which is followed as well.
  std::vector<std::string> rule_folders = {};
  std::vector<govern::PolicySource> rules = {};
  std::string work_folder = {};  // of the tools, by which rules name paths
};

// How what is done through a door's space is judged.
enum class Judged : std::uint8_t {
  kEach,    // an approval holds for one write
  kAtOnce,  // it is one call, and an approval holds for all that it does
  kBefore,  // by who gives the space out, call by call; it only stops with the line
};

// A use of a door that was not let through: the error to answer with, whose hint says what can be
// done, and the ids of the approval that it waits for and of its entry in the audit, where there
// are such.
struct Refusal {
  Error error;
  std::string approval, entry;
};

class Gate : public std::enable_shared_from_this<Gate> {
 public:
  static Result<std::shared_ptr<Gate>> open(std::shared_ptr<store::Space> space, Clock& clock,
                                            Random& random, GateOptions options = {});
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Nothing, or how it was refused, waits for an approval or finds the line stopped. `approved`,
  // where there is one, is set when an approval was used; where it is set nobody is asked again.
  std::optional<govern::Outcome> refused(const DoorCall& call, Act act,
                                         std::atomic<bool>* approved = nullptr);
  // The same, as what is answered.
  std::optional<Refusal> refusal(const DoorCall& call, Act act,
                                 std::atomic<bool>* approved = nullptr);
  // The error of it.
  Status pass(const DoorCall& call, Act act, std::atomic<bool>* approved = nullptr);
  // Whether no rule and no stop keeps it from being done.
  bool undeniable(const DoorCall& call, Act act);
  // What is written through it is judged as `writes`.
  std::shared_ptr<store::Space> space_for(DoorCall call, Judged how = Judged::kAtOnce,
                                          Act writes = Act::kWrites);
  // The same, once a first write of it is let through. Errors: those of pass().
  Result<std::shared_ptr<store::Space>> enter(DoorCall call, Act writes = Act::kWrites);
  // The executor judges tools too from now on. They outlive it; before it is used by two threads.
  Status add_tools(govern::PermissionTable permissions, govern::ToolRunner& tools,
                   govern::AuditLog& audit);
  // Reads the rules. Errors: those of the rules, with file and line; kDenied when the approvers are
  // others than this account knows, which is audited.
  Result<govern::Executor*> executor();
  // Where the rules lie: those of the space, then those of the options.
  std::vector<std::string> rule_folders() const;

  store::Space& space() { return *space_; }
  const std::shared_ptr<store::Space>& shared_space() const { return space_; }
  Clock& clock() { return clock_; }
  Random& random() { return random_; }
  bus::EventJournal& journal() { return journal_; }
  bus::EventBus& events() { return events_; }
  govern::Ledger& ledger() { return ledger_; }
  const govern::Ledger& ledger() const { return ledger_; }
  govern::Approvals& approvals() { return approvals_; }
  PlanBook& plans() { return plans_; }
  govern::CouncilBook& council() { return council_; }
  govern::StopSwitch& line() { return line_; }

 private:
  class NoTools;
  Gate(std::shared_ptr<store::Space> space, Clock& clock, Random& random, GateOptions options,
       std::unique_ptr<govern::Policy> undeniable);
  Status check_approvers();
  govern::Outcome without_rules(const govern::CallRequest& request, const Error& why);

  std::shared_ptr<store::Space> space_;
  Clock& clock_;
  Random& random_;
  GateOptions options_;
  bus::EventJournal journal_;
  bus::EventBus events_;
  govern::Ledger ledger_;
  govern::Approvals approvals_;
  PlanBook plans_;
  govern::CouncilBook council_;
  govern::StopSwitch line_;
  std::unique_ptr<govern::Policy> undeniable_;
  std::mutex opening_;  // of what follows
  std::unique_ptr<govern::Policy> policy_;
  std::unique_ptr<NoTools> no_tools_;
  std::unique_ptr<govern::Executor> executor_;  // once it is needed
};

}  // namespace anima::agent
