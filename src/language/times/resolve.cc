#include "language/times/resolve.h"

#include <algorithm>
#include <cstdlib>

namespace anima::language {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 3'600;

std::int64_t start_of(Day day) { return day * kSecondsPerDay; }
Precision precision_of(Unit unit) {
  switch (unit) {
    case Unit::kSecond:
    case Unit::kMinute:
      return Precision::kMinute;
    case Unit::kHour:
      return Precision::kHour;
    case Unit::kDay:
      return Precision::kDay;
    case Unit::kWeek:
    case Unit::kWeekend:
      return Precision::kWeek;
    case Unit::kMonth:
      return Precision::kMonth;
    case Unit::kQuarter:
      return Precision::kQuarter;
    case Unit::kYear:
    case Unit::kEnd:
      break;
  }
  return Precision::kYear;
}

// Seconds of a unit of the clock; 0 for one of the calendar.
std::int64_t seconds_of(Unit unit) {
  return unit == Unit::kSecond   ? 1
         : unit == Unit::kMinute ? kMinute
         : unit == Unit::kHour   ? kHour
                                 : 0;
}

DayRange year_days(std::int64_t year) {
  return {month_days(year, 1).from, month_days(year, 12).to};
}

ResolvedTime one(TimeInterval interval) {
  ResolvedTime time;
  time.intervals = {interval};
  return time;
}

// What takes its words and is none: also a day that no calendar has, so that no part of it is read.
ResolvedTime no_time() {
  ResolvedTime none;
  none.no_time = true;
  return none;
}

ResolvedTime one_day(Day day) { return one(days_interval({day, day}, Precision::kDay)); }

// So many units from the day: the same day of another month, or its last.
Day moved(Day day, Unit unit, int count) {
  switch (unit) {
    case Unit::kWeek:
    case Unit::kWeekend:
      return day + 7 * count;
    case Unit::kMonth:
      return months_away(day, count);
    case Unit::kQuarter:
      return months_away(day, 3 * count);
    case Unit::kYear:
      return months_away(day, 12 * count);
    default:
      return day + count;
  }
}

Day weekday_from(Day day, int weekday) { return day + (weekday - weekday_of(day) + 7) % 7; }

// What a time makes of the one that it is part of, of each of its readings; the date that it names
// is still named ("since May").
template <typename Make>
std::optional<ResolvedTime> for_each(const ResolvedTime& time, Make make) {
  ResolvedTime all;
  all.doubt = time.doubt;
  all.named = time.named;
  for (const TimeInterval& interval : time.intervals) {
    if (auto made = make(interval)) all.intervals.push_back(*made);
  }
  if (all.intervals.empty()) return std::nullopt;
  return all;
}

bool is_of_days(const TimeInterval& interval) {
  return interval.precision == Precision::kDay && !interval.open_from && !interval.open_until;
}

}  // namespace

TimeInterval days_interval(DayRange days, Precision precision) {
  TimeInterval interval;
  interval.from = start_of(days.from);
  interval.until = start_of(days.to + 1);
  interval.precision = precision;
  return interval;
}

Resolver::Resolver(const TimeWords& words, const TimeContext& context)
    : words_(words), knows_now_(context.now.has_value()) {
  if (!knows_now_) return;
  today_ = day_of(*context.now, context.offset_seconds);
  now_ = context.now->microseconds / kMicrosecondsPerSecond + context.offset_seconds;
}

std::optional<ResolvedTime> Resolver::resolve(Meaning meaning, const Bound& bound,
                                              Direction direction) const {
  if (meaning == Meaning::kNoTime || meaning == Meaning::kRelative) {
    ResolvedTime none = no_time();
    none.relative = meaning == Meaning::kRelative;
    return none;
  }
  if (auto time = absolute(meaning, bound, direction)) return time;
  if (auto time = combined(meaning, bound, direction)) return time;
  if (!knows_now_) return std::nullopt;
  return relative(meaning, bound, direction);
}

std::optional<ResolvedTime> Resolver::absolute(Meaning meaning, const Bound& bound,
                                               Direction direction) const {
  switch (meaning) {
    case Meaning::kCalendar:
      return calendar(bound, direction);
    case Meaning::kDayRange:
      return day_range(bound, direction);
    case Meaning::kYearRange:
      return year_range(bound);
    case Meaning::kQuarter:
      return quarter_of(bound, direction);
    case Meaning::kThird:
      return third_of(bound, direction);
    default:
      return std::nullopt;
  }
}

std::optional<ResolvedTime> Resolver::combined(Meaning meaning, const Bound& bound,
                                               Direction direction) const {
  if (bound.times.empty()) return std::nullopt;
  switch (meaning) {
    case Meaning::kAtClock:
    case Meaning::kClockOf:
      return at_clock(bound);
    case Meaning::kAtHour:
      return at_hour(bound);
    case Meaning::kInPart:
      return in_part(bound, direction);
    case Meaning::kEarlier:
      return shifted(bound, -1);
    case Meaning::kLater:
      return shifted(bound, 1);
    case Meaning::kRange:
      return range_of(bound);
    case Meaning::kSince:
    case Meaning::kFromOn:
    case Meaning::kUntil:
    case Meaning::kBefore:
    case Meaning::kAfter:
      return bounded(meaning, bound.times.front());
    default:
      return std::nullopt;
  }
}

std::optional<ResolvedTime> Resolver::relative(Meaning meaning, const Bound& bound,
                                               Direction direction) const {
  switch (meaning) {
    case Meaning::kDay: {
      const Day day = today_ + bound.day.value_or(0);
      ResolvedTime time = one_day(day);
      time.today = bound.day == 0;
      if (bound.weekdays.size > 0 && bound.weekdays.at(0) != weekday_of(day))
        time.doubt = Doubt::kContradiction;
      return time;
    }
    case Meaning::kDayPart:
      return part_of_day(today_ + bound.day_part_day.value_or(0), bound.part.value_or(0), false,
                         direction);
    case Meaning::kPartOf:
      return part_of_day(today_ + bound.step.value_or(0), bound.part.value_or(0),
                         bound.step.value_or(0) == 0, direction);
    case Meaning::kStepUnit:
      // "The next day" is the one after another day that is told of.
      if (bound.units.size == 0 || static_cast<Unit>(bound.units.at(0)) <= Unit::kDay)
        return std::nullopt;
      return one(unit_interval(static_cast<Unit>(bound.units.at(0)), bound.step.value_or(0)));
    case Meaning::kStepWeekday:
      return step_weekday(bound, direction);
    case Meaning::kStepMonth:
      return step_month(bound);
    case Meaning::kWeekdayIn: {
      if (bound.units.size > 0 && static_cast<Unit>(bound.units.at(0)) != Unit::kWeek)
        return std::nullopt;
      const Day sunday = day_at_second(unit_interval(Unit::kWeek, bound.step.value_or(0)).from) - 1;
      if (bound.weekdays.size < 2) return one_day(sunday + bound.weekdays.at(0));
      // "From Monday to Wednesday last week"
      if (bound.weekdays.at(0) >= bound.weekdays.at(1)) return no_time();
      return one(days_interval({sunday + bound.weekdays.at(0), sunday + bound.weekdays.at(1)},
                               Precision::kSpan));
    }
    case Meaning::kComingWeekday:  // "Friday week"
      return one_day(weekday_from(today_ + 1, bound.weekdays.at(0)) + 7);
    case Meaning::kWeekdayBeforeLast:
      return one_day(weekday_from(today_ - 7, bound.weekdays.at(0)) - 7);
    case Meaning::kMonthIn: {
      if (bound.units.size == 0 || static_cast<Unit>(bound.units.at(0)) != Unit::kYear)
        return std::nullopt;
      Bound dated = bound;
      dated.years.add(year_now() + bound.step.value_or(0));
      return calendar(dated, direction);
    }
    case Meaning::kMonthAgo:
      return month_ago(bound);
    case Meaning::kAgo:
      return ago(bound, -1);
    case Meaning::kAhead:
      return ago(bound, 1);
    case Meaning::kEarlier:  // "a week ago today"
    case Meaning::kLater: {  // "morgen in einer Woche"
      if (!bound.day) return std::nullopt;
      Bound from = bound;
      from.times = {one_day(today_ + *bound.day)};
      return shifted(from, meaning == Meaning::kEarlier ? -1 : 1);
    }
    case Meaning::kPast:
      return rolling(bound, -1);
    case Meaning::kComing:
      return rolling(bound, 1);
    case Meaning::kSinceDuration: {
      auto time = rolling(bound, -1);
      if (time) time->intervals.front().open_until = true;
      return time;
    }
    default:
      return std::nullopt;
  }
}

std::optional<ResolvedTime> Resolver::calendar(const Bound& bound, Direction direction) const {
  if (!bound.dates.empty()) return written(bound);
  const bool weekday = bound.weekdays.size > 0, month = bound.months.size > 0;
  const bool day = bound.days_of_month.size > 0, year = bound.years.size > 0;
  if (month && day) return day_of_year(bound, direction);
  if (month && year) {
    ResolvedTime time =
        one(days_interval(month_days(bound.years.at(0), bound.months.at(0)), Precision::kMonth));
    time.named = {bound.years.at(0), bound.months.at(0), 0};
    return time;
  }
  if (month) return month_alone(bound.months.at(0), direction);
  if (year) {
    ResolvedTime time = one(days_interval(year_days(bound.years.at(0)), Precision::kYear));
    time.named = {bound.years.at(0), 0, 0};
    return time;
  }
  if (!knows_now_) return std::nullopt;
  if (day) return day_of_month(bound, direction);
  if (weekday) return this->weekday(bound.weekdays.at(0), direction);
  return std::nullopt;
}

std::optional<ResolvedTime> Resolver::written(const Bound& bound) const {
  ResolvedTime time;
  if (bound.moment) {
    TimeInterval moment{*bound.moment, *bound.moment + kMinute};
    moment.precision = Precision::kMinute;
    return one(moment);
  }
  for (const CivilDate& date : bound.dates) {
    const auto day = day_number(date);
    if (!day) continue;
    if (bound.weekdays.size > 0 && weekday_of(*day) != bound.weekdays.at(0) &&
        bound.dates.size() > 1)
      continue;
    time.intervals.push_back(days_interval({*day, *day}, Precision::kDay));
    time.named = date;
  }
  if (time.intervals.empty()) return std::nullopt;
  if (time.intervals.size() > 1) {
    time.doubt = Doubt::kOrder;
    time.named.month = time.named.day = 0;
  } else if (bound.weekdays.size > 0 &&
             weekday_of(day_at_second(time.intervals[0].from)) != bound.weekdays.at(0)) {
    time.doubt = Doubt::kContradiction;
  }
  return time;
}

// A day of a month, with its year or without, with its weekday or without.
std::optional<ResolvedTime> Resolver::day_of_year(const Bound& bound, Direction direction) const {
  const int month = bound.months.at(0), day = bound.days_of_month.at(0);
  const int weekday = bound.weekdays.size > 0 ? bound.weekdays.at(0) : 0;
  const auto in = [&](int year) { return day_number({year, month, day}); };
  if (bound.years.size > 0) {
    const auto date = in(bound.years.at(0));
    if (!date) return no_time();
    ResolvedTime time = one_day(*date);
    time.named = {bound.years.at(0), month, day};
    if (weekday != 0 && weekday_of(*date) != weekday) time.doubt = Doubt::kContradiction;
    return time;
  }
  ResolvedTime time;
  time.named = {0, month, day};
  time.any_year = true;
  if (!in(2000)) return no_time();  // a leap year has every day
  if (!knows_now_) return time;
  std::optional<Day> last, next;
  for (int year = year_now() - 8; year <= year_now() + 8; ++year) {
    const auto date = in(year);
    if (!date || (weekday != 0 && weekday_of(*date) != weekday)) continue;
    if (*date <= today_) last = date;
    if (*date >= today_ && !next) next = date;
  }
  if (!last || !next) return std::nullopt;
  // The weekday tells which year is near; else the clause does.
  if (weekday != 0 && direction == Direction::kUnknown)
    direction = today_ - *last <= *next - today_ ? Direction::kPast : Direction::kFuture;
  const ResolvedTime found = picked(days_interval({*last, *last}, Precision::kDay),
                                    days_interval({*next, *next}, Precision::kDay), direction);
  time.intervals = found.intervals;
  time.doubt = found.doubt;
  return time;
}

// "the 15th", "Friday the 15th"
std::optional<ResolvedTime> Resolver::day_of_month(const Bound& bound, Direction direction) const {
  const int day = bound.days_of_month.at(0);
  const int weekday = bound.weekdays.size > 0 ? bound.weekdays.at(0) : 0;
  std::optional<Day> last, next;
  const CivilDate now = civil_date(today_);
  for (int months = -24; months <= 24; ++months) {
    const std::int64_t index = now.year * 12 + now.month - 1 + months;
    const auto date = day_number({index / 12, static_cast<int>(index % 12) + 1, day});
    if (!date || (weekday != 0 && weekday_of(*date) != weekday)) continue;
    if (*date <= today_) last = date;
    if (*date >= today_ && !next) next = date;
  }
  if (!last || !next) return std::nullopt;
  if (weekday != 0 && direction == Direction::kUnknown)
    direction = today_ - *last <= *next - today_ ? Direction::kPast : Direction::kFuture;
  return picked(days_interval({*last, *last}, Precision::kDay),
                days_interval({*next, *next}, Precision::kDay), direction);
}

std::optional<ResolvedTime> Resolver::month_alone(int month, Direction direction) const {
  ResolvedTime time;
  time.named = {0, month, 0};
  time.any_year = true;
  if (!knows_now_) return time;
  int last = year_now();
  if (month_days(last, month).from > today_) --last;
  int next = year_now();
  if (month_days(next, month).to < today_) ++next;
  const ResolvedTime found =
      picked(days_interval(month_days(last, month), Precision::kMonth),
             days_interval(month_days(next, month), Precision::kMonth), direction);
  time.intervals = found.intervals;
  time.doubt = found.doubt;
  return time;
}

ResolvedTime Resolver::picked(TimeInterval last, TimeInterval next, Direction direction) const {
  if (last == next) return one(last);
  if (direction == Direction::kPast) return one(last);
  if (direction == Direction::kFuture) return one(next);
  ResolvedTime both;
  both.intervals = {last, next};
  both.doubt = Doubt::kDirection;
  return both;
}

std::optional<ResolvedTime> Resolver::weekday(int weekday, Direction direction) const {
  const Day next = weekday_from(today_ + 1, weekday);
  const Day last = weekday_from(today_ - 7, weekday);
  ResolvedTime time = picked(days_interval({last, last}, Precision::kDay),
                             days_interval({next, next}, Precision::kDay), direction);
  time.weekday = weekday;
  return time;
}

std::optional<ResolvedTime> Resolver::step_weekday(const Bound& bound, Direction direction) const {
  const int weekday = bound.weekdays.at(0), step = bound.step.value_or(0);
  if (step < 0) return one_day(weekday_from(today_ - 7, weekday) - 7 * (-step - 1));
  if (step > 0) return one_day(weekday_from(today_ + 1, weekday) + 7 * (step - 1));
  if (direction == Direction::kPast) return one_day(weekday_from(today_ - 6, weekday));
  return one_day(weekday_from(today_, weekday));
}

// "last May", "this May", "next May"
std::optional<ResolvedTime> Resolver::step_month(const Bound& bound) const {
  const int month = bound.months.at(0), step = bound.step.value_or(0);
  const int now = civil_date(today_).month;
  int year = year_now() + step;
  if (step == -1 && month < now) year = year_now();
  if (step == 1 && month > now) year = year_now();
  if (step == 0) year = year_now();
  return one(days_interval(month_days(year, month), Precision::kMonth));
}

// "In May two years ago" is of the year that is so far back. Where the month is nearer to as many
// years from now in the year beside it, either may be meant. No month is weeks ago.
std::optional<ResolvedTime> Resolver::month_ago(const Bound& bound) const {
  constexpr int kHalfYear = 6;
  if (bound.counts.size == 0 || bound.units.size == 0 ||
      static_cast<Unit>(bound.units.at(0)) != Unit::kYear)
    return no_time();
  const auto in_year = [&](int year) {
    Bound dated = bound;
    dated.units = {};
    dated.years.add(year);
    return bound.third ? third_of(dated, Direction::kPast) : calendar(dated, Direction::kPast);
  };
  const int count = bound.counts.at(0), year = year_now() - count;
  if (year < 1) return no_time();
  auto time = in_year(year);
  const int off = civil_date(today_).month - bound.months.at(0);
  if (!time || time->no_time || std::abs(off) <= kHalfYear) return time ? time : no_time();
  const auto beside = in_year(off < 0 ? year - 1 : year + 1);
  if (!beside || beside->no_time) return no_time();
  time->intervals.push_back(beside->intervals.front());
  time->doubt = Doubt::kDirection;
  return time;
}

std::optional<ResolvedTime> Resolver::part_of_day(Day day, int part, bool today,
                                                  Direction direction) const {
  const auto hours = words_.part_hours(part);
  if (hours[1] == 0) return std::nullopt;
  const auto on = [&](Day which) {
    TimeInterval interval{start_of(which) + hours[0] * kHour, start_of(which) + hours[1] * kHour};
    interval.precision = Precision::kPartOfDay;
    return interval;
  };
  // "this night" is the one that was or the one that comes.
  if (today && part == static_cast<int>(DayPart::kNight))
    return picked(on(day - 1), on(day), direction);
  return one(on(day));
}

TimeInterval Resolver::unit_interval(Unit unit, int steps) const {
  const Day monday = today_ - weekday_of(today_) + 1 + 7 * steps;
  const CivilDate now = civil_date(today_);
  switch (unit) {
    case Unit::kWeek:
      return days_interval({monday, monday + 6}, Precision::kWeek);
    case Unit::kWeekend:
      return days_interval({monday + 5, monday + 6}, Precision::kWeek);
    case Unit::kMonth: {
      const CivilDate date = civil_date(months_away(today_, steps));
      return days_interval(month_days(date.year, date.month), Precision::kMonth);
    }
    case Unit::kQuarter: {
      const std::int64_t index = now.year * 4 + (now.month - 1) / 3 + steps;
      const int first = static_cast<int>(index % 4) * 3 + 1;
      return days_interval({month_days(index / 4, first).from, month_days(index / 4, first + 2).to},
                           Precision::kQuarter);
    }
    case Unit::kYear:
      return days_interval(year_days(now.year + steps), Precision::kYear);
    default:
      return days_interval({today_ + steps, today_ + steps}, Precision::kDay);
  }
}

std::optional<ResolvedTime> Resolver::ago(const Bound& bound, int sign) const {
  if (bound.counts.size == 0 || bound.units.size == 0) return std::nullopt;
  const auto unit = static_cast<Unit>(bound.units.at(0));
  const int count = sign * bound.counts.at(0);
  if (const std::int64_t seconds = seconds_of(unit); seconds > 0) {
    const std::int64_t around = std::max(seconds, kMinute);
    TimeInterval interval{now_ + count * seconds - around / 2, now_ + count * seconds + around / 2};
    interval.precision = precision_of(unit);
    return one(interval);
  }
  if (unit == Unit::kDay || (sign > 0 && unit == Unit::kWeek))
    return one_day(moved(today_, unit, count));
  if (year_now() + count < 1 && unit == Unit::kYear) return std::nullopt;
  return one(unit_interval(unit, count));
}

std::optional<ResolvedTime> Resolver::rolling(const Bound& bound, int sign) const {
  if (bound.units.size == 0) return std::nullopt;
  const int count = bound.counts.size > 0 ? bound.counts.at(0) : 1;
  const auto unit = static_cast<Unit>(bound.units.at(0));
  TimeInterval interval;
  if (const std::int64_t seconds = seconds_of(unit); seconds > 0) {
    interval.from = sign < 0 ? now_ - count * seconds : now_;
    interval.until = sign < 0 ? now_ : now_ + count * seconds;
  } else if (unit == Unit::kWeekend || count > 20'000) {
    return std::nullopt;
  } else if (sign < 0) {
    interval = days_interval({moved(today_, unit, -count), today_}, Precision::kSpan);
  } else {
    interval = days_interval({today_, moved(today_, unit, count)}, Precision::kSpan);
  }
  interval.precision = Precision::kSpan;
  return one(interval);
}

std::optional<ResolvedTime> Resolver::third_of(const Bound& bound, Direction direction) const {
  std::optional<ResolvedTime> whole;
  if (bound.months.size == 0 && bound.years.size == 0) {
    if (!knows_now_ || bound.units.size == 0) return std::nullopt;
    const auto unit = static_cast<Unit>(bound.units.at(0));
    if (unit != Unit::kMonth && unit != Unit::kYear) return std::nullopt;
    whole = one(unit_interval(unit, bound.step.value_or(0)));
  } else if (bound.months.size > 0 && bound.units.size > 0) {
    whole = knows_now_ ? relative(Meaning::kMonthIn, bound, direction) : std::nullopt;
  } else {
    whole = calendar(bound, direction);
  }
  if (!whole) return std::nullopt;
  const int third = bound.third.value_or(0);
  return for_each(*whole, [&](const TimeInterval& interval) -> std::optional<TimeInterval> {
    const DayRange days = interval.days();
    if (interval.precision == Precision::kMonth) {
      return days_interval(
          {days.from + 10 * third, third == 2 ? days.to : days.from + 10 * third + 9},
          Precision::kSpan);
    }
    const int year = year_of(days.from);
    return days_interval({month_days(year, 4 * third + 1).from, month_days(year, 4 * third + 4).to},
                         Precision::kSpan);
  });
}

std::optional<ResolvedTime> Resolver::quarter_of(const Bound& bound, Direction direction) const {
  const auto in = [&](int year) {
    const int first = bound.quarter.value_or(1) * 3 - 2;
    return days_interval({month_days(year, first).from, month_days(year, first + 2).to},
                         Precision::kQuarter);
  };
  if (bound.years.size > 0) return one(in(bound.years.at(0)));
  if (!knows_now_) return std::nullopt;
  if (bound.units.size > 0) {
    if (static_cast<Unit>(bound.units.at(0)) != Unit::kYear) return std::nullopt;
    return one(in(year_now() + bound.step.value_or(0)));
  }
  int last = year_now(), next = last;
  if (in(last).days().from > today_) --last;
  if (in(next).days().to < today_) ++next;
  return picked(in(last), in(next), direction);
}

// "two days before 3 May"; of no number it is the day before.
std::optional<ResolvedTime> Resolver::shifted(const Bound& bound, int sign) const {
  const bool counted = bound.counts.size > 0 && bound.units.size > 0;
  const auto unit = counted ? static_cast<Unit>(bound.units.at(0)) : Unit::kDay;
  const int count = counted ? bound.counts.at(0) : 1;
  if (seconds_of(unit) > 0 || unit == Unit::kWeekend) return std::nullopt;
  auto time = for_each(bound.times.front(),
                       [&](const TimeInterval& interval) -> std::optional<TimeInterval> {
                         if (!is_of_days(interval)) return std::nullopt;
                         const Day day = moved(day_at_second(interval.from), unit, sign * count);
                         return days_interval({day, day}, Precision::kDay);
                       });
  if (time) time->named = {0, 0, 0};
  return time;
}

std::optional<ResolvedTime> Resolver::range_of(const Bound& bound) const {
  if (bound.times.size() < 2) return std::nullopt;
  ResolvedTime first = bound.times[0], last = bound.times[1];
  // A year that is said once is that of both.
  if (first.any_year && last.named.year != 0 && !last.any_year && first.named.month != 0) {
    const bool before = first.named.month <= last.named.month;
    Bound dated;
    dated.months.add(first.named.month);
    if (first.named.day != 0) dated.days_of_month.add(first.named.day);
    dated.years.add(static_cast<int>(last.named.year) - (before ? 0 : 1));
    auto again = calendar(dated, Direction::kUnknown);
    if (!again) return std::nullopt;
    first = std::move(*again);
  }
  ResolvedTime all;
  all.doubt = first.doubt;
  for (const TimeInterval& from : first.intervals) {
    if (from.open_from || from.open_until) return std::nullopt;
    std::optional<TimeInterval> to;
    if (last.weekday != 0) {
      const Day day = weekday_from(day_at_second(from.from) + 1, last.weekday);
      to = days_interval({day, day}, Precision::kDay);
    } else if (last.any_year && !last.intervals.empty()) {
      Bound dated;
      dated.months.add(last.named.month);
      if (last.named.day != 0) dated.days_of_month.add(last.named.day);
      const CivilDate begin = civil_date(day_at_second(from.from));
      dated.years.add(static_cast<int>(begin.year) + (last.named.month < begin.month ? 1 : 0));
      if (const auto again = calendar(dated, Direction::kUnknown)) to = again->intervals.front();
    } else if (last.intervals.size() == 1) {
      to = last.intervals.front();
    }
    if (!to || to->until <= from.from || to->open_from || to->open_until) continue;
    TimeInterval interval{from.from, to->until};
    interval.precision = Precision::kSpan;
    all.intervals.push_back(interval);
  }
  if (all.intervals.empty()) return std::nullopt;
  return all;
}

// "3-5 May 2023", "3.5. - 7.5.2023", "3. - 7.5.2023"
std::optional<ResolvedTime> Resolver::day_range(const Bound& bound, Direction direction) const {
  if (bound.dates.size() == 1 && bound.days_of_month.size > 0) {
    const CivilDate& last = bound.dates.front();
    const int month = bound.days_of_month.size > 1 ? bound.days_of_month.at(1) : last.month;
    const auto from = day_number({last.year, month, bound.days_of_month.at(0)});
    const auto to = day_number(last);
    if (!from || !to || *from >= *to) return std::nullopt;
    return one(days_interval({*from, *to}, Precision::kSpan));
  }
  if (bound.days_of_month.size < 2 || bound.months.size == 0) return std::nullopt;
  if (bound.months.size > 1) return range_over_months(bound);
  const int length = bound.days_of_month.at(1) - bound.days_of_month.at(0);
  if (length <= 0) return std::nullopt;
  Bound first = bound;
  first.weekdays = {};
  auto time = day_of_year(first, direction);
  if (!time || time->intervals.empty()) return std::nullopt;
  for (TimeInterval& interval : time->intervals) {
    const Day from = day_at_second(interval.from);
    if (civil_date(from + length).month != bound.months.at(0)) return std::nullopt;
    interval = days_interval({from, from + length}, Precision::kSpan);
  }
  time->named.day = 0;
  time->any_year = false;
  return time;
}

// "28 May - 3 June 2024": the year is that of the last day.
std::optional<ResolvedTime> Resolver::range_over_months(const Bound& bound) {
  if (bound.years.size == 0) return std::nullopt;
  const int year = bound.years.at(0), first = bound.months.at(0), last = bound.months.at(1);
  const auto from = day_number({first > last ? year - 1 : year, first, bound.days_of_month.at(0)});
  const auto to = day_number({year, last, bound.days_of_month.at(1)});
  if (!from || !to || *from >= *to) return no_time();
  return one(days_interval({*from, *to}, Precision::kSpan));
}

std::optional<ResolvedTime> Resolver::year_range(const Bound& bound) const {
  if (bound.years.size < 2 || bound.years.at(0) >= bound.years.at(1)) return std::nullopt;
  return one(days_interval({year_days(bound.years.at(0)).from, year_days(bound.years.at(1)).to},
                           Precision::kSpan));
}

std::optional<ResolvedTime> Resolver::bounded(Meaning meaning, const ResolvedTime& time) const {
  return for_each(time, [&](const TimeInterval& of) -> std::optional<TimeInterval> {
    if (of.open_from || of.open_until) return std::nullopt;
    TimeInterval interval;
    interval.precision = Precision::kSpan;
    interval.open_until =
        meaning == Meaning::kSince || meaning == Meaning::kFromOn || meaning == Meaning::kAfter;
    interval.open_from = !interval.open_until;
    if (meaning == Meaning::kSince) {
      interval.from = of.from;
      interval.until = knows_now_ ? start_of(today_ + 1) : of.until;
      if (interval.until <= interval.from) return std::nullopt;
    } else if (meaning == Meaning::kFromOn) {
      interval.from = interval.until = of.from;
    } else if (meaning == Meaning::kAfter) {
      interval.from = interval.until = of.until;
    } else {
      interval.from = interval.until = meaning == Meaning::kBefore ? of.from : of.until;
    }
    return interval;
  });
}

std::optional<ResolvedTime> Resolver::at_clock(const Bound& bound) const {
  if (!bound.minutes) return std::nullopt;
  return for_each(bound.times.front(),
                  [&](const TimeInterval& time) -> std::optional<TimeInterval> {
                    const bool part = time.precision == Precision::kPartOfDay;
                    if (!is_of_days(time) && !part) return std::nullopt;
                    const Day day = day_at_second(time.from);
                    std::int64_t minutes = *bound.minutes;
                    // "in the evening at 9"
                    const auto starts = [&](std::int64_t later) {
                      const std::int64_t at = start_of(day) + (minutes + later) * kMinute;
                      return at >= time.from && at < time.until;
                    };
                    constexpr std::int64_t kHalfDay = 12 * 60;
                    if (part && !starts(0)) {
                      if (!starts(kHalfDay)) return std::nullopt;
                      minutes += kHalfDay;
                    }
                    TimeInterval at{start_of(day) + minutes * kMinute, 0};
                    at.until = at.from + (bound.whole_hour ? kHour : kMinute);
                    at.precision = bound.whole_hour ? Precision::kHour : Precision::kMinute;
                    return at;
                  });
}

// "at 3", of which nothing but a part of the day says which half of it is meant: the day then.
std::optional<ResolvedTime> Resolver::at_hour(const Bound& bound) const {
  const ResolvedTime& time = bound.times.front();
  const bool part = std::ranges::all_of(time.intervals, [](const TimeInterval& interval) {
    return interval.precision == Precision::kPartOfDay;
  });
  constexpr int kTold = 13 * 60;  // from here on it is of 24 hours
  if (part || bound.minutes.value_or(0) >= kTold) return at_clock(bound);
  return std::ranges::all_of(time.intervals, is_of_days) ? std::optional(time) : std::nullopt;
}

std::optional<ResolvedTime> Resolver::in_part(const Bound& bound, Direction direction) const {
  const ResolvedTime& time = bound.times.front();
  if (!bound.part) return std::nullopt;
  ResolvedTime all;
  all.doubt = time.doubt;
  for (const TimeInterval& interval : time.intervals) {
    if (!is_of_days(interval)) return std::nullopt;
    const auto part = part_of_day(day_at_second(interval.from), *bound.part, time.today, direction);
    if (!part) return std::nullopt;
    all.intervals.insert(all.intervals.end(), part->intervals.begin(), part->intervals.end());
    if (part->doubt != Doubt::kNone) all.doubt = part->doubt;
  }
  if (all.intervals.empty()) return std::nullopt;
  return all;
}

}  // namespace anima::language
