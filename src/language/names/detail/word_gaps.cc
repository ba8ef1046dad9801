#include "language/names/detail/word_gaps.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "base/text/white_space.h"
#include "language/text/vocabulary.h"

namespace anima::language::detail {
namespace {

constexpr std::size_t kWidestGap = 12;  // bytes

// What encloses words: how it begins, and how it ends.
struct Enclosing {
  std::string_view open, close;
};
constexpr auto kEnclosing = std::to_array<Enclosing>({{"\"", "\""},
                                                      {"'", "'"},
                                                      {"`", "`"},
                                                      {"*", "*"},
                                                      {"_", "_"},
                                                      {"~", "~"},
                                                      {"(", ")"},
                                                      {"[", "]"},
                                                      {"{", "}"},
                                                      {"<", ">"},
                                                      {"\xe2\x80\x9c", "\xe2\x80\x9d"},  // “ ”
                                                      {"\xe2\x80\x9e", "\xe2\x80\x9c"},  // „ “
                                                      {"\xe2\x80\x9e", "\xe2\x80\x9d"},  // „ ”
                                                      {"\xe2\x80\x9d", "\xe2\x80\x9d"},  // ” ”
                                                      {"\xe2\x80\x98", "\xe2\x80\x99"},  // ‘ ’
                                                      {"\xe2\x80\x9a", "\xe2\x80\x98"},  // ‚ ‘
                                                      {"\xc2\xab", "\xc2\xbb"},          // « »
                                                      {"\xc2\xbb", "\xc2\xab"},          // » «
                                                      {"\xe2\x80\xb9", "\xe2\x80\xba"},  // ‹ ›
                                                      {"\xe3\x80\x8c", "\xe3\x80\x8d"},  // 「 」
                                                      {"\xe3\x80\x8e", "\xe3\x80\x8f"}});  // 『 』

bool has(std::string_view signs, std::string_view sign) { return signs.find(sign) != signs.npos; }

// Bytes of the sign at the front that ends what begins before one of the words, or 0.
std::size_t closing_size(std::string_view gap, std::span<const SignedWord> words) {
  for (const Enclosing& sign : kEnclosing) {
    const auto begins = [&](const SignedWord& word) { return has(word.before, sign.open); };
    if (gap.starts_with(sign.close) && std::ranges::any_of(words, begins)) return sign.close.size();
  }
  return 0;
}
std::size_t opening_size(std::string_view gap, std::span<const SignedWord> words) {
  for (const Enclosing& sign : kEnclosing) {
    const auto ends = [&](const SignedWord& word) { return has(word.behind, sign.close); };
    if (gap.ends_with(sign.open) && std::ranges::any_of(words, ends)) return sign.open.size();
  }
  return 0;
}

// Whether a name stands there, or a word that joins lists.
bool goes_on(std::string_view gap, const SignedWord& word) {
  if (!is_blank(gap)) return false;
  return gap.find('\n') == gap.npos && (word.capital || joins_a_list(word.folded));
}

}  // namespace

bool is_blank(std::string_view gap) { return is_only_white_space(gap); }

bool joins_words(std::string_view gap) {
  if (gap.empty() || gap.size() > kWidestGap) return false;
  if (is_blank(gap) || gap.find_first_not_of('_') == gap.npos) return true;
  constexpr std::array<std::string_view, 10> kMarks = {
      "-", "_",           ".", "'", "\xe2\x80\x99", "\xe2\x80\x90", "\xc2\xb7", "\xe3\x83\xbb",
      "+", "\xe2\x80\x91"};
  return std::ranges::find(kMarks, gap) != kMarks.end();
}

bool is_full_stop(std::string_view gap) {
  return gap.size() > 1 && gap.size() <= kWidestGap && gap[0] == '.' && is_blank(gap.substr(1));
}

bool is_abbreviation(const SignedWord& word) {
  return count_code_points(word.folded) == 1 || is_title(word.folded);
}

std::string_view without_enclosing(std::string_view gap, std::span<const SignedWord> words,
                                   std::size_t left) {
  while (const std::size_t size = closing_size(gap, words.first(left + 1))) gap.remove_prefix(size);
  while (const std::size_t size = opening_size(gap, words.subspan(left + 1)))
    gap.remove_suffix(size);
  return gap;
}

bool may_be_a_list(std::span<const SignedWord> text, std::size_t first, std::size_t last) {
  const auto joins = [](char c) { return c == ',' || c == '&' || c == '+' || c == '/'; };
  if (first > 0) {
    const SignedWord& before = text[first - 1];
    const std::string_view gap = trim(before.gap);
    if (goes_on(before.gap, before) || (!gap.empty() && joins(gap.back()))) return true;
  }
  if (last + 1 >= text.size()) return false;
  const SignedWord& behind = text[last + 1];
  const std::string_view gap = text[last].gap, signs = trim(gap);
  if (goes_on(gap, behind)) return true;
  if (signs.empty() || !joins(signs[0])) return false;
  // "Berg, Ada, born in Oslo" goes on with no name.
  return signs[0] != ',' || behind.capital || joins_a_list(behind.folded);
}

}  // namespace anima::language::detail
