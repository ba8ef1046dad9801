// Words by what a room uses them for, as data: packs/language/uses, a file a language, where each
// key is a use and its value words between blanks or a list of texts. The words of all languages
// count together, in the order of the files.
//
// A use that no file has, and a file of ours that does not load, is a programmer's error and ends
// the program. Thread-safety: constant data, made at the first use. Complexity: O(log uses).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "language/text/vocabulary.h"

namespace anima::language {

std::span<const std::string> texts_used_as(std::string_view use);
// The same to look words up in.
const WordSet& words_used_as(std::string_view use);

}  // namespace anima::language
