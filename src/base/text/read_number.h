// The number that a text is, from its first byte to its last: a minus and digits, for a fraction
// also a point and an exponent (std::from_chars). Blanks, a plus, a thing behind it, and what does
// not fit the type are no number, nor are "inf" and "nan", which from_chars takes.
// Complexity: O(bytes). Thread-safety: a function of its argument.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>

namespace anima {

template <typename Number>
std::optional<Number> read_number(std::string_view text) {
  Number number{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  if constexpr (std::floating_point<Number>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  return number;
}

}  // namespace anima
