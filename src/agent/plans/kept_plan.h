// KeptPlan: the plan of a message as it stands: which steps are done and what they gave, which one
// waits, which one nobody knows of. Thread-safety: plain values. Source: governance specification
// 1.6.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/plans/task_graph.h"
#include "base/clock.h"
#include "base/json/json.h"
#include "govern/decide/gateway.h"

namespace anima::agent {

enum class PlanState : std::uint8_t {
  kReady,    // goes on when it is told to
  kWaiting,  // for an approval that nobody answered yet
  kUnknown,  // a step was begun, and nobody knows whether it ended
  kRefused,  // an approval was refused: it does not go on
  kExpired,  // the same, for want of an answer or of its use in time
  kOver,
};
std::string_view to_string(PlanState state);

struct StepOutput {
  Json value;
  bool kept = false;  // else `value` says nothing: no step needs it, or it was too long
  govern::Trust trust = govern::Trust::kUntrusted;
};

struct KeptPlan {
  std::string id;  // of the message that it was made for
  govern::IncomingMessage message = {};
  govern::Trust trust = govern::Trust::kUntrusted;  // of the message
  TaskGraph graph = {};                             // kInProgress: begun, and without an end
  std::string done = {};                            // what to say when all went well
  std::map<std::string, StepOutput, std::less<>> outputs = {};  // of completed steps
  std::map<std::string, std::string, std::less<>> waits = {};   // step -> approval
  PlanState state = PlanState::kReady;
  std::string reason = {};  // of a state other than kReady
  Timestamp begun, changed;
  Json to_json() const;  // {"id","state","reason","message","steps":[..],"begun","changed",..}
};

// How a step stands: that of the task, "waiting", or "unknown" when it was begun and has no end.
std::string_view status_of(const KeptPlan& plan, const Task& task);
// "step 2 (delete old.txt)".
std::string step_name(const KeptPlan& plan, const std::string& step);
// The steps whose output a step takes in: its parameters {"task":"1"}.
std::vector<std::string> inputs_of(const Task& task);
const std::string* referenced_task(const Json& parameter);

}  // namespace anima::agent
