#include "llm/retry.h"

#include <gtest/gtest.h>

#include "llm/rate_limiter.h"

namespace anima::llm::retry_test {
namespace {

TEST(Retry, BacksOffWithJitter) {
  SeededRandom random(3);
  const BackOff back_off;
  std::int64_t least = 1'000'000, most = 0;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t wait = back_off_ms(back_off, 3, random);
    least = std::min(least, wait);
    most = std::max(most, wait);
  }
  EXPECT_GE(least, 1000);
  EXPECT_LT(least, 1050);
  EXPECT_LE(most, 2000);
  EXPECT_GT(most, 1950);
  EXPECT_LE(back_off_ms(back_off, 1000, random), back_off.most_ms);
  SeededRandom one(5), same(5);
  EXPECT_EQ(back_off_ms(back_off, 4, one), back_off_ms(back_off, 4, same));
}

TEST(Retry, ReadsWhatTheServerAsks) {
  const Timestamp now = *parse_timestamp("1994-11-06T08:49:30Z");
  const auto asked = [&](std::string name, std::string value) {
    return asked_wait_ms({429, {{std::move(name), std::move(value)}}}, now);
  };
  EXPECT_EQ(asked("retry-after", "2"), 2000);
  EXPECT_EQ(asked("retry-after", "0.5"), 500);
  EXPECT_EQ(asked("retry-after-ms", "120"), 120);
  EXPECT_EQ(asked("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), 7000);
  EXPECT_EQ(asked("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), 0);
  EXPECT_EQ(asked("other", "1"), std::nullopt);
  for (const char* bad : {"", "soon", "-1", "nan", "Sun, 31 Feb 1994 08:49:37 GMT", "1e"})
    EXPECT_EQ(asked("retry-after", bad), std::nullopt) << bad;
  EXPECT_GT(asked("retry-after", "1e300").value_or(0), 0);
}

TEST(Retry, KnowsWhatMayPass) {
  for (const int status : {408, 425, 429, 500, 502, 503, 504, 529})
    EXPECT_TRUE(may_retry(HttpHead{status, {}})) << status;
  for (const int status : {200, 302, 400, 401, 403, 404, 422, 501})
    EXPECT_FALSE(may_retry(HttpHead{status, {}})) << status;
  EXPECT_FALSE(may_retry(HttpHead{503, {{"x-should-retry", "false"}}}));
  EXPECT_TRUE(may_retry(HttpHead{409, {{"x-should-retry", "true"}}}));
}

TEST(RateLimiter, HoldsToRequestsAndTokensOfAMinute) {
  const auto at = [](std::int64_t seconds) { return Timestamp{seconds * 1'000'000}; };
  RateLimiter requests(2, 0);
  EXPECT_EQ(requests.take(at(0), 1), 0);
  EXPECT_EQ(requests.take(at(10), 1), 0);
  EXPECT_EQ(requests.take(at(20), 1), 40'000);
  EXPECT_EQ(requests.take(at(60), 1), 0);
  EXPECT_EQ(requests.take(at(61), 1), 9'000);
  RateLimiter tokens(0, 100);
  EXPECT_EQ(tokens.take(at(0), 500), 0);  // more than a minute has, and the window is empty
  EXPECT_EQ(tokens.take(at(1), 1), 59'000);
  EXPECT_EQ(tokens.take(at(60), 100), 0);
  RateLimiter none(0, 0);
  none.not_before(at(5));
  EXPECT_EQ(none.take(at(2), 1), 3'000);
  EXPECT_EQ(none.take(at(5), 1), 0);
}

}  // namespace
}  // namespace anima::llm::retry_test
