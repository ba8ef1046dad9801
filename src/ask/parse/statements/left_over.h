// What of a sentence a fact does not account for: the rule that a sentence is read whole or not.
//
// Each piece is the name of a thing, the words of the predicate or the attribute, the value, or a
// copula, an article or a preposition in the place that the grammar has for it; between pieces
// there is white space alone. What is none of these may turn the sentence round ("presumably", "<",
// "?"), so the fact is not stated. Whoever calls has taken out what changes nothing, and has
// blanked it in the sentence. Thread-safety: pure. Ownership: all arguments outlive it. Errors:
// none. Complexity: O(pieces x senses).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ask/lexicon/lexicon.h"
#include "ask/parse/statements/sentence_marks.h"

namespace anima::ask {

class LeftOver {
 public:
  LeftOver(const Lexicon& lexicon, const SentenceMarks& marks, std::string_view sentence,
           const std::vector<Piece>& pieces, const std::vector<Sense>& senses)
      : lexicon_(lexicon), marks_(marks), sentence_(sentence), pieces_(pieces), senses_(senses) {}

  // The first sign before the piece `end` that belongs to no name; with all pieces, also behind
  // them. Empty: none.
  std::string sign_before(std::size_t end) const;
  // The first word or sign that a link does not account for; empty: it accounts for all.
  std::string of_link(store::EntityId subject, store::EntityId object, int predicate) const;
  // A word that nothing here explains, of a sentence that states no fact; empty: none.
  std::string unknown_word() const;

 private:
  bool is_class(std::size_t at, WordClass word_class) const;
  bool is_within_a_name(std::size_t at, std::string_view gap) const;
  const Sense* span_of(store::EntityId thing, const Sense* other) const;
  const Sense* words_of(int predicate, const Sense& subject, const Sense& object) const;
  bool is_type_of(std::size_t at, const Sense& thing) const;
  bool is_preposition(std::size_t at) const;

  const Lexicon& lexicon_;
  const SentenceMarks& marks_;
  std::string_view sentence_;
  const std::vector<Piece>& pieces_;
  const std::vector<Sense>& senses_;
};

}  // namespace anima::ask
