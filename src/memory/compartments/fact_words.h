// A fact as a person writes it: Datalog ('needs("curl", X)'), the plain words SUBJECT PREDICATE
// [OBJECT], which stand for a relation or an attribute, or a triple as SPARQL and N-Triples write
// it ('<urn:anima:concept:Package:curl> <urn:anima:predicate:needs> <...>').
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/compartments/reasoner.h"

namespace anima::memory {

// The words of a text, as a shell would hand them on: blanks divide, quotes hold together. A text
// with a bracket is Datalog, one that begins with "<" a triple; either is one word.
std::vector<std::string> fact_words(std::string_view text);

// The Datalog patterns that the words may mean, the likeliest first; never empty. A pattern whose
// predicate is not among the reasoner's is left out, unless no other remains.
// Errors: kInvalidArgument for a subject alone, more than three words, what is no triple.
Result<std::vector<std::string>> fact_patterns(const std::vector<std::string>& words,
                                               const Reasoner& reasoner);
// Of one text, 'Bob manages Alice': every way to read it as a subject, a known relation or an
// attribute, and an object; "_" and "-" may stand as blanks. Errors: kInvalidArgument when there is
// none. O(words^2).
Result<std::vector<std::string>> sentence_patterns(std::string_view sentence,
                                                   const Reasoner& reasoner);

// The facts that the first pattern with any matches, at most kMostMatched; never empty. Errors:
// kNotFound, and those of the language.
inline constexpr std::size_t kMostMatched = 100;
Result<std::vector<std::string>> matching_facts(const std::vector<std::string>& patterns,
                                                const Reasoner& reasoner);

}  // namespace anima::memory
