// What planning costs is part of what a query may cost.
#include <gtest/gtest.h>

#include <stop_token>
#include <string>

#include "query/executor.h"
#include "store/space.h"

namespace anima::query {
namespace {

class PlanBudget : public testing::Test {
 protected:
  void SetUp() override {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    space_ = *space;
    ASSERT_TRUE(space_->write({}, [this](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(const store::EntityId leads, t.upsert_predicate("leads"));
      leads_ = store::Predicate::link(leads);
      return {};
    }));
  }
  // A chain of so many links over a hundred variables; nothing matches it.
  Result<Answer> ask(std::size_t patterns, Budget budget) const {
    std::vector<StatementPattern> chain;
    for (std::size_t i = 0; i < patterns; ++i) {
      StatementPattern pattern;
      pattern.subject = Ref::slot(static_cast<Slot>(i % 100));
      pattern.predicate = Ref::constant(leads_.code);
      pattern.object = Ref::slot(static_cast<Slot>((i + 1) % 100));
      chain.push_back(pattern);
    }
    Plan plan;
    plan.root = match(std::move(chain));
    plan.slot_count = 100;
    plan.results = {0};
    plan.scopes.push_back(space_->snapshot().value());
    RunOptions options;
    options.budget = std::move(budget);
    return run(plan, options);
  }
  static ErrorCode code_of(const Result<Answer>& answer) {
    return answer ? ErrorCode::kInternal : answer.error().code;
  }

  std::shared_ptr<store::Space> space_;
  store::Predicate leads_;
};

TEST(Plan, ADeepTreeIsGivenBackWithoutRecursion) {
  NodePtr left = unit(), right = unit();
  for (int i = 0; i < 1'000'000; ++i) {
    left = left_join(std::move(left), unit());
    right = join(unit(), std::move(right));
  }
  left = join(std::move(left), std::move(right));
  left.reset();
}

TEST_F(PlanBudget, StepsOfPlanningAreCounted) {
  Budget few;
  few.rows = 10'000;
  EXPECT_EQ(code_of(ask(2000, few)), ErrorCode::kLimitExceeded);
  const auto answer = ask(20, few);
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->table.rows, 0U);
}

TEST_F(PlanBudget, TheTimeOfPlanningIsLimited) {
  Budget little;
  little.time_ms = 20;
  SystemClock clock;
  const std::int64_t begin = clock.monotonic_nanoseconds();
  EXPECT_EQ(code_of(ask(20'000, little)), ErrorCode::kTimeout);
  EXPECT_LT(clock.monotonic_nanoseconds() - begin, std::int64_t{3'000'000'000});
}

TEST_F(PlanBudget, AStopReachesThePlanner) {
  std::stop_source source;
  source.request_stop();
  Budget budget;
  budget.stop = source.get_token();
  EXPECT_EQ(code_of(ask(2000, budget)), ErrorCode::kCancelled);
}

}  // namespace
}  // namespace anima::query
