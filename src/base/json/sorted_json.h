// JSON in one form, for who signs or compares it: compact, the members of every object sorted by
// name (bytes). Thread-safety: a pure function. O(n log n).
#pragma once

#include <string>

#include "base/json/json.h"

namespace anima {

std::string sorted_json(const Json& json);

}  // namespace anima
