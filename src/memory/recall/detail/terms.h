// Texts as recall compares them: words in lower case, cut at the apostrophe, without stop words, as
// stems of the text's language; ideographs as pairs of neighbours.
//
// A stop word is one of the language's list, or a word whose stem is the stem of one.
// Thread-safety: a TermReader belongs to one thread; the functions are pure. Source: recall study,
// section 1.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text/stemmer.h"

namespace anima::memory::detail {

// In lower case, in the order of the text. O(text).
struct TermWord {
  std::string text;
  std::size_t offset = 0;  // in bytes of the text
  bool capital = false;    // it begins with a capital letter
  bool starts_sentence = false;
  bool ideographic = false;  // a pair of neighbours, or one that stands alone
};
std::vector<TermWord> split_terms(std::string_view text);

// How many stop words of each language.
using LanguageVotes = std::array<std::uint32_t, kLanguages>;
void add_votes(const std::vector<TermWord>& words, LanguageVotes& votes);
// The one with the most; nothing where there is none or two have as many.
std::optional<Language> most_voted(const LanguageVotes& votes);

struct TermRules {
  bool stems = true;
  bool drop_stop_words = true;
};

class TermReader {
 public:
  using Term = std::uint32_t;
  static constexpr Term kDropped = 0;  // a stop word
  static constexpr Term kUnknown = 0xffffffff;

  explicit TermReader(TermRules rules = {});

  // Of a word in lower case; what is new gets the next number. O(1) for a word seen before.
  Term intern(Language language, const TermWord& word);
  // kUnknown for what was never interned. O(letters).
  Term find(Language language, const TermWord& word);
  // As a text, for comparing without numbers; empty for a stop word.
  std::string stem(Language language, const TermWord& word);
  std::size_t terms() const { return terms_.size() + 1; }  // numbers are below it
  std::size_t heap_bytes() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  template <typename Value>
  using ByText = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  TermRules rules_;
  std::vector<Stemmer> stemmers_;
  std::array<std::unordered_set<std::string>, kLanguages> stop_stems_;
  std::array<ByText<Term>, kLanguages> words_;  // word -> term
  ByText<Term> terms_;                          // stem -> term
};

}  // namespace anima::memory::detail
