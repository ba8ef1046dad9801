// How rules over a space follow it: what is evaluated again, what a failure leaves, what is given
// back.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <string>

#include "store/symbols.h"
#include "support/links.h"
#include "support/space_rules.h"

namespace anima::datalog::space_rule_updates_test {
namespace {

using rules_test::ask;
using rules_test::empty_space;
using rules_test::EntityId;
using rules_test::link;
using rules_test::over;
using rules_test::Texts;

TEST(SpaceRuleUpdates, ARelationThatNoRuleMentionsCostsNoEvaluation) {
  const auto space = empty_space();
  test::link(*space, {{"a", "leads-to", "b"}});
  const auto rules = over(space->snapshot().value(),
                          "reach(X, Y) :- leads_to(X, Y).\n"
                          "reach(X, Z) :- leads_to(X, Y), reach(Y, Z).\n"
                          "odd(X, Y) :- reach(X, Y), X != Y.\n");
  for (int i = 0; i < 50; ++i) {
    test::link(*space, {{"a", "new" + std::to_string(i), "b"}});
    ASSERT_TRUE(*rules->refresh(*space));
  }
  EXPECT_EQ(rules->evaluations(), 1U);
  // It can be asked for and explained all the same.
  EXPECT_EQ(ask(*rules, "new7(\"a\", X)"), Texts{R"(new7("a","b"))"});
  const auto why = rules->why(R"(new7("a", "b"))");
  ASSERT_TRUE(why) << why.error().describe();
  EXPECT_EQ(why->grounds.premises.size(), 1U);
  EXPECT_TRUE(rules->why_not(R"(new7("a", "c"))"));
  EXPECT_FALSE(rules->state()->ask("new50(X, Y)"));
  EXPECT_EQ(rules->evaluations(), 1U);
  // A rule has it as its head: now it matters.
  test::link(*space, {{"c", "odd", "d"}});
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(rules->evaluations(), 2U);
  EXPECT_EQ(ask(*rules, "odd(X, Y)"), (Texts{R"(odd("a","b"))", R"(odd("c","d"))"}));
}

// Sets an attribute of an entity.
void set(store::Space& space, const std::string& name, const std::string& key, std::int32_t value) {
  ASSERT_TRUE(space.write({}, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const EntityId e, t.upsert_concept(store::kEntityType, name));
    return t.set_attribute(e, key, std::vector{store::Term::integer(value)});
  }));
}

constexpr const char* kFragile =
    "share(X, N) :- attribute(X, \"parts\", P), N = fn:div(100, P).\n"
    "big(X) :- share(X, N), N > 10.\n"
    "small(X) :- concept(X, _, _), !share(X, _).\n"
    "reach(X, Y) :- leads_to(X, Y).\n"
    "reach(X, Z) :- leads_to(X, Y), reach(Y, Z).\n";

TEST(SpaceRuleUpdates, ARuleThatFailsOnNewDataLeavesTheOthersCurrent) {
  const auto space = empty_space();
  test::link(*space, {{"n0", "leads-to", "n1"}});
  set(*space, "a", "parts", 4);
  const auto rules = over(space->snapshot().value(), kFragile);
  EXPECT_EQ(ask(*rules, "share(X, N)"), Texts{R"(share("a",25))"});
  set(*space, "b", "parts", 0);
  // It is said once, with the place of the rule.
  const auto told = rules->refresh(*space);
  ASSERT_FALSE(told);
  EXPECT_TRUE(told.error().where.starts_with("test.mg:1:")) << told.error().where;
  EXPECT_NE(told.error().message.find("zero"), std::string::npos) << told.error().message;
  EXPECT_FALSE(*rules->refresh(*space));
  EXPECT_EQ(rules->state()->sequence, space->snapshot().value().sequence());
  const std::uint64_t before = rules->evaluations();
  for (int i = 1; i <= 100; ++i) {
    const std::string next = "n" + std::to_string(i + 1);
    test::link(*space, {{"n" + std::to_string(i), "leads-to", next}});
    const auto done = rules->refresh(*space);
    ASSERT_TRUE(done && *done) << i << " " << done.error().describe();
    ASSERT_EQ(rules->state()->sequence, space->snapshot().value().sequence());
    ASSERT_EQ(ask(*rules, "reach(\"n0\", X)").size(), static_cast<std::size_t>(i) + 1);
  }
  // Each try is two evaluations, and they get fewer.
  EXPECT_LE(rules->evaluations() - before, 2U * 8U);
  // What needs the rule is not answered as if it derived nothing.
  for (const char* question : {"share(X, N)", "big(X)", "small(X)"}) {
    const auto answer = rules->state()->ask(question);
    ASSERT_FALSE(answer) << question;
    EXPECT_TRUE(answer.error().where.starts_with("test.mg:1:"));
  }
  EXPECT_FALSE(rules->why(R"(small("n1"))"));
  // The others start with bad data too, and the rule is back when the data are good.
  const auto fresh = over(space->snapshot().value(), kFragile);
  ASSERT_NE(fresh, nullptr);
  EXPECT_EQ(ask(*fresh, "reach(\"n0\", X)").size(), 101U);
  EXPECT_FALSE(fresh->state()->ask("share(X, N)"));
  set(*space, "b", "parts", 50);
  ASSERT_TRUE(*fresh->refresh(*space));
  EXPECT_EQ(ask(*fresh, "share(X, N)"), (Texts{R"(share("a",25))", R"(share("b",2))"}));
  EXPECT_EQ(ask(*fresh, "big(X)"), Texts{R"(big("a"))"});
}

TEST(SpaceRuleUpdates, AFailureOfTheWholeIsTriedLessAndLess) {
  const auto space = empty_space();
  test::link(*space, {{"n0", "next", "n1"}});
  SpaceRulesOptions options;
  options.limits.max_derived_rows = 3;
  const auto rules = over(space->snapshot().value(), "p(X, Y) :- next(X, Y).\n", options);
  for (int i = 1; i < 100; ++i) {
    test::link(*space, {{"n" + std::to_string(i), "next", "n" + std::to_string(i + 1)}});
    if (i < 10) continue;
    EXPECT_EQ(rules->refresh(*space).error().code, ErrorCode::kLimitExceeded);
  }
  EXPECT_LE(rules->evaluations(), 8U);
}

TEST(SpaceRuleUpdates, WhatFailedIsTriedAgainByTheClockThatIsGiven) {
  const auto space = empty_space();
  test::link(*space, {{"n", "leads-to", "m"}});
  set(*space, "a", "parts", 0);
  const auto clock = std::make_shared<ManualClock>(Timestamp{1'000'000'000});
  SpaceRulesOptions options;
  options.clock = clock;
  const auto rules = over(space->snapshot().value(), kFragile, options);
  // The first try again is due at once; then nothing is until the clock moves.
  for (int i = 0; i < 3; ++i) {
    test::link(*space, {{"n" + std::to_string(i), "leads-to", "m"}});
    ASSERT_TRUE(*rules->refresh(*space));
  }
  const std::uint64_t before = rules->evaluations();
  test::link(*space, {{"x", "leads-to", "m"}});
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_EQ(rules->evaluations(), before);
  clock->advance(3'600'000'000);
  test::link(*space, {{"y", "leads-to", "m"}});
  ASSERT_TRUE(*rules->refresh(*space));
  EXPECT_GT(rules->evaluations(), before);
}

std::uint64_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// What one entry makes is of no use after the next, and is given back.
TEST(SpaceRuleMemory, ALongFollowGivesItsValuesBack) {
  const auto space = empty_space();
  constexpr int kThings = 500;
  const auto say = [&](int i) { set(*space, "e" + std::to_string(i % kThings), "n", i); };
  for (int i = 0; i < kThings; ++i) say(i);
  SpaceRulesOptions options;
  options.spare_value_bytes = 256 << 10;
  const char* const text =
      "told(X, T) :- attribute(X, \"n\", N), "
      "T = fn:string:concat(\"what nobody said before: \", N).\n"
      "pair(X, P) :- told(X, T), P = fn:pair(T, T).\n";
  auto rules = over(space->snapshot().value(), text, options);
  const int entries = std::getenv("ANIMA_TEST_FULL") != nullptr ? 1'000'000 : 50'000;
  std::size_t first_most = 0, last_most = 0;
  for (int i = 1; i <= entries; ++i) {
    say(i + kThings);
    ASSERT_TRUE(*rules->refresh(*space));
    const std::size_t now = rules->state()->values->bytes();
    if (i <= entries / 5) first_most = std::max(first_most, now);
    if (i > entries - entries / 5) last_most = std::max(last_most, now);
  }
  EXPECT_EQ(ask(*rules, "told(X, T)").size(), static_cast<std::size_t>(kThings));
  EXPECT_EQ(
      ask(*rules, "told(X, \"what nobody said before: " + std::to_string(entries + kThings) + "\")")
          .size(),
      1U);
  EXPECT_GT(rules->evaluations(), 5U);
  EXPECT_LE(last_most, first_most + first_most / 20);
  // Nothing else of the engine grows either: it holds little more than one that has just begun.
  const std::uint64_t all = heap_bytes();
  rules.reset();
  const std::uint64_t old_one = all - heap_bytes();
  rules = over(space->snapshot().value(), text, options);
  const std::uint64_t with_new = heap_bytes();
  rules.reset();
  const std::uint64_t new_one = with_new - heap_bytes();
  EXPECT_LE(old_one, new_one + new_one / 20 + last_most);
}

}  // namespace
}  // namespace anima::datalog::space_rule_updates_test
