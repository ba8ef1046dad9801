// Rows D1 to D13 of the acceptance table: the law of forgetting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "unit/learn/world.h"

namespace anima::learn::decay_test {
namespace {

using ::testing::IsEmpty;

class Decay : public test::World {
 protected:
  void SetUp() override {
    World::SetUp();
    learn_one();
  }
  void learn_one() { ASSERT_TRUE(save("coder", "avoid_pattern", R"(["x"])").saved()); }
  void without_horizon() {
    StoreOptions options;
    options.law.horizon_days = 0;
    open(options);
  }
};

TEST_F(Decay, D1_NoneInTheFirstWeek) {
  pass(7 * test::kDay - 3600 * test::kSecond);
  EXPECT_EQ(confidence("coder"), 1.0);
  EXPECT_EQ(decay("coder").decayed, 0U);
}

TEST_F(Decay, D2_TheSeventhDay) {
  pass(7 * test::kDay);
  EXPECT_DOUBLE_EQ(confidence("coder"), 0.9);
}

TEST_F(Decay, D3_Weeks) {
  for (const double expected : {0.9, 0.81, 0.729, 0.6561}) {
    pass(7 * test::kDay);
    EXPECT_NEAR(confidence("coder"), expected, 1e-12);
  }
}

TEST_F(Decay, D4_TwiceChangesNothing) {
  pass(15 * test::kDay);
  EXPECT_EQ(decay("coder").decayed, 1U);
  EXPECT_NEAR(everything("coder")[0].confidence, 0.81, 1e-12);
  EXPECT_EQ(decay("coder").decayed, 0U);
  EXPECT_NEAR(everything("coder")[0].confidence, 0.81, 1e-12);
}

TEST_F(Decay, D5_HowOftenDoesNotMatter) {
  ASSERT_TRUE(save("tester", "avoid_pattern", R"(["x"])").saved());
  for (int day = 0; day < 28; ++day) {
    pass(test::kDay);
    decay("coder");
  }
  decay("tester");
  EXPECT_EQ(everything("coder")[0].confidence, everything("tester")[0].confidence);
  EXPECT_NEAR(everything("coder")[0].confidence, 0.6561, 1e-12);
}

TEST_F(Decay, D6_ALateFactorKeepsWhatWasApplied) {
  pass(14 * test::kDay);
  decay("coder", 0.9);
  pass(7 * test::kDay);
  decay("coder", 0.5);
  EXPECT_NEAR(everything("coder")[0].confidence, 0.405, 1e-12);
}

TEST_F(Decay, D7_Horizon) {
  pass(60 * test::kDay);
  EXPECT_EQ(decay("coder").forgotten, 0U);
  EXPECT_NEAR(confidence("coder"), 0.43046721, 1e-12);
  pass(test::kSecond);
  EXPECT_THAT(visible("coder"), IsEmpty());  // also before it is written down
  EXPECT_EQ(decay("coder").forgotten, 1U);
  EXPECT_THAT(everything("coder"), IsEmpty());
}

TEST_F(Decay, D8_WithoutAHorizon) {
  without_horizon();
  pass(153 * test::kDay);
  EXPECT_EQ(decay("coder").forgotten, 0U);
  EXPECT_NEAR(confidence("coder"), 0.1094, 1e-4);
  pass(test::kDay);
  EXPECT_EQ(decay("coder").forgotten, 1U);
}

TEST_F(Decay, D9_Invisible) {
  without_horizon();
  pass(83 * test::kDay);
  EXPECT_EQ(visible("coder").size(), 1U);
  EXPECT_NEAR(confidence("coder"), 0.3138, 1e-4);
  pass(test::kDay);
  EXPECT_THAT(visible("coder"), IsEmpty());
  EXPECT_NEAR(confidence("coder"), 0.2824, 1e-4);
}

TEST_F(Decay, D10_LoadingDoesNotWrite) {
  pass(30 * test::kDay);
  open();
  const std::string path = store_->path_of("coder");
  const auto before = system_files().info(path);
  const std::string bytes = *read_file(system_files(), path);
  EXPECT_EQ(visible("coder").size(), 1U);
  EXPECT_NEAR(confidence("coder"), 0.6561, 1e-12);
  EXPECT_EQ(system_files().info(path)->modified, before->modified);
  EXPECT_EQ(*read_file(system_files(), path), bytes);
  EXPECT_EQ(everything("coder")[0].confidence, 1.0);
  EXPECT_EQ(everything("coder")[0].decay_steps, 0);
}

TEST_F(Decay, D11_ReinforcementTakesTheEffectiveValue) {
  pass(14 * test::kDay);
  learn_one();
  EXPECT_NEAR(confidence("coder"), 0.91, 1e-12);
  EXPECT_EQ(everything("coder")[0].decay_steps, 0);
}

TEST_F(Decay, D12_FactorRange) {
  pass(14 * test::kDay);
  for (const double factor : {0.0, -1.0, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    const auto report = store_->decay("coder", factor);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(everything("coder")[0].decay_steps, 0);
  EXPECT_EQ(decay("coder", 1.0).decayed, 1U);  // the windows are counted
  EXPECT_EQ(everything("coder")[0].confidence, 1.0);
}

TEST_F(Decay, D13_AClockThatGoesBack) {
  pass(-30 * test::kDay);
  EXPECT_EQ(confidence("coder"), 1.0);
  pass(51 * test::kDay);
  decay("coder");
  pass(-21 * test::kDay);
  EXPECT_NEAR(confidence("coder"), 0.729, 1e-12);  // never more than is written
}

}  // namespace
}  // namespace anima::learn::decay_test
