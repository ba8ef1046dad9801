// The public door of guarded sessions: an agent with a language model of its own asks before each
// call, and reports what its tools gave. Calls are judged by where the values of their arguments
// came from and by what the message asked for (docs/governance_values.md), whatever the model
// wrote, rewrote or translated.
//
//   anima::AgentOptions options;
//   for (const anima::Json& each : declarations.as_array())
//     options.tools.push_back({.declaration = each});
//   auto agent = anima::Agent::open("/home/ada/space", options).value();
//   auto guard = anima::GuardedSession::open(agent, "inbox").value();
//   guard.begin({.content = "Answer Ada's mail"});
//   guard.plan({{"mail:list"}, {"mail:send"}});
//   auto read = guard.judge("mail:list", anima::Json::object()).value();
//   guard.observe(read.call, my_mailbox.list());       // the program runs its tools itself
//   auto sent = guard.judge("mail:send", arguments).value();
//   if (sent.outcome == anima::Outcome::kWaiting) ask_a_person(sent.reason, sent.because);
//
// call() is for tools that the agent's space runs: the shipped ones, those of MCP servers, and own
// ones with a function. Messages, plans, results and the floor of the session are kept in its log,
// sealed: a restart, and other processes of the session (`anima guard call` too), go on with them.
//
// Copies share the session. Errors: Result<T> (base/result.h); a refusal is a judgement, not an
// error. Errors are those of the space, kInvalidArgument and kNotFound as said below. Nothing
// throws. Thread-safety: every function from any thread, in turns with those of the agent.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "anima/agent.h"

namespace anima {

// A tool that a message asks for.
struct PlannedCall {
  std::string tool;
  std::int64_t most = 1;  // how often, at most
  // What the message itself says for arguments, by their names: a text, or a list of those that may
  // stand there. They are trusted like the message, and other words of the model ask.
  Json arguments = {};
};

// Of judge(): kDone, it may run; kWaiting, for an approval; kDenied; kFailed, the arguments are not
// the tool's. Of call(): what came of it.
struct Judgement : CallResult {
  std::int64_t call = 0;             // its number in the session, for observe(); 0: it may not run
  std::vector<std::string> because;  // which values are the reason, and where each came from
  Json arguments;                    // to be used: with the named values put in
};

// Whether the model sees what a tool gave.
enum class Shown : std::uint8_t { kToModel, kToNobody };

class GuardedSession {
 public:
  // The agent's tools are those that can be judged: give it declarations (OwnTool::declaration).
  static Result<GuardedSession> open(const Agent& agent, std::string_view session = "default");
  ~GuardedSession();
  GuardedSession(const GuardedSession&);
  GuardedSession& operator=(const GuardedSession&);
  GuardedSession(GuardedSession&&) noexcept;
  GuardedSession& operator=(GuardedSession&&) noexcept;

  // A new message (`session` of it is not used), with the trust of its channel; the plan of the one
  // before is over. kDone, or kBlocked when it was not let in, which leaves all as it was.
  Result<Response> begin(const Message& message);
  // Which tools the message asks for: made by whoever has seen nothing but the message, before
  // anything is read. Without one, values alone are judged. Errors: kInvalidArgument (no message,
  // less than one call), kNotFound (no such tool).
  Status plan(const std::vector<PlannedCall>& calls);
  // Values that the owner gives to be chosen from: people, accounts, addresses.
  Status contacts(const std::vector<Json>& values);

  // May this call run? Ask before it does, and once for each time: an allowed call is counted.
  // Nothing runs here, whatever tool it is.
  Result<Judgement> judge(std::string_view tool, const Json& arguments);
  // What came of call `call`. Errors: kNotFound (no such call waits for its result).
  Status observe(std::int64_t call, const Json& result, Shown shown = Shown::kToModel);
  // Judges, runs and observes.
  Result<Judgement> call(std::string_view tool, const Json& arguments,
                         Shown shown = Shown::kToModel);
  // The model was told something else, which is trusted so far.
  Status told(TrustLevel trust);
  // Its context was emptied: what it writes now rests on nothing that it was told before.
  Status cleared();
  // The message is done with; what is known of values stays.
  Status end();

  // The calls that wait for a person, a yes and a no, and what is behind a refusal: as Agent has
  // them. After a yes the same call is judged again.
  Result<std::vector<ApprovalRequest>> waiting() const;
  Status grant(std::string_view approval_id);
  Status deny(std::string_view approval_id, std::string_view reason = "no");
  Result<AuditRecord> why(std::string_view refusal_id) const;

  // The least trusted of all that the model was told: how far its own words are trusted.
  Result<TrustLevel> floor() const;

 private:
  struct State;
  explicit GuardedSession(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace anima
