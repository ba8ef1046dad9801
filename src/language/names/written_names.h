// Stop words that are names where they stand: "Will" of a person, "IT" of a department.
//
// A capital letter says so inside a sentence, and so do capitals among other words. At the
// beginning of a sentence it says nothing: there a word counts that is listed as a name
// (known_words.h), unless what no name has behind it follows ("Will you come?"). Words that a
// language writes with a capital letter by rule ("I", "Ich") and single letters are none
// (packs/language/uses). Thread-safety: pure. Complexity: O(log names) a word, O(words) where it
// asks for the others.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace anima::language {

struct NamePlace {
  std::string_view written, folded;  // the word, and folded by case
  std::string_view next;             // the word behind it, folded by case; empty for none
  bool capital = false, starts_sentence = false;
};
// `words` of the text; whether one of them begins with a small letter is asked where it matters.
bool is_written_as_name(const NamePlace& place, std::size_t words,
                        const std::function<bool()>& has_small_word);

// The stop words of any language that a text has as names, folded for finding; `or_only`: also the
// only word of a text, however it is written.
std::vector<std::string> stop_words_as_names(std::string_view text, bool or_only = false);

}  // namespace anima::language
