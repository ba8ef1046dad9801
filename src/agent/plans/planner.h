// Planner: turns a request into a graph of tasks, or asks back. Deterministic, without a model.
//
// A request is cut into clauses (sentence ends, semicolons, "then", numbered lists; never inside
// quotes). Each clause must begin with a verb of the table and name the object that its tool needs;
// "it" stands for the object of the clause before. One clause: one task. Several: each waits for
// the one before. Some requests ("schedule ..", "send a meeting summary ..") have a decomposition
// of their own. Whatever does not fit is ambiguous: a question with options comes back and no plan.
// A parameter {"task":"1"} stands for what task 1 gave. Thread-safety: pure functions.
// Complexity: linear in the text. Source: governance specification 1.6, table rows 42-50.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/plans/task_graph.h"
#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"

namespace anima::agent {

enum class Intent : std::uint8_t { kAtomic, kMultiStep, kAmbiguous };

struct RequestPlan {
  Intent intent = Intent::kAmbiguous;
  TaskGraph graph;                   // empty when ambiguous
  std::string done;                  // what to say when all went well
  std::string question;              // when ambiguous
  std::vector<std::string> options;  // what could be meant
  bool no_request = false;           // ambiguous because no verb of the table begins it
};
inline constexpr std::string_view kRememberTool = "memory:store";

// `now` fills in dates that the request leaves open. Errors: kLimitExceeded (64 KiB, 64 clauses).
Result<RequestPlan> plan_request(std::string_view text, Timestamp now);

// What is told, remembered sentence by sentence. Errors: kLimitExceeded (64 sentences).
Result<RequestPlan> plan_to_remember(const std::vector<std::string>& sentences);

// The clauses of a request, trimmed; quotes keep what they hold together.
std::vector<std::string> split_clauses(std::string_view text);

}  // namespace anima::agent
