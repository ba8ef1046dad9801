#include "ask/parse/times.h"

#include <algorithm>

#include "base/civil_days.h"
#include "language/times/times.h"

namespace anima::ask {
namespace {

// The pieces as a text again, and where each of them ends in it.
struct Rebuilt {
  std::string text;
  std::vector<std::size_t> begins, ends;
};

// What stood between two pieces is gone; a blank does for all that a time needs.
Rebuilt rebuilt(const std::vector<Piece>& pieces) {
  Rebuilt whole;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    // Of a contraction each part has the place of the whole.
    const bool contracted = (i > 0 && pieces[i - 1].begin == piece.begin) ||
                            (i + 1 < pieces.size() && pieces[i + 1].begin == piece.begin);
    const bool joined = i > 0 && pieces[i - 1].end == piece.begin;
    if (i > 0 && !joined) whole.text += ' ';
    whole.begins.push_back(whole.text.size());
    whole.text += contracted ? piece.folded : piece.text;
    whole.ends.push_back(whole.text.size());
  }
  return whole;
}

constexpr std::int64_t kDay = 86'400;

// A moment as the texts of a column begin: without the seconds where they are none, so that it is
// not behind one that is written without them.
std::string moment(std::int64_t seconds, std::int64_t offset) {
  std::string text = format_timestamp(language::utc_of(seconds, offset));
  text.pop_back();
  return text.ends_with(":00") ? text.substr(0, text.size() - 3) : text;
}

std::optional<TimeRange> range_of(const language::TimeReading& time, AskTime now) {
  const Day today = anima::day_of(now.time, now.offset_seconds);
  const language::TimeInterval* sure = time.sure();
  if (sure == nullptr || sure->open_from || sure->open_until) return std::nullopt;
  TimeRange range;
  range.any_year = time.any_year;
  const bool dated = time.named.year != 0;
  range.said = time.any_year ? TimeSaid::kYearly : dated ? TimeSaid::kDated : TimeSaid::kRelative;
  range.clock = sure->from % kDay != 0 || sure->until % kDay != 0;
  if (range.clock && range.any_year) return std::nullopt;
  if (range.clock) {
    range.from = moment(sure->from, now.offset_seconds);
    range.until = moment(sure->until, now.offset_seconds);
    return range;
  }
  DayRange days = sure->days();
  // What is to come is meant so; else it is this year's.
  if (time.any_year && days.from <= today) {
    const int year = year_of(today);
    days = month_days(year, time.named.month);
    if (time.named.day != 0) {
      const auto day = day_number({year, time.named.month, time.named.day});
      if (!day) return std::nullopt;
      days = {*day, *day};
    }
  }
  range.from = format_day(days.from);
  range.until = format_day(days.to + 1);
  return range;
}

// Of the last and the next one, each of one day: which days they are among.
TimeSaid repeated(const TimeRange& last, const TimeRange& next) {
  const auto past = parse_timestamp(last.from), coming = parse_timestamp(next.from);
  const bool days = past && coming && !last.clock && last.until == day_after(last.from, 1);
  if (!days) return last.said;
  const auto apart = anima::day_of(*coming) - anima::day_of(*past);
  if (apart % 7 == 0 && apart <= 14) return TimeSaid::kWeekly;
  return last.from.substr(8) == next.from.substr(8) ? TimeSaid::kMonthly : last.said;
}

}  // namespace

std::vector<TimeRange> read_time(const std::vector<Piece>& pieces, std::size_t at, const Pack& pack,
                                 AskTime now) {
  std::vector<TimeRange> ranges;
  if (at >= pieces.size()) return ranges;
  const Piece& first = pieces[at];
  const bool word = first.kind == Piece::Kind::kWord;
  const bool number = first.kind == Piece::Kind::kNumber || first.kind == Piece::Kind::kDate;
  if (!number && !(word && language::may_begin_time(first.folded, pack.language()))) return ranges;
  const Rebuilt whole = rebuilt(pieces);
  language::TimeContext context;
  context.now = now.time;
  context.offset_seconds = now.offset_seconds;
  context.lone_names = true;
  const auto alone = [&](std::string_view phrase,
                         language::Direction lean) -> std::optional<TimeRange> {
    context.lean = lean;
    for (const language::TimeReading& time :
         language::times_at(phrase, 0, pack.language(), context)) {
      if (time.end == phrase.size()) return range_of(time, now);
    }
    return std::nullopt;
  };
  const auto read = [&](language::Direction lean) {
    context.lean = lean;
    std::vector<TimeRange> found;
    for (const language::TimeReading& time :
         language::times_at(whole.text, whole.begins[at], pack.language(), context)) {
      const auto end = std::ranges::find(whole.ends, time.end);
      if (end == whole.ends.end()) continue;
      auto range = range_of(time, now);
      if (!range) continue;
      range->end = static_cast<std::size_t>(end - whole.ends.begin()) + 1;
      found.push_back(std::move(*range));
    }
    return found;
  };
  ranges = read(language::Direction::kPast);
  if (ranges.empty()) return ranges;
  for (TimeRange& next : read(language::Direction::kFuture)) {
    const auto last = std::ranges::find(ranges, next.end, &TimeRange::end);
    if (next.any_year || (last != ranges.end() && last->from == next.from)) continue;
    next.coming = true;
    ranges.push_back(std::move(next));
  }
  // A verb says whether the last or the next one is meant, and not that there is no other.
  for (TimeRange& range : ranges) {
    if (range.said != TimeSaid::kRelative || range.clock) continue;
    const std::string_view phrase =
        std::string_view(whole.text).substr(0, whole.ends[range.end - 1]);
    const auto last = alone(phrase.substr(whole.begins[at]), language::Direction::kPast);
    const auto next = alone(phrase.substr(whole.begins[at]), language::Direction::kFuture);
    if (last && next && last->from != next->from) range.said = repeated(*last, *next);
  }
  return ranges;
}

std::vector<TimeRange> read_days(const std::vector<Piece>& pieces, std::size_t at, const Pack& pack,
                                 AskTime now) {
  std::vector<TimeRange> ranges = read_time(pieces, at, pack, now);
  std::erase_if(ranges, [](const TimeRange& one) { return one.clock || one.coming; });
  return ranges;
}

std::string day_after(const std::string& day, int count) {
  const auto time = parse_timestamp(day);
  return time ? format_day(anima::day_of(*time) + count) : day;
}

std::string day_of(Timestamp time) { return format_day(anima::day_of(time)); }
std::string day_of(AskTime time) {
  return format_day(anima::day_of(time.time, time.offset_seconds));
}

}  // namespace anima::ask
