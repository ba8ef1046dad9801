// Whether a word of a text is a form of a word of a name, by the endings of a language.
// Both are folded for finding. Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "language/text/vocabulary.h"

namespace anima::language::detail {

// A word of two letters takes no endings: nearly every short word would be a form of it.
inline constexpr std::size_t kFewestLetters = 3;

bool is_form_of(std::string_view form, std::string_view word, const NameEndings& endings);
// What the word may be a form of, and what may be a form of it by one change.
std::vector<std::string> related_words(std::string_view word, const NameEndings& endings);
// Whether it has no more than an ending that many other names have, too: "Roberts".
bool is_open_form_of(std::string_view form, std::string_view word, const NameEndings& endings);

}  // namespace anima::language::detail
