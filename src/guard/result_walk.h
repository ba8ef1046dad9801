// Walking through the scalars of a result, or of the arguments of a call, with their places.
// Thread-safety: pure functions. Complexity: linear; nesting is that of JSON that was read.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "govern/rules/field_path.h"

namespace anima::guard {

// Where a scalar stands: the place, and the number of the item for each kItem step of it.
struct ScalarPlace {
  govern::Place place;
  std::vector<std::size_t> items;
};

struct Walk {
  // Also of lists and objects that hold nothing, and of null.
  std::function<void(const ScalarPlace&, const Json&)> scalar;
  // The name of a member that is not among `known`, as a text.
  std::function<void(const ScalarPlace&, const Json&)> key = nullptr;
  // Before what lies in an object.
  std::function<void(const ScalarPlace&, const Json&)> object = nullptr;
  const std::set<std::string, std::less<>>* known = nullptr;  // names of members; null: all
};
void walk(const Json& value, const Walk& visit, ScalarPlace from = {});

// The scalars of `root` at the path. Where the path goes through the same list as `near`, only the
// item of `near` counts.
std::vector<const Json*> scalars_at(const Json& root, const govern::FieldPath& path,
                                    const ScalarPlace& near);

// The names of members that a JSON schema or these paths know.
void add_schema_names(const Json& schema, std::set<std::string, std::less<>>& names);

}  // namespace anima::guard
