#include "sleep/evidence/week.h"

#include <fmt/format.h>

#include <chrono>

namespace anima::sleep::detail {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

// A week belongs to the year that its Thursday is in.
sys_days thursday_of(Timestamp time) {
  const std::int64_t micros = time.microseconds;
  std::int64_t day = micros / kMicrosecondsPerDay;
  if (micros < 0 && micros % kMicrosecondsPerDay != 0) --day;
  const sys_days date{days{day}};
  const std::chrono::weekday weekday{date};
  return date + days{4 - static_cast<int>(weekday.iso_encoding())};
}

}  // namespace

std::string iso_week(Timestamp time) {
  const sys_days thursday = thursday_of(time);
  const year_month_day date{thursday};
  const sys_days first{date.year() / std::chrono::January / 1};
  return fmt::format("{:04}-W{:02}", static_cast<int>(date.year()),
                     (thursday - first).count() / 7 + 1);
}

std::string quarter(Timestamp time) {
  const year_month_day date{thursday_of(time)};
  return fmt::format("{:04}-Q{}", static_cast<int>(date.year()),
                     (static_cast<unsigned>(date.month()) + 2) / 3);
}

}  // namespace anima::sleep::detail
