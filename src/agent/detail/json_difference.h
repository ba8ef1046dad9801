// Where two JSON values differ first: "candidates[1].score: 0.98, recorded 0.85"; empty when they
// do not. Thread-safety: pure. Complexity: O(both values).
#pragma once

#include <string>

#include "base/json/json.h"

namespace anima::agent::detail {

// Null stands for a value that is not there; `path` is of the values.
std::string first_difference(const Json* then, const Json* now, const std::string& path);

}  // namespace anima::agent::detail
