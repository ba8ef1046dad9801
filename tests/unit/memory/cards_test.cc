// Governance table rows 68-71: the schedules that the specification prints.
#include "memory/cards.h"

#include <gtest/gtest.h>

namespace anima::memory {
namespace {

constexpr std::int64_t kDay = 86'400LL * 1'000'000;

struct Schedule {
  std::vector<std::int64_t> intervals;
  std::vector<int> eases;
};

Schedule schedule(const std::vector<int>& qualities) {
  Card card = new_card("c", "front", "back", Timestamp{0});
  Schedule result;
  for (const int quality : qualities) {
    EXPECT_TRUE(review(card, quality, card.next));
    result.intervals.push_back(card.interval_days);
    result.eases.push_back(card.ease_hundredths);
  }
  return result;
}

TEST(Cards, Row68Success) {
  const Schedule mixed = schedule({5, 5, 5, 5, 4, 3, 2, 5, 5});
  EXPECT_EQ(mixed.intervals, (std::vector<std::int64_t>{1, 6, 17, 49, 142, 392, 1, 1, 6}));
  EXPECT_EQ(mixed.eases, (std::vector<int>{260, 270, 280, 290, 290, 276, 276, 286, 296}));
  EXPECT_EQ(schedule({4, 4, 4, 4}).intervals, (std::vector<std::int64_t>{1, 6, 15, 38}));
}

TEST(Cards, Row69FailureStartsAgain) {
  Card card = new_card("c", "f", "b", Timestamp{0});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(review(card, 5, card.next));
  const int ease = card.ease_hundredths;
  EXPECT_TRUE(review(card, 0, Timestamp{100 * kDay}));
  EXPECT_EQ(card.interval_days, 1);
  EXPECT_EQ(card.repetitions, 0);
  EXPECT_EQ(card.ease_hundredths, ease);
  EXPECT_EQ(card.next.microseconds, 101 * kDay);
}

TEST(Cards, Row70EaseFloor) {
  const Schedule threes = schedule(std::vector<int>(10, 3));
  EXPECT_EQ(threes.intervals,
            (std::vector<std::int64_t>{1, 6, 12, 23, 41, 68, 103, 142, 185, 241}));
  EXPECT_EQ(threes.eases[8], 130);
  EXPECT_EQ(threes.eases[9], 130);
}

TEST(Cards, Row71FirstDueIsTomorrow) {
  EXPECT_EQ(new_card("c", "f", "b", Timestamp{0}).next.microseconds, kDay);
}

TEST(Cards, AStoredOneThatLacksAPartIsRefused) {
  const Json whole = new_card("c", "front", "back", Timestamp{0}).to_json();
  ASSERT_TRUE(Card::from_json(whole));
  for (const JsonMember& member : whole.as_object()) {
    const std::string& key = member.first;
    Json less = whole;
    std::erase_if(less.as_object(), [&](const JsonMember& each) { return each.first == key; });
    EXPECT_EQ(Card::from_json(less).error().code, ErrorCode::kCorrupt) << key;
    Json other = whole;
    other.set(key, Json::array());
    EXPECT_EQ(Card::from_json(other).error().code, ErrorCode::kCorrupt) << key;
  }
  for (const auto& [key, value] :
       {std::pair{"ease", 1.29}, std::pair{"interval", -1.0}, std::pair{"repetitions", -1.0}}) {
    Json other = whole;
    other.set(key, value);
    EXPECT_EQ(Card::from_json(other).error().code, ErrorCode::kCorrupt) << key;
  }
}

TEST(Cards, SurviveStorage) {
  Card card = new_card("c", "Was ist \"Graz\"?", "eine Stadt", Timestamp{12'345'678});
  EXPECT_TRUE(review(card, 3, card.next));
  const auto again = Card::from_json(card.to_json());
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(again->to_json(), card.to_json());
}

}  // namespace
}  // namespace anima::memory
