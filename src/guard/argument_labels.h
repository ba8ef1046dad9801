// What the arguments of a call were made from, value by value: a literal of the message, a value
// that a tool gave (named, or the same whole value again), or the model's own text, which has the
// session's floor. Copying is looked for only where it explains: a part of a value raises nothing.
// What the plan itself says for an argument is the message's, for it was written before anything
// was read.
//
// {"$value": "12.mails[0].from"} anywhere in the arguments stands for that value. Thread-safety:
// pure functions. Complexity: the scalars of the arguments by the recipients among them. Source:
// issue "any model", 3; docs/governance_values.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "govern/rules/call_values.h"
#include "govern/rules/tool_declaration.h"
#include "guard/owner_words.h"
#include "guard/values.h"

namespace anima::guard {

inline constexpr std::string_view kNamedValue = "$value";

// Whether there is one anywhere in the arguments.
bool has_named_value(const Json& arguments);

// What is known when a call is judged.
struct Known {
  const SessionValues& values;
  const OwnerWords& words;
  govern::Trust message;  // how far the message is trusted
  govern::Trust floor;    // of the model's own text
  ReaderSet readers;      // of it
  // What the plan says for arguments of the tool (govern::PlannedTool); null: nothing.
  Json planned = {};
};

struct LabelledArguments {
  Json arguments;  // with the named values put in
  std::vector<govern::ArgumentValue> values;
  std::vector<govern::ArgumentOrigin> origins;  // the same, for those who go by origins
  // By normal forms, for what the call gives back (GivenResult::told).
  std::map<std::string, govern::Trust, std::less<>> told;
  LookUp look_up = {};  // by what the rows are found that it gives (named_rows.h)
};

// Errors: kNotFound, kSyntax for a named value that there is not; kLimitExceeded (2,000 scalars).
Result<LabelledArguments> label_arguments(const Json& arguments,
                                          const govern::ToolDeclaration& tool, const Known& known);

}  // namespace anima::guard
