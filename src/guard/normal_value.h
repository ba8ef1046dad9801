// The one form of a value in which it is known again: 1200, "1,200.00" and "$1200" are one number,
// "23 November 2026" and "2026-11-23" one date, and texts are compared without what nobody sees in
// them. Two values are the same when their normal forms are equal; a part of a value never is it.
// Thread-safety: pure functions. Complexity: linear.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace anima::guard {

// "n:1200", "d:2026-11-23", "d:2026-11-23T09:00", "b:true", "t:text"; empty for null and for what
// is no scalar.
std::string normal_value(const Json& scalar);
// Of a text, or of what stands in one.
std::string normal_text(std::string_view text);

// As decimal, for a number that nobody writes differently: no leading zero or plus. "1,200.50",
// "$ 1200.5", "1200.5 EUR". Nothing for anything else.
std::optional<std::string> normal_number(std::string_view text);
// "2026-11-23", "2026-11-23T09:00", "2026-11-23 09:00:00Z", "23 November 2026", "Nov 23, 2026",
// "23.11.2026". Nothing for anything else, also where the day and the month can be confused.
std::optional<std::string> normal_date(std::string_view text);

// "09:00", "09:00:30", each also with a zone.
bool is_clock_time(std::string_view text);

// Whether finding the same value again says anything: not of truth values, of short numbers, of
// single letters.
bool says_something(std::string_view normal);

}  // namespace anima::guard
