// Where what is written as a name may be another word, or a part of a longer name.
// Thread-safety: pure functions. Complexity: O(words of the text) for `may_be_a_word`, O(run) for
// `may_be_longer`, else O(1).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "language/language.h"
#include "language/names/detail/signed_words.h"
#include "language/text/script.h"
#include "language/text/vocabulary.h"

namespace anima::language::detail {

// Whether names are told from words by a capital letter.
bool has_capitals(Script script);
// A capital letter that says nothing: of a word that begins a sentence ("Will you come?"), stands
// in capitals ("THE LAN"), behind an article or beside a number ("der Wolf", "5 Mark"). `name` is
// as it is written, `languages` those that the text may be in.
bool may_be_a_word(std::string_view text, std::span<const SignedWord> words, std::size_t at,
                   std::string_view name, std::span<const Language> languages);
// Whether what is written in small letters is a stop word of one of the languages, is listed as a
// word (known/names_that_are_words.txt) of one of them or, if `open`, of any, or is a given name
// and a common word of one.
bool is_a_word(std::string_view written, std::span<const Language> languages, bool open);
// Whether a hyphen joins the words from the `first` to the `last` to another name: "Jean" of
// "Jean-Paul". A title, an ending or a word in small letters makes none: "Tanaka-san", "Ada-based".
bool is_hyphenated(std::span<const SignedWord> words, std::size_t first, std::size_t last,
                   std::span<const Language> languages);
// In a run of Han, whether the bytes from .. to are perhaps of a longer name or of another word:
// 李雷 in 李雷雷, 李明 in 张李明, 山口 in 山口県. `text` tells Chinese from Japanese.
bool may_be_longer(std::string_view text, std::string_view run, std::size_t from, std::size_t to);
// Whether a particle before the name from the word `first` on makes a family name of both, which is
// not the name alone: "D'Angelo", "O'Brien", "Juan de la Cruz", "Robert De Niro".
bool is_behind_particle(std::span<const SignedWord> words, std::size_t first,
                        std::span<const Language> languages);
// Whether the form is one of a given name that is a form of `word`, or of which `word` is one:
// "Александру" is of Александра, and of Александр. O(endings).
bool may_be_form_of_another(std::string_view form, std::string_view word,
                            const NameEndings& endings);
// Two letters that are found alike and tell words apart: "على" is "on", "علي" is Ali; "Евгении" is
// a form of Евгения, and not only another way to write Евгений.
bool are_told_apart(std::string_view a, std::string_view b);
// Whether what stands before a capital letter inside a word is such a particle: "Mc" of "McDonald".
bool is_joined_particle(std::string_view written);
// Letters that no other language in Latin script has.
bool has_vietnamese_letter(std::string_view text);

}  // namespace anima::language::detail
