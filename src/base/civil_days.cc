#include "base/civil_days.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace anima {
namespace {

namespace chrono = std::chrono;

chrono::year_month_day date_of(Day day) {
  return chrono::year_month_day(chrono::sys_days(chrono::days(day)));
}

Day number_of(chrono::year_month_day date) {
  return static_cast<Day>(chrono::sys_days(date).time_since_epoch().count());
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

CivilDate civil_date(Day day) {
  const auto date = date_of(day);
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day()))};
}

std::optional<Day> day_number(CivilDate date) {
  if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > 31) return std::nullopt;
  const chrono::year_month_day day(chrono::year(date.year),
                                   chrono::month(static_cast<unsigned>(date.month)),
                                   chrono::day(static_cast<unsigned>(date.day)));
  if (!day.ok()) return std::nullopt;
  return number_of(day);
}

DayRange month_days(int year, int month) {
  const chrono::year_month in(chrono::year(year), chrono::month(static_cast<unsigned>(month)));
  return {number_of(in / 1), number_of(in / chrono::last)};
}

Day months_away(Day day, int months) {
  const auto date = date_of(day);
  const chrono::year_month in = date.year() / date.month() + chrono::months(months);
  return std::min(number_of(in / 1) + static_cast<Day>(static_cast<unsigned>(date.day())) - 1,
                  number_of(in / chrono::last));
}

int weekday_of(Day day) {
  return static_cast<int>(chrono::weekday{chrono::sys_days(chrono::days(day))}.iso_encoding());
}

std::string format_day(Day day) {
  const CivilDate date = civil_date(day);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

}  // namespace anima
