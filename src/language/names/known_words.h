// Words that are known by themselves, as data (packs/language/known): names that people are given,
// names of places and of organisations, the common words of a language, and names that are words.
//
// They are no proof. That a word is listed as a name says that it is one somewhere; that it is
// listed as a common word says that a capital letter alone makes no name of it. What is in no list
// is not known. Everything is asked folded by case (text/fold.h). Thread-safety: pure. Complexity:
// O(log words) a look-up; the endings of common words are read once.
#pragma once

#include <string_view>

namespace anima::language {

bool is_given_name(std::string_view folded);  // of one word
// The same of a word folded for finding, as the words of names are. O(1).
bool is_given_name_without_marks(std::string_view folded);
bool is_known_place(std::string_view folded);         // "new york"
bool is_known_region(std::string_view folded);        // a country, or a part of one: "oregon"
bool is_known_organisation(std::string_view folded);  // "procter & gamble"
// Also with an ending that the list has for its words. Nothing is known of a language without one.
bool is_common_word(std::string_view folded, std::string_view language);

// Whether the name is listed as a word of the language, too: "rose", "en". The code may say how:
// "en.time", "zh.given" (the head of known/names_that_are_words.txt says which there are).
bool is_name_and_word(std::string_view folded, std::string_view code);

}  // namespace anima::language
