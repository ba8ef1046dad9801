// The words of question, person and time that recall's bonuses look for, by language.
//
// Everything is in lower case, one word each, words as split_terms() (terms.h) cuts them. Months,
// weekdays and numbers are here; the rest is in the vocabularies of the room `language`.
// Thread-safety: constant data, made at the first use. Complexity: O(1) a look-up.
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
  int month = 0;      // 1 .. 12
  int weekday = 0;    // 1 (Monday) .. 7
  int number = 0;     // two, three .. ten; a: 1
};
WordUse use_of(Language language, std::string_view word);

inline bool is_stop_word(Language language, std::string_view word) {
  return anima::language::vocabulary(language).is_stop_word(word);
}

}  // namespace anima::memory::detail
