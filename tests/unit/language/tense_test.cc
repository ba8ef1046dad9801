// The time that a clause speaks of, around one word of it.
#include "language/statements/tense.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/packs.h"

namespace anima::language::tense_test {
namespace {

// Around the first lexeme that is the word.
Tense tense(std::string_view text, const std::string& word, std::string_view language = "en") {
  const Lexemes lexemes = cut_lexemes(text);
  const auto found = std::ranges::find(lexemes, word, &Lexeme::text);
  const auto at = static_cast<std::size_t>(found - lexemes.begin());
  return tense_around(lexemes, at, at + 1, *StatementWords::of(language));
}

TEST(Tense, IsThatOfTheClause) {
  EXPECT_EQ(tense("We met on Monday.", "monday"), Tense::kPast);
  EXPECT_EQ(tense("We will meet on Monday.", "monday"), Tense::kFuture);
  EXPECT_EQ(tense("They will be opened on Monday.", "monday"), Tense::kFuture);
  EXPECT_EQ(tense("They were opened on Monday.", "monday"), Tense::kPast);
  EXPECT_EQ(tense("The meeting is on Monday.", "monday"), Tense::kPresent);
  EXPECT_EQ(tense("We have met on Monday.", "monday"), Tense::kPast);
  EXPECT_EQ(tense("We should have met on Monday.", "monday"), Tense::kPast);
  EXPECT_EQ(tense("chess on Monday", "monday"), Tense::kUnknown);
  EXPECT_EQ(tense("We decided to meet on Monday.", "monday"), Tense::kUnknown);
  EXPECT_EQ(tense("He called, and on Monday we will meet.", "monday"), Tense::kFuture);
  EXPECT_EQ(tense("I was ill. On Monday we will meet.", "monday"), Tense::kFuture);
}

// Else each time of a text without an end of a sentence would read all of it.
TEST(Tense, IsNoneOfAVerbThatStandsFarAway) {
  std::string tea;
  for (int word = 0; word < 40; ++word) tea += " tea";
  EXPECT_EQ(tense("We met" + tea + " on Monday", "monday"), Tense::kPast);
  EXPECT_EQ(tense("We met" + tea + tea + " on Monday", "monday"), Tense::kUnknown);
}

TEST(Tense, OfOtherLanguages) {
  EXPECT_EQ(tense("Am Montag haben wir uns getroffen.", "montag", "de"), Tense::kPast);
  EXPECT_EQ(tense("Wir werden uns am Montag treffen.", "montag", "de"), Tense::kFuture);
  EXPECT_EQ(tense("Am Montag ist die Prüfung.", "montag", "de"), Tense::kPresent);
  EXPECT_EQ(tense("Lundi nous avons rencontré Paul.", "lundi", "fr"), Tense::kPast);
  EXPECT_EQ(tense("Nous allons voir Paul lundi.", "lundi", "fr"), Tense::kFuture);
  EXPECT_EQ(tense("El lunes nos vimos.", "lunes", "es"), Tense::kPast);
  EXPECT_EQ(tense("El lunes viajaremos.", "lunes", "es"), Tense::kFuture);
}

TEST(Tense, EachPackLoadsAndAMistakeIsSaid) {
  for (const std::string_view path : pack_files("packs/language/statements/")) {
    const auto words = StatementWords::from_toml(*pack_file(path), std::string(path));
    EXPECT_TRUE(words) << (words ? "" : words.error().message);
  }
  EXPECT_FALSE(StatementWords::from_toml("language = \"en\"\nnegations = []\n", "x.toml"));
  EXPECT_FALSE(StatementWords::from_toml("language = \"en\"\n[tense]\npast = [1]\n", "x.toml"));
}

}  // namespace
}  // namespace anima::language::tense_test
