// The times that a text names (language/times), as recall compares them: what a question asks about
// against the days of an item.
//
// Days are those of the clock that is `offset_seconds` ahead of UTC. Thread-safety: pure.
// Complexity: O(text). Source: recall study, section 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/civil_days.h"
#include "base/clock.h"
#include "memory/recall/detail/languages.h"

namespace anima::memory::detail {

// Zero is what was not named. "Last week" names nothing and has days.
struct NamedDate {
  std::int64_t year = 0;
  int month = 0, day = 0;
  std::optional<DayRange> days = {};
};

// What a question asks about. Of what has several readings each one: they only rank. Without `now`
// nothing relative. At most 16.
std::vector<NamedDate> asked_dates(std::string_view text, Language language,
                                   std::optional<Timestamp> now, std::int64_t offset_seconds = 0);
// The days that a text is about, of each reading, without what is open at an end. Where it is not
// sure that the text is in that language, as the language has it that reads the most of it.
std::vector<DayRange> told_days(std::string_view text, Language language, bool sure,
                                std::optional<Timestamp> now, std::int64_t offset_seconds = 0);

// How well the days fit, 0 to 2: 1 for the month or the range, .3 for the year, .7 for the day.
double date_fit(const NamedDate& wanted, DayRange days);

}  // namespace anima::memory::detail
