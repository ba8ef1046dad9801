// What an evaluation holds beside relations counts against its budget.
#include <gtest/gtest.h>

#include "unit/datalog/engine_fixture.h"

namespace anima::datalog {
namespace {

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "n(" + std::to_string(i) + ").\n";
  return text;
}

TEST(Budget, ACrossProductUnderAnAggregateEndsInTheBudgetsError) {
  const std::vector<std::string> transforms = {
      "r(N) :- n(X), n(Y), n(Z) |> do fn:group_by(), let N = fn:count().",
      "r(N) :- n(X), n(Y), n(Z) |> do fn:group_by(), let N = fn:sum(Z).",
      "r(N) :- n(X), n(Y), n(Z) |> do fn:group_by(), let N = fn:count_distinct(X, Y).",
      "r(N) :- n(X), n(Y), n(Z) |> do fn:group_by(), let N = fn:collect(X, Y).",
      "r(N) :- n(X), n(Y), n(Z) |> do fn:group_by(), let N = fn:avg(X).",
      "r(X, Y, Z, N) :- n(X), n(Y), n(Z) |> do fn:group_by(X, Y, Z), let N = fn:count().",
  };
  for (const std::string& rule : transforms) {
    EngineOptions options;
    options.limits.max_bytes = std::uint64_t{24} << 20;
    const World world(numbers(500) + rule, options);
    EXPECT_EQ(world.failure(), ErrorCode::kLimitExceeded) << rule << " " << world.error();
    EXPECT_NE(world.error().find("memory"), std::string::npos) << world.error();
  }
}

TEST(Budget, WhatGroupsOfFactsKeepCounts) {
  std::string facts;
  for (int i = 0; i < 200'000; ++i) facts += "f(" + std::to_string(i) + ").\n";
  const std::string rule = "r(N) :- f(X) |> do fn:group_by(), let N = fn:collect(X).";
  EngineOptions few;
  few.limits.max_bytes = std::uint64_t{10} << 20;
  EXPECT_EQ(World(facts + rule, few).failure(), ErrorCode::kLimitExceeded);
  EngineOptions enough;
  enough.limits.max_bytes = std::uint64_t{100} << 20;
  EXPECT_EQ(World(facts + rule, enough).error(), "");
}

// What was held is given back: many small transactions do not use the budget up.
TEST(Budget, WhatWasHeldIsGivenBack) {
  World world(numbers(100) + "r(N) :- n(X), n(Y) |> do fn:group_by(), let N = fn:collect(X, Y).");
  ASSERT_EQ(world.error(), "");
  Limits limits;
  limits.max_bytes = std::uint64_t{64} << 20;
  for (int i = 0; i < 200; ++i) {
    const auto done = world.engine().transact(
        world.transaction({(i % 2 == 0 ? "+n(1000)" : "-n(1000)")}), limits);
    ASSERT_TRUE(done) << i << " " << done.error().describe();
  }
}

}  // namespace
}  // namespace anima::datalog
