// The time that a clause speaks of. Thread-safety: pure. Complexity: O(clause).
#pragma once

#include <cstdint>

#include "language/statements/statement_words.h"

namespace anima::language {

enum class Tense : std::uint8_t { kUnknown, kPast, kPresent, kFuture };

// Of the clause around the lexemes [from, to): by its mark that is nearest to them, else by the one
// of the sentence. The lexemes themselves say nothing.
Tense tense_around(const Lexemes& lexemes, std::size_t from, std::size_t to,
                   const StatementWords& words);

}  // namespace anima::language
