#include "base/clock.h"

#include <gtest/gtest.h>

namespace anima {
namespace {

TEST(Timestamp, Formats) {
  EXPECT_EQ(format_timestamp({0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_timestamp({-1}), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(format_timestamp({1'500'000}), "1970-01-01T00:00:01.5Z");
  EXPECT_EQ(format_timestamp({951'782'400'000'000}), "2000-02-29T00:00:00Z");
  EXPECT_EQ(format_timestamp({253'402'300'799'000'000}), "9999-12-31T23:59:59Z");
}

TEST(Timestamp, Parses) {
  EXPECT_EQ(parse_timestamp("1970-01-01")->microseconds, 0);
  EXPECT_EQ(parse_timestamp("2000-02-29T00:00:00Z")->microseconds, 951'782'400'000'000);
  EXPECT_EQ(parse_timestamp("1970-01-01t00:00:01.25z")->microseconds, 1'250'000);
  EXPECT_EQ(parse_timestamp("1970-01-01 00:00:00.1234567Z")->microseconds, 123'456);
  // RFC 3339, section 5.8: both name the same instant.
  EXPECT_EQ(*parse_timestamp("1996-12-19T16:39:57-08:00"),
            *parse_timestamp("1996-12-20T00:39:57Z"));
  EXPECT_EQ(*parse_timestamp("1990-12-31T23:59:60Z"), *parse_timestamp("1991-01-01T00:00:00Z"));
}

TEST(Timestamp, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026", "2026-13-01", "2026-02-29", "2026-11-21T", "2026-11-21T04:08:26",
        "2026-11-21T24:00:00Z", "2026-11-21T04:08:26.Z", "2026-11-21T04:08:26Zx",
        "2026-11-21T04:08:26+0100", "2026-11-21T04:08:26+24:00", "26-11-21", "2026-1-1"}) {
    EXPECT_EQ(parse_timestamp(text).error().code, ErrorCode::kInvalidArgument) << text;
  }
}

TEST(Timestamp, RoundTripsOverItsWholeRange) {
  for (std::int64_t at = -62'167'219'200'000'000; at < 253'402'300'799'000'000;
       at += 1'234'567'890'123'457) {
    EXPECT_EQ(parse_timestamp(format_timestamp({at}))->microseconds, at);
  }
  EXPECT_EQ(format_timestamp({INT64_MAX}), "294247-01-10T04:00:54.775807Z");
}

TEST(Clock, ManualMovesOnlyWhenTold) {
  ManualClock still({5});
  EXPECT_EQ(still.now().microseconds, 5);
  still.advance(10);
  EXPECT_EQ(still.now().microseconds, 15);
  ManualClock stepping({0}, 2);
  EXPECT_EQ(stepping.now().microseconds, 0);
  EXPECT_EQ(stepping.now().microseconds, 2);
  SystemClock system;
  EXPECT_GT(system.now().microseconds, 1'700'000'000'000'000);
  const std::int64_t before = system.monotonic_nanoseconds();
  EXPECT_LE(before, system.monotonic_nanoseconds());
}

}  // namespace
}  // namespace anima
