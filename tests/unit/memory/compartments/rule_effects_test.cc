// What a change would do to what the rules derive.
#include "memory/compartments/rule_effects.h"

#include <gtest/gtest.h>

#include "store/symbols.h"
#include "support/links.h"

namespace anima::memory {
namespace {

const std::vector<RuleSource> kRules = {
    {"c", "r.mg",
     "reaches(X, Y) :- road(X, Y).\nreaches(X, Z) :- road(X, Y), reaches(Y, Z).\n"
     "lonely(X) :- town(X, _), !linked(X).\nlinked(X) :- road(X, _).\n"}};

TEST(RuleEffects, GainsAndLossesAreNamed) {
  const auto space = *store::Space::in_memory();
  test::link(*space, {{"b", "road", "c"}, {"a", "town", "yes"}, {"b", "town", "yes"}});
  const store::Snapshot before = space->snapshot().value();
  const auto branch = space->what_if(before);
  ASSERT_TRUE(test::link(branch->transaction(), "a", "road", "b").has_value());
  const auto effects = rule_effects(before, branch->view(), kRules);
  ASSERT_TRUE(effects.has_value()) << effects.error().describe();
  EXPECT_EQ(effects->gained, (std::vector<std::string>{R"(linked("a"))", R"(reaches("a","b"))",
                                                       R"(reaches("a","c"))"}));
  EXPECT_EQ(effects->lost, std::vector<std::string>{R"(lonely("a"))"});
  EXPECT_EQ(effects->gained_total, 3U);
  EXPECT_EQ(effects->lost_total, 1U);
}

TEST(RuleEffects, RulesThatReadNothingOfItAreNotRun) {
  EXPECT_FALSE(*rules_read(kRules, {"likes"}));
  EXPECT_TRUE(*rules_read(kRules, {"likes", "road"}));
  EXPECT_FALSE(*rules_read({}, {"road"}));
}

TEST(RuleEffects, BrokenRulesAreAnError) {
  const auto space = *store::Space::in_memory();
  const store::Snapshot now = space->snapshot().value();
  EXPECT_FALSE(rule_effects(now, now, {{"c", "r.mg", "p(X :- q(X)."}}).has_value());
}

}  // namespace
}  // namespace anima::memory
