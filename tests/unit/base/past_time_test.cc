#include "base/past_time.h"

#include <gtest/gtest.h>

namespace anima {
namespace {

std::string past(std::string_view text) {
  const auto time = past_time(text, *parse_timestamp("2026-11-23T02:10:00Z"));
  return time ? format_timestamp(*time) : time.error().message;
}

TEST(PastTime, ReadsWhatPeopleType) {
  EXPECT_EQ(past("yesterday"), "2026-11-22T23:59:59.999999Z");
  EXPECT_EQ(past("Today"), "2026-11-23T23:59:59.999999Z");
  EXPECT_EQ(past("2026-11-20"), "2026-11-20T23:59:59.999999Z");
  EXPECT_EQ(past("2026-11-20T10:00:00+02:00"), "2026-11-20T08:00:00Z");
  EXPECT_EQ(past("2 hours ago"), "2026-11-23T00:10:00Z");
  EXPECT_EQ(past("an hour ago"), "2026-11-23T01:10:00Z");
  EXPECT_EQ(past("3 weeks ago"), "2026-11-02T02:10:00Z");
  EXPECT_EQ(past("now"), "2026-11-23T02:10:00Z");
}

TEST(PastTime, SaysWhatCanBeTyped) {
  for (const char* wrong : {"", "soon", "two hours ago", "2 fortnights ago", "99999999999 days ago",
                            "2026-13-01", "ago"}) {
    const auto time = past_time(wrong, {});
    ASSERT_FALSE(time.has_value()) << wrong;
    EXPECT_EQ(time.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(time.error().hint.find("2 hours ago"), std::string::npos);
  }
}

TEST(PastTime, SaysThatTheZoneIsMissing) {
  const auto time = past_time("2026-11-22T14:00:00", {});
  ASSERT_FALSE(time);
  EXPECT_NE(time.error().message.find("zone"), std::string::npos) << time.error().message;
}

// As an entry that is not there yet.
TEST(PastTime, HasNoPointThatHasNotCome) {
  const Timestamp now = *parse_timestamp("2026-11-23T02:10:00Z");
  for (const char* past : {"now", "today", "2026-11-23", "2026-11-23T02:10:00Z", "999"})
    EXPECT_TRUE(past_point(past, now)) << past;
  for (const char* later : {"2026-11-24", "2099-01-01T00:00:00Z"}) {
    const auto point = past_point(later, now);
    ASSERT_FALSE(point) << later;
    EXPECT_EQ(point.error().code, ErrorCode::kNotFound);
  }
}

}  // namespace
}  // namespace anima
