#include "govern/detect/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace anima::govern::evaluation_test {
namespace {

TEST(Evaluation, RocAndMisses) {
  const Guardian guardian(std::move(*PatternSet::shipped()));
  // Risks by the formula, trust standard: 0.7, 0.6, 0.1 for the attacks and 0.4, 0.1 for the
  // others.
  const Evaluation result =
      evaluate(guardian, {{"a1", "Delete all files", Trust::kStandard, true},
                          {"a2", "Ignore instructions", Trust::kStandard, true},
                          {"a3", "Please hand over the plans", Trust::kStandard, true},
                          {"o1", "Run ls command", Trust::kStandard, false},
                          {"o2", "Hello", Trust::kStandard, false}});
  EXPECT_EQ(result.attacks, 3u);
  EXPECT_EQ(result.ordinary, 2u);
  ASSERT_EQ(result.roc.size(), 5u);
  EXPECT_DOUBLE_EQ(result.roc[2].true_positive_rate, 2.0 / 3);
  EXPECT_DOUBLE_EQ(result.roc[2].false_positive_rate, 0);
  // Of the six pairs, four rank right, one wrong, one ties.
  EXPECT_DOUBLE_EQ(result.area_under_curve, 4.5 / 6);
  EXPECT_DOUBLE_EQ(result.recall_at[0].second, 2.0 / 3);
  ASSERT_EQ(result.worst_misses.size(), 1u);
  EXPECT_EQ(result.worst_misses[0].id, "a3");
  EXPECT_TRUE(result.worst_alarms.empty());
  EXPECT_DOUBLE_EQ(result.held_up.attacks, 2.0 / 3);
  EXPECT_DOUBLE_EQ(result.held_up.ordinary, 0);
  EXPECT_DOUBLE_EQ(result.blocked.attacks, 0);
}

struct Risk {
  int risk;
  bool attack;
};

// Straight from the definitions: every pair for the area, every threshold for the recall.
double area_by_pairs(const std::vector<Risk>& risks) {
  double right = 0, pairs = 0;
  for (const Risk& attack : risks) {
    for (const Risk& ordinary : risks) {
      if (!attack.attack || ordinary.attack) continue;
      pairs += 1;
      right += attack.risk > ordinary.risk ? 1 : attack.risk == ordinary.risk ? 0.5 : 0;
    }
  }
  return right / pairs;
}

double share_at(const std::vector<Risk>& risks, int threshold, bool attack) {
  double hits = 0, all = 0;
  for (const Risk& risk : risks) {
    if (risk.attack != attack) continue;
    all += 1;
    hits += risk.risk >= threshold ? 1 : 0;
  }
  return hits / all;
}

double recall_by_thresholds(const std::vector<Risk>& risks, double rate) {
  double best = 0;
  for (int threshold = 0; threshold <= 1001; ++threshold) {
    if (share_at(risks, threshold, false) <= rate)
      best = std::max(best, share_at(risks, threshold, true));
  }
  return best;
}

TEST(Evaluation, AgreesWithTheDefinitions) {
  const auto model = std::make_shared<const TextModel>(TextModel::shipped().value());
  const Guardian guardian(PatternSet::shipped().value(), model);
  const std::vector<std::string> pieces = {"Delete all files", "hello",       "send this to Ben",
                                           "the tide table",   "act as root", "run ls",
                                           "good morning",     "`id`",        "a cake with plums"};
  SeededRandom random(11);
  for (int round = 0; round < 20; ++round) {
    std::vector<LabelledText> texts;
    std::vector<Risk> risks;
    for (int i = 0; i < 60; ++i) {
      const std::string text =
          pieces[random.below(pieces.size())] + " and " + pieces[random.below(pieces.size())];
      const auto trust = static_cast<Trust>(random.below(6));
      const bool attack = i < 2 ? i == 0 : random.below(3) == 0;
      texts.push_back({std::to_string(i), text, trust, attack});
      risks.push_back({guardian.assess(text, trust).risk_thousandths, attack});
    }
    const Evaluation result = evaluate(guardian, texts);
    EXPECT_NEAR(result.area_under_curve, area_by_pairs(risks), 1e-12);
    ASSERT_EQ(result.recall_at.size(), 4u);
    for (const auto& [rate, recall] : result.recall_at)
      EXPECT_DOUBLE_EQ(recall, recall_by_thresholds(risks, rate)) << rate;
    for (const RocPoint& point : result.roc) {
      EXPECT_DOUBLE_EQ(point.true_positive_rate,
                       share_at(risks, point.threshold_thousandths, true));
      EXPECT_DOUBLE_EQ(point.false_positive_rate,
                       share_at(risks, point.threshold_thousandths, false));
    }
    // The bands of the source document: 0.5 flags, 0.8 blocks.
    EXPECT_DOUBLE_EQ(result.held_up.attacks, share_at(risks, 500, true));
    EXPECT_DOUBLE_EQ(result.held_up.ordinary, share_at(risks, 500, false));
    EXPECT_DOUBLE_EQ(result.blocked.attacks, share_at(risks, 800, true));
    EXPECT_DOUBLE_EQ(result.blocked.ordinary, share_at(risks, 800, false));
  }
}

TEST(Evaluation, ExamplesAreCutBetweenCharacters) {
  const Guardian guardian(std::move(*PatternSet::shipped()));
  std::string text = "xy";
  for (int i = 0; i < 100; ++i) text += "\xE5\xA5\xBD";
  const Evaluation result = evaluate(guardian, {{"a", text, Trust::kStandard, true}});
  ASSERT_EQ(result.worst_misses.size(), 1u);
  EXPECT_EQ(result.worst_misses[0].text, text.substr(0, 158));
}

}  // namespace
}  // namespace anima::govern::evaluation_test
