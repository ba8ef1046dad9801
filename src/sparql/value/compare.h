// Equality, comparison and order of terms.
//
// Equality of literals whose values are known and of different kinds is false, not an error; where
// a datatype is unknown or a literal is not of its datatype, only the same term is equal and
// everything else an error. The order is total: unbound, blank nodes, IRIs, literals; numbers by
// value. Thread-safety: as Values. Complexity: O(length of the texts).
// Source: SPARQL 1.1 Query Language, 17.3, 17.4.1.7 and 15.1.
#pragma once

#include <cstdint>
#include <optional>

#include "query/values.h"
#include "sparql/value/value.h"

namespace anima::sparql::value {

query::Truth equal(const Value& a, const Value& b);
// The same by codes, of which equal ones decide at once.
query::Truth equal(const query::Values& values, std::uint32_t a, std::uint32_t b);
// -1, 0 or 1; nullopt where the two have no order. NaN has none with any number: `unordered` is set
// then, and every comparison but "!=" is false.
std::optional<int> compare(const Value& a, const Value& b, bool* unordered);

// As ORDER BY, MIN and MAX see it. The text lives as long as the values.
query::SortKey sort_key(query::Values& values, std::uint32_t code);

}  // namespace anima::sparql::value
