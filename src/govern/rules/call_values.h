// CallValues: what a guarded session knows of the call that is to be judged: what the message asked
// for, and of each value in the arguments where it came from and how far it is trusted.
//
// A call that has them is judged by rules over them (packs/policy/values.mg), not by the least
// trusted of its origins: so a value that the owner wrote stays his whatever was read before, and
// what may not be chosen from outside is asked about, never refused silently. The predicates are
// told in packs/policy/prelude.mg. Thread-safety: plain values. Source: issue "any model", 3;
// docs/governance_values.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "govern/trust.h"

namespace anima::govern {

// Whether the message means a value that it does not say (guard/named_rows.h).
enum class Meant : std::uint8_t { kNo, kLikely, kSurely };
std::string_view to_string(Meant meant);

// One scalar in an argument.
struct ArgumentValue {
  std::string argument;   // its name
  std::int64_t item = 0;  // its place in the argument, from 0
  std::string role;       // to_string(ArgumentRole)
  std::string source;     // "message", "plan", "call 12 mail:list", "model", "approved"
  std::string field;      // the path of the result's field; empty for other sources
  Trust trust = Trust::kUntrusted;
  bool contact = false;  // the service vouches for it
  bool within = false;   // a date, or an amount up to its limit: free
  // The plan has the words of this argument, and these are not they.
  bool off_plan = false;
  Meant meant = Meant::kNo;
  std::string said = {};                    // as the message has it; empty: it has it not
  std::string value = {};                   // as a person reads it, cut
  std::vector<std::string> leaves_to = {};  // recipients that may not read it
};

// A step of a plan. `arguments` are values that whoever made it wrote into it, by the names of the
// arguments: each a scalar or a list of those that may stand there. A null among them: others may,
// too.
struct PlannedTool {
  std::string tool;
  std::int64_t most = 1;
  Json arguments = {};
};

struct CallValues {
  std::string message;           // its id
  Trust floor = Trust::kSystem;  // of all that the model was told
  bool has_plan = false;
  std::vector<PlannedTool> planned = {};
  std::int64_t ran = 0;                   // calls of this tool for this message before
  std::vector<std::string> effects = {};  // of the tool
  std::vector<ArgumentValue> arguments = {};

  // A line for each value that a person should look at before he allows the call: which one, where
  // it came from, how far it is trusted, and to whom it would go.
  std::vector<std::string> explain() const;
  Json to_json() const;
  // Errors: kCorrupt.
  static Result<CallValues> from_json(const Json& json);
};

}  // namespace anima::govern
