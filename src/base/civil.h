// The proleptic Gregorian calendar: days since 1970-01-01 to dates and back, for every year that a
// 64-bit count of seconds reaches. What is made of it (points of time, literals of XML Schema,
// times of rules) is its users' own. Thread-safety: functions. O(1).
#pragma once

#include <compare>
#include <cstdint>

namespace anima {

struct CivilDate {
  std::int64_t year = 1970;
  int month = 1, day = 1;
  auto operator<=>(const CivilDate&) const = default;
};

int days_in_month(std::int64_t year, int month);  // requires a month from 1 to 12
bool is_date(std::int64_t year, int month, int day);
// Requires a month from 1 to 12; days beyond the month count on.
std::int64_t days_from_civil(std::int64_t year, int month, int day);
CivilDate civil_from_days(std::int64_t days);

}  // namespace anima
