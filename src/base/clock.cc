#include "base/clock.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <chrono>

#include "base/civil.h"

namespace anima {
namespace {

Unexpected<Error> malformed(std::string_view text) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is not a time", text.substr(0, 64)),
              {}, "write it as 2026-11-21T04:08:26Z, or a date alone");
}

// Reads fixed-width numbers and marks from the front of a text.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  bool number(std::size_t digits, int& value) {
    if (text_.size() < digits) return false;
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!is_digit(text_[i])) return false;
      value = value * 10 + (text_[i] - '0');
    }
    text_.remove_prefix(digits);
    return true;
  }
  bool one_of(std::string_view marks, char& mark) {
    if (text_.empty() || marks.find(text_.front()) == std::string_view::npos) return false;
    mark = text_.front();
    text_.remove_prefix(1);
    return true;
  }
  bool mark(std::string_view marks) {
    char ignored = 0;
    return one_of(marks, ignored);
  }
  // Digits after the point; what is finer than a microsecond is cut off.
  bool fraction(std::int64_t& microseconds) {
    std::size_t digits = 0;
    std::int64_t unit = kMicrosecondsPerSecond / 10;
    for (; digits < text_.size() && is_digit(text_[digits]); ++digits) {
      microseconds += (text_[digits] - '0') * unit;
      unit /= 10;
    }
    text_.remove_prefix(digits);
    return digits > 0;
  }
  bool at_end() const { return text_.empty(); }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  std::string_view text_;
};

bool read_date(TimeReader& reader, std::int64_t& microseconds) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!reader.number(4, year) || !reader.mark("-") || !reader.number(2, month) ||
      !reader.mark("-") || !reader.number(2, day)) {
    return false;
  }
  if (!is_date(year, month, day)) return false;
  microseconds = days_from_civil(year, month, day) * kMicrosecondsPerDay;
  return true;
}

bool read_time_of_day(TimeReader& reader, std::int64_t& microseconds) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!reader.number(2, hour) || !reader.mark(":") || !reader.number(2, minute) ||
      !reader.mark(":") || !reader.number(2, second)) {
    return false;
  }
  // Second 60 is a leap second; it becomes the first of the next minute.
  if (hour > 23 || minute > 59 || second > 60) return false;
  microseconds += ((hour * 60 + minute) * 60 + second) * kMicrosecondsPerSecond;
  return !reader.mark(".") || reader.fraction(microseconds);
}

bool read_offset(TimeReader& reader, std::int64_t& microseconds) {
  char sign = 0;
  if (reader.mark("Zz")) return true;
  if (!reader.one_of("+-", sign)) return false;
  int hour = 0;
  int minute = 0;
  if (!reader.number(2, hour) || !reader.mark(":") || !reader.number(2, minute)) return false;
  if (hour > 23 || minute > 59) return false;
  const std::int64_t offset = (hour * 60 + minute) * 60 * kMicrosecondsPerSecond;
  microseconds += sign == '+' ? -offset : offset;
  return true;
}

}  // namespace

std::string format_timestamp(Timestamp time) {
  std::int64_t days = time.microseconds / kMicrosecondsPerDay;
  std::int64_t rest = time.microseconds % kMicrosecondsPerDay;
  if (rest < 0) {
    rest += kMicrosecondsPerDay;
    --days;
  }
  const CivilDate date = civil_from_days(days);
  const std::int64_t seconds = rest / kMicrosecondsPerSecond;
  const std::int64_t fraction = rest % kMicrosecondsPerSecond;
  std::string text =
      fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}"), date.year, date.month,
                  date.day, seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (fraction != 0) {
    text += fmt::format(".{:06}", fraction);
    text.erase(text.find_last_not_of('0') + 1);
  }
  text += 'Z';
  return text;
}

Result<Timestamp> parse_timestamp(std::string_view text) {
  TimeReader reader(text);
  std::int64_t microseconds = 0;
  if (!read_date(reader, microseconds)) return malformed(text);
  if (reader.at_end()) return Timestamp{microseconds};
  if (!reader.mark("Tt ") || !read_time_of_day(reader, microseconds) ||
      !read_offset(reader, microseconds) || !reader.at_end()) {
    return malformed(text);
  }
  return Timestamp{microseconds};
}

Timestamp SystemClock::now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
}

std::int64_t SystemClock::monotonic_nanoseconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

}  // namespace anima
