#include "sleep/evidence/name_words.h"

#include <algorithm>
#include <string_view>

#include "base/text/text.h"
#include "language/names/romanised.h"
#include "language/text/fold.h"
#include "language/text/script.h"
#include "language/text/vocabulary.h"

namespace anima::sleep::detail {
namespace {

using language::FoldStrength;
using language::Script;

constexpr bool is_hyphen(char32_t c) { return c == U'-' || c == 0x2010 || c == 0x2011; }

// A sign between words: a blank, a stop or comma that is in no number, a hyphen between letters.
bool separates(char32_t before, char32_t sign, char32_t after) {
  if (sign == U' ') return true;
  if (is_hyphen(sign))
    return classify(before) == CharClass::kLetter && classify(after) == CharClass::kLetter;
  return (sign == U'.' || sign == U',') &&
         (classify(before) != CharClass::kDigit || classify(after) != CharClass::kDigit);
}

// "Hopper, Grace" as it is read; empty where there is no comma. More than one comma is a list.
std::string turned(const std::string& name) {
  const std::size_t comma = name.find(',');
  if (comma == std::string::npos || name.find(',', comma + 1) != std::string::npos) return {};
  const std::string_view behind = trim(std::string_view(name).substr(comma + 1));
  if (comma == 0 || behind.empty()) return {};
  return std::string(behind) + ' ' + name.substr(0, comma);
}

std::vector<NameWord> words_in(const std::string& name) {
  const std::u32string text = to_utf32(name);
  std::vector<NameWord> words(1);
  std::size_t letters = 0;  // code points of the word
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t before = i == 0 ? U' ' : text[i - 1];
    const CharClass kind = classify(text[i]);
    if (!separates(before, text[i], i + 1 < text.size() ? text[i + 1] : U' ')) {
      append_utf8(words.back().written, text[i]);
      words.back().letters =
          words.back().letters && kind != CharClass::kOther && kind != CharClass::kDigit;
      letters += kind == CharClass::kMark ? 0 : 1;
    } else if (!words.back().written.empty()) {
      words.back().initial = text[i] == U'.' && letters == 1 &&
                             classify(before) != CharClass::kDigit && words.back().letters;
      words.emplace_back();
      letters = 0;
    }
  }
  if (words.back().written.empty()) words.pop_back();
  return words;
}

bool is_latin(const NameWord& word) {
  return language::script_of(std::string_view(word.written)) == Script::kLatin;
}

// Without accents to lose.
bool is_plain(const NameWord& word) {
  return is_latin(word) ? is_ascii(word.written)
                        : language::fold(word.written, FoldStrength::kCase) ==
                              language::fold_for_finding(word.written);
}

bool are_accented_alike(const NameWord& a, const NameWord& b) {
  if (!is_plain(a) && !is_plain(b)) return false;
  if (is_latin(a) && is_latin(b)) return language::same_in_ascii(a.written, b.written);
  return language::fold_for_finding(a.written) == language::fold_for_finding(b.written);
}

bool is_initial_of(const NameWord& initial, const NameWord& word) {
  return initial.initial && word.letters &&
         (language::fold_for_finding(word.written)
              .starts_with(language::fold_for_finding(initial.written)) ||
          language::begins_romanised(initial.written, word.written) ||
          language::begins_romanised(word.written, initial.written));
}

}  // namespace

NameWords name_words(const NameForm& name) {
  const std::string read = turned(name.exact);
  NameWords it{words_in(read.empty() ? name.exact : read), {}, !read.empty()};
  const auto degree = [](const NameWord& word) { return language::is_degree(word.written); };
  const auto degrees = static_cast<std::size_t>(std::ranges::count_if(it.words, degree));
  if (degrees == 0 || it.words.size() < degrees + 2) return it;
  for (const NameWord& word : it.words)
    if (degree(word)) it.degrees.push_back(word.written);
  std::ranges::sort(it.degrees);
  std::erase_if(it.words, degree);
  return it;
}

WordFit fit_words(const NameWord& a, const NameWord& b) {
  if (a.written == b.written) return WordFit::kSame;
  if (is_initial_of(a, b) || is_initial_of(b, a)) return WordFit::kShort;
  if (!a.letters || !b.letters || a.initial || b.initial) return WordFit::kNone;
  if (language::is_romanised(a.written, b.written) || language::is_romanised(b.written, a.written))
    return WordFit::kSame;
  return are_accented_alike(a, b) ? WordFit::kPlain : WordFit::kNone;
}

}  // namespace anima::sleep::detail
