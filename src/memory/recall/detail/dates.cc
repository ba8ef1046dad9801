#include "memory/recall/detail/dates.h"

#include <algorithm>

#include "language/times/times.h"

namespace anima::memory::detail {
namespace {

constexpr std::size_t kMostDates = 16;
constexpr Day kLongRange = 45;  // days; what is longer names no month

// An end that is open is as far as days go.
DayRange days_of(const language::TimeInterval& interval) {
  DayRange days = interval.days();
  if (interval.open_from) days = {kNoDay + 1, days.from - 1};
  if (interval.open_until) days.to = INT32_MAX;
  return days;
}

// Whether a day that is named is one that is meant: of "since March" all of March is, of "before
// October 5" that day is not, and of "3 to 5 November" not the whole month.
bool is_of_what_is_named(const language::TimeInterval& interval, const CivilDate& named) {
  if (interval.precision != language::Precision::kSpan) return true;
  if (interval.open_from == interval.open_until) return false;
  const DayRange days = days_of(interval);
  const CivilDate end = civil_date(interval.open_until ? days.from : days.to);
  return (named.year == 0 || named.year == end.year) &&
         (named.month == 0 || named.month == end.month) && (named.day == 0 || named.day == end.day);
}

}  // namespace

std::vector<NamedDate> asked_dates(std::string_view text, Language language,
                                   std::optional<Timestamp> now, std::int64_t offset_seconds) {
  std::vector<NamedDate> dates;
  language::TimeContext context;
  context.now = now;
  context.offset_seconds = offset_seconds;
  context.lean = language::Direction::kPast;  // people ask memory about what was
  for (const language::TimeReading& time :
       language::read_times_guessed(text, code_of(language), context)) {
    const CivilDate& named = time.named;
    NamedDate date{named.year, named.month, named.day, std::nullopt};
    if (time.intervals.empty()) dates.push_back(date);
    for (const language::TimeInterval& interval : time.intervals) {
      // "Before October 5", "3 to 5 November": what is named is an end, or holds more than is
      // meant.
      if (!is_of_what_is_named(interval, named)) date = {};
      date.days = days_of(interval);
      dates.push_back(date);
    }
  }
  if (dates.size() > kMostDates) dates.resize(kMostDates);
  return dates;
}

std::vector<DayRange> told_days(std::string_view text, Language language, bool sure,
                                std::optional<Timestamp> now, std::int64_t offset_seconds) {
  std::vector<DayRange> days;
  language::TimeContext context;
  context.now = now;
  context.offset_seconds = offset_seconds;
  const std::string_view code = code_of(language);
  for (const language::TimeReading& time : sure
                                               ? language::read_times_guessed(text, code, context)
                                               : language::read_times_unsure(text, code, context)) {
    for (const language::TimeInterval& interval : time.intervals) {
      if (!interval.open_from && !interval.open_until) days.push_back(interval.days());
    }
  }
  return days;
}

double date_fit(const NamedDate& wanted, DayRange days) {
  const bool short_range = days.to - days.from <= kLongRange;
  if (wanted.year == 0 && wanted.month == 0) {
    const bool touches =
        wanted.days && wanted.days->from <= days.to && days.from <= wanted.days->to;
    return touches && short_range ? 1 : 0;
  }
  const auto fit = [&](Day day) {
    const CivilDate date = civil_date(day);
    const bool year = wanted.year != 0 && date.year == wanted.year;
    double sum = year ? 0.3 : 0;
    if (date.month != wanted.month || (wanted.year != 0 && !year) || !short_range) return sum;
    sum += 1;
    if (wanted.day != 0 && date.day == wanted.day) sum += 0.7;
    return sum;
  };
  return days.from == days.to ? fit(days.from) : std::max(fit(days.from), fit(days.to));
}

}  // namespace anima::memory::detail
