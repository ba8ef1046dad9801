#include "sleep/evidence/similarity.h"

#include <algorithm>

#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "base/text/white_space.h"

namespace anima::sleep::detail {
namespace {

constexpr std::size_t kOneSlip = 5, kTwoSlips = 12;  // letters that a name must have for it

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

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

// The lower case is that of each letter: folding would make "Masse" of "Maße". The normal form
// makes no difference; it is the same text.
std::string exact_form(std::string_view name) {
  std::string form;
  const std::string lower = to_lower(to_nfc(name));
  for (std::size_t at = 0; at < lower.size();) {
    const CodePoint point = decode_utf8(lower, at);
    if (!is_white_space(point.value)) {
      form += lower.substr(at, point.size);
    } else if (!form.empty() && form.back() != ' ') {
      form += ' ';
    }
    at += point.size;
  }
  while (form.ends_with(' ')) form.pop_back();
  return form;
}

struct NameWord {
  std::string text;      // in lower case, without accents
  bool initial = false;  // one letter and a full stop
  bool letters = true;   // nothing but letters
};

// The accents of Latin, Greek and Cyrillic. The marks of other scripts are letters to a reader.
constexpr bool is_accent(char32_t c) { return c >= 0x0300 && c <= 0x036f; }
constexpr bool is_hyphen(char32_t c) { return c == U'-' || c == 0x2010 || c == 0x2011; }

// A sign between words: a blank, a stop or comma that is in no number, a hyphen between letters.
bool separates(char32_t before, char32_t sign, char32_t after) {
  if (sign == U' ') return true;
  if (is_hyphen(sign))
    return classify(before) == CharClass::kLetter && classify(after) == CharClass::kLetter;
  return (sign == U'.' || sign == U',') &&
         (classify(before) != CharClass::kDigit || classify(after) != CharClass::kDigit);
}

// Signs that separate nothing stay: "A+" is not "A".
std::vector<NameWord> written_words(const NameForm& name) {
  std::u32string text = to_utf32(to_nfd(name.exact));
  std::erase_if(text, is_accent);
  std::vector<NameWord> words(1);
  std::size_t letters = 0;  // code points of the word
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t before = i == 0 ? U' ' : text[i - 1];
    const CharClass kind = classify(text[i]);
    if (!separates(before, text[i], i + 1 < text.size() ? text[i + 1] : U' ')) {
      append_utf8(words.back().text, text[i]);
      words.back().letters =
          words.back().letters && kind != CharClass::kOther && kind != CharClass::kDigit;
      ++letters;
    } else if (letters != 0) {
      words.back().initial =
          text[i] == U'.' && letters == 1 && classify(before) == CharClass::kLetter;
      words.emplace_back();
      letters = 0;
    }
  }
  if (letters == 0) words.pop_back();
  return words;
}

bool words_fit(const std::vector<NameWord>& a, const std::vector<NameWord>& b) {
  if (a.size() != b.size()) return false;
  bool written_out = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const NameWord& x = a[i];
    const NameWord& y = b[i];
    const bool cut = (x.initial && y.letters && y.text.starts_with(x.text)) ||
                     (y.initial && x.letters && x.text.starts_with(y.text));
    if (x.text != y.text && !cut) return false;
    written_out = written_out || (x.text == y.text && !x.initial && !y.initial);
  }
  return written_out;
}

}  // namespace

bool names_fit(const NameForm& a, const NameForm& b) {
  std::vector<NameWord> longer = written_words(a), shorter = written_words(b);
  if (longer.size() < shorter.size()) longer.swap(shorter);
  if (longer.size() == shorter.size()) return words_fit(longer, shorter);
  const auto plain = [](const NameWord& word) { return word.letters; };
  if (longer.size() != shorter.size() + 1 || !std::ranges::all_of(longer, plain)) return false;
  for (std::size_t i = 1; i + 1 < longer.size(); ++i) {
    std::vector<NameWord> rest = longer;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    if (words_fit(rest, shorter)) return true;
  }
  return false;
}

NameForm name_form(std::string_view name) {
  NameForm form;
  form.exact = exact_form(name);
  const std::string folded = fold_for_search(name);
  for (const Word& word : split_words(folded)) {
    form.words.emplace_back(word.text);
    form.compact += word.text;
    if (has_digit(word.text)) form.numbers.emplace_back(word.text);
  }
  std::vector<std::string> sorted = form.words;
  std::sort(sorted.begin(), sorted.end());
  form.sorted = join(sorted, " ");
  return form;
}

NameMatch match_names(const NameForm& a, const NameForm& b) {
  if (!a.exact.empty() && a.exact == b.exact) return NameMatch::kSame;
  if (a.compact.empty() || b.compact.empty()) return NameMatch::kNone;
  if (a.compact == b.compact || a.sorted == b.sorted) return NameMatch::kAlike;
  if (a.numbers != b.numbers) return NameMatch::kNone;
  const std::size_t shorter = std::min(a.compact.size(), b.compact.size());
  const std::size_t limit = shorter >= kTwoSlips ? 2 : shorter >= kOneSlip ? 1 : 0;
  if (limit != 0 && edit_distance(a.compact, b.compact, limit) <= limit) return NameMatch::kNear;
  return initials_fit(a, b) ? NameMatch::kNear : NameMatch::kNone;
}

}  // namespace anima::sleep::detail
