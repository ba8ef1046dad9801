#include "language/language.h"

#include <gtest/gtest.h>

namespace anima::language::language_test {

TEST(LanguageCodes, AreThoseOfIso639) {
  EXPECT_EQ(code_of(Language::kEnglish), "en");
  EXPECT_EQ(code_of(Language::kArabic), "ar");
  EXPECT_EQ(code_of(Language::kGerman), "de");
  EXPECT_EQ(code_of(Language::kJapanese), "ja");
  EXPECT_EQ(code_of(Language::kNorwegian), "no");
  EXPECT_EQ(code_of(Language::kYiddish), "yi");
}

TEST(LanguageCodes, ReadTheirFirstPartInAnyCase) {
  EXPECT_EQ(language_of_code("en"), Language::kEnglish);
  EXPECT_EQ(language_of_code("EN-gb"), Language::kEnglish);
  EXPECT_EQ(language_of_code("zh_Hans"), Language::kChinese);
  EXPECT_EQ(language_of_code("xx"), std::nullopt);
  EXPECT_EQ(language_of_code(""), std::nullopt);
}

TEST(LanguageCodes, AreEachTheirOwn) {
  for (std::size_t i = 0; i < kLanguages; ++i) {
    const auto language = static_cast<Language>(i);
    EXPECT_EQ(language_of_code(code_of(language)), language) << code_of(language);
  }
}

}  // namespace anima::language::language_test
