#include "llm/budget.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "llm/models.h"
#include "support/called_model.h"

namespace anima::llm::budget_test {
namespace {

using Period = BudgetConfig::Period;

TEST(Budget, LevelsHaveTheirBoundaries) {
  // The table of the specification: a boundary belongs to the lower level.
  EXPECT_EQ(level_of(1.0), BudgetLevel::kNormal);
  EXPECT_EQ(level_of(0.601), BudgetLevel::kNormal);
  EXPECT_EQ(level_of(0.60), BudgetLevel::kConservation);
  EXPECT_EQ(level_of(0.30), BudgetLevel::kDegradation);
  EXPECT_EQ(level_of(0.10), BudgetLevel::kEndTimes);
  EXPECT_EQ(level_of(0.0), BudgetLevel::kHalt);
}

TEST(Budget, LevelsChangeTheTier) {
  ThinkContext design, routine, plain;
  design.involves_new_design = true;
  routine.is_routine = true;
  const auto tier = [](BudgetLevel level, ThinkContext context, bool critical = false) {
    context.critical = critical;
    const auto found = tier_under(level, context);
    return found ? static_cast<int>(*found) : 0;
  };
  EXPECT_EQ(tier(BudgetLevel::kNormal, design), 1);
  EXPECT_EQ(tier(BudgetLevel::kConservation, design), 2);
  EXPECT_EQ(tier(BudgetLevel::kConservation, design, true), 1);
  EXPECT_EQ(tier(BudgetLevel::kConservation, routine), 3);
  EXPECT_EQ(tier(BudgetLevel::kDegradation, design, true), 3);
  EXPECT_EQ(tier(BudgetLevel::kEndTimes, plain), 0);
  EXPECT_EQ(tier(BudgetLevel::kEndTimes, plain, true), 3);
  ThinkContext saving;
  saving.preserves_knowledge = true;
  EXPECT_EQ(tier(BudgetLevel::kEndTimes, saving), 3);
  EXPECT_EQ(tier(BudgetLevel::kHalt, saving, true), 0);
}

class BudgetAccount : public testing::Test {
 protected:
  Budget budget(std::int64_t tokens, double money, Period period = Period::kTotal) {
    return {{tokens, money, period}, system_files(), folder_.file("state/account.json"), clock_};
  }
  TemporaryDirectory folder_;
  ManualClock clock_{*parse_timestamp("2026-11-23T08:00:00Z")};
};

TEST_F(BudgetAccount, HoldsSettlesAndStops) {
  Budget account = budget(1000, 0);
  const auto hold = account.admit({600, 0});
  ASSERT_TRUE(hold) << hold.error().describe();
  EXPECT_EQ(account.state()->fraction_left, 0.4);
  const auto second = account.admit({500, 0});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(second.error().message.find("leaves 400 tokens"), std::string::npos);
  ASSERT_TRUE(account.settle(*hold, {100, 0}));
  EXPECT_EQ(account.state()->fraction_left, 0.9);
  ASSERT_TRUE(account.admit({900, 0}));
  EXPECT_EQ(account.state()->level, BudgetLevel::kHalt);
  EXPECT_EQ(system_files().info(folder_.file("state/account.json"))->permissions, 0600U);
}

TEST_F(BudgetAccount, MoneyCountsToo) {
  Budget account = budget(0, 2.0);
  ModelConfig model;
  model.price_in = 3;
  model.price_out = 15;
  Usage usage;
  usage.input_tokens = 100'000;
  usage.output_tokens = 20'000;
  const Spending cost = cost_of(model, usage);
  EXPECT_DOUBLE_EQ(cost.money, 0.6);
  ASSERT_TRUE(account.settle(*account.admit(cost), cost));
  EXPECT_DOUBLE_EQ(account.state()->fraction_left, 0.7);
  EXPECT_FALSE(account.admit({1, 1.5}));
}

TEST_F(BudgetAccount, APeriodBeginsAnew) {
  Budget account = budget(100, 0, Period::kDay);
  ASSERT_TRUE(account.settle(*account.admit({100, 0}), {100, 0}));
  EXPECT_FALSE(account.admit({1, 0}));
  clock_.set(*parse_timestamp("2026-11-24T00:00:00Z"));
  EXPECT_TRUE(account.admit({1, 0}));
}

TEST_F(BudgetAccount, WhatADeadProcessHeldComesBack) {
  ASSERT_TRUE(budget(100, 0).admit({100, 0}));
  Budget other = budget(100, 0);
  EXPECT_FALSE(other.admit({1, 0}));
  clock_.advance(3600LL * 1'000'000);
  EXPECT_TRUE(other.admit({1, 0}));
}

TEST_F(BudgetAccount, CallsAtOneTimeDoNotPassTheLimit) {
  std::atomic<int> admitted = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        Budget account = budget(10, 0);
        for (int call = 0; call < 10; ++call) admitted += account.admit({1, 0}) ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(admitted, 10);
}

TEST_F(BudgetAccount, AModelIsStoppedBeforeItsServerIsAsked) {
  test::CalledModel called;
  called.config.max_tokens = 1000;
  called.server.answer(test::json_answer(test::chat_reply("yes")));
  Budget account = budget(1500, 0);
  const auto model = make_budgeted_model(called.model(), account);
  Request request;
  request.messages.push_back(user_message("?"));
  ASSERT_TRUE(model->complete(request));
  EXPECT_EQ(account.state()->spent.tokens, 17);
  EXPECT_EQ(account.state()->held.tokens, 0);
  request.max_tokens = 1490;
  const auto over = model->complete(request);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(called.server.count(), 1U);
}

TEST_F(BudgetAccount, ABrokenAccountIsSaid) {
  ASSERT_TRUE(system_files().make_directories(folder_.file("state")));
  ASSERT_TRUE(replace_file(system_files(), folder_.file("state/account.json"), "nonsense"));
  const auto state = budget(10, 0).state();
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace anima::llm::budget_test
