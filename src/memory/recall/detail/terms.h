// Texts as recall compares them: the terms of the room `language` (language/text/words.h) in lower
// case, without stop words, words as stems of the text's language without accents.
//
// A stop word is one of the language's list, or a word whose stem is the stem of one. One that is
// written as a name (language/names/written_names.h) is a term by its letters.
// Thread-safety: a TermReader belongs to one thread; the functions are pure. Source: recall study,
// section 1.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text_table.h"
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
  std::size_t end = 0;     // of the word as it is written, which may be longer or shorter
  bool capital = false;    // it begins with a capital letter
  bool starts_sentence = false;
  bool ideographic = false;  // a pair of neighbours, or one that stands alone
  bool whole = false;        // several words as they stand together: "v1.11", "c++"; or a run
  bool run = false;          // of a question: what no text has as one term (TermKind::kRun)
  float name = 0;            // of a question's stop word: what it counts as a name
  // What a text may have for a word of a question; null where that is the word alone, as in a text.
  struct Instead {
    std::vector<std::string> parts;   // that it may have apart (IndexTerm)
    std::vector<std::string> inside;  // what a longer whole has of it (IndexTerm)
    std::string spelled;              // how else it is written (IndexTerm)
  };
  std::shared_ptr<const Instead> instead = nullptr;
};
std::vector<TermWord> split_terms(std::string_view text,
                                  language::TermUse use = language::TermUse::kQuery);

// Whether a word of a text is written as a name (language/names/written_names.h).
bool is_written_as_name(std::string_view text, std::span<const TermWord> words, std::size_t at);

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

  // Of a word in lower case of a text in that language; what is new gets the next number. Languages
  // do not share terms: what is one stem in one is two in another. O(1) for a word seen before.
  Term intern(Language language, const TermWord& word, bool sure = true);
  // The same of a stop word that is a name there.
  Term intern_name(Language language, const TermWord& word);
  // What texts have of the word: in each language the term of its stem there; none of what is
  // nowhere. No text has two of them. O(letters) a language.
  std::vector<Term> find(const TermWord& word);
  // The terms of all these words, in each language that has them all.
  std::vector<std::vector<Term>> find_together(std::span<const std::string> words);
  // Of a word as it is, without regard to any language.
  std::vector<Term> find_plain(const TermWord& word) const;
  // Of the words interned that are forms of this one in the language of their texts, each once,
  // ascending. O(words that begin as its forms do).
  std::vector<Term> find_forms(const TermWord& word);
  // Whether texts have the word itself, and of these terms another word, too.
  bool has_other_forms(const TermWord& word, std::span<const Term> terms) const;
  // As a text, for comparing without numbers; empty for a stop word.
  std::string stem(Language language, const TermWord& word);
  std::size_t terms() const { return words_of_.size(); }  // numbers are below it
  std::size_t heap_bytes() const;

 private:
  struct OfLanguage {
    explicit OfLanguage(Language language);
    language::Stemmer stemmer;
    const language::Vocabulary& vocabulary;
    language::WordSet stop_stems;
    struct Known {
      Term term = kDropped;
      bool unsure = true;  // of no text that is surely in the language
    };
    TextTable<Known> words;
    // The same, folded for finding: views of those of `words`, or of what folding changed.
    using Letters = std::pair<std::string_view, const Known*>;
    std::vector<Letters> by_letters;
    std::size_t in_order = 0;  // of `by_letters`: so many stand in the order of their letters
    std::deque<std::string> folded;
    TextTable<Term> terms;  // by stem

    // `by_letters` in order; it is sorted when it is asked for, since few questions need it.
    const std::vector<Letters>& letters_in_order();
  };
  OfLanguage& of(Language language);
  Term find_in(OfLanguage& of, const TermWord& word) const;
  std::string stem_in(OfLanguage& of, const TermWord& word) const;

  TermRules rules_;
  std::array<std::unique_ptr<OfLanguage>, language::kLanguages> languages_;
  std::vector<std::uint32_t> words_of_ = {0};  // how many different words each term has
};

}  // namespace anima::memory::detail
