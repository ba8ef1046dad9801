// Whole numbers as a language spells them: "twenty-three", "dreiundzwanzig", "quatre-vingt-dix",
// "二十三", and ordinals ("third", "3rd").
//
// The words are data, packs/language/numbers/LANG.toml:
//   language    its code
//   words       word or phrase = number; what is added
//   scales      word = number; what multiplies what stands before it
//   ordinals    word = number, whole numbers only
//   joiners     words between two of them that may be left out of the sum ("and", "-")
//   endings     what makes digits an ordinal ("st", "nd", "."), if anything
//   teens_after numbers to which 10 .. 19 are added, too (French 60 and 80)
//   compounds   { joiner, ones = { word = number }, hundred }: numbers below 1000 as one word
// Thread-safety: constant once loaded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json/toml.h"
#include "base/result.h"
#include "language/numbers/lexemes.h"

namespace anima::language {

struct WholeNumber {
  std::int64_t value = 0;
  std::size_t end = 0;  // the lexeme after it
  bool spelled = false;
  bool ordinal = false;
};

class NumberWords {
 public:
  static Result<NumberWords> from_toml(std::string_view text, std::string source);
  // Of packs/language/numbers; null for a language that is none of them.
  static const NumberWords* of(std::string_view language);

  // The longest one that begins at `at`. O(its lexemes).
  std::optional<WholeNumber> read(const Lexemes& lexemes, std::size_t at) const;
  bool begins(const std::string& word) const { return firsts_.contains(word); }
  // Of a word that is one digit.
  std::optional<int> digit(const std::string& word) const;
  const std::string& language() const { return language_; }

 private:
  enum class Use : std::uint8_t { kAdds, kMultiplies, kOrdinal };
  struct Entry {
    std::vector<std::string> words;
    std::int64_t value = 0;
    Use use = Use::kAdds;
  };
  struct Sum;

  Status read_table(const TomlDocument& document, std::string_view key, Use use);
  Status read_compounds(const TomlDocument& document);
  void add(std::string_view phrase, std::int64_t value, Use use);
  const Entry* entry_at(const Lexemes& lexemes, std::size_t at) const;
  std::optional<WholeNumber> read_digits(const Lexemes& lexemes, std::size_t at) const;
  bool joins(const Lexemes& lexemes, std::size_t at) const;

  std::string language_;
  std::unordered_map<std::string, std::vector<Entry>> firsts_;  // by first word, longest first
  std::vector<std::string> joiners_, endings_;
  std::vector<std::int64_t> teens_after_;
};

}  // namespace anima::language
