// Decimal: an exact number to compute with, a 128-bit integer over a power of ten: xsd:decimal and
// xsd:integer.
//
// At least 38 digits; what does not fit is no number, never a wrong one. No library is used: a
// coefficient in two registers is ten times faster than a number of any length, and no data asks
// for more digits. Only division rounds: behind 18 digits after the point, or where the coefficient
// is full; the last digit is rounded half away from zero. Invariant: no zero at the end behind the
// point. Thread-safety: plain values. Complexity: O(digits).
// Source: XML Schema 1.1 part 2, 3.3.3; XPath and XQuery Functions 3.1, 4.2 and 4.4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace anima {

__extension__ using Int128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

class Decimal {
 public:
  static constexpr int kMaxScale = 37;       // digits behind the point
  static constexpr int kDivisionScale = 18;  // that a quotient is rounded to

  constexpr Decimal() = default;
  constexpr explicit Decimal(std::int64_t integer) : coefficient_(integer) {}

  // An optional sign, digits, perhaps a point and digits. nullopt: no decimal, or too long.
  static std::optional<Decimal> parse(std::string_view text);
  // Digits alone.
  static std::optional<Decimal> parse_integer(std::string_view text);
  // The shortest decimal that reads back as the number; nullopt when it is too large, or no number.
  static std::optional<Decimal> of(double number);

  std::string text() const;  // canonical: no "+", no point in an integer
  double number() const;     // the nearest
  bool is_integer() const { return scale_ == 0; }
  bool is_zero() const { return coefficient_ == 0; }
  bool is_negative() const { return coefficient_ < 0; }
  std::optional<std::int64_t> integer() const;  // when it is one that fits
  int compare(const Decimal& other) const;      // -1, 0, 1
  bool operator==(const Decimal& other) const = default;

  // nullopt: the result does not fit, or a division by zero.
  std::optional<Decimal> plus(const Decimal& other) const;
  std::optional<Decimal> minus(const Decimal& other) const;
  std::optional<Decimal> times(const Decimal& other) const;
  std::optional<Decimal> over(const Decimal& other) const;
  Decimal negated() const { return {-coefficient_, scale_}; }

  Decimal floor() const;
  Decimal ceiling() const;
  Decimal rounded() const;    // half towards positive infinity
  Decimal truncated() const;  // towards zero

 private:
  constexpr Decimal(Int128 coefficient, int scale) : coefficient_(coefficient), scale_(scale) {}
  static std::optional<Decimal> normal(Int128 coefficient, int scale);
  Int128 coefficient_ = 0;
  int scale_ = 0;
};

}  // namespace anima
