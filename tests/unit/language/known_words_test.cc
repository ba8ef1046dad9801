// Names and common words that are known by themselves (language/names/known_words.h).
#include "language/names/known_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/packs.h"
#include "base/text/text.h"

namespace anima::language::known_words_test {
namespace {

std::vector<std::string_view> lines_of(std::string_view path) {
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(pack_file(path).value_or(""), '\n'))
    if (!line.empty() && !line.starts_with('#')) lines.push_back(line);
  return lines;
}

TEST(KnownWords, EachListIsSortedAndEachWordIsFound) {
  for (const std::string name :
       {"given_names", "places", "organisations", "common_en", "names_that_are_words"}) {
    const auto lines = lines_of("packs/language/known/" + name + ".txt");
    ASSERT_FALSE(lines.empty()) << name;
    EXPECT_TRUE(std::ranges::is_sorted(lines)) << name;
    for (const std::string_view line : lines) {
      const bool found =
          name == "given_names"     ? is_given_name(line)
          : name == "places"        ? is_known_place(line)
          : name == "organisations" ? is_known_organisation(line)
          : name == "names_that_are_words"
              ? is_name_and_word(line.substr(line.find(' ') + 1), line.substr(0, line.find(' ')))
              : is_common_word(line, "en");
      ASSERT_TRUE(found) << name << ": " << line;
    }
  }
}

TEST(KnownWords, WhatIsInNoListIsNotKnown) {
  for (const std::string_view word : {"", "#", "initech", "zzz", "aaa", "# common words"}) {
    EXPECT_FALSE(is_given_name(word)) << word;
    EXPECT_FALSE(is_known_place(word)) << word;
    EXPECT_FALSE(is_known_organisation(word)) << word;
    EXPECT_FALSE(is_common_word(word, "en")) << word;
  }
}

TEST(KnownWords, ACommonWordIsOneWithItsEndings) {
  for (const std::string_view word :
       {"free", "favours", "pregnant", "works", "working", "happily", "ponies", "played"})
    EXPECT_TRUE(is_common_word(word, "en")) << word;
  for (const std::string_view word : {"oslo", "microsoft", "siemens", "wagner"})
    EXPECT_FALSE(is_common_word(word, "en")) << word;
  EXPECT_FALSE(is_common_word("free", "xx"));
}

}  // namespace
}  // namespace anima::language::known_words_test
