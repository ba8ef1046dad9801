#include "base/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace anima {
namespace {

// One less at the lower end, so that every coefficient has a negative.
constexpr Int128 kMost = static_cast<Int128>(~Unsigned128{0} >> 1);

constexpr std::array<Int128, Decimal::kMaxScale + 1> make_powers() {
  std::array<Int128, Decimal::kMaxScale + 1> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}
constexpr auto kPowers = make_powers();

Int128 power_of_ten(int exponent) { return kPowers[static_cast<std::size_t>(exponent)]; }

Unsigned128 magnitude(Int128 number) {
  return number < 0 ? static_cast<Unsigned128>(-number) : static_cast<Unsigned128>(number);
}

bool multiply(Int128 a, Int128 b, Int128* product) {
  const Unsigned128 x = magnitude(a), y = magnitude(b);
  if (x != 0 && y > static_cast<Unsigned128>(kMost) / x) return false;
  *product = a * b;
  return true;
}

bool add(Int128 a, Int128 b, Int128* sum) {
  if (b > 0 ? a > kMost - b : a < -kMost - b) return false;
  *sum = a + b;
  return true;
}

// Digits from `at` on are read into `coefficient`; false when they are too many.
bool read_digits(std::string_view text, std::size_t* at, Int128* coefficient, int* count) {
  for (; *at < text.size() && text[*at] >= '0' && text[*at] <= '9'; ++*at, ++*count) {
    Int128 next = 0;
    if (!multiply(*coefficient, 10, &next) || !add(next, text[*at] - '0', coefficient))
      return false;
  }
  return true;
}

std::string digits_of(Unsigned128 number) {
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(number % 10)));
    number /= 10;
  } while (number != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

// What the number is more than the integer below it.
Int128 behind_point(Int128 coefficient, Int128 power) {
  const Int128 rest = coefficient % power;
  return rest < 0 ? rest + power : rest;
}

}  // namespace

std::optional<Decimal> Decimal::normal(Int128 coefficient, int scale) {
  while (scale > 0 && coefficient % 10 == 0) {
    coefficient /= 10;
    --scale;
  }
  for (; scale < 0; ++scale) {
    if (!multiply(coefficient, 10, &coefficient)) return std::nullopt;
  }
  if (scale > kMaxScale) return std::nullopt;
  return Decimal(coefficient, scale);
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  Int128 coefficient = 0;
  int before = 0, after = 0;
  if (!read_digits(text, &at, &coefficient, &before)) return std::nullopt;
  if (at < text.size() && text[at] == '.') {
    ++at;
    // Zeros at the end say nothing.
    std::size_t end = text.size();
    while (end > at && text[end - 1] == '0') --end;
    const bool zeros = end < text.size();
    text = text.substr(0, end);
    if (!read_digits(text, &at, &coefficient, &after)) return std::nullopt;
    if (before + after == 0 && !zeros) return std::nullopt;
  } else if (before == 0) {
    return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;
  return normal(text[0] == '-' ? -coefficient : coefficient, after);
}

std::optional<Decimal> Decimal::parse_integer(std::string_view text) {
  if (text.find('.') != std::string_view::npos) return std::nullopt;
  return parse(text);
}

std::optional<Decimal> Decimal::of(double number) {
  if (!std::isfinite(number)) return std::nullopt;
  char buffer[400];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed);
  if (written.ec != std::errc{}) return std::nullopt;
  return parse({buffer, static_cast<std::size_t>(written.ptr - buffer)});
}

std::string Decimal::text() const {
  std::string digits = digits_of(magnitude(coefficient_));
  const auto scale = static_cast<std::size_t>(scale_);
  if (scale > 0) {
    if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
    digits.insert(digits.size() - scale, 1, '.');
  }
  return coefficient_ < 0 ? "-" + digits : digits;
}

double Decimal::number() const {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  constexpr int kExactPower = 22;  // the last power of ten that a double holds
  if (coefficient_ <= kExact && coefficient_ >= -kExact && scale_ <= kExactPower) {
    const auto whole = static_cast<double>(static_cast<std::int64_t>(coefficient_));
    return scale_ == 0 ? whole : whole / static_cast<double>(power_of_ten(scale_));
  }
  const std::string digits = text();
  double number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::optional<std::int64_t> Decimal::integer() const {
  if (scale_ != 0 || coefficient_ < INT64_MIN || coefficient_ > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(coefficient_);
}

int Decimal::compare(const Decimal& other) const {
  const Int128 a = power_of_ten(scale_), b = power_of_ten(other.scale_);
  const Int128 x = coefficient_ / a, y = other.coefficient_ / b;
  if (x != y) return x < y ? -1 : 1;
  const Int128 rest = coefficient_ % a * power_of_ten(kMaxScale - scale_);
  const Int128 other_rest = other.coefficient_ % b * power_of_ten(kMaxScale - other.scale_);
  return rest < other_rest ? -1 : rest > other_rest ? 1 : 0;
}

std::optional<Decimal> Decimal::plus(const Decimal& other) const {
  const int scale = std::max(scale_, other.scale_);
  Int128 a = 0, b = 0, sum = 0;
  if (!multiply(coefficient_, power_of_ten(scale - scale_), &a) ||
      !multiply(other.coefficient_, power_of_ten(scale - other.scale_), &b) || !add(a, b, &sum))
    return std::nullopt;
  return normal(sum, scale);
}

std::optional<Decimal> Decimal::minus(const Decimal& other) const { return plus(other.negated()); }

std::optional<Decimal> Decimal::times(const Decimal& other) const {
  Int128 product = 0;
  if (!multiply(coefficient_, other.coefficient_, &product)) return std::nullopt;
  return normal(product, scale_ + other.scale_);
}

std::optional<Decimal> Decimal::over(const Decimal& other) const {
  if (other.coefficient_ == 0) return std::nullopt;
  const bool negative = (coefficient_ < 0) != (other.coefficient_ < 0);
  const Unsigned128 divisor = magnitude(other.coefficient_);
  const auto most = static_cast<Unsigned128>(kMost);
  if (divisor > most / 10) return std::nullopt;
  Unsigned128 quotient = magnitude(coefficient_) / divisor;
  Unsigned128 rest = magnitude(coefficient_) % divisor;
  int scale = scale_ - other.scale_;
  for (; rest != 0 && scale < kDivisionScale && quotient <= (most - 9) / 10; ++scale) {
    rest *= 10;
    quotient = quotient * 10 + rest / divisor;
    rest %= divisor;
  }
  if (rest != 0 && scale < 0) return std::nullopt;
  if (rest >= divisor - rest && quotient < most) ++quotient;
  const auto signed_quotient = static_cast<Int128>(quotient);
  return normal(negative ? -signed_quotient : signed_quotient, scale);
}

Decimal Decimal::truncated() const { return {coefficient_ / power_of_ten(scale_), 0}; }

Decimal Decimal::floor() const {
  const Decimal whole = truncated();
  return coefficient_ < 0 && scale_ > 0 ? Decimal(whole.coefficient_ - 1, 0) : whole;
}

Decimal Decimal::ceiling() const { return negated().floor().negated(); }

Decimal Decimal::rounded() const {
  if (scale_ == 0) return *this;
  const Decimal below = floor();
  const Int128 rest = behind_point(coefficient_, power_of_ten(scale_));
  return rest * 2 >= power_of_ten(scale_) ? Decimal(below.coefficient_ + 1, 0) : below;
}

}  // namespace anima
