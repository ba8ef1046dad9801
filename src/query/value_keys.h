// Numbers and JSON values in the order of KIP (values.h), and numbers as sort keys of any language:
// exact, by store/number_key.h. Thread-safety: as Values.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json.h"
#include "query/values.h"
#include "store/number_key.h"

namespace anima::query {

// The number and the text of a sort key; the rank is the caller's. Equal keys are equal numbers.
void put_number(Values& values, const store::NumberKey& number, SortKey* key);

// A text for as long as the values live, which sort keys view. Empty once the memory is used up.
std::string_view keep_text(Values& values, std::string_view text);

// ORDER BY of KIP for values that are not in a space: -1, 0, 1. Values that are compared equal are
// one: an instant however it is written, a number likewise.
int order_json(const Json& a, const Json& b);

}  // namespace anima::query
