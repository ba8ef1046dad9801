// MessagePath: one call takes a message and its channel through the whole house: gateway and
// guardian, route, planner, executor with its three layers, policy and approvals, memory, answer.
//
//   MessagePath path(gateway, executor, memory, ledger, events, clock);
//   Reply reply = path.handle({.content = "Schedule meeting with team", .channel = "terminal"});
//
// For an allowed message the bus tells, in order: guardian:assessment_complete, core:route,
// planner:task_ready, then for each task in topological order executor:task_complete and
// executor:result, then memory:stored and core:response. A blocked message is audited and answered,
// and nothing else happens. An ambiguous one is asked back about (planner:clarify), and nothing
// runs. Labels travel: an argument made from the message has the message's trust, one made from an
// earlier task's output has that output's. A task that fails or is refused skips all that wait for
// it. Thread-safety: one thread at a time. Ownership: what is passed in outlives it. Source: source
// document 004, "Event Flow Example"; governance specification 1.3, 1.6.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "govern/executor.h"
#include "govern/gateway.h"
#include "govern/planner.h"
#include "memory/memory_manager.h"

namespace anima::agent {

enum class ReplyKind : std::uint8_t {
  kAnswered,
  kBlocked,  // by the guardian, or refused at the gateway
  kClarify,  // asked back
  kWaiting,  // a task waits for an approval: send the message again after it was granted
  kDenied,   // a task was refused
  kFailed,   // a tool failed
  kHalted,   // the line is stopped
  kBusy,     // too many calls run
};
std::string_view to_string(ReplyKind kind);

struct TaskReport {
  std::string task;  // its id in the plan
  std::string tool;  // empty: done by the path itself
  govern::Outcome outcome;
};

struct Reply {
  ReplyKind kind = ReplyKind::kAnswered;
  std::string text;  // for the sender
  govern::Admission admission;
  Json plan;  // tasks, edges and order; null when nothing was planned
  std::vector<TaskReport> tasks;
  std::vector<std::string> options;  // of a question
  std::string approval_id;           // when it waits
  std::string audit_id;              // of what refused it
  std::string memory_id;             // where the exchange is remembered
  Json to_json() const;
};

class MessagePath {
 public:
  // `agent` is who asks the executor for the tools.
  MessagePath(govern::Gateway& gateway, govern::Executor& executor, memory::MemoryManager& memory,
              bus::EventBus& events, Clock& clock, std::string agent = "executor");

  // Errors: those of the space alone (nothing can be written down, so nothing is done).
  Result<Reply> handle(const govern::IncomingMessage& message);

 private:
  struct Made {  // what a task gave
    Json value;
    govern::Trust trust = govern::Trust::kUntrusted;
  };
  Result<Reply> carry_out(const govern::IncomingMessage& message, Reply reply, govern::Plan plan);
  govern::CallRequest request_of(const govern::Task& task, govern::Trust trust,
                                 const std::map<std::string, Made>& made) const;
  govern::Outcome run_task(const govern::Task& task, govern::Trust trust,
                           const std::map<std::string, Made>& made);
  Status remember(const govern::IncomingMessage& message, Reply& reply, govern::Trust lowest);
  void respond(const Reply& reply);

  govern::Gateway& gateway_;
  govern::Executor& executor_;
  memory::MemoryManager& memory_;
  bus::EventBus& events_;
  Clock& clock_;
  std::string agent_;
};

}  // namespace anima::agent
