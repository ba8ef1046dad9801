#include "load/map/value_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text/text.h"
#include "language/times/time_words.h"

namespace anima::load {
namespace {

constexpr std::size_t kMaxNumber = 40;
constexpr std::size_t kMaxDate = 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number taken apart: [sign] digits and marks [exponent].
struct NumberShape {
  bool good = false;
  bool negative = false, plus = false;
  std::string_view body;      // digits, commas, points
  std::string_view exponent;  // with its e
};

NumberShape shape_of_number(std::string_view text) {
  NumberShape shape;
  if (text.empty() || text.size() > kMaxNumber) return shape;
  if (text[0] == '-' || text[0] == '+') {
    shape.negative = text[0] == '-';
    shape.plus = text[0] == '+';
    text.remove_prefix(1);
  } else if (text.starts_with("\xe2\x88\x92")) {  // U+2212
    shape.negative = true;
    text.remove_prefix(3);
  }
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    shape.exponent = text.substr(e);
    std::string_view digits = shape.exponent.substr(1);
    if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
    if (digits.empty() || digits.size() > 3 || !std::all_of(digits.begin(), digits.end(), is_digit))
      return shape;
    text = text.substr(0, e);
  }
  shape.body = text;
  shape.good = text.find_first_of("0123456789") != std::string_view::npos &&
               text.find_first_not_of("0123456789.,") == std::string_view::npos;
  return shape;
}

// digits{1,3}(mark digits{3})*, not from 0 on: "0,125" has no thousands.
bool is_grouped(std::string_view text, char mark) {
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == 0 || at > 3 || at == text.size() || text[0] == '0') return false;
  while (at < text.size()) {
    if (text[at] != mark || at + 4 > text.size()) return false;
    for (std::size_t i = 1; i <= 3; ++i) {
      if (!is_digit(text[at + i])) return false;
    }
    at += 4;
  }
  return true;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// One of a number's styles with its own marks: `point` before the fraction, `group` (or 0) before
// each three digits.
bool fits_style(const NumberShape& shape, char point, char group, bool* fraction) {
  const std::size_t at = shape.body.rfind(point);
  const std::string_view whole = shape.body.substr(0, at);
  const std::string_view part =
      at == std::string_view::npos ? std::string_view() : shape.body.substr(at + 1);
  *fraction = at != std::string_view::npos || !shape.exponent.empty();
  if (at != std::string_view::npos && !part.empty() && !all_digits(part)) return false;
  if (whole.empty()) return !part.empty();
  if (part.empty() && at != std::string_view::npos) return false;  // "12."
  return all_digits(whole) || (group != 0 && shape.exponent.empty() && is_grouped(whole, group));
}

struct StyleMarks {
  char point;
  char group;
};
constexpr StyleMarks kMarks[kNumberStyles] = {{'.', 0}, {',', 0}, {'.', ','}, {',', '.'}};

constexpr std::uint8_t bits_of_styles(char point) {
  std::uint8_t bits = 0;
  for (std::size_t i = 0; i < kNumberStyles; ++i)
    if (kMarks[i].point == point) bits = static_cast<std::uint8_t>(bits | 1u << i);
  return bits;
}
constexpr std::uint8_t kPointStyles = bits_of_styles('.'), kCommaStyles = bits_of_styles(',');

bool has_leading_zero(std::string_view body) {
  return body.size() > 1 && body[0] == '0' && is_digit(body[1]);
}

// Which of its marks is the decimal one, as far as the number alone tells.
std::optional<NumberSign> mark_sign(const NumberShape& shape, std::uint8_t styles) {
  const std::string_view body = shape.body;
  if (styles == 0 || body.find_first_of(".,") == body.npos) return std::nullopt;
  if ((styles & kCommaStyles) == 0) return NumberSign::kPoint;
  if ((styles & kPointStyles) != 0)
    return body.find(',') != body.npos ? NumberSign::kEitherComma : NumberSign::kEitherPoint;
  const bool three_behind_zero = body.size() == 5 && body.starts_with("0,");
  return three_behind_zero ? NumberSign::kZeroComma : NumberSign::kComma;
}

// Whether a double may lose a digit before the decimal mark.
// A fraction with more digits than a double gives back: 0.1234567890123456789.
bool loses_digits(std::string_view body) {
  constexpr std::size_t kSurelyKept = 15;
  const std::size_t point = body.find_last_of(".,");
  std::string plain;
  for (std::size_t i = 0; i < body.size(); ++i)
    if (is_digit(body[i]) || i == point) plain += i == point ? '.' : body[i];
  if (plain.size() <= kSurelyKept + 1) return false;
  double number = 0;
  (void)std::from_chars(plain.data(), plain.data() + plain.size(), number);
  plain.erase(plain.find_last_not_of('0') + 1);
  return fmt::format("{}", number) != plain;
}

bool is_inexact(std::string_view body, bool has_fraction) {
  if (has_fraction && loses_digits(body)) return true;
  static const std::string kMost = std::to_string(kMostExact);
  if (body.size() < kMost.size()) return false;
  std::string digits;
  for (const char c : has_fraction ? body.substr(0, body.find_last_of(".,")) : body)
    if (is_digit(c) && !(digits.empty() && c == '0')) digits.push_back(c);
  return digits.size() > kMost.size() || (digits.size() == kMost.size() && digits > kMost);
}

// The styles that the number fits and what it says of its column.
void read_shape(const NumberShape& shape, CellForms& forms) {
  constexpr std::size_t kLongest = 18;  // digits that a 64-bit integer surely holds
  const auto add = [&](NumberSign sign, bool is) {
    if (is)
      forms.signs = static_cast<std::uint16_t>(forms.signs | 1u << static_cast<unsigned>(sign));
  };
  add(NumberSign::kLeadingZero, has_leading_zero(shape.body));
  for (std::size_t i = 0; i < kNumberStyles; ++i) {
    bool fraction = false;
    if (!fits_style(shape, kMarks[i].point, kMarks[i].group, &fraction)) continue;
    add(NumberSign::kTooLong, !fraction && shape.body.size() > kLongest);
    if (!fraction && shape.body.size() > kLongest) continue;  // an identifier, not a number
    forms.numbers = static_cast<std::uint8_t>(forms.numbers | 1u << i);
    if (fraction) forms.fractions = static_cast<std::uint8_t>(forms.fractions | 1u << i);
  }
  if (const auto sign = mark_sign(shape, forms.numbers)) add(*sign, true);
  if (forms.numbers == 0) return;
  const bool marked = shape.body.find_first_of(".,") != shape.body.npos;
  const bool bare = !shape.exponent.empty() && !marked && is_digit(shape.exponent[1]);
  add(NumberSign::kPlus, shape.plus);
  add(NumberSign::kMinus, shape.negative);
  add(NumberSign::kBareExponent, bare);
  add(NumberSign::kScientific, !shape.exponent.empty() && !bare);
  add(NumberSign::kInexact,
      shape.exponent.empty() && is_inexact(shape.body, forms.fractions == forms.numbers));
}

// --- dates

struct Clock24 {
  int hour = 0, minute = 0, second = 0;
  std::string_view rest;  // of seconds and offset, as written: ".25Z"
  bool seconds = false;
};

bool take_number(std::string_view& text, std::size_t least, std::size_t most, int* out) {
  std::size_t size = 0;
  while (size < text.size() && size < most && is_digit(text[size])) ++size;
  if (size < least) return false;
  std::from_chars(text.data(), text.data() + size, *out);
  text.remove_prefix(size);
  return true;
}

bool take_mark(std::string_view& text, char mark) {
  if (text.empty() || text[0] != mark) return false;
  text.remove_prefix(1);
  return true;
}

bool take_month(std::string_view& text, int* month) {
  std::size_t size = 0;
  while (size < text.size() &&
         ((text[size] >= 'a' && text[size] <= 'z') || (text[size] >= 'A' && text[size] <= 'Z')))
    ++size;
  if (size < 3) return false;
  static const language::TimeWords& words = *language::TimeWords::of("en");
  const auto known = words.value_of(language::Slot::kMonth, to_lower(text.substr(0, size)));
  if (!known) return false;
  *month = *known;
  text.remove_prefix(size);
  take_mark(text, '.');
  return true;
}

bool is_day(int year, int month, int day) {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return false;
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

struct Day {
  int year = 0, month = 0, day = 0;
};

bool take_numeric_day(std::string_view& text, char mark, bool month_first, Day* out) {
  int a = 0, b = 0;
  if (!take_number(text, 1, 2, &a) || !take_mark(text, mark)) return false;
  if (mark == '.' && !text.empty() && text[0] == ' ') text.remove_prefix(1);
  if (!take_number(text, 1, 2, &b) || !take_mark(text, mark)) return false;
  if (mark == '.' && !text.empty() && text[0] == ' ') text.remove_prefix(1);
  if (!take_number(text, 4, 4, &out->year)) return false;
  out->day = month_first ? b : a;
  out->month = month_first ? a : b;
  return true;
}

bool take_year_first(std::string_view& text, char mark, Day* out) {
  const std::size_t least = mark == '-' ? 2 : 1;
  return take_number(text, 4, 4, &out->year) && take_mark(text, mark) &&
         take_number(text, least, 2, &out->month) && take_mark(text, mark) &&
         take_number(text, least, 2, &out->day);
}

bool take_day_name(std::string_view& text, Day* out) {
  if (!take_number(text, 1, 2, &out->day)) return false;
  take_mark(text, '.');
  const char mark = text.empty() ? '\0' : text[0];
  if ((mark != ' ' && mark != '-') || !take_mark(text, mark)) return false;
  if (!take_month(text, &out->month)) return false;
  take_mark(text, ',');
  return take_mark(text, mark) && take_number(text, 4, 4, &out->year);
}

bool take_name_day(std::string_view& text, Day* out) {
  if (!take_month(text, &out->month) || !take_mark(text, ' ') ||
      !take_number(text, 1, 2, &out->day)) {
    return false;
  }
  take_mark(text, ',');
  return take_mark(text, ' ') && take_number(text, 4, 4, &out->year);
}

bool take_day(std::string_view& text, DateStyle style, Day* out) {
  bool good = false;
  switch (style) {
    case DateStyle::kIso:
      good = take_year_first(text, '-', out);
      break;
    case DateStyle::kYearSlash:
      good = take_year_first(text, '/', out);
      break;
    case DateStyle::kDayDots:
      good = take_numeric_day(text, '.', false, out);
      break;
    case DateStyle::kDaySlash:
      good = take_numeric_day(text, '/', false, out);
      break;
    case DateStyle::kMonthSlash:
      good = take_numeric_day(text, '/', true, out);
      break;
    case DateStyle::kDayDash:
      good = take_numeric_day(text, '-', false, out);
      break;
    case DateStyle::kDayName:
      good = take_day_name(text, out);
      break;
    case DateStyle::kNameDay:
      good = take_name_day(text, out);
      break;
  }
  return good && is_day(out->year, out->month, out->day);
}

// "12:30", "T12:30:05.25Z", " 2:30 PM"; all of the text.
bool read_clock(std::string_view text, Clock24* out) {
  if (text.empty() || (text[0] != ' ' && text[0] != 'T' && text[0] != 't' && text[0] != ','))
    return false;
  text.remove_prefix(1);
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  if (!take_number(text, 1, 2, &out->hour) || !take_mark(text, ':') ||
      !take_number(text, 2, 2, &out->minute)) {
    return false;
  }
  if (take_mark(text, ':')) {
    out->seconds = true;
    if (!take_number(text, 2, 2, &out->second)) return false;
  }
  if (out->hour > 23 || out->minute > 59 || out->second > 59) return false;
  std::string_view half = trim(text);
  if (equals_ignoring_ascii_case(half, "am") || equals_ignoring_ascii_case(half, "pm")) {
    if (out->hour < 1 || out->hour > 12) return false;
    out->hour = out->hour % 12 + (half[0] == 'p' || half[0] == 'P' ? 12 : 0);
    return true;
  }
  out->rest = text;
  if (take_mark(text, '.')) {
    int ignored = 0;
    if (!out->seconds || !take_number(text, 1, 9, &ignored)) return false;
  }
  if (text.empty() || text == "Z" || text == "z") return true;
  if (text[0] != '+' && text[0] != '-') return false;
  text.remove_prefix(1);
  int hours = 0, minutes = 0;
  return take_number(text, 2, 2, &hours) && take_mark(text, ':') &&
         take_number(text, 2, 2, &minutes) && text.empty() && hours < 24 && minutes < 60;
}

void append_padded(std::string& out, int number, std::size_t width) {
  const std::string digits = std::to_string(number);
  out.append(width > digits.size() ? width - digits.size() : 0, '0');
  out += digits;
}

bool iso_of(std::string_view text, DateStyle style, std::string* own) {
  Day day;
  if (text.size() > kMaxDate || !take_day(text, style, &day)) return false;
  Clock24 clock;
  if (!text.empty() && !read_clock(text, &clock)) return false;
  if (own == nullptr) return true;
  own->clear();
  append_padded(*own, day.year, 4);
  own->push_back('-');
  append_padded(*own, day.month, 2);
  own->push_back('-');
  append_padded(*own, day.day, 2);
  if (text.empty()) return true;
  own->push_back('T');
  append_padded(*own, clock.hour, 2);
  own->push_back(':');
  append_padded(*own, clock.minute, 2);
  own->push_back(':');
  append_padded(*own, clock.second, 2);
  // A time without an offset is told from UTC, so that it can be compared.
  *own += clock.rest;
  if (own->find_first_of("zZ+", 10) == std::string::npos && own->find('-', 10) == std::string::npos)
    own->push_back('Z');
  return true;
}

std::optional<store::ValueView> number_in_form(std::string_view text, const ValueForm& form) {
  const NumberShape shape = shape_of_number(text);
  const StyleMarks marks = kMarks[static_cast<std::size_t>(form.number)];
  bool fraction = false;
  if (!shape.good || !fits_style(shape, marks.point, marks.group, &fraction)) return std::nullopt;
  char digits[kMaxNumber + 2];
  std::size_t size = 0;
  if (shape.negative) digits[size++] = '-';
  for (const char c : shape.body) {
    if (c == marks.group && c != 0) continue;
    digits[size++] = c == marks.point ? '.' : c;
  }
  for (const char c : shape.exponent) digits[size++] = c;
  store::ValueView value;
  if (form.type == ValueType::kInteger) {
    if (fraction) return std::nullopt;
    value.kind = store::ValueKind::kInteger;
    const auto [end, error] = std::from_chars(digits, digits + size, value.integer);
    if (error != std::errc() || end != digits + size) return std::nullopt;
    return value;
  }
  value.kind = store::ValueKind::kDouble;
  const auto [end, error] = std::from_chars(digits, digits + size, value.number);
  if (error != std::errc() || end != digits + size || !std::isfinite(value.number))
    return std::nullopt;
  return value;
}

struct Pair {
  std::string_view yes, no;
};
constexpr Pair kPairs[kBooleanPairs] = {{"true", "false"}, {"yes", "no"}, {"ja", "nein"},
                                        {"on", "off"},     {"t", "f"},    {"y", "n"}};

}  // namespace

CellForms forms_of(std::string_view text) {
  CellForms forms;
  if (text.empty() || text.size() > kMaxNumber) return forms;
  const char first = text[0];
  const bool numeric = is_digit(first) || first == '-' || first == '+' || first == '.' ||
                       first == ',' || first == '\xe2';
  if (numeric) {
    const NumberShape shape = shape_of_number(text);
    if (shape.good) read_shape(shape, forms);
    if (!is_digit(first) || text.size() < 8) return forms;
  }
  if (text.size() < 8 || text.find_first_of("0123456789") == std::string_view::npos) return forms;
  for (std::size_t i = 0; i < kDateStyles; ++i) {
    if (iso_of(text, static_cast<DateStyle>(i), nullptr))
      forms.dates = static_cast<std::uint8_t>(forms.dates | 1u << i);
  }
  return forms;
}

BooleanWord boolean_word(std::string_view text) {
  if (text.empty() || text.size() > 5) return {};
  for (int i = 0; i < kBooleanPairs; ++i) {
    if (equals_ignoring_ascii_case(text, kPairs[i].yes)) return {i, true};
    if (equals_ignoring_ascii_case(text, kPairs[i].no)) return {i, false};
  }
  return {};
}

bool is_truth_alone(int pair) { return pair == 0; }

bool is_short_code(std::string_view text) {
  return (text.size() == 2 || text.size() == 3) &&
         std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_null_word(std::string_view text) {
  for (const std::string_view word : {"NULL", "\\N", "N/A", "n/a", "#N/A"}) {
    if (text == word) return true;
  }
  return false;
}

bool is_no_value(std::string_view text) {
  for (const std::string_view word :
       {"NA", "na", "null", "none", "None", "NONE", "nan", "NaN", "-", "--", "?", ".",
        "\xe2\x80\x93", "\xe2\x80\x94", "unknown", "Unknown", "..", "..."}) {
    if (text == word) return true;
  }
  return is_null_word(text);
}

std::optional<store::ValueView> read_written(std::string_view text, const ValueForm& form,
                                             std::string& own) {
  store::ValueView value;
  switch (form.type) {
    case ValueType::kInteger:
    case ValueType::kDecimal:
      return number_in_form(text, form);
    case ValueType::kBoolean: {
      const BooleanWord word = boolean_word(text);
      if (word.pair < 0 && text != "0" && text != "1") return std::nullopt;
      value.kind = store::ValueKind::kBoolean;
      value.integer = word.pair < 0 ? text == "1" : word.value;
      return value;
    }
    case ValueType::kDate:
      if (!iso_of(text, form.date, &own)) return std::nullopt;
      value.kind = store::ValueKind::kString;
      value.text = own;
      return value;
    case ValueType::kText:
      break;
  }
  value.kind = store::ValueKind::kString;
  value.text = text;
  return value;
}

}  // namespace anima::load
