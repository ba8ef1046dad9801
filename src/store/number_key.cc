#include "store/number_key.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace anima::store {
namespace {

constexpr std::string_view kXsd = "http://www.w3.org/2001/XMLSchema#";
constexpr double kWholeFrom = 9007199254740992.0;  // 2^53: from there on every double is whole

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 0.DIGITS * 10^exponent; no zero at either end of the digits, none of zero.
struct Digits {
  bool negative = false;
  std::int64_t exponent = 0;
  std::string digits;

  bool is_zero() const { return digits.empty(); }

  void strip() {
    const std::size_t first = digits.find_first_not_of('0');
    if (first == std::string::npos) {
      *this = {};
      return;
    }
    digits.erase(0, first);
    exponent -= static_cast<std::int64_t>(first);
    digits.erase(digits.find_last_not_of('0') + 1);
  }

  int compare(const Digits& other) const {
    if (is_zero() || other.is_zero()) return sign() - other.sign();
    if (negative != other.negative) return negative ? -1 : 1;
    const int size = exponent != other.exponent ? (exponent < other.exponent ? -1 : 1)
                                                : digits.compare(other.digits);
    return (size < 0 ? -1 : size > 0 ? 1 : 0) * (negative ? -1 : 1);
  }
  int sign() const { return is_zero() ? 0 : negative ? -1 : 1; }

  // A digit for the sign, the exponent, the digits; of a negative number all of it turned round,
  // with a byte behind that is larger than a digit: there the longer one comes first.
  std::string sortable() const {
    constexpr std::int64_t kMiddle = std::int64_t{1} << 62;
    std::string bytes = std::to_string(exponent + kMiddle);
    constexpr std::size_t kExponentDigits = 19;
    bytes.insert(0, kExponentDigits - bytes.size(), '0');
    bytes += digits;
    if (!negative) return "1" + bytes;
    for (char& c : bytes) c = static_cast<char>('0' + '9' - c);
    return "0" + bytes + ":";
  }
};

std::optional<Digits> read_digits(std::string_view text, bool whole) {
  Digits out;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point && !whole) {
      point = true;
      out.exponent = static_cast<std::int64_t>(out.digits.size());
    } else if (is_digit(c)) {
      out.digits.push_back(c);
    } else {
      return std::nullopt;
    }
  }
  if (out.digits.empty()) return std::nullopt;
  if (!point) out.exponent = static_cast<std::int64_t>(out.digits.size());
  out.strip();
  return out;
}

// What a finite double counts as.
Digits digits_of(double number) {
  char buffer[400];
  if (std::fabs(number) >= kWholeFrom) {
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed, 0).ptr;
    return *read_digits({buffer, static_cast<std::size_t>(end - buffer)}, true);
  }
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t e = text.find('e');
  Digits out = *read_digits(text.substr(0, e), false);
  int exponent = 0;
  const std::size_t first = e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + first, text.data() + text.size(), exponent);
  if (!out.is_zero()) out.exponent += exponent;
  return out;
}

double nearest(const Digits& value) {
  std::string text = value.negative ? "-." : ".";
  text += value.digits + "e" + std::to_string(value.exponent);
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc{}) return number;
  // Beyond what a double holds, on one side or the other.
  if (value.exponent < 0) return 0;
  return value.negative ? -HUGE_VAL : HUGE_VAL;
}

NumberKey key_of(const Digits& value) {
  if (value.is_zero()) return {};
  const double number = nearest(value);
  constexpr std::size_t kTold = std::numeric_limits<double>::digits10;
  constexpr double kNormal = 1e-290;  // from there on so many digits tell two numbers apart
  const double size = std::fabs(number);
  if (value.digits.size() <= kTold && size < kWholeFrom && size > kNormal) return {number, {}};
  const int sign = std::isinf(number) ? (number < 0 ? 1 : -1) : value.compare(digits_of(number));
  if (sign == 0) return {number, {}};
  return {sign > 0 ? number : std::nextafter(number, -HUGE_VAL), value.sortable()};
}

enum class NumericType : std::uint8_t { kNone, kWhole, kDecimal, kDouble };

NumericType numeric_type(std::string_view iri) {
  if (!iri.starts_with(kXsd)) return NumericType::kNone;
  const std::string_view name = iri.substr(kXsd.size());
  if (name == "decimal") return NumericType::kDecimal;
  if (name == "double" || name == "float") return NumericType::kDouble;
  for (const std::string_view known :
       {"integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger",
        "negativeInteger", "nonPositiveInteger", "unsignedInt", "unsignedLong", "unsignedShort",
        "unsignedByte"}) {
    if (name == known) return NumericType::kWhole;
  }
  return NumericType::kNone;
}

}  // namespace

std::strong_ordering NumberKey::operator<=>(const NumberKey& other) const {
  if (is_nan() || other.is_nan()) return is_nan() <=> other.is_nan();
  if (number != other.number) {
    return number < other.number ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return beyond <=> other.beyond;
}

NumberKey number_key(std::int64_t number) {
  constexpr auto kTold = static_cast<std::int64_t>(kWholeFrom);
  if (number <= kTold && number >= -kTold) return {static_cast<double>(number), {}};
  return *decimal_key(std::to_string(number), true);
}

NumberKey number_key(double number) { return {number == 0 ? 0.0 : number, {}}; }

std::optional<NumberKey> decimal_key(std::string_view text, bool whole) {
  const std::optional<Digits> digits = read_digits(text, whole);
  if (!digits) return std::nullopt;
  return key_of(*digits);
}

std::optional<double> read_double(std::string_view text) {
  if (text == "NaN") return std::nan("");
  if (text == "INF" || text == "+INF") return HUGE_VAL;
  if (text == "-INF") return -HUGE_VAL;
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  if (!read_digits(text.substr(0, e), false)) return std::nullopt;
  if (e < text.size() && !read_digits(text.substr(e + 1), true)) return std::nullopt;
  std::string plain(text);
  if (plain.starts_with('+')) plain.erase(0, 1);
  if (e + 1 < text.size() && text[e + 1] == '+') plain.erase(plain.find_first_of("eE") + 1, 1);
  double number = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  if (read.ec == std::errc{}) return number;
  // Too large or too small: the nearest there is.
  return std::strtod(plain.c_str(), nullptr);
}

std::optional<NumberKey> number_key(const ValueView& value) {
  switch (value.kind) {
    case ValueKind::kInteger:
      return number_key(value.integer);
    case ValueKind::kDouble:
      return number_key(value.number);
    case ValueKind::kDecimal:
      return decimal_key(value.text, false);
    case ValueKind::kTyped:
      break;
    default:
      return std::nullopt;
  }
  switch (numeric_type(value.extra)) {
    case NumericType::kWhole:
      return decimal_key(value.text, true);
    case NumericType::kDecimal:
      return decimal_key(value.text, false);
    case NumericType::kDouble:
      if (const auto number = read_double(value.text)) return number_key(*number);
      return std::nullopt;
    case NumericType::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace anima::store
