#include "llm/router.h"

#include <gtest/gtest.h>

namespace anima::llm::router_test {
namespace {

ModelConfig model(std::string name, double price, std::optional<int> tier = {}) {
  ModelConfig config;
  config.name = std::move(name);
  config.price_in = price;
  config.price_out = 4 * price;
  config.tier = tier;
  return config;
}

std::string picked(const Router& router, ThinkTier tier) {
  const auto config = router.pick(tier);
  return config ? config->name : "none";
}

TEST(ThinkTiers, FollowTheTable) {
  ThinkContext context;
  EXPECT_EQ(classify(context), ThinkTier::kStandard);
  context.is_routine = true;
  EXPECT_EQ(classify(context), ThinkTier::kReflex);
  context.involves_new_design = true;  // goes before routine
  EXPECT_EQ(classify(context), ThinkTier::kStrategic);
  ThinkContext complex;
  complex.code_complexity = 0.7;
  EXPECT_EQ(classify(complex), ThinkTier::kStandard);
  complex.code_complexity = 0.71;
  EXPECT_EQ(classify(complex), ThinkTier::kStrategic);
  ThinkContext simple;
  simple.is_simple_decision = true;
  EXPECT_EQ(classify(simple), ThinkTier::kReflex);
}

TEST(Router, TakesTheTierElseACheaperElseADearerOne) {
  const Router whole({model("big", 10, 1), model("mid", 3, 2), model("small", 1, 3)});
  EXPECT_EQ(picked(whole, ThinkTier::kStrategic), "big");
  EXPECT_EQ(picked(whole, ThinkTier::kStandard), "mid");
  EXPECT_EQ(picked(whole, ThinkTier::kReflex), "small");
  const Router gap({model("big", 10, 1), model("small", 1, 3)});
  EXPECT_EQ(picked(gap, ThinkTier::kStandard), "small");
  const Router top({model("big", 10, 1)});
  EXPECT_EQ(picked(top, ThinkTier::kReflex), "big");
  EXPECT_EQ(picked(Router({}), ThinkTier::kReflex), "none");
}

TEST(Router, SortsModelsIntoTiersByPrice) {
  const Router router({model("a", 1), model("b", 30), model("c", 5), model("d", 0)});
  EXPECT_EQ(picked(router, ThinkTier::kStrategic), "b");
  EXPECT_EQ(picked(router, ThinkTier::kReflex), "d");
  EXPECT_EQ(picked(Router({model("alone", 0)}), ThinkTier::kStandard), "alone");
}

}  // namespace
}  // namespace anima::llm::router_test
