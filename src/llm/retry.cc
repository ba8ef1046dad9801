#include "llm/retry.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>

#include "base/text/read_number.h"
#include "base/text/text.h"

namespace anima::llm {
namespace {

constexpr std::int64_t kMostSeconds = 366 * 86'400;

std::optional<double> number_in(std::string_view text) {
  const auto number = read_number<double>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

int integer_in(std::string_view text) { return read_number<int>(text).value_or(-1); }

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7), in seconds since 1970.
std::optional<std::int64_t> seconds_of_date(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kMonths{
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(8, 3));
  const int day = integer_in(text.substr(5, 2)), year = integer_in(text.substr(12, 4));
  const int hour = integer_in(text.substr(17, 2)), minute = integer_in(text.substr(20, 2));
  const int second = integer_in(text.substr(23, 2));
  if (month == kMonths.end() || day < 1 || year < 0 || hour < 0 || minute < 0 || second < 0)
    return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::year(year),
      std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
      std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{86'400} +
         hour * 3600 + minute * 60 + second;
}

}  // namespace

std::int64_t back_off_ms(const BackOff& back_off, std::int64_t failed, Random& random) {
  const auto doublings = static_cast<int>(std::clamp<std::int64_t>(failed - 1, 0, 30));
  const std::int64_t whole =
      std::min(back_off.most_ms, back_off.first_ms * (std::int64_t{1} << doublings));
  const double half = static_cast<double>(whole) / 2;
  return static_cast<std::int64_t>(std::llround(half + half * random.uniform()));
}

std::optional<std::int64_t> asked_wait_ms(const HttpHead& head, Timestamp now) {
  if (const auto exact = number_in(head.header("retry-after-ms")))
    return static_cast<std::int64_t>(std::min(*exact, 1000.0 * kMostSeconds));
  const std::string_view text = trim(head.header("retry-after"));
  if (const auto seconds = number_in(text))
    return static_cast<std::int64_t>(1000 * std::min(*seconds, double{kMostSeconds}));
  const auto date = seconds_of_date(text);
  if (!date) return std::nullopt;
  return std::max<std::int64_t>(0, *date * 1000 - now.microseconds / 1000);
}

bool may_retry(const HttpHead& head) {
  const std::string_view said = head.header("x-should-retry");
  if (said == "true") return true;
  if (said == "false") return false;
  const int status = head.status;
  if (status == 408 || status == 425 || status == 429) return true;
  return status >= 500 && status < 600 && status != 501 && status != 505;
}

bool may_retry(HttpEnd end) {
  switch (end) {
    case HttpEnd::kUnreachable:
    case HttpEnd::kBroken:
    case HttpEnd::kConnectTimeout:
    case HttpEnd::kIdleTimeout:
      return true;
    case HttpEnd::kDone:
    case HttpEnd::kTotalTimeout:
    case HttpEnd::kTooLong:
    case HttpEnd::kInsecure:
    case HttpEnd::kCancelled:
    case HttpEnd::kUnavailable:
      return false;
  }
  return false;
}

}  // namespace anima::llm
