// The ways of writing a word of one script in Latin letters: a file of packs/language/romanised.
// Thread-safety: constant once loaded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/toml.h"
#include "base/result.h"
#include "language/text/script.h"

namespace anima::language::detail {

using Ways = std::vector<std::string>;  // of writing one letter; an empty one is nothing

class Romanisation {
 public:
  static Result<Romanisation> from_toml(std::string_view text, std::string source);
  // Where there is no file, what ICU makes of it.
  static const Romanisation& of(Script script);

  // Letter by letter; nothing where a letter has no way. Folded by case.
  std::optional<std::vector<Ways>> letters_of(std::string_view word) const;
  // Of the whole word, where it is listed.
  const Ways* word(std::string_view word) const;

 private:
  friend class RomanisationReader;
  friend class WayWriter;
  struct Letter {
    Ways ways;
    bool consonant = false;
  };
  std::optional<std::vector<Ways>> syllables_of(std::u32string_view word) const;

  bool from_icu_ = false;
  std::map<std::u32string, Letter, std::less<>> letters_;
  std::size_t longest_ = 1;  // of the keys of letters_
  std::map<std::string, Ways, std::less<>> words_;
  Ways between_, after_cluster_;
  std::u32string joins_, leading_, silences_, dropped_;
  std::vector<Ways> initial_, vowels_, closed_vowels_, final_;  // of Hangul
  std::map<char32_t, Ways> family_;
};

}  // namespace anima::language::detail
