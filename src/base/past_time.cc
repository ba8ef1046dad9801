#include "base/past_time.h"

#include <optional>
#include <string>
#include <utility>

#include "base/text/read_number.h"
#include "base/text/text.h"

namespace anima {
namespace {

constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
    {"second", kMicrosecondsPerSecond},
    {"minute", 60 * kMicrosecondsPerSecond},
    {"hour", 3'600 * kMicrosecondsPerSecond},
    {"day", kMicrosecondsPerDay},
    {"week", 7 * kMicrosecondsPerDay}};

Timestamp end_of_day(Timestamp time) {
  const std::int64_t into =
      ((time.microseconds % kMicrosecondsPerDay) + kMicrosecondsPerDay) % kMicrosecondsPerDay;
  return {time.microseconds - into + kMicrosecondsPerDay - 1};
}

bool is_bare_date(std::string_view text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-';
}

// "2 hours ago": how long before now.
std::optional<std::int64_t> time_ago(std::string_view text) {
  if (!text.ends_with(" ago")) return std::nullopt;
  text = trim(text.substr(0, text.size() - 4));
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  std::uint64_t count = 0;
  const std::string_view amount = text.substr(0, blank);
  if (amount == "a" || amount == "an") {
    count = 1;
  } else {
    const auto read = read_number<std::uint64_t>(amount);
    if (!read || *read > 1'000'000) return std::nullopt;
    count = *read;
  }
  std::string_view unit = trim(text.substr(blank));
  if (unit.ends_with('s')) unit.remove_suffix(1);
  for (const auto& [name, microseconds] : kUnits) {
    if (name == unit) return static_cast<std::int64_t>(count) * microseconds;
  }
  return std::nullopt;
}

}  // namespace

Result<Timestamp> past_time(std::string_view text, Timestamp now) {
  const std::string words = to_lower(trim(text));
  if (words == "now") return now;
  if (words == "today") return end_of_day(now);
  if (words == "yesterday") return end_of_day({now.microseconds - kMicrosecondsPerDay});
  if (const auto ago = time_ago(words)) return Timestamp{now.microseconds - *ago};
  if (const auto time = parse_timestamp(trim(text))) {
    return is_bare_date(trim(text)) ? end_of_day(*time) : *time;
  }
  if (parse_timestamp(std::string(trim(text)) + "Z"))
    return fail(ErrorCode::kInvalidArgument,
                "\"" + std::string(text) + "\" does not say in which zone it is", {},
                "a Z behind it says UTC, +02:00 two hours east of that");
  return fail(ErrorCode::kInvalidArgument, "\"" + std::string(text) + "\" is no time", {},
              "a log entry's number, 2026-11-22 (the end of that day), 2026-11-22T14:00:00Z, "
              "yesterday, or \"2 hours ago\"");
}

Result<std::string> past_point(std::string_view text, Timestamp now) {
  text = trim(text);
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos)
    return std::string(text);
  ANIMA_ASSIGN(const Timestamp time, past_time(text, now));
  // The day that it is now ends later.
  if (time > end_of_day(now))
    return fail(ErrorCode::kNotFound, "this time has not come yet; it is " + format_timestamp(now),
                std::string(text));
  return format_timestamp(time);
}

}  // namespace anima
