#include "ask/check/repeated_days.h"

#include <cstdlib>
#include <set>

#include "ask/parse/columns/text_column.h"
#include "base/civil_days.h"

namespace anima::ask {
namespace {

constexpr Day kTwoWeeks = 14, kTwoMonths = 62;

std::optional<Day> day_in(const std::string& text) {
  const auto time = parse_timestamp(text.substr(0, std::string_view("2026-11-30").size()));
  return time ? std::optional(anima::day_of(*time)) : std::nullopt;
}

// Of the first year of the time, the same month and, where the time is a day, the same day.
bool is_of_another_year(Day day, Day from, Day until) {
  const CivilDate date = civil_date(day), first = civil_date(from), last = civil_date(until - 1);
  if (until - from == 1) return date.month == first.month && date.day == first.day;
  return first.month <= last.month ? date.month >= first.month && date.month <= last.month
                                   : date.month >= first.month || date.month <= last.month;
}

bool is_such(TimeSaid said, Day day, Day from, Day until) {
  const Day apart = std::abs(day - from);
  switch (said) {
    case TimeSaid::kYearly:
      return is_of_another_year(day, from, until);
    case TimeSaid::kMonthly:
      return apart > kTwoMonths && civil_date(day).day == civil_date(from).day;
    case TimeSaid::kWeekly:
      return apart > kTwoWeeks && apart % 7 == 0;
    default:
      return false;
  }
}

}  // namespace

std::vector<std::string> other_such_days(const Lexicon& lexicon, int attribute, TimeSaid said,
                                         const std::string& from, const std::string& until) {
  std::set<std::string> days;
  const auto first = day_in(from), end = day_in(until);
  if (!first || !end) return {};
  each_in_column(lexicon, attribute, [&](const ColumnValue& value) {
    const auto day = day_in(value.text);
    if (day && (*day < *first || *day >= *end) && is_such(said, *day, *first, *end))
      days.insert(format_day(*day));
    return true;
  });
  return {days.begin(), days.end()};
}

}  // namespace anima::ask
