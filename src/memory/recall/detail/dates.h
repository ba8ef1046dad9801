// Dates that a text names, as far as it names them: "in May", "7 May 2023", "2023-05-07", "last
// week", "vor zwei Tagen". What is relative is resolved against a day: now for a question, the day
// on which it was said for a text.
//
// Days are counted from 1970-01-01, in UTC. Thread-safety: pure. Complexity: O(words).
// Source: recall study, section 3; days of the calendar as std::chrono has them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "memory/recall/detail/terms.h"

namespace anima::memory::detail {

using Day = std::int32_t;
inline constexpr Day kNoDay = INT32_MIN;
Day day_of(Timestamp time);

struct DayRange {
  Day from = 0, to = 0;  // both belong to it
  auto operator<=>(const DayRange&) const = default;
};

// Zero is what was not named. A range is named alone, by words like "last week".
struct NamedDate {
  int year = 0, month = 0, day = 0;
  std::optional<DayRange> range = {};
};

// `today`: kNoDay leaves out what is relative. At most 16.
std::vector<NamedDate> named_dates(const std::vector<TermWord>& words, Language language,
                                   Day today);
// The days that are meant: of a month without a year the last one that had begun. Nothing for a day
// that no calendar has.
std::optional<DayRange> days_of(const NamedDate& date, Day today);

// How well the days fit, 0 to 2: 1 for the month or the range, .3 for the year, .7 for the day.
double date_fit(const NamedDate& wanted, DayRange days);

}  // namespace anima::memory::detail
