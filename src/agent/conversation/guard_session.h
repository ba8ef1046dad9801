// GuardSession: judges the calls that a model makes for the messages of one session, by where each
// value of their arguments came from (guard/argument_labels.h) and by what the message asked for.
//
//   ANIMA_ASSIGN(auto guard, GuardSession::open(house, {.session = "work"}));
//   guard->begin({.content = "Mail the plan to ada@example.org", .channel = "terminal"});
//   guard->plan({{"file:read", 1}, {"mail:send", 1}});
//   ANIMA_ASSIGN(auto judged, guard->judge("mail:send", arguments));   // before it acts
//   guard->observe(judged.call, result);                               // what the tool gave
//
// judge() is for tools that somebody else runs: an agent in front of which this stands. call() runs
// a tool of the house. Both go through the executor, with its rules, approvals and audit. What a
// tool gave is kept with its labels on the log, sealed (guard_log.h), and the session's floor falls
// with what the model was shown (session_floor.h): a restart and another process of the session go
// on with both. A call that waits for an approval is judged again when it is made again.
// Thread-safety: one thread at a time. Ownership: the house outlives it. Errors: those of the
// space. Source: issue "any model", 3 and 4; docs/governance_values.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/conversation/guard_log.h"
#include "agent/house/governed_house.h"
#include "guard/argument_labels.h"

namespace anima::agent {

// What is judged of one call.
struct GuardVerdict {
  // Of judge(): kDone, it may run; kWaiting, a person is asked. Of call(): what came of it.
  govern::Outcome outcome;
  std::int64_t call = 0;  // its number in the session; 0: it did not run
  Json arguments;         // with the named values put in
  std::shared_ptr<const govern::CallValues> values;
  // Which values are the reason, and where each came from.
  std::vector<std::string> because;
  // {"decision":"allow|ask|deny","call","reason","because","approval","audit","arguments"}.
  Json to_json() const;
};

struct GuardOptions {
  std::string session = "default";
  store::Origin origin = {};  // of what the session writes
  // How far calls are trusted that are made for no message: those of a client of whom only that is
  // known. What a message says, it says with its own trust.
  govern::Trust caller = govern::Trust::kUntrusted;
};

class GuardSession {
 public:
  static Result<std::unique_ptr<GuardSession>> open(GovernedHouse& house, GuardOptions options);

  // A new message: what it says is known from now on, with the trust of its channel, and the plan
  // of the one before is over. One that is not let in says nothing, and ends the one before.
  Result<govern::Admission> begin(const govern::IncomingMessage& message);
  // The same for a message that was let in already.
  Status begin(const govern::IncomingMessage& message, const govern::Admission& admission);
  // Which tools the message asks for, and how often at most. Whoever makes it has seen nothing but
  // the message, so what it writes into a step is as trusted as that. Errors: kInvalidArgument
  // without a message, or for less than one call.
  Status plan(const std::vector<govern::PlannedTool>& steps);
  // The plan that the words of the message give (guard/word_plan.h), of the tools that a program
  // or a server brought: for who has no model that plans. Errors: those of plan().
  Status plan_of_words();
  // Values that the owner gives to be chosen from: people, accounts, addresses. Audited.
  Status contacts(const JsonArray& values);

  // Nothing runs, whatever tool it is.
  Result<GuardVerdict> judge(std::string_view tool, const Json& arguments);
  // What the tool gave for call `call`; `shown`: to the model, so that the floor falls. Errors:
  // kNotFound (no such call of this session, or it was observed).
  Status observe(std::int64_t call, const Json& result, bool shown = true);
  Result<GuardVerdict> call(std::string_view tool, const Json& arguments, bool shown = true);
  // The model was told something else that is trusted so far.
  Status told(govern::Trust trust);
  // The model's context was emptied: what it writes now rests on nothing that it was told before.
  Status cleared();
  // The message is done with; what is known of values stays.
  Status end();

  Result<govern::Trust> floor() const;
  bool has_message() const { return !message_.empty(); }
  bool has_plan() const { return has_plan_; }
  // What whoever said the message has said since the session began anew, the message last; the
  // newest eight.
  const std::vector<std::string>& said() const { return said_; }
  const std::vector<govern::PlannedTool>& planned() const { return plan_; }

 private:
  struct Prepared {
    govern::CallRequest request;
    const govern::ToolDeclaration* tool = nullptr;
    std::map<std::string, govern::Trust, std::less<>> told;
    guard::LookUp look_up;
  };
  struct Ran {
    std::string tool;
    std::map<std::string, govern::Trust, std::less<>> told;
    guard::LookUp look_up;
  };

  GuardSession(GovernedHouse& house, GuardOptions options);
  Status catch_up();
  Status apply(std::int64_t place, const Json& event);
  Status apply_message(const Json& event);
  Status apply_result(std::int64_t call, const Json& event);
  Result<std::int64_t> write(const Json& event);
  Result<std::optional<GuardVerdict>> prepare(std::string_view tool, const Json& arguments,
                                              Prepared& prepared);
  Result<std::int64_t> write_ran(std::string_view tool, const Prepared& prepared);
  GuardVerdict verdict(const Prepared& prepared, govern::Outcome outcome) const;
  // The result as an event, and how far whoever sees it has seen: lowers the floor when `shown`.
  Result<Json> result_event(std::int64_t call, const Ran& ran, const Json& result,
                            govern::Trust most, bool shown);

  GovernedHouse& house_;
  GuardOptions options_;
  GuardLog log_;
  guard::SessionValues values_;
  guard::OwnerWords words_;
  std::vector<std::string> said_;
  guard::ReaderSet readers_;  // of what the model writes
  std::string message_;       // id; empty: none
  govern::Trust trust_ = govern::Trust::kUntrusted;
  bool has_plan_ = false;
  std::vector<govern::PlannedTool> plan_;
  std::map<std::string, std::int64_t, std::less<>> counts_;  // calls for the message, by tool
  std::map<std::int64_t, Ran> open_;                         // calls without a result yet
};

}  // namespace anima::agent
