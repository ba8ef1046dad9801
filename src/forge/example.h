// An example of a tool: what goes in and what must come out. A tool is accepted on its examples
// (forge.h). In JSON {"input": text, "args": [text..], "output": text}, or with "fails": true in
// place of the output where the tool has to tell an error. Thread-safety: plain values.
#pragma once

#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::forge {

inline constexpr std::size_t kMostExamples = 32;

struct Example {
  std::string input;
  std::vector<std::string> args = {};
  std::string output = {};
  bool fails = false;  // the tool tells an error, whichever

  Json to_json() const;
  // What run_sealed() takes.
  Json arguments() const;
  friend bool operator==(const Example&, const Example&) = default;
};

// A list of at most kMostExamples. Errors: kInvalidArgument, which says of which and why.
Result<std::vector<Example>> examples_from_json(const Json& json);
Json to_json(const std::vector<Example>& examples);

}  // namespace anima::forge
