#include "language/names/written_names.h"

#include <algorithm>
#include <unordered_map>

#include "base/text/text.h"
#include "language/names/known_words.h"
#include "language/text/fold.h"
#include "language/text/vocabulary.h"
#include "language/text/word_uses.h"
#include "language/text/words.h"

namespace anima::language {
namespace {

constexpr std::size_t kFewWords = 2;  // of a title or a label: all may have capital letters

bool has_capitals_alone(std::string_view word) {
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint point = decode_utf8(word, at);
    if (!is_upper(point.value)) return false;
    at += point.size;
  }
  return true;
}

bool look_up_name(std::string_view word) {
  return is_given_name(word) || std::ranges::any_of(described_languages(), [&](Language language) {
           return is_name_and_word(word, code_of(language));
         });
}

// Stop words are few and stand in every text: each is looked up once.
bool is_listed_name(std::string_view word) {
  thread_local std::unordered_map<std::string, bool, TextHash, std::equal_to<>> known;
  const auto found = known.find(word);
  if (found != known.end()) return found->second;
  return known.emplace(word, look_up_name(word)).first->second;
}

}  // namespace

bool is_written_as_name(const NamePlace& place, std::size_t words,
                        const std::function<bool()>& has_small_word) {
  if (!place.capital || count_code_points(place.folded) < 2) return false;
  if (has_capitals_alone(place.written)) return words == 1 || has_small_word();
  static const WordSet& by_rule = words_used_as("capitals_by_rule");
  if (by_rule.contains(place.folded)) return false;
  if (!place.starts_sentence) return words <= kFewWords || has_small_word();
  static const WordSet& behind = words_used_as("behind_no_name");
  return !behind.contains(place.next) && is_listed_name(place.folded);
}

std::vector<std::string> stop_words_as_names(std::string_view text, bool or_only) {
  WordReader reader(FoldStrength::kCase);
  const std::vector<Token>& tokens = reader.read(text);
  const auto has_small_word = [&] {
    return std::ranges::any_of(
        tokens, [](const Token& token) { return !token.capital && !token.unbroken; });
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool only = or_only && tokens.size() == 1;
    if ((!token.capital && !only) || languages_with_stop_word(token.folded).empty()) continue;
    const NamePlace place{text.substr(token.begin, token.end - token.begin), token.folded,
                          i + 1 < tokens.size() ? tokens[i + 1].folded : std::string_view(),
                          token.capital, token.starts_sentence};
    if (only || is_written_as_name(place, tokens.size(), has_small_word))
      names.push_back(fold_for_finding(token.folded));
  }
  return names;
}

}  // namespace anima::language
