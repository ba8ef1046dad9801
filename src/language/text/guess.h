// Which language a text is in, by its stop words and its script.
//
// A word that is a stop word of several languages votes for each. Nothing is guessed where two have
// as many votes, or nobody has one: the caller knows more (the session, the space, a setting), or
// tries several. Thread-safety: pure functions; LanguageVotes belongs to one thread. Complexity:
// O(words).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "language/language.h"

namespace anima::language {

// A bit each, by its number.
using LanguageSet = std::bitset<kLanguages>;
inline LanguageSet set_of(Language language) {
  return LanguageSet().set(static_cast<std::size_t>(language));
}

class LanguageVotes {
 public:
  // A word folded with FoldStrength::kCase.
  void add(std::string_view word);
  void add_text(std::string_view text);
  void add(const LanguageVotes& more);

  std::uint32_t of(Language language) const { return votes_[static_cast<std::size_t>(language)]; }
  std::uint64_t all() const;
  // The one with the most; nothing where there is none, or two have as many.
  std::optional<Language> most() const;
  // The same where it has two votes or more, and half as many again as any other: names and words
  // that several languages share say nothing then.
  std::optional<Language> sure() const;
  // Those with at least half of the most, in the order of the enumeration.
  std::vector<Language> likely() const;

 private:
  std::array<std::uint32_t, kLanguages> votes_{};
};

std::optional<Language> guess_language(std::string_view text);
std::vector<Language> likely_languages(std::string_view text);
// By whose rules the words of the text may be forms of others: the language that it is surely in,
// else those that it may be in. None where fewer words than these say so, as in a name: "i" and
// "haven" are Danish, too.
inline constexpr std::uint32_t kClearVotes = 3;
LanguageSet languages_of_forms(std::string_view text);

}  // namespace anima::language
