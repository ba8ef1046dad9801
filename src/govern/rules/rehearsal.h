// Rehearsals: a call runs first where it changes nothing, what it would change is judged by the
// rules of the policy, and exactly that is done, or waits for a person, or is refused.
//
// The executor (executor.h) rehearses the calls of a tool that has a Rehearser, in place of asking
// before it knows what for. Thread-safety: a Rehearser is called from any thread.
// Source: docs/decisions/018-effects.md.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::govern {

// What rules see of a change (packs/policy/prelude.mg).
struct CallChange {
  std::string kind;        // "added", "edited", "replaced", "mode", "touched", "moved", "deleted"
  std::string path;        // beneath the folder, "/" between steps
  bool leads_out = false;  // a link whose target is not surely inside
};

struct CallChanges {
  std::vector<CallChange> all;        // those that lose or lead out first
  std::vector<std::string> overruns;  // what is more than is judged without a person, in words
};
// More than these are an overrun, and rules see the first of them.
inline constexpr std::size_t kMostChangesJudged = 2'000;

struct Rehearsal {
  std::string id;  // under which it is kept for conclude(); empty: it changes nothing
  CallChanges changes;
  Json shown = {};   // for people and the log; {"id",..}
  Json result = {};  // of the call, for who concludes at once
};

class Rehearser {
 public:
  virtual ~Rehearser() = default;
  // Runs the call where it changes nothing. Errors: those of the tool; then nothing is kept.
  virtual Result<Rehearsal> rehearse(const std::stop_token& stop, std::string_view tool,
                                     const Json& arguments, std::int64_t timeout_milliseconds) = 0;
  // Does what was rehearsed, all or nothing, and gives the result that the call had. By its id
  // alone too, later and in another process. Errors: kConflict (what it rests on changed),
  // kNotFound (it is not kept any more).
  virtual Result<Json> conclude(const std::stop_token& stop, std::string_view tool,
                                const Json& arguments, const Rehearsal& rehearsal,
                                std::int64_t timeout_milliseconds) = 0;
  // It will not be concluded.
  virtual void forget(std::string_view tool, const Rehearsal& rehearsal) = 0;
};

}  // namespace anima::govern
