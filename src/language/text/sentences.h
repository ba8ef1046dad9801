// The sentences of a text.
//
// A sentence ends behind . ! ? … and their counterparts of other scripts, with the quotes and
// brackets that close there, and at an empty line. A full stop ends none inside a word or number
// ("v1.11", "3.5"), behind one letter ("A. Lovelace", "z.B.") and behind a title of any language
// ("Dr. Virtanen"); nor where the next word begins with a small letter. Thread-safety: a pure
// function. Complexity: O(text).
#pragma once

#include <string_view>
#include <vector>

#include "language/text/words.h"

namespace anima::language {

// In order, without the blanks around them.
std::vector<TextSpan> sentences(std::string_view text);

}  // namespace anima::language
