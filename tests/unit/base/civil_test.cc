#include "base/civil.h"

#include <gtest/gtest.h>

#include <chrono>

namespace anima::civil_test {
namespace {

// Against the calendar of the standard library, which holds the years -32767 to 32767.
TEST(Civil, EveryDayOfTwoErasIsTheLibrarys) {
  const auto first = std::chrono::sys_days{std::chrono::year{-400} / 3 / 1};
  for (int i = 0; i < 2 * 146097; i += 1) {
    const auto day = first + std::chrono::days{i};
    const std::chrono::year_month_day date{day};
    const CivilDate made = civil_from_days(day.time_since_epoch().count());
    ASSERT_EQ(made, (CivilDate{int{date.year()}, static_cast<int>(unsigned{date.month()}),
                               static_cast<int>(unsigned{date.day()})}));
    ASSERT_EQ(days_from_civil(made.year, made.month, made.day), day.time_since_epoch().count());
    ASSERT_TRUE(is_date(made.year, made.month, made.day));
  }
}

TEST(Civil, FarYears) {
  EXPECT_EQ(days_from_civil(1970, 1, 1), 0);
  EXPECT_EQ(days_from_civil(2000, 3, 1), 11017);  // date -u -d 2000-03-01 +%s
  // 400 years are 146097 days.
  EXPECT_EQ(days_from_civil(2'000'001'970, 1, 1), 5'000'000LL * 146097);
  EXPECT_EQ(civil_from_days(-5'000'000LL * 146097), (CivilDate{-1'999'998'030, 1, 1}));
  EXPECT_FALSE(is_date(2100, 2, 29));
  EXPECT_TRUE(is_date(2000, 2, 29));
  EXPECT_FALSE(is_date(2001, 13, 1));
  EXPECT_FALSE(is_date(2001, 4, 31));
}

}  // namespace
}  // namespace anima::civil_test
