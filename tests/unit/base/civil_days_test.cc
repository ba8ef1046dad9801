// Days of the calendar; expectations by Python's datetime.
#include "base/civil_days.h"

#include <gtest/gtest.h>

namespace anima::civil_days_test {
namespace {

TEST(CivilDays, DaysAndDatesAreTheSame) {
  EXPECT_EQ(day_number({1970, 1, 1}), 0);
  EXPECT_EQ(day_number({2024, 2, 29}), 19'782);
  EXPECT_EQ(day_number({1899, 12, 31}), -25'568);
  EXPECT_EQ(day_number({2023, 2, 29}), std::nullopt);
  EXPECT_EQ(day_number({2023, 13, 1}), std::nullopt);
  EXPECT_EQ(day_number({2023, 0, 1}), std::nullopt);
  EXPECT_EQ(civil_date(19'782), (CivilDate{2024, 2, 29}));
  EXPECT_EQ(format_day(-25'568), "1899-12-31");
  EXPECT_EQ(weekday_of(19'782), 4);
}

TEST(CivilDays, TheDayIsThatOfTheClock) {
  const Timestamp time = parse_timestamp("2024-01-01T00:30:00+02:00").value();
  EXPECT_EQ(format_day(day_of(time)), "2023-12-31");
  EXPECT_EQ(format_day(day_of(time, 7'200)), "2024-01-01");
  EXPECT_EQ(day_of(Timestamp{-1}), -1);
}

TEST(CivilDays, MonthsAwayEndWithTheirMonth) {
  const Day last = day_number({2024, 1, 31}).value();
  EXPECT_EQ(format_day(months_away(last, 1)), "2024-02-29");
  EXPECT_EQ(format_day(months_away(last, -2)), "2023-11-30");
  EXPECT_EQ(format_day(months_away(last, 12)), "2025-01-31");
  EXPECT_EQ(month_days(2023, 2).to - month_days(2023, 2).from, 27);
}

}  // namespace
}  // namespace anima::civil_days_test
