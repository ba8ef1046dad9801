#include "sparql/value/calendar.h"

#include <cstdlib>

#include "base/civil.h"

namespace anima::sparql::value {
namespace {

constexpr std::int64_t kMaxYear = 100'000'000'000;  // its seconds fit into 64 bits
constexpr int kFractionDigits = 18;
constexpr std::int64_t kDaySeconds = 86400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a text from its beginning; every function says whether it found what it wants.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool at_end() const { return at_ == text_.size(); }
  bool skip(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool two(std::uint8_t* out) {
    if (text_.size() - at_ < 2 || !is_digit(text_[at_]) || !is_digit(text_[at_ + 1])) return false;
    *out = static_cast<std::uint8_t>((text_[at_] - '0') * 10 + (text_[at_ + 1] - '0'));
    at_ += 2;
    return true;
  }

  bool year(std::int64_t* out) {
    const bool negative = skip('-');
    const std::size_t begin = at_;
    std::int64_t year = 0;
    for (; !at_end() && is_digit(text_[at_]); ++at_) {
      year = year * 10 + (text_[at_] - '0');
      if (year > kMaxYear) return false;
    }
    const std::size_t digits = at_ - begin;
    if (digits < 4 || (digits > 4 && text_[begin] == '0')) return false;
    *out = negative ? -year : year;
    return true;
  }

  bool month(Moment* out) { return two(&out->month) && out->month >= 1 && out->month <= 12; }
  bool day(Moment* out) {
    return two(&out->day) && out->day >= 1 && out->day <= days_in_month(out->year, out->month);
  }

  bool time(Moment* out) {
    if (!two(&out->hour) || !skip(':') || !two(&out->minute) || !skip(':') || !two(&out->second) ||
        !fraction(&out->attoseconds))
      return false;
    if (out->hour == 24) return out->minute == 0 && out->second == 0 && out->attoseconds == 0;
    return out->hour < 24 && out->minute < 60 && out->second < 60;
  }

  bool zone(Moment* out) {
    if (at_end()) return true;
    if (skip('Z')) {
      out->zone = 0;
      return true;
    }
    const bool east = skip('+');
    if (!east && !skip('-')) return false;
    std::uint8_t hours = 0, minutes = 0;
    if (!two(&hours) || !skip(':') || !two(&minutes)) return false;
    const int zone = hours * 60 + minutes;
    constexpr int kMost = 14 * 60;
    if (minutes >= 60 || zone > kMost) return false;
    out->zone = static_cast<std::int16_t>(east ? zone : -zone);
    return true;
  }

  // Digits, then the letter; what is missing is 0 and counts as found only by `found`.
  bool count(char letter, std::int64_t* out, bool* found) {
    std::size_t end = at_;
    std::int64_t number = 0;
    for (; end < text_.size() && is_digit(text_[end]); ++end) {
      number = number * 10 + (text_[end] - '0');
      if (number > kMaxYear) return false;
    }
    if (end == at_ || end == text_.size() || text_[end] != letter) return true;
    at_ = end + 1;
    *out = number;
    *found = true;
    return true;
  }

  bool seconds(Decimal* out, bool* found) {
    std::size_t end = at_;
    while (end < text_.size() && (is_digit(text_[end]) || text_[end] == '.')) ++end;
    if (end == at_) return true;
    if (end == text_.size() || text_[end] != 'S' || !is_digit(text_[at_]) ||
        !is_digit(text_[end - 1]))
      return false;
    const auto number = Decimal::parse(text_.substr(at_, end - at_));
    if (!number) return false;
    at_ = end + 1;
    *out = *number;
    *found = true;
    return true;
  }

 private:
  bool fraction(std::uint64_t* out) {
    *out = 0;
    if (!skip('.')) return true;
    int digits = 0;
    for (; !at_end() && is_digit(text_[at_]); ++at_, ++digits) {
      if (digits < kFractionDigits) *out = *out * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
      if (digits >= kFractionDigits && text_[at_] != '0') return false;
    }
    if (digits == 0) return false;
    for (; digits < kFractionDigits; ++digits) *out *= 10;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool read_fields(MomentKind kind, Reader& in, Moment* out) {
  switch (kind) {
    case MomentKind::kDateTime:
      return in.year(&out->year) && in.skip('-') && in.month(out) && in.skip('-') && in.day(out) &&
             in.skip('T') && in.time(out);
    case MomentKind::kDate:
      return in.year(&out->year) && in.skip('-') && in.month(out) && in.skip('-') && in.day(out);
    case MomentKind::kTime:
      return in.time(out);
    case MomentKind::kYear:
      out->month = 1;
      return in.year(&out->year);
    case MomentKind::kYearMonth:
      return in.year(&out->year) && in.skip('-') && in.month(out);
    case MomentKind::kMonth:
      return in.skip('-') && in.skip('-') && in.month(out);
    case MomentKind::kMonthDay:
      return in.skip('-') && in.skip('-') && in.month(out) && in.skip('-') && in.day(out);
    case MomentKind::kDay:
      return in.skip('-') && in.skip('-') && in.skip('-') && in.day(out);
  }
  return false;
}

std::string padded(std::uint64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

std::string date_text(const Moment& it) {
  const auto year = static_cast<std::uint64_t>(std::llabs(it.year));
  return (it.year < 0 ? "-" : "") + padded(year, 4) + "-" + padded(it.month, 2) + "-" +
         padded(it.day, 2);
}

std::string time_text(const Moment& it) {
  std::string text = padded(it.hour, 2) + ":" + padded(it.minute, 2) + ":" + padded(it.second, 2);
  if (it.attoseconds == 0) return text;
  text += "." + padded(it.attoseconds, kFractionDigits);
  while (text.back() == '0') text.pop_back();
  return text;
}

}  // namespace

Decimal Moment::seconds() const {
  if (attoseconds == 0) return Decimal(second);
  const auto exact =
      Decimal::parse(std::to_string(second) + "." + padded(attoseconds, kFractionDigits));
  return exact ? *exact : Decimal(second);
}

std::int64_t Moment::instant() const {
  const std::int64_t time = hour * std::int64_t{3600} + minute * std::int64_t{60} + second;
  return days_from_civil(year, month, day) * kDaySeconds + time -
         zone.value_or(0) * std::int64_t{60};
}

namespace {

int compare_instants(const Moment& a, std::int64_t shift, const Moment& b) {
  const std::int64_t x = a.instant() + shift, y = b.instant();
  if (x != y) return x < y ? -1 : 1;
  return a.attoseconds < b.attoseconds ? -1 : a.attoseconds > b.attoseconds ? 1 : 0;
}

}  // namespace

std::optional<int> Moment::compare(const Moment& other) const {
  constexpr std::int64_t kFarthest = 14 * 3600;
  if (zone.has_value() == other.zone.has_value()) return compare_instants(*this, 0, other);
  const int west = compare_instants(*this, kFarthest, other),
            east = compare_instants(*this, -kFarthest, other);
  return west == east && west != 0 ? std::optional(west) : std::nullopt;
}

std::optional<Moment> parse_moment(MomentKind kind, std::string_view text) {
  Moment moment;
  moment.kind = kind;
  Reader in(text);
  if (!read_fields(kind, in, &moment) || !in.zone(&moment) || !in.at_end()) return std::nullopt;
  return moment;
}

std::string zone_text(const Moment& moment) {
  if (!moment.zone) return {};
  if (*moment.zone == 0) return "Z";
  const auto minutes = static_cast<std::uint64_t>(std::abs(*moment.zone));
  return (*moment.zone < 0 ? "-" : "+") + padded(minutes / 60, 2) + ":" + padded(minutes % 60, 2);
}

std::string moment_text(const Moment& it) {
  const std::string zone = zone_text(it);
  const auto year =
      (it.year < 0 ? "-" : "") + padded(static_cast<std::uint64_t>(std::llabs(it.year)), 4);
  switch (it.kind) {
    case MomentKind::kDateTime:
      return date_text(it) + "T" + time_text(it) + zone;
    case MomentKind::kDate:
      return date_text(it) + zone;
    case MomentKind::kTime:
      return time_text(it) + zone;
    case MomentKind::kYear:
      return year + zone;
    case MomentKind::kYearMonth:
      return year + "-" + padded(it.month, 2) + zone;
    case MomentKind::kMonth:
      return "--" + padded(it.month, 2) + zone;
    case MomentKind::kMonthDay:
      return "--" + padded(it.month, 2) + "-" + padded(it.day, 2) + zone;
    case MomentKind::kDay:
      return "---" + padded(it.day, 2) + zone;
  }
  return {};
}

std::optional<Duration> parse_duration(DurationKind kind, std::string_view text) {
  Reader in(text);
  const bool negative = in.skip('-');
  if (!in.skip('P')) return std::nullopt;
  std::int64_t years = 0, months = 0, days = 0, hours = 0, minutes = 0;
  bool has_months = false, has_days = false, has_time = false;
  Decimal seconds;
  if (!in.count('Y', &years, &has_months) || !in.count('M', &months, &has_months) ||
      !in.count('D', &days, &has_days))
    return std::nullopt;
  if (in.skip('T')) {
    if (!in.count('H', &hours, &has_time) || !in.count('M', &minutes, &has_time) ||
        !in.seconds(&seconds, &has_time) || !has_time)
      return std::nullopt;
  }
  if (!in.at_end() || !(has_months || has_days || has_time)) return std::nullopt;
  if (kind == DurationKind::kDayTime && has_months) return std::nullopt;
  if (kind == DurationKind::kYearMonth && (has_days || has_time)) return std::nullopt;
  const auto whole = Decimal(days * kDaySeconds + hours * 3600 + minutes * 60).plus(seconds);
  if (!whole) return std::nullopt;
  Duration duration{years * 12 + months, *whole};
  if (negative) duration = {-duration.months, duration.seconds.negated()};
  return duration;
}

std::string day_time_text(std::int64_t seconds) {
  if (seconds == 0) return "PT0S";
  std::string text = seconds < 0 ? "-P" : "P";
  seconds = std::llabs(seconds);
  if (seconds >= kDaySeconds) text += std::to_string(seconds / kDaySeconds) + "D";
  seconds %= kDaySeconds;
  if (seconds == 0) return text;
  text += "T";
  if (seconds >= 3600) text += std::to_string(seconds / 3600) + "H";
  if (seconds % 3600 >= 60) text += std::to_string(seconds % 3600 / 60) + "M";
  if (seconds % 60 != 0) text += std::to_string(seconds % 60) + "S";
  return text;
}

}  // namespace anima::sparql::value
