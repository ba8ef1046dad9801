// From what a pattern bound to an interval: the second step from words to times. The meanings are
// those that times.h tells. Thread-safety: pure. Complexity: O(1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "language/times/time_words.h"
#include "language/times/times.h"

namespace anima::language {

struct ResolvedTime {
  std::vector<TimeInterval> intervals;  // none: a phrase that is no time ("every Monday")
  Doubt doubt = Doubt::kNone;
  CivilDate named{0, 0, 0};
  int weekday = 0;  // that alone was named
  bool any_year = false;
  bool no_time = false;
  bool relative = false;  // none, for it depends on an event that is not known
  bool today = false;
};

// At most two values of one kind, in the order of the words.
struct Few {
  std::array<int, 2> values{};
  std::uint8_t size = 0;
  void add(int value) {
    if (size < values.size()) values[size++] = value;
  }
  int at(std::size_t index) const { return values[index]; }
};

struct Bound {
  Few counts, weekdays, months, days_of_month, years, units;
  std::optional<int> day, step, part, third, quarter;
  std::optional<int> day_part_day;  // -1 of "-1 night"; its part is `part`
  std::optional<int> minutes;       // of the day
  bool whole_hour = false;
  std::vector<CivilDate> dates;        // two: of which nothing says the order
  std::optional<std::int64_t> moment;  // local seconds of a written date and time
  std::vector<ResolvedTime> times;
};

class Resolver {
 public:
  Resolver(const TimeWords& words, const TimeContext& context);

  // Nothing for what no calendar has, or needs a day that is not known.
  std::optional<ResolvedTime> resolve(Meaning meaning, const Bound& bound,
                                      Direction direction) const;

 private:
  using Intervals = std::vector<TimeInterval>;

  std::optional<ResolvedTime> absolute(Meaning meaning, const Bound& bound,
                                       Direction direction) const;
  std::optional<ResolvedTime> relative(Meaning meaning, const Bound& bound,
                                       Direction direction) const;
  std::optional<ResolvedTime> combined(Meaning meaning, const Bound& bound,
                                       Direction direction) const;

  std::optional<ResolvedTime> calendar(const Bound& bound, Direction direction) const;
  std::optional<ResolvedTime> written(const Bound& bound) const;
  std::optional<ResolvedTime> day_of_year(const Bound& bound, Direction direction) const;
  std::optional<ResolvedTime> day_of_month(const Bound& bound, Direction direction) const;
  std::optional<ResolvedTime> month_alone(int month, Direction direction) const;
  std::optional<ResolvedTime> weekday(int weekday, Direction direction) const;
  std::optional<ResolvedTime> step_weekday(const Bound& bound, Direction direction) const;
  std::optional<ResolvedTime> month_ago(const Bound& bound) const;
  std::optional<ResolvedTime> step_month(const Bound& bound) const;
  std::optional<ResolvedTime> part_of_day(Day day, int part, bool today, Direction direction) const;
  std::optional<ResolvedTime> ago(const Bound& bound, int sign) const;
  std::optional<ResolvedTime> rolling(const Bound& bound, int sign) const;
  std::optional<ResolvedTime> third_of(const Bound& bound, Direction direction) const;
  std::optional<ResolvedTime> quarter_of(const Bound& bound, Direction direction) const;
  std::optional<ResolvedTime> shifted(const Bound& bound, int sign) const;
  std::optional<ResolvedTime> range_of(const Bound& bound) const;
  std::optional<ResolvedTime> day_range(const Bound& bound, Direction direction) const;
  static std::optional<ResolvedTime> range_over_months(const Bound& bound);
  std::optional<ResolvedTime> year_range(const Bound& bound) const;
  std::optional<ResolvedTime> bounded(Meaning meaning, const ResolvedTime& time) const;
  std::optional<ResolvedTime> at_clock(const Bound& bound) const;
  std::optional<ResolvedTime> at_hour(const Bound& bound) const;
  std::optional<ResolvedTime> in_part(const Bound& bound, Direction direction) const;

  // The one that the direction picks of the last and the next; both where nothing does.
  ResolvedTime picked(TimeInterval last, TimeInterval next, Direction direction) const;
  TimeInterval unit_interval(Unit unit, int steps) const;
  int year_now() const { return year_of(today_); }

  const TimeWords& words_;
  bool knows_now_ = false;
  Day today_ = 0;
  std::int64_t now_ = 0;  // local seconds
};

TimeInterval days_interval(DayRange days, Precision precision);

}  // namespace anima::language
