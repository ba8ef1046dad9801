// The parts of a compound, so that who looks for "Maschine" finds "Kaffeemaschine".
//
// A word is a compound where known parts of one language (packs/language/words, [compounds]) and
// what that language puts between them are all of it, with an ending of the language at most. A
// word that is so by chance gives parts that nobody looks for; one with an unknown part gives none.
// Words are folded for finding. Thread-safety: a pure function over constant data. Complexity: O(1)
// for most words, that begin or end like no part; else O(letters^2) look-ups.
#pragma once

#include <string_view>
#include <vector>

#include "language/text/words.h"

namespace anima::language {

// Two or more, in order; empty for what is no compound.
std::vector<TextSpan> compound_parts(std::string_view word);

}  // namespace anima::language
