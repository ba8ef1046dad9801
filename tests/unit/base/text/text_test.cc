#include "base/text/text.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "base/random.h"
#include "base/strong.h"

namespace anima {
namespace {

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("plain ascii of more than eight bytes"));
  EXPECT_TRUE(is_valid_utf8("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbf"));
  EXPECT_EQ(invalid_utf8_at("12345678\xff"), 8U);
  EXPECT_EQ(invalid_utf8_at("a\x80"), 1U);
  EXPECT_EQ(invalid_utf8_at("\xc0\x80"), 0U);          // overlong
  EXPECT_EQ(invalid_utf8_at("\xe0\x9f\xbf"), 0U);      // overlong
  EXPECT_EQ(invalid_utf8_at("\xed\xa0\x80"), 0U);      // surrogate
  EXPECT_EQ(invalid_utf8_at("\xf4\x90\x80\x80"), 0U);  // beyond U+10FFFF
  EXPECT_EQ(invalid_utf8_at("ab\xe2\x82"), 2U);        // cut off
}

TEST(Utf8, DecodesAndEncodesEveryScalarValue) {
  for (char32_t c = 0; c <= 0x10ffff; c += c < 0x3000 ? 1 : 97) {
    if (c >= 0xd800 && c <= 0xdfff) continue;
    std::string text;
    append_utf8(text, c);
    const CodePoint point = decode_utf8(text, 0);
    ASSERT_EQ(point.value, c);
    ASSERT_EQ(point.size, text.size());
  }
  std::string surrogate;
  append_utf8(surrogate, 0xd800);
  EXPECT_EQ(surrogate, "\xef\xbf\xbd");
  EXPECT_EQ(to_utf32("a\xff"
                     "b"),
            U"a\ufffd"
            U"b");
}

TEST(Utf8, CountsAndCutsByCodePoint) {
  const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
  EXPECT_EQ(count_code_points(text), 5U);
  EXPECT_EQ(substring_by_code_points(text, 1, 2), "\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(substring_by_code_points(text, 4), "z");
  EXPECT_EQ(substring_by_code_points(text, 9, 2), "");
  EXPECT_EQ(to_utf8(to_utf32(text)), text);
  EXPECT_EQ(display_width("a\xe6\xbc\xa2"), 3U);
}

TEST(Case, MapsAndFolds) {
  EXPECT_EQ(to_lower("HELLO"), "hello");
  EXPECT_EQ(to_upper("stra\xc3\x9f"
                     "e \xc3\xa9"),
            "STRA\xe1\xba\x9e"
            "E \xc3\x89");
  EXPECT_EQ(to_lower("\xc3\x89T\xc3\x89"), "\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(fold_case("Stra\xc3\x9f"
                      "e"),
            "strasse");  // CaseFolding.txt: 00DF F 0073 0073
  EXPECT_EQ(fold_case("ASCII"), "ascii");
}

TEST(Case, LettersThatGrowOrShrinkAndPlacesBetween) {
  EXPECT_EQ(to_lower("\u0130\u023a\u212a"),
            "i\u2c65k");  // two bytes to one and three, three to one
  std::string text;
  std::string lower;
  for (char32_t c = 0x80; c < 0x2200; ++c) {
    std::string letter;
    append_utf8(letter, c);
    text += letter + "Ab";
    lower += to_lower(letter) + "ab";
  }
  EXPECT_EQ(to_lower(text), lower);
  std::string behind = "x";
  append_lower(behind, "\u00c9\xff");
  EXPECT_EQ(behind, "x\u00e9\ufffd");
}

TEST(NormalForms, Compose) {
  EXPECT_EQ(to_nfkc("e\xcc\x81"), "\xc3\xa9");
  EXPECT_EQ(to_nfkc("\xe2\x91\xa0"), "1");
  EXPECT_EQ(to_nfkc("bad \xff"), "bad \xef\xbf\xbd");
}

// Texts of ordinary letters take a short way. One character that does not makes the whole text take
// the long one, which must agree.
TEST(NormalForms, TheShortWayOfCompatibilityAgreesWithTheLongOne) {
  const auto agrees = [](const std::string& text) {
    return to_nfkc(text) + "1" == to_nfkc(text + "\xe2\x91\xa0");
  };
  std::string all;
  for (char32_t c = 1; c < 0x10000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    for (const char* before : {"", "e", "\u0435", "\u304b", "\uac00"}) {
      std::string text = before;
      append_utf8(text, c);
      ASSERT_TRUE(agrees(text)) << std::hex << static_cast<unsigned>(c) << " behind " << before;
    }
  }
  SeededRandom random(3);
  constexpr char32_t kStarts[] = {0x40, 0xc0, 0x130, 0x390, 0x400, 0x5d0, 0x620, 0x3041, 0x4e00};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (int n = 0; n < 12; ++n)
      append_utf8(text, kStarts[random.below(std::size(kStarts))] +
                            static_cast<char32_t>(random.below(0x90)));
    ASSERT_TRUE(agrees(text)) << text;
  }
  constexpr std::string_view kBytes = "a\xc3\xd0\xd1\x80\xbf\xd2\xff";  // no UTF-8 most of the time
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "\u0430\u00e9 abcd";
    for (int n = 0; n < 14; ++n) text += kBytes[random.below(kBytes.size())];
    ASSERT_TRUE(agrees(text + "b")) << text;
  }
}

TEST(EditDistance, CountsEditsUpToItsLimit) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3U);
  EXPECT_EQ(edit_distance("improt", "import", 2), 1U);  // a swap of neighbours is one
  EXPECT_EQ(edit_distance("", "abc", 3), 3U);
  EXPECT_EQ(edit_distance("abc", "abc", 0), 0U);
  EXPECT_EQ(edit_distance("\xc3\xa9", "e", 2), 1U);
}

// The same numbers from the plain recurrence over the whole table.
std::size_t naive_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

TEST(EditDistance, EqualsTheWholeTable) {
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; i < texts.size() && texts[i].size() < 4; ++i) {
    for (const char c : {'a', 'b', 'c'}) texts.push_back(texts[i] + c);
  }
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      for (std::size_t limit = 0; limit < 4; ++limit) {
        ASSERT_EQ(edit_distance(a, b, limit), std::min(naive_distance(a, b), limit + 1))
            << a << ' ' << b << ' ' << limit;
      }
    }
  }
}

TEST(NearestNames, PutsTheNearestFirst) {
  const std::vector<std::string> verbs{"import",  "export", "init",
                                       "history", "audit",  "completion"};
  EXPECT_EQ(nearest_names("improt", std::span<const std::string>(verbs)).front(), "import");
  EXPECT_EQ(nearest_names("HISTROY", std::span<const std::string>(verbs)),
            std::vector<std::string>{"history"});
  EXPECT_EQ(nearest_names("comp", std::span<const std::string>(verbs)),
            std::vector<std::string>{"completion"});
  EXPECT_TRUE(nearest_names("zzzzzz", std::span<const std::string>(verbs)).empty());
  EXPECT_EQ(did_you_mean({"a", "b", "c"}), "did you mean \"a\", \"b\" or \"c\"?");
  EXPECT_EQ(did_you_mean({}), "");
}

TEST(SmallText, TrimsSplitsJoinsReplaces) {
  EXPECT_EQ(trim(" \t a b\n"), "a b");
  EXPECT_EQ(trim("  "), "");
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(replace_all("aXbX", "X", "yy"), "ayybyy");
  EXPECT_TRUE(equals_ignoring_ascii_case("AbC", "aBc"));
  EXPECT_FALSE(equals_ignoring_ascii_case("ab", "abc"));
}

TEST(Strong, OrdersAndHashes) {
  struct Tag;
  using Id = Strong<Tag, std::uint32_t>;
  EXPECT_LT(Id(1), Id(1).next());
  EXPECT_EQ((std::unordered_set<Id>{Id(1), Id(1), Id(2)}.size()), 2U);
}

TEST(Text, WhatHidesSomethingIsShown) {
  EXPECT_EQ(visible_text("rm a\n\x1b[2K\u202e\u200b\u009b b \u00e9"),
            "rm a\\u{a}\\u{1b}[2K\\u{202e}\\u{200b}\\u{9b} b \u00e9");
  EXPECT_EQ(visible_text("a\xff"), "a\ufffd");
  // Fillers, and blanks that make one word of two.
  EXPECT_EQ(visible_text("a\u3164b\u115fc\u00a0d\u2003e\u3000f"),
            "a\\u{3164}b\\u{115f}c\\u{a0}d\\u{2003}e\\u{3000}f");
  EXPECT_EQ(beginning_of("a\u00e9b", 2), "a");
  EXPECT_EQ(beginning_of("a\u00e9b", 3), "a\u00e9");
  EXPECT_EQ(beginning_of("ab", 9), "ab");
  EXPECT_EQ(beginning_of("\xa9\xa9\xa9", 2), "");
}

}  // namespace
}  // namespace anima
