// The stems of libstemmer, in each language that it is asked for.
#include "base/text/stemmer.h"

#include <gtest/gtest.h>

#include <string>

namespace anima::stemmer_test {
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

TEST(Stemmer, WhatIsNoWordStaysAsItIs) {
  EXPECT_EQ(stem(Language::kEnglish, ""), "");
  const std::string long_word(65, 'e');
  EXPECT_EQ(stem(Language::kEnglish, long_word), long_word);
  EXPECT_EQ(stem(Language::kEnglish, "\xff"), "\xff");
}

}  // namespace
}  // namespace anima::stemmer_test
