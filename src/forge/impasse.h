// What a goal that came to nothing may lack: a need of a tool, when the words of the goal speak of
// one that can be made without a model, the rules miss it (missing_tool_for) and permit it, and
// the gate of needs lets it through. A need makes nothing by itself. Thread-safety: a function
// without state. Source: learning_and_psyche 1.9, and section 5, "Impasse → need".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forge/need.h"

namespace anima::forge {

struct Impasse {
  std::string goal;                      // in the words of who asked
  std::string why;                       // it came to nothing
  std::vector<std::string> made = {};    // names of the made tools that there are
  std::vector<std::string> vetoes = {};  // of the psyche
  std::string mode = "/development";     // or "/production"
};

// Errors: those of the rules' engine.
Result<std::optional<Need>> need_of_impasse(const Impasse& impasse);

}  // namespace anima::forge
