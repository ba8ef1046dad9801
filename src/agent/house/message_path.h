// MessagePath: one call takes a message and its channel through the whole house: gateway and
// guardian, route, planner, executor with its three layers, policy and approvals, memory, answer.
//
//   MessagePath path(gateway, executor, plans, memory, events, clock);
//   Reply reply = path.handle({.content = "Schedule meeting with team", .channel = "terminal"});
//
// For an allowed message the bus tells, in order: guardian:assessment_complete, core:route,
// planner:task_ready, then for each task in topological order executor:task_complete and
// executor:result, then memory:stored and core:response. A blocked message is audited and answered,
// and nothing else happens. An ambiguous one is asked back about (planner:clarify), and nothing
// runs. Labels travel: an argument made from the message has the message's trust, or less when
// its words came from elsewhere (WordOrigins), one made from an earlier task's output has that
// output's. A task that fails or is refused skips all that wait for
// it.
//
// A plan that waits, or was stopped half-way, is kept (agent/plans/plan_book.h). The same message
// again goes on with it, and so does go_on(): what was done is not done again, its outputs are used
// with the labels that they had, or lower ones where less is trusted by now, and every other step
// is judged as of now. Of a step that was begun and has no end nobody knows what it did: that is
// asked back about. Thread-safety: one thread at a time. Ownership: what is passed in outlives it.
// Source: source document 004, "Event Flow Example"; governance specification 1.3, 1.6.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/house/reply.h"
#include "agent/plans/plan_book.h"
#include "agent/plans/planner.h"
#include "govern/decide/executor.h"
#include "govern/decide/gateway.h"
#include "memory/memory_manager.h"
#include "store/act.h"

namespace anima::agent {

// What the house knows of where words came from.
struct WordOrigins {
  // Hears of each message that is let in, before anything is done for it.
  std::function<void(const govern::IncomingMessage&, govern::Trust)> admitted = {};
  // Adds the labels of what the arguments took from texts that were recalled or read before.
  std::function<void(govern::CallRequest&)> label = {};
  // The sentences of a message that tells something and asks for nothing, to be remembered.
  std::function<std::vector<std::string>(const govern::IncomingMessage&)> told = {};
  // What the line before a message that nobody understands asked, to be asked once more; false:
  // nothing. Sets the text and the options.
  std::function<Result<bool>(const govern::IncomingMessage&, Reply&)> ask_again = {};
};

class MessagePath {
 public:
  // `agent` is who asks the executor for the tools.
  MessagePath(govern::Gateway& gateway, govern::Executor& executor, PlanBook& plans,
              memory::MemoryManager& memory, bus::EventBus& events, Clock& clock,
              std::string agent = "executor", WordOrigins words = {});

  // Errors: those of the space alone (nothing can be written down, so nothing is done).
  Result<Reply> handle(const govern::IncomingMessage& message);
  // Goes on with a plan that is kept: its message is judged again, as if it were sent again.
  // `answer` says what came of a step that was begun and has no end. Errors: also kConflict (the
  // plan is over), kInvalidArgument (PlanBook::settle).
  Result<Reply> go_on(const KeptPlan& plan, StepAnswer answer);
  // The sender has the reply: a plan of which nothing is left, or whose end it tells, is over now.
  // Until then its message gets the answer again.
  Status delivered(const Reply& reply);

 private:
  // A message on its way: its reply so far.
  struct Sent {
    const govern::IncomingMessage& message;
    Reply reply;
  };
  Result<bool> admit(Sent& sent);
  Result<Reply> begin(Sent sent);
  Result<Reply> go_on_held(Sent sent, KeptPlan plan);
  Result<Reply> somebody_is_at_it(Sent sent, std::string text);
  void ask_back(Reply& reply, std::string question, std::vector<std::string> choices);
  Result<Reply> tell_the_end(Sent sent, const KeptPlan& plan);
  Result<Reply> carry_out(Sent sent, KeptPlan& plan);
  Status take_step(const std::string& id, Reply& reply, KeptPlan& plan);
  static Status all_or_nothing(store::ActStep& steps, Reply& reply, KeptPlan& plan);
  govern::CallRequest request_of(const Task& task, const KeptPlan& plan) const;
  Result<govern::Outcome> run_task(const Task& task, const KeptPlan& plan);
  Status remember(const govern::IncomingMessage& message, Reply& reply, govern::Trust lowest);
  void respond(const Reply& reply);

  govern::Gateway& gateway_;
  govern::Executor& executor_;
  PlanBook& plans_;
  memory::MemoryManager& memory_;
  bus::EventBus& events_;
  Clock& clock_;
  std::string agent_;
  WordOrigins words_;
};

}  // namespace anima::agent
