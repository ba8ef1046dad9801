#include "datalog/values/calendar.h"

#include <array>

#include "base/civil.h"

namespace anima::datalog::detail {
namespace {

__extension__ using Wide = unsigned __int128;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Exactly `width` digits.
bool take_digits(std::string_view& text, std::size_t width, int& value) {
  if (text.size() < width) return false;
  value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    if (!is_digit(text[i])) return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(width);
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// ".123" as nanoseconds; digits after the ninth are dropped.
bool take_fraction(std::string_view& text, std::int64_t& nanoseconds) {
  if (!take(text, '.')) return true;
  std::int64_t unit = kNanosPerSecond;
  std::size_t digits = 0;
  nanoseconds = 0;
  while (!text.empty() && is_digit(text.front())) {
    unit /= 10;
    nanoseconds += (text.front() - '0') * unit;
    text.remove_prefix(1);
    ++digits;
  }
  return digits > 0;
}

bool take_date(std::string_view& text, Civil& civil) {
  int year = 0;
  if (!take_digits(text, 4, year) || !take(text, '-') || !take_digits(text, 2, civil.month) ||
      !take(text, '-') || !take_digits(text, 2, civil.day)) {
    return false;
  }
  civil.year = year;
  return true;
}

bool take_clock(std::string_view& text, Civil& civil, bool seconds_needed) {
  if (!take_digits(text, 2, civil.hour) || !take(text, ':') ||
      !take_digits(text, 2, civil.minute)) {
    return false;
  }
  if (!take(text, ':')) return !seconds_needed;
  return take_digits(text, 2, civil.second) && take_fraction(text, civil.nanosecond);
}

bool in_range(const Civil& civil) {
  return is_date(civil.year, civil.month, civil.day) && civil.hour <= 23 && civil.minute <= 59 &&
         civil.second <= 59;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

}  // namespace

Civil civil_from_nanoseconds(std::int64_t nanoseconds) {
  const std::int64_t seconds = floor_divide(nanoseconds, kNanosPerSecond);
  const std::int64_t days = floor_divide(seconds, kSecondsPerDay);
  const std::int64_t rest = seconds - days * kSecondsPerDay;
  const CivilDate date = civil_from_days(days);
  Civil civil;
  civil.year = date.year;
  civil.month = date.month;
  civil.day = date.day;
  civil.hour = static_cast<int>(rest / 3600);
  civil.minute = static_cast<int>(rest / 60 % 60);
  civil.second = static_cast<int>(rest % 60);
  civil.nanosecond = nanoseconds - seconds * kNanosPerSecond;
  return civil;
}

std::optional<std::int64_t> nanoseconds_from_civil(const Civil& civil, std::int64_t offset) {
  if (!in_range(civil)) return std::nullopt;
  const std::int64_t seconds =
      days_from_civil(civil.year, civil.month, civil.day) * kSecondsPerDay + civil.hour * 3600 +
      civil.minute * 60 + civil.second - offset;
  std::int64_t result = 0;
  if (__builtin_mul_overflow(seconds, kNanosPerSecond, &result) ||
      __builtin_add_overflow(result, civil.nanosecond, &result)) {
    return std::nullopt;
  }
  return result;
}

std::optional<std::int64_t> parse_rfc3339(std::string_view text) {
  Civil civil;
  if (!take_date(text, civil) || text.empty() || (text.front() != 'T' && text.front() != 't')) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  if (!take_clock(text, civil, true) || text.empty()) return std::nullopt;
  if (text == "Z" || text == "z") return nanoseconds_from_civil(civil);
  const char sign = text.front();
  text.remove_prefix(1);
  int hours = 0;
  int minutes = 0;
  if ((sign != '+' && sign != '-') || !take_digits(text, 2, hours) || !take(text, ':') ||
      !take_digits(text, 2, minutes) || !text.empty() || hours > 23 || minutes > 59) {
    return std::nullopt;
  }
  const std::int64_t offset = hours * 3600 + minutes * 60;
  return nanoseconds_from_civil(civil, sign == '-' ? -offset : offset);
}

std::optional<std::int64_t> parse_timestamp_literal(std::string_view text) {
  Civil civil;
  if (!take_date(text, civil)) return std::nullopt;
  if (take(text, 'T')) {
    if (!take_clock(text, civil, true)) return std::nullopt;
    take(text, 'Z');
  }
  if (!text.empty()) return std::nullopt;
  return nanoseconds_from_civil(civil);
}

std::optional<Civil> parse_civil(std::string_view text) {
  Civil civil;
  if (!take_date(text, civil)) return std::nullopt;
  if (text.empty()) return in_range(civil) ? std::optional(civil) : std::nullopt;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  if (!take_clock(text, civil, false) || !text.empty() || !in_range(civil)) return std::nullopt;
  return civil;
}

namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::array kUnits = {Unit{"ns", 1},
                               Unit{"us", 1000},
                               Unit{"\xC2\xB5s", 1000},  // the micro sign
                               Unit{"\xCE\xBCs", 1000},  // the Greek letter
                               Unit{"ms", 1'000'000},
                               Unit{"s", kNanosPerSecond},
                               Unit{"m", 60 * kNanosPerSecond},
                               Unit{"h", 3600 * kNanosPerSecond}};

// Adds digits * unit, digits being a decimal fraction, in 128 bits: exact down to the nanosecond.
bool add_part(std::string_view whole, std::string_view fraction, std::int64_t unit, Wide& total) {
  constexpr auto kLimit = static_cast<Wide>(1) << 64;
  Wide value = 0;
  for (const char c : whole) {
    value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > kLimit) return false;
  }
  value *= static_cast<std::uint64_t>(unit);
  // The fraction's digits as a number over a power of ten; those past the eighteenth change no
  // nanosecond.
  std::uint64_t digits = 0;
  std::uint64_t power = 1;
  for (const char c : fraction.substr(0, 18)) {
    digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
    power *= 10;
  }
  value += static_cast<Wide>(digits) * static_cast<std::uint64_t>(unit) / power;
  total += value;
  return total <= kLimit;
}

std::string_view take_number(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

}  // namespace

std::optional<std::int64_t> parse_go_duration(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  Wide total = 0;
  while (!text.empty()) {
    const std::string_view whole = take_number(text);
    std::string_view fraction;
    if (take(text, '.')) fraction = take_number(text);
    if (whole.empty() && fraction.empty()) return std::nullopt;
    const Unit* unit = nullptr;
    std::size_t size = 0;
    while (size < text.size() && text[size] != '.' && !is_digit(text[size])) ++size;
    for (const Unit& candidate : kUnits) {
      if (candidate.name == text.substr(0, size)) unit = &candidate;
    }
    if (unit == nullptr || !add_part(whole, fraction, unit->nanoseconds, total)) {
      return std::nullopt;
    }
    text.remove_prefix(size);
  }
  constexpr auto kMost = static_cast<Wide>(INT64_MAX);
  if (total > kMost + (negative ? 1U : 0U)) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(total);
  return static_cast<std::int64_t>(negative ? ~size + 1 : size);
}

}  // namespace anima::datalog::detail
