// Civil time over the calendar of base/civil.h: RFC 3339, Go's duration syntax, time zones of the
// system's zoneinfo files. Times are nanoseconds since 1970-01-01T00:00:00Z (years 1677 to 2262);
// what does not fit is an absent answer. Thread-safety: functions; the zone cache locks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anima::datalog::detail {

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr std::int64_t kSecondsPerDay = 86'400;

struct Civil {
  std::int64_t year = 1970;
  int month = 1, day = 1, hour = 0, minute = 0, second = 0;
  std::int64_t nanosecond = 0;
};

Civil civil_from_nanoseconds(std::int64_t nanoseconds);  // UTC
// Absent when a field is out of range or the time does not fit.
std::optional<std::int64_t> nanoseconds_from_civil(const Civil& civil,
                                                   std::int64_t offset_seconds = 0);

// "2024-01-02T03:04:05.6Z", any offset.
std::optional<std::int64_t> parse_rfc3339(std::string_view text);
// A timestamp of a temporal bound: a date, or a date and time with or without fraction and Z.
std::optional<std::int64_t> parse_timestamp_literal(std::string_view text);
// "2024-01-02", "2024-01-02T03:04", "2024-01-02 03:04:05.6": a wall clock's reading, no zone.
std::optional<Civil> parse_civil(std::string_view text);

// "1h30m", "-1.5s", "300ms", "2us", "2µs", "5ns", "0".
std::optional<std::int64_t> parse_go_duration(std::string_view text);

// A zone by its IANA name, "UTC", "Local", or an offset as "+02:00".
class TimeZone {
 public:
  // Null when there is no such zone. Zones are loaded once.
  static std::shared_ptr<const TimeZone> find(std::string_view name);

  std::int64_t offset_at(std::int64_t utc_seconds) const;
  // The offset that makes a wall clock's reading (seconds as if UTC) a time; the earlier one where
  // it is ambiguous.
  std::int64_t offset_for_local(std::int64_t local_seconds) const;

 private:
  struct Transition {
    std::int64_t at = 0;      // UTC seconds
    std::int64_t offset = 0;  // from then on
  };
  struct YearlyRule {  // the day of POSIX TZ strings: Mm.w.d, Jn or n
    char kind = 'M';
    int month = 0, week = 0, day = 0;
    std::int64_t time = 7200;
  };
  bool load(std::string_view bytes);
  void parse_footer(std::string_view text);
  static bool parse_rule(std::string_view& text, YearlyRule& rule);
  static std::int64_t rule_seconds(const YearlyRule& rule, std::int64_t year);

  std::int64_t first_offset_ = 0;
  std::vector<Transition> transitions_;
  bool yearly_ = false;  // daylight saving after the last transition
  std::int64_t standard_ = 0, daylight_ = 0;
  bool has_footer_ = false;
  YearlyRule begins_, ends_;
};

}  // namespace anima::datalog::detail
