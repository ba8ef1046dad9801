// PlannedValues: what the plan of a message says for the arguments of a tool, for knowing it again
// in a call. Whoever made the plan had seen nothing but the message. Thread-safety: a plain value.
// Complexity: of both questions, O(log n). Source: issue "any model", 3;
// docs/governance_values.md.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace anima::guard {

class PlannedValues {
 public:
  // As govern::PlannedTool::arguments has them; anything but an object: nothing is planned.
  explicit PlannedValues(const Json& arguments);

  // By the value's normal form (normal_value.h).
  bool has(std::string_view argument, const std::string& normal) const;
  // Whether the plan has all that may stand in the argument.
  bool is_whole(std::string_view argument) const;

 private:
  struct Values {
    std::set<std::string> normal;
    bool whole = true;
  };
  std::map<std::string, Values, std::less<>> values_;
};

// The values of two steps of one tool. What only one of them says may be something else, too.
Json planned_in_both(const Json& a, const Json& b);

}  // namespace anima::guard
