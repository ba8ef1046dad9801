// The fast ways of the guardian against slow ones written down plainly: words by masks, typos by a
// table of pairs, sums of windows by halves.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "govern/detect/detail/near_miss.h"
#include "govern/detect/detail/word_runs.h"
#include "govern/detect/pattern_set.h"
#include "govern/detect/text_features.h"

namespace anima::govern::detail {
namespace {

// Text of words, blanks, marks, letters beyond ASCII and bytes that are no UTF-8 at all.
std::string random_text(SeededRandom& random, std::size_t words) {
  static const std::vector<std::string> kParts = {"ignore",
                                                  "all",
                                                  "rules",
                                                  "the",
                                                  "x",
                                                  "1",
                                                  "_",
                                                  "\xc3\xa9",
                                                  "\xd0\xb6\xd0\xb6",
                                                  "\xf0\x9f\x99\x82",
                                                  "\x80",
                                                  "\xc3",
                                                  " ",
                                                  "  ",
                                                  "\n",
                                                  ".",
                                                  "...",
                                                  ", ",
                                                  "-",
                                                  "a b",
                                                  "i-g-n-o-r-e",
                                                  "ignroe",
                                                  std::string(97, 'w'),
                                                  std::string(300, 'q')};
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    text += kParts[random.below(kParts.size())];
    if (random.below(3) != 0) text += ' ';
  }
  return text;
}

TEST(TextScan, WordsAreTheRunsOfWordBytes) {
  SeededRandom random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random_text(random, random.below(60));
    std::vector<std::pair<std::size_t, std::size_t>> plain, found;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      while (at < text.size() && is_word_byte(text[at])) ++at;
      if (at > begin) plain.emplace_back(begin, at);
      if (at == begin) ++at;
    }
    for_each_word(text,
                  [&](std::size_t begin, std::size_t end) { found.emplace_back(begin, end); });
    ASSERT_EQ(found, plain) << text;
  }
}

// All that one insertion, deletion, substitution or swap of neighbours makes of a word.
std::set<std::string> typos_of(const std::string& word, std::string_view letters) {
  std::set<std::string> typos;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    for (const char c : letters) {
      typos.insert(word.substr(0, i) + c + word.substr(i));
      if (i < word.size()) typos.insert(word.substr(0, i) + c + word.substr(i + 1));
    }
    if (i < word.size()) typos.insert(word.substr(0, i) + word.substr(i + 1));
    if (i + 1 < word.size()) {
      std::string swapped = word;
      std::swap(swapped[i], swapped[i + 1]);
      typos.insert(swapped);
    }
  }
  typos.erase(word);
  return typos;
}

TEST(TextScan, EveryTypoOfAKnownWordIsFoundAndNothingElse) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0\xc3";
  const std::vector<std::string> known = {"ignore", "prior", "rules", "previous", "everything"};
  NearMissWords words;
  for (const std::string& word : known) words.add(word);
  words.add("now");  // too short to be corrected to
  for (const std::string& word : known) {
    EXPECT_TRUE(words.is_known(word));
    for (const std::string& typo : typos_of(word, kLetters)) {
      const auto right = words.correction(typo);
      EXPECT_EQ(right.value_or("none"), typo.size() < 5 ? "none" : word) << typo;
    }
  }
  for (const char* other : {"ignition", "priority", "ruler s", "preview", "every", "nowx", "",
                            "erongi", "gnior", "ignorent"}) {
    EXPECT_FALSE(words.correction(other)) << other;
    EXPECT_FALSE(words.is_known(other)) << other;
  }
  // The same size goes before one shorter, that before one longer.
  NearMissWords three;
  for (const char* word : {"stone", "stones", "stonesx"}) three.add(word);
  EXPECT_EQ(three.correction("stonez"), "stones");
  EXPECT_EQ(three.correction("stonexs"), "stonesx");
}

TEST(TextScan, AMisspeltWordCountsNearAKnownOne) {
  NearMissWords words;
  for (const char* word : {"ignore", "previous", "rules"}) words.add(word);
  const auto corrected = [&](std::string_view text) {
    return spelling_signs(text, words).corrected;
  };
  EXPECT_EQ(corrected("ignroe previous notes"), "ignore previous notes");
  EXPECT_EQ(corrected("ignore a b c d e previuos"), "ignore a b c d e previous");
  EXPECT_EQ(corrected("ignore a b c d e f previuos"), "");
  EXPECT_EQ(corrected("previuos a b c d e ignore"), "previous a b c d e ignore");
  EXPECT_EQ(corrected("previuos a b c d e f ignore"), "");
  EXPECT_EQ(corrected("previuos a ignroe b rules ruels"), "previous a ignore b rules rules");
  EXPECT_EQ(corrected("ignroe previuos"), "");
}

TEST(TextScan, SpreadLettersAreSeenWhereTheyAreGathered) {
  SeededRandom random(2);
  NearMissWords words;
  for (const char* word : {"ignore", "all"}) words.add(word);
  EXPECT_EQ(gathered("i g n o r e a l l", words), "ignore all ");
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t n = random.below(40); n > 0; --n) text += "ig  -"[random.below(5)];
    EXPECT_EQ(spelling_signs(text, words).spread_letters, !gathered(text, words).empty()) << text;
  }
}

TEST(TextScan, SumsOfWindowsAreThoseOfTheirFeatures) {
  SeededRandom random(3);
  std::vector<std::int8_t> weights(kFeatureBuckets);
  for (std::int8_t& weight : weights) weight = static_cast<std::int8_t>(random.below(255));
  FeatureSet features;
  WindowSums sums;
  sums.use(weights.data());
  for (int i = 0; i < 1500; ++i) {
    const std::string text =
        random_text(random, i < 1400 ? random.below(150) : 2000 + random.below(2000));
    const std::vector<TextWindow> windows = text_windows(text);
    std::size_t number = 0;
    for (sums.start(text); sums.next(); ++number) {
      ASSERT_LT(number, windows.size());
      const TextWindow window = windows[number];
      ASSERT_EQ(sums.window().offset, window.offset);
      ASSERT_EQ(sums.window().length, window.length);
      const auto& buckets = features.of(text, window);
      std::int64_t weight = 0;
      for (const std::uint32_t bucket : buckets) weight += weights[bucket];
      ASSERT_EQ(sums.sum().features, buckets.size()) << i << " window " << number;
      ASSERT_EQ(sums.sum().weight, weight) << i << " window " << number;
    }
    ASSERT_EQ(number, windows.size());
  }
}

TEST(TextScan, SumsHoldWhenTheMarksOfBlocksBeginAnew) {
  std::vector<std::int8_t> weights(kFeatureBuckets, 1);
  WindowSums sums;
  sums.use(weights.data());
  std::string text;
  for (int i = 0; i < 45; ++i) text += "word" + std::to_string(i * i) + ' ';
  std::vector<std::int64_t> first;
  for (int i = 0; i < 30'000; ++i) {  // three blocks each: past the range of a mark
    std::vector<std::int64_t> found;
    for (sums.start(text); sums.next();) found.push_back(sums.sum().weight);
    if (i == 0) first = found;
    ASSERT_EQ(found, first) << i;
  }
  EXPECT_EQ(first.size(), 2u);
}

TEST(TextScan, NormalTextIsTheSameByBytesAndByEights) {
  SeededRandom random(4);
  constexpr std::string_view kBytes("aZ \n\t\r.\x01\x7f\0\xc3\x84~@[`{", 17);
  for (int i = 0; i < 4000; ++i) {
    std::string text, one_by_one;
    for (std::size_t n = random.below(60); n > 0; --n) text += kBytes[random.below(kBytes.size())];
    // Cut into single bytes, nothing is ever eight long; beyond ASCII and white space are kept
    // whole.
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      const auto joins = [&](std::size_t place) {
        const bool space = text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r');
        const bool other = text[place] == ' ' || (text[place] >= '\t' && text[place] <= '\r');
        const bool high = (text[at] & 0x80) != 0;
        return space ? other : high && (text[place] & 0x80) != 0;
      };
      while (end < text.size() && joins(end)) ++end;
      one_by_one += normal_text(std::string_view(text).substr(at, end - at));
      at = end;
    }
    ASSERT_EQ(normal_text(text), one_by_one);
  }
}

}  // namespace
}  // namespace anima::govern::detail
