// Whole numbers as five languages spell them.
#include "language/numbers/number_words.h"

#include <gtest/gtest.h>

#include "base/packs.h"

namespace anima::language::number_words_test {
namespace {

struct Spelled {
  const char* language;
  const char* text;
  std::int64_t value;
  std::size_t lexemes;
};

TEST(NumberWords, WhatIsSpelledIsRead) {
  for (const Spelled& one :
       std::initializer_list<Spelled>{{"en", "twenty-three days", 23, 3},
                                      {"en", "a hundred", -1, 0},
                                      {"en", "two hundred and five pages", 205, 4},
                                      {"en", "three thousand four hundred", 3'400, 4},
                                      {"en", "two million", 2'000'000, 2},
                                      {"en", "twenty thirty", 20, 1},
                                      {"en", "one two three", 1, 1},
                                      {"de", "dreiundzwanzig Tage", 23, 1},
                                      {"de", "zweihundertfünf", 205, 1},
                                      {"de", "einundzwanzig", 21, 1},
                                      {"de", "zwei tausend", 2'000, 2},
                                      {"fr", "vingt et un", 21, 3},
                                      {"fr", "soixante-dix-huit", 78, 5},
                                      {"fr", "quatre-vingt-dix-sept ans", 97, 7},
                                      {"fr", "quatre-vingts", 80, 3},
                                      {"es", "treinta y uno", 31, 3},
                                      {"es", "doscientos cinco", 205, 2},
                                      {"zh", "二十三天", 23, 3},
                                      {"zh", "十五", 15, 2},
                                      {"zh", "三百二十", 320, 4},
                                      {"zh", "两", 2, 1}}) {
    const auto number = NumberWords::of(one.language)->read(cut_lexemes(one.text), 0);
    ASSERT_EQ(number.has_value(), one.value >= 0) << one.text;
    if (!number) continue;
    EXPECT_EQ(number->value, one.value) << one.text;
    EXPECT_EQ(number->end, one.lexemes) << one.text;
    EXPECT_TRUE(number->spelled);
  }
}

TEST(NumberWords, OrdinalsAreTold) {
  for (const auto& [language, text, value] :
       std::initializer_list<std::tuple<const char*, const char*, int>>{{"en", "third", 3},
                                                                        {"en", "22nd", 22},
                                                                        {"de", "3. Mai", 3},
                                                                        {"fr", "1er", 1},
                                                                        {"fr", "deuxième", 2},
                                                                        {"es", "primer", 1}}) {
    const auto number = NumberWords::of(language)->read(cut_lexemes(text), 0);
    ASSERT_TRUE(number) << text;
    EXPECT_TRUE(number->ordinal) << text;
    EXPECT_EQ(number->value, value) << text;
  }
}

TEST(NumberWords, EachPackLoadsAndAnUnknownKeyIsSaid) {
  for (const std::string_view path : pack_files("packs/language/numbers/")) {
    const auto words = NumberWords::from_toml(*pack_file(path), std::string(path));
    EXPECT_TRUE(words) << (words ? "" : words.error().message);
  }
  EXPECT_FALSE(NumberWords::from_toml("language = \"en\"\nwrods = 1\n", "x.toml"));
  EXPECT_FALSE(NumberWords::from_toml("language = \"en\"\n[words]\none = \"1\"\n", "x.toml"));
  EXPECT_EQ(NumberWords::of("tlh"), nullptr);
}

TEST(Lexemes, AreCutWithTheirPlacesAndBlanks) {
  const Lexemes lexemes = cut_lexemes("L’an 3.4 三天 Ⅳ");
  std::vector<std::string> texts;
  for (const Lexeme& one : lexemes) texts.push_back(one.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"l", "'", "an", "3", ".", "4", "三", "天", "iv"}));
  EXPECT_TRUE(lexemes[0].capital);
  EXPECT_FALSE(lexemes[4].spaced);
  EXPECT_TRUE(lexemes[6].spaced);
  EXPECT_EQ(lexemes[3].number, 3);
}

}  // namespace
}  // namespace anima::language::number_words_test
