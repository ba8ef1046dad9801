// Texts as recall compares them: the terms of the room `language` (language/text/words.h) in lower
// case, without stop words, words as stems of the text's language without accents.
//
// A stop word is one of the language's list, or a word whose stem is the stem of one.
// Thread-safety: a TermReader belongs to one thread; the functions are pure. Source: recall study,
// section 1.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "language/text/guess.h"
#include "language/text/stemmer.h"
#include "language/text/vocabulary.h"
#include "language/text/words.h"

namespace anima::memory::detail {

using language::Language;
using language::LanguageVotes;

// In lower case, in the order of the text. O(text).
struct TermWord {
  std::string text;
  std::size_t offset = 0;  // in bytes of the text
  bool capital = false;    // it begins with a capital letter
  bool starts_sentence = false;
  bool ideographic = false;              // a pair of neighbours, or one that stands alone
  bool whole = false;                    // several words as they stand together: "v1.11", "c++"
  std::vector<std::string> parts = {};   // that a text may have apart (IndexTerm)
  std::vector<std::string> inside = {};  // what a longer whole has of it (IndexTerm)
  std::string spelled = {};              // how else it is written (IndexTerm)
};
std::vector<TermWord> split_terms(std::string_view text,
                                  language::TermUse use = language::TermUse::kQuery);

// How many stop words of each language.
void add_votes(const std::vector<TermWord>& words, LanguageVotes& votes);

struct TermRules {
  bool stems = true;
  bool drop_stop_words = true;
};

class TermReader {
 public:
  using Term = std::uint32_t;
  static constexpr Term kDropped = 0;  // a stop word
  static constexpr Term kUnknown = 0xffffffff;

  explicit TermReader(TermRules rules = {}) : rules_(rules) {}

  // Of a word in lower case; what is new gets the next number. O(1) for a word seen before.
  Term intern(Language language, const TermWord& word);
  // kUnknown for what was never interned. O(letters).
  Term find(Language language, const TermWord& word);
  // Of a word as it is, without regard to any language.
  Term find_plain(const TermWord& word) const;
  // Of the words interned that are forms of this one in some language, each once, ascending.
  // O(words).
  std::vector<Term> find_forms(const TermWord& word) const;
  // As a text, for comparing without numbers; empty for a stop word.
  std::string stem(Language language, const TermWord& word);
  std::size_t terms() const { return terms_.size() + 1; }  // numbers are below it
  std::size_t heap_bytes() const;

 private:
  template <typename Value>
  using ByText = std::unordered_map<std::string, Value, language::TextHash, std::equal_to<>>;
  struct OfLanguage {
    explicit OfLanguage(Language language);
    language::Stemmer stemmer;
    const language::Vocabulary& vocabulary;
    language::WordSet stop_stems;
    ByText<Term> words;  // word -> term
  };
  OfLanguage& of(Language language);

  TermRules rules_;
  std::array<std::unique_ptr<OfLanguage>, language::kLanguages> languages_;
  ByText<Term> terms_;  // stem -> term
};

}  // namespace anima::memory::detail
