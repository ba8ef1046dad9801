// Explanations have a budget of their own, from their own beginning.
#include <memory>
#include <stop_token>

#include "unit/datalog/engine_fixture.h"

namespace anima::datalog {
namespace {

// Every look at it takes a second.
class SlowClock final : public Clock {
 public:
  Timestamp now() override { return {}; }
  std::int64_t monotonic_nanoseconds() override { return seconds++ * 1'000'000'000; }
  std::int64_t seconds = 0;
};

// No two of the first numbers are 1000 apart: every pair is tried.
std::string pairs() {
  std::string text = "far(X) :- n(X), n(Y), n(Z), Y = fn:plus(Z, 1000).\n";
  for (int i = 0; i < 200; ++i) text += "n(" + std::to_string(i) + ").\n";
  return text;
}

TEST(ExplainBudget, AnEarlierTransactionsDeadlineIsNotTheExplanations) {
  auto clock = std::make_shared<ManualClock>();
  EngineOptions options;
  options.clock = clock;
  World world(pairs() + "near(X) :- n(X), X < 5.", std::move(options));
  ASSERT_EQ(world.error(), "");
  Limits limits;
  limits.deadline_ms = 10;
  std::stop_source stop;
  limits.cancel = stop.get_token();
  ASSERT_TRUE(world.change({"+n(200)"}, limits));
  clock->advance(3600LL * 1'000'000);
  stop.request_stop();
  const auto proof =
      world.engine().explain(world.program().find("near"), world.fact("near(3)").codes);
  ASSERT_TRUE(proof) << proof.error().describe();
  const auto why = world.engine().why_not(world.query("far(7)"));
  ASSERT_TRUE(why) << why.error().describe();
}

TEST(ExplainBudget, AnExplanationEndsWithItsOwnDeadline) {
  EngineOptions options;
  options.clock = std::make_shared<SlowClock>();
  World world(pairs(), std::move(options));
  ASSERT_EQ(world.error(), "");
  ExplainOptions few;
  few.limits.deadline_ms = 2'000;
  const auto why = world.engine().why_not(world.query("far(7)"), few);
  ASSERT_FALSE(why);
  EXPECT_EQ(why.error().code, ErrorCode::kTimeout) << why.error().describe();
  // The next one begins anew, and with what it needs it ends.
  ExplainOptions enough;
  enough.limits.deadline_ms = 3'600'000;
  EXPECT_TRUE(world.engine().why_not(world.query("far(7)"), enough));
}

TEST(ExplainBudget, AnExplanationCanBeCancelled) {
  World world(pairs());
  ASSERT_EQ(world.error(), "");
  std::stop_source stop;
  stop.request_stop();
  ExplainOptions options;
  options.limits.cancel = stop.get_token();
  const auto why = world.engine().why_not(world.query("far(7)"), options);
  ASSERT_FALSE(why);
  EXPECT_EQ(why.error().code, ErrorCode::kCancelled);
  // A transaction afterwards has its own limits again.
  EXPECT_TRUE(world.change({"+n(500)"}));
}

}  // namespace
}  // namespace anima::datalog
