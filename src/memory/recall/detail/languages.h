// What recall knows of a language: its stop words, and the words of question, person and time that
// its bonuses look for.
//
// Everything is in lower case, one word each, words as split_terms() (terms.h) cuts them.
// Thread-safety: constant data, made at the first use. Complexity: O(1) a look-up.
#pragma once

#include <string_view>
#include <vector>

#include "base/text/stemmer.h"

namespace anima::memory::detail {

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

bool is_stop_word(Language language, std::string_view word);
// Of all stop words, whose they are; the bit of a language is 1 << its number.
unsigned stop_word_of(std::string_view word);
std::vector<std::string_view> stop_words(Language language);

}  // namespace anima::memory::detail
