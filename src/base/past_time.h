// Times in the past as a person types them. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace anima {

// RFC 3339; a bare date, which is the end of that day; "now", "today", "yesterday" (its end);
// "2 hours ago" and other whole numbers of seconds, minutes, hours, days and weeks. Days are those
// of UTC, as times are shown. Errors: kInvalidArgument, which says what can be typed.
Result<Timestamp> past_time(std::string_view text, Timestamp now);

// The same, or the number of a log entry, as the options of verbs and requests take it: a number,
// or a time as RFC 3339.
Result<std::string> past_point(std::string_view text, Timestamp now);

}  // namespace anima
