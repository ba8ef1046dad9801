#include "language/names/detail/other_words.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "language/names/detail/inflection.h"
#include "language/names/detail/word_gaps.h"
#include "language/names/known_words.h"
#include "language/text/fold.h"
#include "language/text/script.h"
#include "language/text/vocabulary.h"
#include "language/text/word_uses.h"
#include "language/text/words.h"

namespace anima::language::detail {
namespace {

constexpr std::size_t kLongestAcronym = 3;
constexpr std::string_view kApostrophe = "\xe2\x80\x99";

std::string_view written(std::string_view text, const SignedWord& word) {
  return text.substr(word.begin, word.end - word.begin);
}

// With two letters or more, of which none is a small one.
bool is_all_capitals(std::string_view word) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint point = decode_utf8(word, at);
    at += point.size;
    if (letter_kind(point.value) == LetterKind::kMark) continue;
    if (!is_upper(point.value)) return false;
    ++letters;
  }
  return letters > 1;
}

bool is_listed(std::string_view word, std::span<const Language> languages, std::string_view how) {
  return std::ranges::any_of(languages, [&](Language language) {
    return is_name_and_word(word, std::string(code_of(language)).append(how));
  });
}
bool is_stop_word(std::string_view word, std::span<const Language> languages) {
  return std::ranges::any_of(
      languages, [&](Language language) { return vocabulary(language).is_stop_word(word); });
}

bool is_behind_article(const SignedWord& before) {
  return is_blank(before.gap) && words_used_as("articles").contains(std::string(before.folded));
}

bool is_hyphen(std::string_view gap) {
  return gap == "-" || gap == "\xe2\x80\x90" || gap == "\xe2\x80\x91";
}

bool is_han(std::string_view letters) { return script_of(letters) == Script::kHan; }

bool has_kana(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (point.value >= 0x3041 && point.value <= 0x30fa) return true;
    at += point.size;
  }
  return false;
}

std::string_view first_letter(std::string_view text) {
  return text.empty() ? text : text.substr(0, decode_utf8(text, 0).size);
}
std::string_view last_letter(std::string_view text) {
  std::size_t at = text.size();
  while (at > 0 && (static_cast<unsigned char>(text[at - 1]) & 0xc0) == 0x80) --at;
  return at == 0 ? text : text.substr(at - 1);
}

// Foreign names are written with letters that are read for their sound.
bool is_of_sounds(std::string_view letters) {
  for (std::size_t at = 0; at < letters.size();) {
    const std::size_t size = decode_utf8(letters, at).size;
    if (!is_name_and_word(letters.substr(at, size), "zh.sound")) return false;
    at += size;
  }
  return !letters.empty();
}

}  // namespace

bool has_capitals(Script script) {
  return script == Script::kLatin || script == Script::kCyrillic || script == Script::kGreek ||
         script == Script::kArmenian;
}

bool may_be_a_word(std::string_view text, std::span<const SignedWord> words, std::size_t at,
                   std::string_view name, std::span<const Language> languages) {
  const SignedWord& token = words[at];
  const std::string_view own = written(text, token);
  const bool in_capitals = is_all_capitals(own), capitals = in_capitals && !is_all_capitals(name);
  const bool others_small = std::ranges::any_of(words, [&](const SignedWord& word) {
    return !word.digits && !is_all_capitals(written(text, word)) &&
           count_code_points(word.folded) > 1;
  });
  if (capitals && others_small && count_code_points(own) <= kLongestAcronym) return true;
  // "IT is late" of the department, in capitals as it is written.
  if (in_capitals && !capitals && others_small) return false;
  const std::string word = fold(own, FoldStrength::kCase);
  const bool is_time = is_listed(word, languages, ".time");
  if (!is_time && !is_listed(word, languages, "") && !is_stop_word(word, languages)) return false;
  if (capitals || token.starts_sentence) return true;
  if (at == 0) return false;
  const SignedWord& before = words[at - 1];
  const bool beside_number = (before.digits && is_blank(before.gap)) ||
                             (at + 1 < words.size() && words[at + 1].digits && is_blank(token.gap));
  // "Einen Wolf", "aus Stein": a noun of German has a capital anywhere.
  const bool of_german = std::ranges::find(languages, Language::kGerman) != languages.end();
  return beside_number || is_behind_article(before) ||
         ((is_time || of_german) && is_blank(before.gap) && is_stop_word(before.folded, languages));
}

bool is_a_word(std::string_view written, std::span<const Language> languages, bool open) {
  const std::string word = fold(written, FoldStrength::kCase);
  if (is_stop_word(word, languages)) return true;
  const std::span<const Language> listing = open ? described_languages() : languages;
  if (is_listed(word, listing, "") || is_listed(word, listing, ".small")) return true;
  return is_given_name(word) && std::ranges::any_of(languages, [&](Language language) {
           return is_common_word(word, code_of(language));
         });
}

bool is_hyphenated(std::span<const SignedWord> words, std::size_t first, std::size_t last,
                   std::span<const Language> languages) {
  const auto is_word = [](const SignedWord& word) {
    if (word.unbroken || (word.folded.front() >= '0' && word.folded.front() <= '9')) return false;
    return word.capital || !has_capitals(script_of(word.folded)) || is_given_name(word.folded);
  };
  if (first > 0 && is_hyphen(words[first - 1].gap) && is_word(words[first - 1])) return true;
  if (last + 1 >= words.size() || !is_hyphen(words[last].gap) || !is_word(words[last + 1]))
    return false;
  const std::string_view behind = words[last + 1].folded;
  const bool belongs = is_title(behind) || is_name_and_word(behind, "ja.title") ||
                       std::ranges::any_of(languages, [&](Language language) {
                         return vocabulary(language).names.endings.contains(behind);
                       });
  return !belongs;
}

bool is_behind_particle(std::span<const SignedWord> words, std::size_t first,
                        std::span<const Language> languages) {
  if (first == 0) return false;
  const auto particle = [&](std::size_t at, std::string_view use) {
    return words_used_as(use).contains(std::string(words[at].folded));
  };
  const auto behind_given_name = [&](std::size_t at) {
    return at > 0 && is_blank(words[at - 1].gap) && words[at - 1].capital &&
           is_given_name_without_marks(words[at - 1].folded);
  };
  const std::string_view gap = words[first - 1].gap;
  if (gap == "'" || gap == kApostrophe)
    return particle(first - 1, "elided_particles") &&
           (words[first - 1].capital || behind_given_name(first - 1));
  std::size_t at = first, capitals = 0;
  for (; at > 0 && is_blank(words[at - 1].gap) && particle(at - 1, "name_particles"); --at) {
    // "Von Anna" begins a sentence of German; elsewhere who has such a name is told of so.
    const bool german = std::ranges::find(languages, Language::kGerman) != languages.end();
    capitals += words[at - 1].capital && !(words[at - 1].starts_sentence && german) ? 1 : 0;
  }
  return capitals > 0 || first - at > 1 || (at < first && behind_given_name(at));
}

bool may_be_form_of_another(std::string_view form, std::string_view word,
                            const NameEndings& endings) {
  const std::vector<std::string> others = related_words(word, endings);
  return std::ranges::any_of(others, [&](const std::string& other) {
    return is_given_name_without_marks(other) && is_form_of(form, other, endings);
  });
}

bool are_told_apart(std::string_view a, std::string_view b) {
  if (is_ascii(a) || is_ascii(b)) return false;
  constexpr std::string_view kLetters[] = {"\xd9\x89", "\xd0\xb9"};  // alef maksura, short i
  const std::string left = fold(a, FoldStrength::kCase), right = fold(b, FoldStrength::kCase);
  return std::ranges::any_of(kLetters, [&](std::string_view letter) {
    return (left.find(letter) != left.npos) != (right.find(letter) != right.npos);
  });
}

bool is_joined_particle(std::string_view written) {
  const std::string word = fold(written, FoldStrength::kMarks);
  return words_used_as("joined_particles").contains(word) ||
         words_used_as("name_particles").contains(word);
}

bool may_be_longer(std::string_view text, std::string_view run, std::size_t from, std::size_t to) {
  const std::string_view name = run.substr(from, to - from);
  if (!is_han(name)) return false;
  std::string_view before, behind;  // the words beside it
  for (const TextSpan& part : unbroken_words(run)) {
    if (part.end == from) before = run.substr(part.begin, part.end - part.begin);
    if (part.begin == to) behind = run.substr(part.begin, part.end - part.begin);
  }
  const auto is_letter = [](std::string_view word) {
    return count_code_points(word) == 1 && is_han(word);
  };
  if (has_kana(text))
    return is_letter(before) || (is_letter(behind) && !is_name_and_word(behind, "ja.title"));
  if (is_letter(before) && is_name_and_word(before, "zh.family")) return true;
  const bool short_name = count_code_points(name) == 2;
  if (short_name && is_letter(behind) && is_name_and_word(behind, "zh.given")) return true;
  return is_of_sounds(name) && (is_of_sounds(last_letter(run.substr(0, from))) ||
                                is_of_sounds(first_letter(run.substr(to))));
}

bool has_vietnamese_letter(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    const char32_t c = point.value;
    if ((c >= 0x1ea0 && c <= 0x1ef9) || c == 0x1a0 || c == 0x1a1 || c == 0x1af || c == 0x1b0)
      return true;
    at += point.size;
  }
  return false;
}

}  // namespace anima::language::detail
