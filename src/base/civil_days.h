// Days of the calendar, counted from 1970-01-01, and their dates: the calendar of base/civil.h
// in days of 32 bits. Thread-safety: pure. Complexity: O(1).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "base/civil.h"
#include "base/clock.h"

namespace anima {

using Day = std::int32_t;
inline constexpr Day kNoDay = INT32_MIN;
inline constexpr std::int64_t kSecondsPerDay = 86'400;

struct DayRange {
  Day from = 0, to = 0;  // both belong to it
  auto operator<=>(const DayRange&) const = default;
};

// The day that a clock shows which is `offset_seconds` ahead of UTC.
Day day_of(Timestamp time, std::int64_t offset_seconds = 0);
// Of seconds since 1970-01-01T00:00 of one clock.
Day day_at_second(std::int64_t seconds);
CivilDate civil_date(Day day);
int year_of(Day day);
// Nothing for a date that no calendar has.
std::optional<Day> day_number(CivilDate date);
// Requires a month of 1 .. 12.
DayRange month_days(std::int64_t year, int month);
// The date so many months away; the last day of its month where that has fewer.
Day months_away(Day day, int months);
int weekday_of(Day day);          // 1 (Monday) .. 7
std::string format_day(Day day);  // 2024-03-13

}  // namespace anima
