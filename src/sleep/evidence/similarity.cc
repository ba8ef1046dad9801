#include "sleep/evidence/similarity.h"

#include <algorithm>
#include <cstdint>

#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "base/text/white_space.h"
#include "language/text/words.h"

namespace anima::sleep::detail {
namespace {

constexpr std::size_t kOneSlip = 5, kTwoSlips = 12;  // letters that a name must have for it

// "j smith" and "john smith": the same number of words, the last one equal, each other one equal or
// the initial of the other's.
bool initials_fit(const NameForm& a, const NameForm& b) {
  if (a.words.size() != b.words.size() || a.words.size() < 2 || a.words.back() != b.words.back())
    return false;
  for (std::size_t i = 0; i + 1 < a.words.size(); ++i) {
    const std::string& x = a.words[i];
    const std::string& y = b.words[i];
    const bool initial = (x.size() == 1 && y.starts_with(x)) || (y.size() == 1 && x.starts_with(y));
    if (x != y && !initial) return false;
  }
  return true;
}

// --- case
// -----------------------------------------------------------------------------------------

constexpr std::size_t kWordLetters = 3;  // a shorter one is a unit, a code or a particle

bool is_word_sign(char32_t c) {
  return c == U' ' || c == U'-' || c == U'\'' || c == U'.' || c == 0x2019 || c == 0x2010;
}

// How a word is written, by its letters that have two cases.
enum class Casing : std::uint8_t { kSmall, kCapitalised, kCapitals, kMixed };

Casing casing_of(std::u32string_view word) {
  std::size_t capitals = 0, cased = 0;
  bool first = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    std::string letter;
    append_utf8(letter, word[i]);
    const bool upper = to_lower(letter) != letter;
    if (!upper && to_upper(letter) == letter) continue;
    ++cased;
    capitals += upper ? 1 : 0;
    first = first || (i == 0 && upper);
  }
  if (capitals == 0) return Casing::kSmall;
  if (first && capitals == 1) return Casing::kCapitalised;
  return capitals == cased ? Casing::kCapitals : Casing::kMixed;
}

// Empty where the name holds anything but words.
std::vector<std::u32string> plain_words(std::string_view name) {
  std::vector<std::u32string> words(1);
  for (const char32_t c : to_utf32(name)) {
    const CharClass kind = classify(c);
    if (is_word_sign(c)) {
      if (!words.back().empty()) words.emplace_back();
    } else if (kind == CharClass::kOther || kind == CharClass::kDigit) {
      return {};
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_plain(Casing casing) { return casing == Casing::kSmall || casing == Casing::kCapitalised; }

// Whether the case in which two names differ tells nothing. Requires that they are equal but for
// it.
bool case_says_nothing(const NameForm& a, const NameForm& b) {
  const std::vector<std::u32string> ours = plain_words(a.cased), theirs = plain_words(b.cased);
  const auto is_long = [](const std::u32string& word) { return word.size() >= kWordLetters; };
  if (ours.size() != theirs.size() || std::ranges::count_if(ours, is_long) < 2) return false;
  const auto shouts = [](const std::vector<std::u32string>& words) {
    return std::ranges::all_of(
        words, [](const std::u32string& word) { return casing_of(word) == Casing::kCapitals; });
  };
  if (shouts(ours) || shouts(theirs)) return true;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] == theirs[i]) continue;
    if (!is_long(ours[i]) || !is_plain(casing_of(ours[i])) || !is_plain(casing_of(theirs[i])))
      return false;
  }
  return true;
}

}  // namespace

NameForm name_form(std::string_view name) {
  NameForm form;
  form.cased = single_blanks(to_nfc(name));
  // Of each letter: folding would make "Masse" of "Maße".
  form.exact = to_lower(form.cased);
  form.words = language::folded_words(name);
  for (const std::string& word : form.words) {
    form.compact += word;
    if (language::has_digit(word)) form.numbers.push_back(word);
  }
  std::vector<std::string> sorted = form.words;
  std::sort(sorted.begin(), sorted.end());
  form.sorted = join(sorted, " ");
  return form;
}

NameMatch match_names(const NameForm& a, const NameForm& b) {
  if (!a.exact.empty() && a.exact == b.exact)
    return a.cased == b.cased || case_says_nothing(a, b) ? NameMatch::kSame : NameMatch::kCased;
  if (a.compact.empty() || b.compact.empty()) return NameMatch::kNone;
  if (a.compact == b.compact || a.sorted == b.sorted) return NameMatch::kAlike;
  if (a.numbers != b.numbers) return NameMatch::kNone;
  const std::size_t shorter = std::min(a.compact.size(), b.compact.size());
  const std::size_t limit = shorter >= kTwoSlips ? 2 : shorter >= kOneSlip ? 1 : 0;
  if (limit != 0 && edit_distance(a.compact, b.compact, limit) <= limit) return NameMatch::kNear;
  return initials_fit(a, b) ? NameMatch::kNear : NameMatch::kNone;
}

}  // namespace anima::sleep::detail
