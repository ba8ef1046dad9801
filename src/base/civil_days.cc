#include "base/civil_days.h"

#include <fmt/format.h>

#include <algorithm>

namespace anima {
namespace {

constexpr std::int64_t kMostYears = 5'000'000;

Day number_of(std::int64_t year, int month, int day) {
  return static_cast<Day>(days_from_civil(year, month, day));
}

}  // namespace

Day day_at_second(std::int64_t seconds) {
  const std::int64_t days = seconds / kSecondsPerDay;
  return static_cast<Day>(days - (seconds % kSecondsPerDay < 0 ? 1 : 0));
}

Day day_of(Timestamp time, std::int64_t offset_seconds) {
  // Rounded down, so that a moment before midnight is of the day before.
  const std::int64_t micros = time.microseconds + offset_seconds * kMicrosecondsPerSecond;
  const std::int64_t seconds = micros / kMicrosecondsPerSecond;
  return day_at_second(seconds - (micros % kMicrosecondsPerSecond < 0 ? 1 : 0));
}

CivilDate civil_date(Day day) { return civil_from_days(day); }
int year_of(Day day) { return static_cast<int>(civil_date(day).year); }

std::optional<Day> day_number(CivilDate date) {
  // No further than a Day reaches.
  if (date.year < -kMostYears || date.year > kMostYears) return std::nullopt;
  if (!is_date(date.year, date.month, date.day)) return std::nullopt;
  return number_of(date.year, date.month, date.day);
}

DayRange month_days(std::int64_t year, int month) {
  return {number_of(year, month, 1), number_of(year, month, days_in_month(year, month))};
}

Day months_away(Day day, int months) {
  const CivilDate date = civil_date(day);
  const std::int64_t month = date.year * 12 + date.month - 1 + months;
  const std::int64_t year = (month >= 0 ? month : month - 11) / 12;
  const DayRange in = month_days(year, static_cast<int>(month - year * 12) + 1);
  return std::min(in.from + date.day - 1, in.to);
}

int weekday_of(Day day) {
  // 1970-01-01 was a Thursday.
  const std::int64_t from_monday = (std::int64_t{day} + 3) % 7;
  return static_cast<int>(from_monday < 0 ? from_monday + 7 : from_monday) + 1;
}

std::string format_day(Day day) {
  const CivilDate date = civil_date(day);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

}  // namespace anima
