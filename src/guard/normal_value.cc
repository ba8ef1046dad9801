#include "guard/normal_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text/read_number.h"
#include "base/text/text.h"
#include "language/times/time_words.h"

namespace anima::guard {
namespace {

constexpr std::size_t kLongestNumber = 40;
constexpr std::size_t kLongestDate = 40;
constexpr std::size_t kDigitsThatSay = 3;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Without what nobody sees, blanks as one, one form for each letter.
std::string plain_text(std::string_view text) {
  const std::string composed = is_ascii(text) ? std::string(text) : to_nfkc(text);
  std::string out;
  bool gap = false;
  for (std::size_t at = 0; at < composed.size();) {
    const CodePoint point = decode_utf8(composed, at);
    at += point.size;
    if (point.value <= 0x20 || point.value == 0xa0) {
      gap = !out.empty();
    } else if (!hides_something(point.value)) {
      if (gap) out.push_back(' ');
      gap = false;
      append_utf8(out, point.value);
    }
  }
  return out;
}

// "1,200.50" behind a sign or letters of a currency, or before them; else empty.
std::string_view without_currency(std::string_view text) {
  constexpr std::array<std::string_view, 4> kSigns = {"$", "€", "£", "¥"};
  for (const std::string_view sign : kSigns) {
    if (text.starts_with(sign)) return trim(text.substr(sign.size()));
    if (text.ends_with(sign)) return trim(text.substr(0, text.size() - sign.size()));
  }
  const auto letters = [](std::string_view word) { return std::ranges::all_of(word, is_letter); };
  if (text.size() > 4 && letters(text.substr(0, 3)) && text[3] == ' ') return trim(text.substr(4));
  if (text.size() > 4 && letters(text.substr(text.size() - 3)) && text[text.size() - 4] == ' ')
    return trim(text.substr(0, text.size() - 4));
  return text;
}

std::string decimal(double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

int number_in(std::string_view text) { return read_number<int>(text).value_or(-1); }

// 1 to 12 for "Nov" and "November", else 0.
int month_of(std::string_view word) {
  std::string name = to_lower(word);
  if (name.ends_with('.')) name.pop_back();
  return language::TimeWords::of("en")->value_of(language::Slot::kMonth, name).value_or(0);
}

std::optional<std::string> day_text(int year, int month, int day) {
  if (year < 1000 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31)
    return std::nullopt;
  const auto two = [](int n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return std::to_string(year) + "-" + two(month) + "-" + two(day);
}

// "2026-11-23"; nothing for anything else.
std::optional<std::string> iso_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  return day_text(number_in(text.substr(0, 4)), number_in(text.substr(5, 2)),
                  number_in(text.substr(8, 2)));
}

// "09:00", "09:00:00", "09:00:00.000", each also with a zone: without seconds that are none.
std::optional<std::string> clock_time(std::string_view text) {
  if (text.size() < 5 || text[2] != ':') return std::nullopt;
  const int hour = number_in(text.substr(0, 2)), minute = number_in(text.substr(3, 2));
  if (hour < 0 || hour > 24 || minute < 0 || minute > 59) return std::nullopt;
  std::string out(text.substr(0, 5));
  std::string_view rest = text.substr(5);
  if (rest.starts_with(':')) {
    if (rest.size() < 3 || number_in(rest.substr(1, 2)) < 0) return std::nullopt;
    if (rest.substr(1, 2) != "00") out += rest.substr(0, 3);
    rest.remove_prefix(3);
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      while (!rest.empty() && is_digit(rest.front())) rest.remove_prefix(1);
    }
  }
  if (rest == "Z" || rest == "z" || rest == "+00:00") return out + "Z";
  const bool zone = rest.size() == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':' &&
                    number_in(rest.substr(1, 2)) >= 0 && number_in(rest.substr(4, 2)) >= 0;
  if (!rest.empty() && !zone) return std::nullopt;
  return out + std::string(rest);
}

// "23 November 2026", "November 23, 2026", "23rd of Nov 2026".
std::optional<std::string> day_in_words(std::string_view text) {
  int month = 0, day = 0, year = 0;
  for (std::string_view word : split(text, ' ')) {
    while (word.ends_with(',')) word.remove_suffix(1);
    if (word.empty() || word == "of" || word == "the") continue;
    if (month == 0 && (month = month_of(word)) != 0) continue;
    for (const std::string_view ending : {"st", "nd", "rd", "th", "."}) {
      if (word.size() > ending.size() && word.ends_with(ending)) {
        word.remove_suffix(ending.size());
        break;
      }
    }
    const int number = number_in(word);
    if (number < 0) return std::nullopt;
    if (word.size() == 4 && year == 0) {
      year = number;
    } else if (word.size() <= 2 && day == 0) {
      day = number;
    } else {
      return std::nullopt;
    }
  }
  return day_text(year, month, day);
}

// "23.11.2026".
std::optional<std::string> day_with_dots(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 3 || parts[2].size() != 4) return std::nullopt;
  return day_text(number_in(parts[2]), number_in(parts[1]), number_in(parts[0]));
}

}  // namespace

std::optional<std::string> normal_number(std::string_view whole) {
  const std::string_view text = without_currency(trim(whole));
  if (text.empty() || text.size() > kLongestNumber) return std::nullopt;
  std::string digits;
  std::size_t at = text[0] == '-' ? 1 : 0;
  if (at == 1) digits.push_back('-');
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view before = text.substr(at, point - at);
  const bool grouped = before.find(',') != std::string_view::npos;
  if (before.empty() || !is_digit(before[0]) || (before[0] == '0' && before.size() > 1))
    return std::nullopt;
  std::size_t group = 0, groups = 0;
  for (const char c : before) {
    if (c == ',' && group > 0 && (groups == 0 ? group <= 3 : group == 3)) {
      ++groups;
      group = 0;
    } else if (is_digit(c)) {
      ++group;
      digits.push_back(c);
    } else {
      return std::nullopt;
    }
  }
  if (grouped && group != 3) return std::nullopt;
  if (point < text.size()) {
    const std::string_view behind = text.substr(point + 1);
    if (behind.empty() || !std::ranges::all_of(behind, is_digit)) return std::nullopt;
    digits += "." + std::string(behind);
    while (digits.ends_with('0')) digits.pop_back();
    if (digits.ends_with('.')) digits.pop_back();
  }
  return digits == "-0" ? "0" : digits;
}

std::optional<std::string> normal_date(std::string_view whole) {
  const std::string_view text = trim(whole);
  if (text.size() < 6 || text.size() > kLongestDate) return std::nullopt;
  if (const auto day = iso_day(text.substr(0, std::min<std::size_t>(text.size(), 10)))) {
    if (text.size() == 10) return day;
    if (text[10] != 'T' && text[10] != ' ' && text[10] != 't') return std::nullopt;
    const auto time = clock_time(text.substr(11));
    return time ? std::optional(*day + "T" + *time) : std::nullopt;
  }
  if (const auto day = day_with_dots(text)) return day;
  return day_in_words(text);
}

bool is_clock_time(std::string_view text) { return clock_time(trim(text)).has_value(); }

std::string normal_text(std::string_view text) {
  const std::string plain = plain_text(text);
  if (const auto number = normal_number(plain)) return "n:" + *number;
  if (const auto date = normal_date(plain)) return "d:" + *date;
  const bool address = plain.find('@') != std::string::npos && plain.find(' ') == std::string::npos;
  return "t:" + (address ? to_lower(plain) : plain);
}

std::string normal_value(const Json& scalar) {
  switch (scalar.kind()) {
    case Json::Kind::kBool:
      return scalar.as_bool() ? "b:true" : "b:false";
    case Json::Kind::kInteger:
      return "n:" + std::to_string(scalar.as_integer());
    case Json::Kind::kDouble: {
      if (scalar.is_long_integer()) return "n:" + scalar.long_digits();
      const double value = scalar.as_number();
      const bool whole = std::floor(value) == value && std::abs(value) < 9e15;
      return "n:" + (whole ? std::to_string(static_cast<std::int64_t>(value)) : decimal(value));
    }
    case Json::Kind::kString:
      return normal_text(scalar.as_string());
    default:
      return {};
  }
}

bool says_something(std::string_view normal) {
  if (normal.starts_with("b:") || normal.empty()) return false;
  const std::string_view body = normal.substr(2);
  if (normal.starts_with("d:")) return true;
  if (normal.starts_with("t:")) return count_code_points(body) >= 2;
  std::string digits;
  for (const char c : body) {
    if (is_digit(c)) digits.push_back(c);
  }
  while (digits.ends_with('0') && body.find('.') == std::string_view::npos) digits.pop_back();
  return digits.size() >= kDigitsThatSay;
}

}  // namespace anima::guard
