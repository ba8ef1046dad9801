// Reply: what came of a message: how it went, the answer, the plan with its steps.
// Thread-safety: plain values. Source: governance specification 1.3, 1.6.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "govern/decide/executor.h"
#include "govern/decide/gateway.h"

namespace anima::agent {

enum class ReplyKind : std::uint8_t {
  kAnswered,
  kBlocked,  // by the guardian, or refused at the gateway
  kClarify,  // asked back
  kWaiting,  // a task waits for an approval: once it is granted, the same again goes on from there
  kDenied,   // a task was refused
  kFailed,   // a tool failed
  kHalted,   // the line is stopped
  kBusy,     // too many calls run
};
std::string_view to_string(ReplyKind kind);
ReplyKind kind_of(govern::Outcome::Kind kind);
// The result of a step, or why it has none.
Json result_json(const govern::Outcome& outcome);

struct TaskReport {
  std::string task;  // its id in the plan
  std::string tool;  // empty: done by the path itself
  govern::Outcome outcome;
  bool earlier = false;  // done before the plan waited: `outcome` has a label, and no result
};

struct Reply {
  ReplyKind kind = ReplyKind::kAnswered;
  std::string text;  // for the sender
  govern::Admission admission;
  Json plan;  // tasks, edges and order; null when nothing was planned
  std::vector<TaskReport> tasks;
  std::vector<std::string> options;  // of a question
  bool asks_again = false;           // what was asked before, for the message answers nothing
  std::string plan_id;               // of the plan that was worked on
  std::string approval_id;           // when it waits
  std::string audit_id;              // of what refused it
  std::string memory_id;             // where the exchange is remembered
  Json to_json() const;
};

}  // namespace anima::agent
