#include "sleep/evidence/similarity.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "base/text/white_space.h"
#include "language/names/romanised.h"
#include "language/text/script.h"

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

// The normal form makes no difference; it is the same text.
std::string single_blanks(std::string_view name) {
  std::string form;
  const std::string text = to_nfc(name);
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!is_white_space(point.value)) {
      form += text.substr(at, point.size);
    } else if (!form.empty() && form.back() != ' ') {
      form += ' ';
    }
    at += point.size;
  }
  while (form.ends_with(' ')) form.pop_back();
  return form;
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

// --- words
// ----------------------------------------------------------------------------------------

struct NameWord {
  std::string written;   // in lower case
  std::string text;      // the same without accents
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

// "Hopper, Grace" as it is read. More than one comma is a list.
std::string in_order(const std::string& name) {
  const std::size_t comma = name.find(',');
  if (comma == std::string::npos || name.find(',', comma + 1) != std::string::npos) return name;
  const std::string_view behind = trim(std::string_view(name).substr(comma + 1));
  if (comma == 0 || behind.empty()) return name;
  return std::string(behind) + ' ' + name.substr(0, comma);
}

// Signs that separate nothing stay: "A+" is not "A".
std::vector<NameWord> written_words(const NameForm& name) {
  const std::u32string text = to_utf32(in_order(name.exact));
  std::vector<NameWord> words(1);
  std::size_t letters = 0;  // code points of the word
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_accent(text[i])) continue;
    const char32_t before = i == 0 ? U' ' : text[i - 1];
    const CharClass kind = classify(text[i]);
    if (!separates(before, text[i], i + 1 < text.size() ? text[i + 1] : U' ')) {
      append_utf8(words.back().written, text[i]);
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
  for (NameWord& word : words) {
    std::u32string bare = to_utf32(to_nfd(word.written));
    std::erase_if(bare, is_accent);
    for (const char32_t c : bare) append_utf8(word.text, c);
  }
  return words;
}

// --- fitting
// --------------------------------------------------------------------------------------

constexpr std::size_t kSpelledLetters = 4;  // of a word that is spelled in two ways

// Of two words of letters, with what is one sound to those who write it.
std::string by_sound(std::string_view word) {
  return replace_all(replace_all(std::string(word), "ph", "f"), "c", "k");
}

bool same_word(const NameWord& x, const NameWord& y) {
  if (x.text == y.text) return true;
  if (!x.letters || !y.letters || x.initial || y.initial) return false;
  if (language::is_romanised(x.written, y.written) || language::is_romanised(y.written, x.written))
    return true;
  if (language::same_in_ascii(x.written, y.written)) return true;
  return std::min(x.text.size(), y.text.size()) >= kSpelledLetters && is_ascii(x.text) &&
         is_ascii(y.text) && by_sound(x.text) == by_sound(y.text);
}

bool is_initial_of(const NameWord& initial, const NameWord& word) {
  return initial.initial && word.letters &&
         (word.text.starts_with(initial.text) ||
          language::begins_romanised(initial.written, word.written) ||
          language::begins_romanised(word.written, initial.written));
}

bool words_fit(const std::vector<NameWord>& a, const std::vector<NameWord>& b) {
  if (a.size() != b.size()) return false;
  bool written_out = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool same = same_word(a[i], b[i]);
    if (!same && !is_initial_of(a[i], b[i]) && !is_initial_of(b[i], a[i])) return false;
    written_out = written_out || (same && !a[i].initial && !b[i].initial);
  }
  return written_out;
}

std::string joined(std::span<const NameWord> words) {
  std::string all;
  for (const NameWord& word : words) all += word.written;
  return all;
}

bool is_of(const std::vector<NameWord>& words, std::initializer_list<language::Script> scripts) {
  return !words.empty() && std::ranges::all_of(words, [&](const NameWord& word) {
    const language::Script script = language::script_of(word.written);
    return word.letters && std::ranges::find(scripts, script) != scripts.end();
  });
}

// A name of a script that puts no blanks between words, and one in Latin letters; where the script
// puts the family name first, Latin may put it last.
bool whole_names_fit(const std::vector<NameWord>& a, const std::vector<NameWord>& b) {
  using language::Script;
  const auto plain = [](const NameWord& word) { return word.letters && !word.initial; };
  const bool family_first = is_of(a, {Script::kHan, Script::kKana, Script::kHangul});
  const bool unbroken =
      family_first || is_of(a, {Script::kThai, Script::kLao, Script::kKhmer, Script::kMyanmar});
  if (!unbroken || b.size() < 2 || !std::ranges::all_of(b, plain)) return false;
  const std::string name = joined(a);
  if (language::is_romanised(joined(b), name)) return true;
  if (!family_first) return false;
  const std::span<const NameWord> words(b);
  return language::is_romanised(b.back().written + joined(words.first(b.size() - 1)), name);
}

}  // namespace

bool names_fit(const NameForm& a, const NameForm& b) {
  std::vector<NameWord> longer = written_words(a), shorter = written_words(b);
  if (whole_names_fit(longer, shorter) || whole_names_fit(shorter, longer)) return true;
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
  form.cased = single_blanks(name);
  // Of each letter: folding would make "Masse" of "Maße".
  form.exact = to_lower(form.cased);
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
