// What a question reckons itself over the rows of its queries, by the one order and the exact
// numbers of the languages (query/value_keys.h, base/decimal.h). Thread-safety: functions.
// Complexity: O(values).
#pragma once

#include <string_view>
#include <vector>

#include "ask/parse/reading.h"
#include "base/json/json.h"

namespace anima::ask {

bool less(const Json& a, const Json& b);
bool same(const Json& a, const Json& b);

// Numbers in the names of things are numbers.
Json plain(const Json& value, bool named);
// As KIP writes it: "SUM".
std::string_view fold_name(Fold fold);
// Null of nothing. A sum is exact where the numbers have up to 38 digits.
Json folded(Fold fold, const std::vector<Json>& values);
Constant constant_of(const Json& value);

}  // namespace anima::ask
