#include "base/civil.h"

#include <array>

namespace anima {
namespace {

// Years are counted from March, so that the leap day is the last one, in eras of 400 years.
constexpr std::int64_t kEraYears = 400, kEraDays = 146097, kUntil1970 = 719468;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return (a >= 0 ? a : a - b + 1) / b; }

}  // namespace

int days_in_month(std::int64_t year, int month) {
  constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % kEraYears == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

bool is_date(std::int64_t year, int month, int day) {
  return month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  if (month <= 2) --year;
  const std::int64_t era = floor_divide(year, kEraYears);
  const std::int64_t year_of_era = year - era * kEraYears;
  const std::int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * kEraDays + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         kUntil1970;
}

CivilDate civil_from_days(std::int64_t days) {
  const std::int64_t shifted = days + kUntil1970;
  const std::int64_t era = floor_divide(shifted, kEraDays);
  const std::int64_t day_of_era = shifted - era * kEraDays;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t from_march = (5 * day_of_year + 2) / 153;
  CivilDate date;
  date.day = static_cast<int>(day_of_year - (153 * from_march + 2) / 5 + 1);
  date.month = static_cast<int>(from_march < 10 ? from_march + 3 : from_march - 9);
  date.year = year_of_era + era * kEraYears + (date.month <= 2 ? 1 : 0);
  return date;
}

}  // namespace anima
