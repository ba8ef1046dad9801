#include "language/names/equality.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/text.h"
#include "base/text/white_space.h"
#include "language/names/detail/inflection.h"
#include "language/names/detail/signed_words.h"
#include "language/text/fold.h"
#include "language/text/vocabulary.h"
#include "language/text/words.h"

namespace anima::language {
namespace {

constexpr std::array<std::string_view, 4> kStrengths = {"bytes", "case", "marks", "similar"};
constexpr std::size_t kFewestLettersForASlip = 5;

// Each word of a name with the signs that tell names apart: "C++", "AT&" and ".NET" are other words
// than "C", "AT" and "NET".
template <typename Spelling>
std::vector<std::string> words_with_signs(std::string_view name, const Spelling& spelling) {
  detail::SignedWordReader reader;
  std::vector<std::string> words;
  for (const detail::SignedWord& word : reader.read(name)) {
    const std::string stop = words.empty() && word.before == "." ? "." : "";
    words.push_back(stop + spelling(word) + detail::telling_signs(word.gap));
  }
  return words;
}

std::string words_alone(std::string_view name) {
  std::string key;
  for (const std::string& word : words_with_signs(
           name, [](const detail::SignedWord& word) { return std::string(word.folded); })) {
    if (!key.empty()) key += ' ';
    key += word;
  }
  // A name of signs only is its own key.
  return key.empty() ? fold_for_finding(single_blanks(name)) : key;
}

// With typographic apostrophes and hyphens between its words as ASCII has them.
std::string with_plain_joints(std::string_view name) {
  WordReader reader(FoldStrength::kCase);
  std::string plain;
  std::size_t at = 0;
  for (const Token& token : reader.read(name)) {
    if (token.joint != '\'' && token.joint != '-') continue;
    plain += name.substr(at, token.end - at);
    plain += token.joint;
    at = token.end + decode_utf8(name, token.end).size;
  }
  return plain += name.substr(at);
}

// The words of a name without its titles, transcribed.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words = words_with_signs(name, [&](const detail::SignedWord& word) {
    return transcribed(name.substr(word.begin, word.end - word.begin));
  });
  if (words.size() > 1) std::erase_if(words, is_title);
  return words;
}

bool is_initial_of(std::string_view initial, std::string_view word) {
  return count_code_points(initial) == 1 && !has_digit(initial) && word.size() > initial.size() &&
         word.starts_with(initial);
}

struct Fit {
  bool fits = false;
  bool whole = false;  // more than an initial
};
Fit fit(std::string_view a, std::string_view b) {
  if (a == b) return {true, count_code_points(a) > 1};
  if (is_initial_of(a, b) || is_initial_of(b, a)) return {true, false};
  const std::size_t letters = std::min(count_code_points(a), count_code_points(b));
  const bool slip =
      !has_digit(a) && letters >= kFewestLettersForASlip && edit_distance(a, b, 1) <= 1;
  return {slip, slip};
}

std::vector<std::string> numbers_of(std::vector<std::string> words) {
  std::erase_if(words, [](const std::string& word) { return !has_digit(word); });
  return words;
}

// Each word of one stands for one of the other, and not only by its initial. Numbers keep their
// order: 2024-05-03 is not 2024-03-05.
bool words_fit(const std::vector<std::string>& a, std::vector<std::string> b) {
  if (a.size() != b.size() || numbers_of(a) != numbers_of(b)) return false;
  bool whole = false;
  // Words that are the same are taken first, so that no initial takes their place.
  std::vector<std::string> rest;
  for (const std::string& word : a) {
    const auto same = std::ranges::find(b, word);
    if (same == b.end()) {
      rest.push_back(word);
      continue;
    }
    whole = whole || count_code_points(word) > 1;
    b.erase(same);
  }
  for (const std::string& word : rest) {
    const auto other =
        std::ranges::find_if(b, [&](const std::string& each) { return fit(word, each).fits; });
    if (other == b.end()) return false;
    whole = whole || fit(word, *other).whole;
    b.erase(other);
  }
  return whole;
}

bool are_similar(std::string_view a, std::string_view b) {
  const std::vector<std::string> words_a = words_of(a), words_b = words_of(b);
  if (words_a.empty() || words_b.empty()) return false;
  if (words_fit(words_a, words_b)) return true;
  std::string together_a, together_b;
  for (const std::string& word : words_a) together_a += word;
  for (const std::string& word : words_b) together_b += word;
  return together_a == together_b;
}

}  // namespace

std::string_view to_string(NameEquality strength) {
  return kStrengths[static_cast<std::size_t>(strength)];
}

std::string name_key(std::string_view name, NameEquality strength) {
  if (strength == NameEquality::kBytes) return std::string(name);
  if (strength == NameEquality::kCase)
    return single_blanks(fold(with_plain_joints(name), FoldStrength::kCase));
  return words_alone(name);
}

bool equal_names(std::string_view a, std::string_view b, NameEquality strength) {
  if (a == b) return true;
  if (strength == NameEquality::kSimilar)
    return equal_names(a, b, NameEquality::kMarks) || are_similar(a, b);
  return strength != NameEquality::kBytes && name_key(a, strength) == name_key(b, strength);
}

std::optional<NameEquality> name_equality(std::string_view a, std::string_view b) {
  for (const NameEquality strength :
       {NameEquality::kBytes, NameEquality::kCase, NameEquality::kMarks, NameEquality::kSimilar})
    if (equal_names(a, b, strength)) return strength;
  return std::nullopt;
}

}  // namespace anima::language
