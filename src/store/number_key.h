// NumberKey: where a number stands among all numbers, whatever it was written as.
//
// Integers and decimals of any length count as what they are. A double that is whole or at least
// 2^53 counts as what it is, too; one with a fraction counts as the shortest decimal that reads
// back as it, which is what is printed and what was written: the double 12.3 is the decimal 12.30.
// So two numbers are one value exactly when their keys are equal, and the order of keys is the
// order of values: -0 is 0, and NaN, which is equal to no number, stands behind all of them.
// Thread-safety: plain values and pure functions. Complexity: O(digits); O(1) for what fits into 15
// digits.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/value.h"

namespace anima::store {

struct NumberKey {
  double number = 0;  // the largest double that is not above it
  std::string
      beyond;  // bytes that sort as the values above that double do; empty: it is the double

  bool is_nan() const { return number != number; }
  bool operator==(const NumberKey& other) const { return (*this <=> other) == 0; }
  std::strong_ordering operator<=>(const NumberKey& other) const;
};

NumberKey number_key(std::int64_t number);
NumberKey number_key(double number);
// Digits with an optional sign and, unless `whole`, perhaps a point: the literals of xsd:decimal
// and xsd:integer. nullopt: it is none.
std::optional<NumberKey> decimal_key(std::string_view text, bool whole);
// The literals of xsd:double: the same with perhaps an exponent, INF, -INF, NaN.
std::optional<double> read_double(std::string_view text);

// Of a value that is a number: of its own kind, or a literal of one of XML Schema's numeric types.
std::optional<NumberKey> number_key(const ValueView& value);

}  // namespace anima::store
