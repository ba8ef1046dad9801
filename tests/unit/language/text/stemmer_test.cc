// The stems of libstemmer, in each language that it is asked for.
#include "language/text/stemmer.h"

#include <gtest/gtest.h>

#include <string>

namespace anima::language::stemmer_test {
namespace {

std::string stem(Language language, std::string_view word) {
  return std::string(Stemmer(language).stem(word));
}

// Words and stems of the lists that Snowball publishes.
TEST(Stemmer, FormsOfAWordShareAStem) {
  EXPECT_EQ(stem(Language::kEnglish, "consistency"), "consist");
  EXPECT_EQ(stem(Language::kEnglish, "knightly"), "knight");
  EXPECT_EQ(stem(Language::kGerman, "aufenthalt"), "aufenthalt");
  EXPECT_EQ(stem(Language::kGerman, "häuser"), stem(Language::kGerman, "haus"));
  EXPECT_EQ(stem(Language::kFrench, "continuellement"), "continuel");
  EXPECT_EQ(stem(Language::kSpanish, "chicas"), "chic");
}

TEST(Stemmer, RemembersNoOtherWordsStem) {
  Stemmer stemmer(Language::kEnglish);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5000; ++i) {
      const std::string word = "w" + std::to_string(i) + "ings";
      EXPECT_EQ(stemmer.stem(word), stem(Language::kEnglish, word)) << word;
    }
  }
}

TEST(Stemmer, HasEveryLanguageOfTheLibrary) {
  // The algorithms of libstemmer 2.2 but "porter", which is an older one for English.
  EXPECT_EQ(stemmed_languages().size(), 28u);
  EXPECT_EQ(stem(Language::kFinnish, "talossa"), stem(Language::kFinnish, "talo"));
  EXPECT_EQ(stem(Language::kRussian, "книги"), stem(Language::kRussian, "книга"));
  EXPECT_EQ(stem(Language::kCzech, "města"), "města");
}

TEST(Stemmer, WhatIsNoWordStaysAsItIs) {
  EXPECT_EQ(stem(Language::kEnglish, ""), "");
  const std::string long_word(65, 'e');
  EXPECT_EQ(stem(Language::kEnglish, long_word), long_word);
  EXPECT_EQ(stem(Language::kEnglish, "\xff"), "\xff");
}

}  // namespace
}  // namespace anima::language::stemmer_test
