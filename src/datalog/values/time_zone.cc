// Zones from the system's zoneinfo files (RFC 8536), with the POSIX rule that follows the last
// transition.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "base/civil.h"
#include "base/files/file.h"
#include "base/mutex.h"
#include "datalog/values/calendar.h"

namespace anima::datalog::detail {
namespace {

constexpr std::size_t kMaxZoneFile = std::size_t{1} << 17;

std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

struct Header {
  std::size_t is_ut = 0, is_std = 0, leap = 0, times = 0, types = 0, chars = 0;
  static constexpr std::size_t kSize = 44;

  bool read(std::string_view bytes, std::size_t at) {
    if (bytes.size() < at + kSize || bytes.substr(at, 4) != "TZif") return false;
    std::size_t* const fields[] = {&is_ut, &is_std, &leap, &times, &types, &chars};
    for (std::size_t i = 0; i < 6; ++i) *fields[i] = big_endian(bytes, at + 20 + i * 4, 4);
    return types > 0;
  }
  std::size_t body(std::size_t width) const {
    return times * width + times + types * 6 + chars + leap * (width + 4) + is_std + is_ut;
  }
};

// A zone's name is a path below zoneinfo: only letters, digits and "_+-/", and no step upwards.
bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() == '/' ||
      name.find("..") != std::string_view::npos) {
    return false;
  }
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '+' || c == '-' || c == '/';
  });
}

bool take_int(std::string_view& text, int& value) {
  std::size_t size = 0;
  value = 0;
  while (size < text.size() && text[size] >= '0' && text[size] <= '9' && size < 4) {
    value = value * 10 + (text[size++] - '0');
  }
  text.remove_prefix(size);
  return size > 0;
}

bool take_char(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// [+-]hh[:mm[:ss]]
bool take_time(std::string_view& text, std::int64_t& seconds) {
  const bool negative = take_char(text, '-');
  if (!negative) take_char(text, '+');
  int hours = 0;
  int minutes = 0;
  int rest = 0;
  if (!take_int(text, hours)) return false;
  if (take_char(text, ':') && !take_int(text, minutes)) return false;
  if (take_char(text, ':') && !take_int(text, rest)) return false;
  seconds = hours * 3600 + minutes * 60 + rest;
  if (negative) seconds = -seconds;
  return true;
}

bool take_zone_letters(std::string_view& text) {
  if (take_char(text, '<')) {
    const std::size_t end = text.find('>');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
    return true;
  }
  std::size_t size = 0;
  while (size < text.size() && ((text[size] | 32) >= 'a' && (text[size] | 32) <= 'z')) ++size;
  text.remove_prefix(size);
  return size >= 3;
}

}  // namespace

bool TimeZone::load(std::string_view bytes) {
  Header header;
  if (!header.read(bytes, 0)) return false;
  std::size_t at = Header::kSize;
  std::size_t width = 4;
  if (bytes[4] >= '2') {
    const std::size_t second = at + header.body(4);
    if (second > bytes.size() || !header.read(bytes, second)) return false;
    at = second + Header::kSize;
    width = 8;
  }
  if (header.times > 100'000 || header.types > 256 || at + header.body(width) > bytes.size()) {
    return false;
  }
  const std::size_t indexes = at + header.times * width;
  const std::size_t types = indexes + header.times;
  const auto offset_of = [&](std::size_t type) {
    return static_cast<std::int64_t>(
        static_cast<std::int32_t>(big_endian(bytes, types + type * 6, 4)));
  };
  first_offset_ = offset_of(0);
  for (std::size_t i = 0; i < header.times; ++i) {
    const auto type = static_cast<unsigned char>(bytes[indexes + i]);
    if (type >= header.types) return false;
    const std::uint64_t raw = big_endian(bytes, at + i * width, width);
    const std::int64_t when =
        width == 8 ? static_cast<std::int64_t>(raw) : static_cast<std::int32_t>(raw);
    transitions_.push_back({when, offset_of(type)});
  }
  if (width == 8) {
    std::string_view footer = bytes.substr(at + header.body(width));
    if (take_char(footer, '\n')) parse_footer(footer.substr(0, footer.find('\n')));
  }
  return true;
}

void TimeZone::parse_footer(std::string_view text) {
  std::int64_t west = 0;
  if (!take_zone_letters(text) || !take_time(text, west)) return;
  standard_ = -west;
  has_footer_ = true;
  if (text.empty() || !take_zone_letters(text)) return;
  daylight_ = standard_ + 3600;
  if (!text.empty() && text.front() != ',') {
    if (!take_time(text, west)) return;
    daylight_ = -west;
  }
  yearly_ = take_char(text, ',') && parse_rule(text, begins_) && take_char(text, ',') &&
            parse_rule(text, ends_);
}

bool TimeZone::parse_rule(std::string_view& text, YearlyRule& rule) {
  if (take_char(text, 'M')) {
    rule.kind = 'M';
    if (!take_int(text, rule.month) || !take_char(text, '.') || !take_int(text, rule.week) ||
        !take_char(text, '.') || !take_int(text, rule.day) || rule.month < 1 || rule.month > 12) {
      return false;
    }
  } else {
    rule.kind = take_char(text, 'J') ? 'J' : 'n';
    if (!take_int(text, rule.day)) return false;
  }
  return !take_char(text, '/') || take_time(text, rule.time);
}

std::int64_t TimeZone::rule_seconds(const YearlyRule& rule, std::int64_t year) {
  const std::int64_t new_year = days_from_civil(year, 1, 1);
  std::int64_t day = 0;
  if (rule.kind == 'M') {
    const std::int64_t first = days_from_civil(year, rule.month, 1);
    const std::int64_t next = rule.month == 12 ? days_from_civil(year + 1, 1, 1)
                                               : days_from_civil(year, rule.month + 1, 1);
    const std::int64_t weekday = ((first + 4) % 7 + 7) % 7;  // 1970-01-01 was a Thursday
    day = first + ((rule.day - weekday) % 7 + 7) % 7 + (rule.week - 1) * 7;
    while (day >= next) day -= 7;
  } else {
    day = new_year + rule.day - (rule.kind == 'J' ? 1 : 0);
    const bool leap = days_from_civil(year + 1, 1, 1) - new_year == 366;
    if (rule.kind == 'J' && leap && rule.day >= 60) ++day;
  }
  return day * kSecondsPerDay + rule.time;
}

std::int64_t TimeZone::offset_at(std::int64_t utc_seconds) const {
  const auto after = std::upper_bound(
      transitions_.begin(), transitions_.end(), utc_seconds,
      [](std::int64_t time, const Transition& transition) { return time < transition.at; });
  if (after != transitions_.end() || !has_footer_) {
    return after == transitions_.begin() ? first_offset_ : std::prev(after)->offset;
  }
  if (!yearly_) return standard_;
  const std::int64_t days = utc_seconds / kSecondsPerDay - (utc_seconds % kSecondsPerDay < 0);
  std::int64_t year = 1970 + days / 365;
  while (days_from_civil(year, 1, 1) > days) --year;
  while (days_from_civil(year + 1, 1, 1) <= days) ++year;
  const std::int64_t begin = rule_seconds(begins_, year) - standard_;
  const std::int64_t end = rule_seconds(ends_, year) - daylight_;
  const bool daylight = begin < end ? utc_seconds >= begin && utc_seconds < end
                                    : utc_seconds >= begin || utc_seconds < end;
  return daylight ? daylight_ : standard_;
}

std::int64_t TimeZone::offset_for_local(std::int64_t local_seconds) const {
  // The offsets on both sides of a transition near by differ; the one that is consistent wins, the
  // earlier time first.
  const std::int64_t before = offset_at(local_seconds - kSecondsPerDay);
  const std::int64_t after = offset_at(local_seconds + kSecondsPerDay);
  if (offset_at(local_seconds - before) == before) return before;
  if (offset_at(local_seconds - after) == after) return after;
  return before;
}

std::shared_ptr<const TimeZone> TimeZone::find(std::string_view name) {
  static Mutex mutex;
  static std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>> zones;
  const MutexLock lock(mutex);
  if (const auto known = zones.find(name); known != zones.end()) return known->second;

  auto zone = std::make_shared<TimeZone>();
  bool good = name == "UTC" || name == "Z";
  if (!good && !name.empty() && (name.front() == '+' || name.front() == '-')) {
    std::string_view text = name;
    good = take_time(text, zone->first_offset_) && text.empty();
  } else if (!good && (name == "Local" || is_zone_name(name))) {
    const std::string path = name == "Local" ? std::string("/etc/localtime")
                                             : "/usr/share/zoneinfo/" + std::string(name);
    const Result<std::string> bytes = read_file(system_files(), path, kMaxZoneFile);
    good = bytes && zone->load(*bytes);
    if (!good && name == "Local") good = true;  // a machine without the file keeps UTC
  }
  if (!good) return nullptr;
  if (zones.size() < 1024) zones.emplace(std::string(name), zone);
  return zone;
}

}  // namespace anima::datalog::detail
