// What stands between two words of a text, where they may be two words of one name.
// Thread-safety: pure functions. Complexity: O(gap x words).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "language/names/detail/signed_words.h"

namespace anima::language::detail {

bool is_blank(std::string_view gap);
// Blanks, or one mark that joins words.
bool joins_words(std::string_view gap);
// A full stop and blanks: an abbreviation goes before it, or a sentence ends there.
bool is_full_stop(std::string_view gap);
bool is_abbreviation(const SignedWord& word);

// Of a gap of the text behind `words[left]`, without the quotes, brackets and marks of emphasis
// that enclose some of `words` alone: of `**Ada** Berg` the blank.
std::string_view without_enclosing(std::string_view gap, std::span<const SignedWord> words,
                                   std::size_t left);

// Whether the words from the `first` to the `last`, read as "family name, other names", may be
// members of a list: another name stands beside them, or a word that joins lists.
bool may_be_a_list(std::span<const SignedWord> text, std::size_t first, std::size_t last);

}  // namespace anima::language::detail
