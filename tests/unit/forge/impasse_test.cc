// A goal that came to nothing makes a need, and the rules and the gate decide (section 5).
#include "forge/impasse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace anima::forge::impasse_test {
namespace {

std::optional<Need> need_of(const Impasse& impasse) {
  const auto need = need_of_impasse(impasse);
  EXPECT_TRUE(need.has_value()) << need.error().describe();
  return need ? *need : std::nullopt;
}

TEST(Impasse, TheWordsOfTheGoalNameTheTool) {
  const auto need =
      need_of({"count the words of the text \"one two\"", "nothing serves this goal"});
  ASSERT_TRUE(need.has_value());
  EXPECT_EQ(need->name, "text_words");
  EXPECT_EQ(need->purpose, "count the words of the text \"one two\"");
  EXPECT_TRUE(need->strong_evidence());
  EXPECT_THAT(need->reasoning, ::testing::HasSubstr("nothing serves"));
  EXPECT_EQ(need_of({"the total of a column of a CSV table", "it failed"})->name, "csv_sum");
  EXPECT_EQ(need_of({"evaluate the formula 2+3", "it failed"})->name, "calculate");
  EXPECT_FALSE(need_of({"brew a cup of coffee", "it failed"}).has_value());
}

TEST(Impasse, WhatIsThereForbiddenOrVetoedIsNoNeed) {
  Impasse impasse{"count the words of a text", "it failed"};
  ASSERT_TRUE(need_of(impasse).has_value());
  impasse.made = {"csv_sum"};
  EXPECT_TRUE(need_of(impasse).has_value());
  impasse.made = {"csv_sum", "text_words"};
  EXPECT_FALSE(need_of(impasse).has_value());
  impasse.made.clear();
  impasse.mode = "/production";
  EXPECT_FALSE(need_of(impasse).has_value());
  impasse.mode = "/development";
  impasse.vetoes = {"WORDS of"};
  EXPECT_FALSE(need_of(impasse).has_value());
}

}  // namespace
}  // namespace anima::forge::impasse_test
