// Times as people write them: "the day before yesterday", "next Friday", "since May 2023", "vor
// einem halben Jahr", "上周五". One reader for all who read texts, questions and messages.
//
// A time is an interval by the clock of who speaks, with its precision and the words that name it.
// Longest phrase first. What has more than one reading (3/4/2024, "on Monday" where nothing says
// whether it is past) is returned with all of them and the reason of the doubt: who keeps or
// computes takes it for no time, who only ranks may take them all. What every language shares (ISO
// dates) is read in any text. The words are data (time_words.h). Words of time that are part of
// something else are none (whole_phrases.h), and so are two times side by side that no pattern
// joins.
//
// What the words mean:
//   a week is Monday to Sunday; "last week", "next month" are units of the calendar
//   "two weeks ago" is that week, "three months ago" that month, "two days ago" that day; "in two
//     weeks" is the day; "an hour ago" is the hour around that moment
//   "the past 7 days" are the days from 7 days ago to today, "the next 7 days" from today
//   "last Friday" is the last one before today, "next Friday" the first one after it, "this Friday"
//     the first one from today on (the last one where the clause speaks of the past)
//   "on Friday", "in May", "on 5 May", "on the 15th" are the last where the clause speaks of the
//     past, the next where it speaks of the future or the present, and else in doubt
//   the beginning, middle and end of a month are days 1-10, 11-20 and from 21 on; of a year four
//     months each
// Thread-safety: pure. Complexity: O(text) where no word of time is in it. Precision of dates: the
// Gregorian calendar; a time zone is an offset, so no switch of the clocks is seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_days.h"
#include "base/clock.h"

namespace anima::language {

enum class Precision : std::uint8_t {
  kMinute,
  kHour,
  kPartOfDay,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear,
  kSpan  // from one time to another
};

// Half open, in seconds of the speaker's clock since 1970-01-01T00:00 of it.
struct TimeInterval {
  std::int64_t from = 0, until = 0;
  bool open_from = false, open_until = false;  // nothing says where it begins or ends
  Precision precision = Precision::kDay;
  auto operator<=>(const TimeInterval&) const = default;

  // The days that it touches; of a night the one on which it begins. With an open end, that end
  // means nothing.
  DayRange days() const;
};

enum class Doubt : std::uint8_t {
  kNone,
  kOrder,          // 3/4/2024: the order of day and month
  kDirection,      // the last one or the next one
  kContradiction,  // Monday 5 May 2023, which was a Friday
};

struct TimeReading {
  std::vector<TimeInterval> intervals;  // one; more where there is a doubt
  Doubt doubt = Doubt::kNone;
  // What was named, 0 what was not: "May 2023" is 2023, 5, 0.
  CivilDate named{0, 0, 0};
  bool any_year = false;           // a month, or a day of one, of no year that was said
  std::size_t begin = 0, end = 0;  // bytes of the text

  // The only one.
  const TimeInterval* sure() const {
    return doubt == Doubt::kNone && intervals.size() == 1 ? intervals.data() : nullptr;
  }
};

enum class Direction : std::uint8_t { kUnknown, kPast, kFuture };

struct TimeContext {
  std::optional<Timestamp> now;     // without it only what needs none is read
  std::int64_t offset_seconds = 0;  // of the speaker's clock from UTC
  // For "on Monday" and the like where the clause does not say.
  Direction lean = Direction::kUnknown;
  // A month or a year alone is one, also without a word before it that makes it one.
  bool lone_names = false;
};

// `language`: a code like "en"; texts with Han characters are read as Chinese, too, or as Japanese
// where they have kana. Not overlapping, in the order of the text.
std::vector<TimeReading> read_times(std::string_view text, std::string_view language,
                                    const TimeContext& context);
// Of a text whose language is not sure: by the language of those with words of time whose stop
// words it has most of, or as many as any, where that reads more of it as times than `language`;
// none where two such read as much, and different times. Words that are others in other languages
// are read only where the sentence, or else the text, has more stop words of their own.
std::vector<TimeReading> read_times_unsure(std::string_view text, std::string_view language,
                                           const TimeContext& context);
// Of a text that is thought to be in a language: where that has no times of it, as unsure.
std::vector<TimeReading> read_times_guessed(std::string_view text, std::string_view language,
                                            const TimeContext& context);
// Those that begin at the first word of `text` from byte `begin` on, one of each length, without
// words before it that belong to it ("on", "since"): for who has a grammar of their own.
std::vector<TimeReading> times_at(std::string_view text, std::size_t begin,
                                  std::string_view language, const TimeContext& context);

// Whether a time may begin with the word, which is folded: one look-up.
bool may_begin_time(const std::string& word, std::string_view language);

// RFC 3339's offset of a written time in seconds: "2024-01-01T00:30:00+02:00" is 7200; 0 for what
// has none.
std::int64_t offset_of(std::string_view rfc3339);
// The other way round: "Z" where it is 0. Of an offset of whole minutes.
std::string format_with_offset(Timestamp time, std::int64_t offset_seconds);
Timestamp utc_of(std::int64_t local_seconds, std::int64_t offset_seconds);

}  // namespace anima::language
