// Moments and durations: the types of XML Schema that say when and how long.
//
// A moment keeps its fields as they are written, and the time zone where there is one; two of one
// type are compared on the time line. One with a zone and one without are compared only where the
// answer is the same in every zone, 14 hours to either side of UTC. Types without a year, month or
// day are compared as the recommendation fills them in.
// Seconds are exact to 18 digits behind the point. Thread-safety: plain values and pure functions.
// Complexity: O(length). Source: XML Schema 1.1 part 2, 3.3.6 to 3.3.15 and 3.4.26 to 3.4.28.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/decimal.h"

namespace anima::sparql::value {

enum class MomentKind : std::uint8_t {
  kDateTime,
  kDate,
  kTime,
  kYear,
  kYearMonth,
  kMonth,
  kMonthDay,
  kDay
};

struct Moment {
  MomentKind kind = MomentKind::kDateTime;
  std::int64_t year = 1972;  // of a leap year, so that every day of a month without a year is one
  std::uint8_t month = 12;
  std::uint8_t day = 1;
  std::uint8_t hour = 0;
  std::uint8_t minute = 0;
  std::uint8_t second = 0;
  std::uint64_t attoseconds = 0;     // 10^-18 seconds
  std::optional<std::int16_t> zone;  // minutes east of UTC

  Decimal seconds() const;  // with what is behind the point
  // Seconds since 1970 in UTC, without the attoseconds. Without a zone it is taken to be in UTC.
  std::int64_t instant() const;
  // -1, 0 or 1 on the time line; nullopt where the missing zone decides. Requires one kind.
  std::optional<int> compare(const Moment& other) const;
};

// nullopt: not of the type, or a year or fraction beyond what is kept.
std::optional<Moment> parse_moment(MomentKind kind, std::string_view text);
// Canonical but for the zone, which stays as it is: "Z" for UTC.
std::string moment_text(const Moment& moment);
// "", "Z", "+01:00".
std::string zone_text(const Moment& moment);

struct Duration {
  std::int64_t months = 0;
  Decimal seconds;
  bool operator==(const Duration&) const = default;
};

enum class DurationKind : std::uint8_t { kAny, kDayTime, kYearMonth };

std::optional<Duration> parse_duration(DurationKind kind, std::string_view text);
// The canonical form of xsd:dayTimeDuration of whole seconds.
std::string day_time_text(std::int64_t seconds);

}  // namespace anima::sparql::value
