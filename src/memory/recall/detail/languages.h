// The words of question, person and time that recall's bonuses look for, by language.
//
// Everything is in lower case, one word each, words as split_terms() (terms.h) cuts them: of the
// vocabularies of the room `language`, and of its words of time. Thread-safety: constant data, made
// at the first use. Complexity: O(1) a look-up.
#pragma once

#include <string_view>

#include "language/text/vocabulary.h"

namespace anima::memory::detail {

using language::Language;

// What else than a term a word can be. A word may be several.
struct WordUse {
  bool asks_name = false;   // who, where, which
  bool asks_thing = false;  // what: asks for a name where a noun follows
  bool asks_when = false;
  bool verb_of_question = false;  // is, did: what follows "what" where it asks for no name
  bool first_person = false;
  bool time = false;  // yesterday, week
  bool month = false;
  bool dated = false;   // a month or a weekday
  bool unsure = false;  // as such: "may" in small letters is another word
};
WordUse use_of(Language language, std::string_view word);
// "how long", "what year".
bool asks_when(Language language, std::string_view word, std::string_view next);

inline bool is_stop_word(Language language, std::string_view word) {
  return anima::language::vocabulary(language).is_stop_word(word);
}

}  // namespace anima::memory::detail
