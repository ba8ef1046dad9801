// Functions over times, durations and intervals.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "base/civil.h"
#include "datalog/program.h"
#include "datalog/values/calendar.h"
#include "datalog/values/evaluate.h"

namespace anima::datalog::detail {
namespace {

struct ClockUnit {
  std::string_view name;
  std::int64_t nanoseconds;
  std::size_t digits;  // of the fraction when formatted
};
constexpr std::array kClockUnits = {ClockUnit{"/day", 86400 * kNanosPerSecond, 0},
                                    ClockUnit{"/hour", 3600 * kNanosPerSecond, 0},
                                    ClockUnit{"/minute", 60 * kNanosPerSecond, 0},
                                    ClockUnit{"/second", kNanosPerSecond, 0},
                                    ClockUnit{"/millisecond", 1'000'000, 3},
                                    ClockUnit{"/microsecond", 1000, 6},
                                    ClockUnit{"/nanosecond", 1, 9}};

std::int64_t floor_to(std::int64_t value, std::int64_t unit) {
  const std::int64_t rest = value % unit;
  return wrap_subtract(value, rest < 0 ? rest + unit : rest);
}

void append_padded(std::string& out, std::int64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

bool made_time(const Call& call, std::optional<std::int64_t> nanoseconds, Code& result) {
  if (!nanoseconds) return call.error("the time does not fit (years 1677 to 2262)");
  result = call.values().time(*nanoseconds);
  return true;
}

// By pointer, since `overflow` is computed by the call that fills it.
bool made_duration(const Call& call, bool overflow, const std::int64_t* nanoseconds, Code& result) {
  if (overflow) return call.error("the duration does not fit");
  result = call.values().duration(*nanoseconds);
  return true;
}

bool zone_of(const Call& call, std::size_t index, std::shared_ptr<const TimeZone>& zone) {
  std::string_view name;
  if (!call.string(index, name)) return false;
  zone = TimeZone::find(name);
  return zone != nullptr ||
         call.error("there is no time zone \"" + std::string(name.substr(0, 80)) + "\"");
}

// A time as the wall clock of `zone` shows it, and the zone's offset.
std::int64_t local_offset(std::int64_t nanoseconds, const TimeZone& zone) {
  return zone.offset_at(floor_to(nanoseconds, kNanosPerSecond) / kNanosPerSecond);
}

bool from_local(const Call& call, const Civil& civil, const TimeZone& zone, Code& result) {
  const std::int64_t local = days_from_civil(civil.year, civil.month, civil.day) * kSecondsPerDay +
                             civil.hour * 3600 + civil.minute * 60 + civil.second;
  return made_time(call, nanoseconds_from_civil(civil, zone.offset_for_local(local)), result);
}

bool parse_time(const Call& call, Code& result) {
  std::string_view text;
  if (!call.string(0, text)) return false;
  const auto time = parse_rfc3339(text);
  if (!time) return call.wrong(0, "a time as RFC 3339 writes it (2024-01-31T12:00:00Z)");
  return made_time(call, time, result);
}

bool parse_local(const Call& call, Code& result) {
  std::string_view text;
  std::shared_ptr<const TimeZone> zone;
  if (!call.string(0, text) || !zone_of(call, 1, zone)) return false;
  const auto civil = parse_civil(text);
  if (!civil) return call.wrong(0, "a date or date and time (2024-01-31T12:00:00)");
  return from_local(call, *civil, *zone, result);
}

// The time cut to `unit`: "2024", "2024-01", "2024-01-31", "2024-01-31T12Z" .. down to nanoseconds.
// `offset` in seconds; UTC ends in Z.
bool format(const Call& call, std::int64_t nanoseconds, std::optional<std::int64_t> offset,
            std::size_t unit_index, Code& result) {
  std::string_view unit;
  if (!call.name(unit_index, unit)) return false;
  std::int64_t local = nanoseconds;
  if (offset && __builtin_add_overflow(nanoseconds, *offset * kNanosPerSecond, &local)) {
    return call.error("the time does not fit (years 1677 to 2262)");
  }
  const Civil civil = civil_from_nanoseconds(local);
  std::string out;
  append_padded(out, civil.year, 4);
  int level = unit == "/year" ? 0 : unit == "/month" ? 1 : -1;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < kClockUnits.size(); ++i) {
    if (kClockUnits[i].name != unit) continue;
    level = 2 + static_cast<int>(i);
    digits = kClockUnits[i].digits;
  }
  if (level < 0)
    return call.wrong(unit_index,
                      "one of /year /month /day /hour /minute /second "
                      "/millisecond /microsecond /nanosecond");
  const std::array<std::pair<char, int>, 5> parts = {{{'-', civil.month},
                                                      {'-', civil.day},
                                                      {'T', civil.hour},
                                                      {':', civil.minute},
                                                      {':', civil.second}}};
  for (int i = 0; i < std::min(level, 5); ++i) {
    out += parts[static_cast<std::size_t>(i)].first;
    append_padded(out, parts[static_cast<std::size_t>(i)].second, 2);
  }
  if (digits > 0) {
    std::string fraction;
    append_padded(fraction, civil.nanosecond, 9);
    out += '.';
    out += fraction.substr(0, digits);
  }
  if (level >= 3 && !offset) out += 'Z';
  result = call.values().string(out);
  return true;
}

bool format_utc(const Call& call, Code& result) {
  std::int64_t time = 0;
  return call.time(0, time) && format(call, time, std::nullopt, 1, result);
}

bool format_local(const Call& call, Code& result) {
  std::int64_t time = 0;
  std::shared_ptr<const TimeZone> zone;
  return call.time(0, time) && zone_of(call, 1, zone) &&
         format(call, time, local_offset(time, *zone), 2, result);
}

bool field(Function function, const Call& call, Code& result) {
  std::int64_t time = 0;
  if (!call.time(0, time)) return false;
  const Civil civil = civil_from_nanoseconds(time);
  const std::int64_t value = function == Function::kYear     ? civil.year
                             : function == Function::kMonth  ? civil.month
                             : function == Function::kDay    ? civil.day
                             : function == Function::kHour   ? civil.hour
                             : function == Function::kMinute ? civil.minute
                                                             : civil.second;
  result = call.values().integer(value);
  return true;
}

bool truncate(const Call& call, Code& result) {
  std::int64_t time = 0;
  std::string_view unit;
  if (!call.time(0, time) || !call.name(1, unit)) return false;
  for (const ClockUnit& known : kClockUnits) {
    if (known.name != unit) continue;
    result = call.values().time(floor_to(time, known.nanoseconds));
    return true;
  }
  return call.wrong(1, "one of /day /hour /minute /second /millisecond /microsecond /nanosecond");
}

bool truncate_local(const Call& call, Code& result) {
  std::int64_t time = 0;
  std::shared_ptr<const TimeZone> zone;
  std::string_view unit;
  if (!call.time(0, time) || !zone_of(call, 1, zone) || !call.name(2, unit)) return false;
  std::int64_t shifted = 0;
  if (__builtin_add_overflow(time, local_offset(time, *zone) * kNanosPerSecond, &shifted)) {
    return call.error("the time does not fit (years 1677 to 2262)");
  }
  Civil civil = civil_from_nanoseconds(shifted);
  civil.hour = civil.minute = civil.second = 0;
  civil.nanosecond = 0;
  if (unit == "/year") {
    civil.month = civil.day = 1;
  } else if (unit == "/month") {
    civil.day = 1;
  } else if (unit == "/week") {  // weeks begin on Monday
    const std::int64_t days = days_from_civil(civil.year, civil.month, civil.day);
    const std::int64_t monday = days - ((days + 3) % 7 + 7) % 7;
    const Civil start = civil_from_nanoseconds(monday * kSecondsPerDay * kNanosPerSecond);
    civil.year = start.year;
    civil.month = start.month;
    civil.day = start.day;
  } else if (unit != "/day") {
    return call.wrong(2, "one of /year /month /week /day");
  }
  return from_local(call, civil, *zone, result);
}

bool time_arithmetic(Function function, const Call& call, Code& result) {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t value = 0;
  if (!call.time(0, a)) return false;
  if (function == Function::kTimeAdd) {
    if (!call.duration(1, b)) return false;
    if (__builtin_add_overflow(a, b, &value)) return made_time(call, std::nullopt, result);
    return made_time(call, value, result);
  }
  return call.time(1, b) &&
         made_duration(call, __builtin_sub_overflow(a, b, &value), &value, result);
}

bool duration_arithmetic(Function function, const Call& call, Code& result) {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t value = 0;
  if (!call.duration(0, a)) return false;
  if (function == Function::kDurationAdd) {
    return call.duration(1, b) &&
           made_duration(call, __builtin_add_overflow(a, b, &value), &value, result);
  }
  return call.integer(1, b) &&
         made_duration(call, __builtin_mul_overflow(a, b, &value), &value, result);
}

bool duration_from(const Call& call, std::int64_t unit, Code& result) {
  std::int64_t value = 0;
  if (!call.is_float(0)) {
    std::int64_t number = 0;
    if (!call.integer(0, number)) return false;
    return made_duration(call, __builtin_mul_overflow(number, unit, &value), &value, result);
  }
  double number = 0;
  if (!call.real(0, number)) return false;
  const double nanoseconds = std::round(number * static_cast<double>(unit));
  if (!(std::abs(nanoseconds) < 9.2e18)) return made_duration(call, true, nullptr, result);
  value = static_cast<std::int64_t>(nanoseconds);
  return made_duration(call, false, &value, result);
}

bool duration_in(const Call& call, std::int64_t unit, Code& result) {
  std::int64_t duration = 0;
  if (!call.duration(0, duration)) return false;
  // The whole and the rest apart: exact where a double can be.
  result = call.values().real(static_cast<double>(duration / unit) +
                              static_cast<double>(duration % unit) / static_cast<double>(unit));
  return true;
}

bool parse_duration(const Call& call, Code& result) {
  std::string_view text;
  if (!call.string(0, text)) return false;
  const auto duration = parse_go_duration(text);
  if (!duration) return call.wrong(0, "a duration (1h30m, 1.5s, 300ms)");
  result = call.values().duration(*duration);
  return true;
}

bool interval(Function function, const Call& call, Code& result) {
  Code start = 0;
  Code end = 0;
  if (!call.pair(0, start, end)) return false;
  const ValueView first = call.values().view(start);
  const ValueView last = call.values().view(end);
  if (first.kind != ValueKind::kTime || last.kind != ValueKind::kTime) {
    return call.wrong(0, "an interval (a pair of times)");
  }
  std::int64_t length = 0;
  switch (function) {
    case Function::kIntervalStart:
      result = start;
      return true;
    case Function::kIntervalEnd:
      result = end;
      return true;
    default:
      return made_duration(call, __builtin_sub_overflow(last.number, first.number, &length),
                           &length, result);
  }
}

bool nanos(Function function, const Call& call, Code& result) {
  std::int64_t value = 0;
  switch (function) {
    case Function::kFromUnixNanos:
      if (!call.integer(0, value)) return false;
      result = call.values().time(value);
      return true;
    case Function::kToUnixNanos:
      if (!call.time(0, value)) return false;
      break;
    case Function::kFromNanos:
      if (!call.integer(0, value)) return false;
      result = call.values().duration(value);
      return true;
    default:
      if (!call.duration(0, value)) return false;
      break;
  }
  result = call.values().integer(value);
  return true;
}

}  // namespace

bool evaluate_time(Function function, const Call& call, Code& result) {
  constexpr std::int64_t kMinute = 60 * kNanosPerSecond;
  constexpr std::int64_t kHour = 60 * kMinute;
  switch (function) {
    case Function::kNow:
      result = call.values().time(call.evaluation().now);
      return true;
    case Function::kTimeAdd:
    case Function::kTimeSub:
      return time_arithmetic(function, call, result);
    case Function::kParseTime:
      return parse_time(call, result);
    case Function::kParseCivil:
      return parse_local(call, result);
    case Function::kFormatTime:
      return format_utc(call, result);
    case Function::kFormatCivil:
      return format_local(call, result);
    case Function::kTrunc:
      return truncate(call, result);
    case Function::kTruncCivil:
      return truncate_local(call, result);
    case Function::kParseDuration:
      return parse_duration(call, result);
    case Function::kDurationAdd:
    case Function::kDurationMult:
      return duration_arithmetic(function, call, result);
    case Function::kHours:
      return duration_in(call, kHour, result);
    case Function::kMinutes:
      return duration_in(call, kMinute, result);
    case Function::kSeconds:
      return duration_in(call, kNanosPerSecond, result);
    case Function::kFromHours:
      return duration_from(call, kHour, result);
    case Function::kFromMinutes:
      return duration_from(call, kMinute, result);
    case Function::kFromSeconds:
      return duration_from(call, kNanosPerSecond, result);
    case Function::kIntervalStart:
    case Function::kIntervalEnd:
    case Function::kIntervalDuration:
      return interval(function, call, result);
    case Function::kFromUnixNanos:
    case Function::kToUnixNanos:
    case Function::kNanos:
    case Function::kFromNanos:
      return nanos(function, call, result);
    default:
      return field(function, call, result);
  }
}

}  // namespace anima::datalog::detail
