// The words of time of a language and the patterns that they stand in: packs/language/times.
//
//   language       its code
//   numeric_order  of 3/4/2024: "day_month", "month_day", or "unknown" where both are usual
//   leads          words before a month, a year or a weekday that make it one ("in", "since")
//   dating         of these, those that stand before no name ("in", but not "of")
//   unsure         months, weekdays that are also other words or names ("may", "april"): they need
//                  a lead or a number beside them
//   capital        of these, those that are other words when they begin small ("so", "sat")
//   introduced_by  words before a time that belong to it ("on", "the")
//   month_only     words before a month behind which no day follows it ("in May 20 people came")
//   spelled_days   true where days are counted with spelled cardinals ("dos de mayo")
//   events         words that an event begins with behind "after" ("the", "her", "easter")
//   denied_by      words before a time that deny it ("not")
//   continued_by   words before a time, without a blank between, with which it is another one
//   parted         words of ICU's dictionary inside of which a time may end ("周到" of "上周到")
//   elsewhere      words of time that are other words in other languages ("hier", "morgen")
//   units, weekdays, months, parts, thirds    the fixed names below = list of words or phrases
//   part_hours     part = [first hour, hour after the last]; above 24 is the next day
//   days, steps, counts      word or phrase = number (yesterday = -1; last = -1; a = 1)
//   durations, periods       phrase = "6 month", "-1 week"
//   day_parts      phrase = "-1 night"
//   patterns       meaning = list of patterns
//
// Of the meanings `no_time` takes its words and is none; `relative` is none because it depends on
// an event that is not known ("the Monday after the wedding"), and what stands beside it or behind
// it in the clause is the event's time.
//
// A pattern is words and slots ({weekday}) between blanks; (x|y z) may be left out, [x|y z] may
// not, a|b is one of two words. Slots: day unit weekday month step n ordinal dom year yy part third
// quarter day_part date hm hour event, and the results of other patterns: duration period clock
// time. Thread-safety: constant once loaded.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/json/toml.h"
#include "base/result.h"
#include "language/numbers/lexemes.h"
#include "language/numbers/number_words.h"

namespace anima::language {

enum class Unit : std::uint8_t {
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kWeekend,
  kMonth,
  kQuarter,
  kYear,
  kEnd
};

enum class Slot : std::uint8_t {
  kDay,  // an entry of the vocabulary, up to kDayPart
  kUnit,
  kWeekday,
  kMonth,
  kStep,
  kCount,
  kPart,
  kThird,
  kDurationWord,
  kPeriodWord,
  kDayPart,
  kNumber,  // read by rule, up to kEvent
  kOrdinal,
  kDayOfMonth,
  kYear,
  kShortYear,  // of two digits
  kQuarter,
  kDate,
  kHourMinute,
  kHour,
  kEvent,     // a word that an event begins with
  kDuration,  // the result of patterns, from here on
  kPeriod,
  kClock,
  kTime,
  kEnd
};

// What a pattern means, by its key under `patterns`.
enum class Meaning : std::uint8_t {
  kDuration,  // a part of other patterns, until kFirstTime
  kPeriod,
  kClock,
  kClockAm,
  kClockPm,
  kFirstTime,
  kAtClock = kFirstTime,
  kAtHour,
  kInPart,
  kDay,
  kDayPart,
  kPartOf,
  kStepUnit,
  kStepWeekday,
  kStepMonth,
  kWeekdayIn,
  kComingWeekday,
  kWeekdayBeforeLast,
  kAgo,
  kAhead,
  kPast,
  kComing,
  kEarlier,
  kLater,
  kCalendar,
  kMonthIn,
  kMonthAgo,
  kQuarter,
  kThird,
  kRange,
  kDayRange,
  kYearRange,
  kSince,
  kSinceDuration,
  kFromOn,
  kUntil,
  kBefore,
  kAfter,
  kClockOf,
  kNoTime,
  kRelative,
  kEnd
};

enum class NumericOrder : std::uint8_t { kUnknown, kDayMonth, kMonthDay };

struct PatternPart {
  std::string word;  // empty where a slot is
  Slot slot = Slot::kEnd;
};
struct Pattern {
  Meaning meaning = Meaning::kEnd;
  std::vector<PatternPart> parts;
  bool tail = false;  // it stands behind a time, which is its first part and not among `parts`
};

struct TimeEntry {
  std::vector<std::string> words;
  Slot slot = Slot::kEnd;
  int value = 0;
  int more = 0;  // the unit of a duration or a period, the part of a day part
};

class TimeWords {
 public:
  static Result<TimeWords> from_toml(std::string_view text, std::string source);
  // Of packs/language/times; null for a language that is none of them.
  static const TimeWords* of(std::string_view language);

  const std::string& language() const { return language_; }
  const NumberWords& numbers() const { return *numbers_; }
  NumericOrder numeric_order() const { return numeric_order_; }
  // Longest first; empty for a word that begins none.
  const std::vector<TimeEntry>& entries(const std::string& first) const;
  const std::vector<Pattern>& patterns() const { return patterns_; }
  const std::vector<std::uint16_t>& tails() const { return tails_; }
  // The patterns whose first part is the slot, or the word; no tails.
  const std::vector<std::uint16_t>& starting_with(Slot slot) const {
    return by_slot_[static_cast<std::size_t>(slot)];
  }
  const std::vector<std::uint16_t>& starting_with(const std::string& word) const;
  const std::vector<std::uint16_t>& of_meaning(Meaning meaning) const {
    return by_meaning_[static_cast<std::size_t>(meaning)];
  }
  std::array<int, 2> part_hours(int part) const {
    return part_hours_[static_cast<std::size_t>(part)];
  }
  // What a word is in a slot: 5 for "may" as a month. Nothing where it is none. O(1).
  std::optional<int> value_of(Slot slot, const std::string& word) const;
  // The words of a slot that are one word, in no order. O(words).
  std::vector<std::string> single_words(Slot slot) const;
  bool leads(const std::string& word) const { return leads_.contains(word); }
  bool dates(const std::string& word) const { return dating_.contains(word); }
  bool unsure(const std::string& word) const { return unsure_.contains(word); }
  bool capital(const std::string& word) const { return capital_.contains(word); }
  bool begins_event(const std::string& word) const { return events_.contains(word); }
  // Between the members of a list, in this language ("and"; "en" of Dutch is "in" of French).
  bool joins_list(const std::string& word) const { return list_words_.contains(word); }
  bool is_month_only(const std::string& word) const { return month_only_.contains(word); }
  bool spelled_days() const { return spelled_days_; }
  bool introduces(const std::string& word) const { return introduced_by_.contains(word); }
  const std::vector<std::vector<std::string>>& denials() const { return denials_; }
  bool continues(std::string_view word) const { return continued_by_.contains(word); }
  bool parts(std::string_view word) const { return parted_.contains(word); }
  bool elsewhere(const std::string& word) const { return elsewhere_.contains(word); }
  // Whether the text has a digit or a word without which there is no time. O(text), no allocation
  // for words of ASCII.
  bool may_tell_time(std::string_view text) const;
  // Whether that is so in any of the languages, by one pass over the text.
  static bool any_may_tell_time(std::string_view text);

 private:
  friend class TimeWordsReader;
  static constexpr std::size_t kParts = 6;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using WordSet = std::unordered_set<std::string, Hash, std::equal_to<>>;

  std::string language_;
  const NumberWords* numbers_ = nullptr;
  NumericOrder numeric_order_ = NumericOrder::kUnknown;
  WordSet leads_, dating_, unsure_, capital_, introduced_by_, continued_by_, parted_, elsewhere_,
      month_only_, events_, list_words_;
  bool spelled_days_ = false;
  std::vector<std::vector<std::string>> denials_;
  WordSet telling_;  // one of these is in every time without digits
  std::unordered_map<std::string, std::vector<TimeEntry>> entries_;
  std::vector<Pattern> patterns_;
  std::vector<std::uint16_t> tails_;
  std::unordered_map<std::string, std::vector<std::uint16_t>> by_word_;
  std::array<std::vector<std::uint16_t>, static_cast<std::size_t>(Slot::kEnd)> by_slot_;
  std::array<std::vector<std::uint16_t>, static_cast<std::size_t>(Meaning::kEnd)> by_meaning_;
  std::array<std::array<int, 2>, kParts> part_hours_{};
};

// The fixed names of the files, by value.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Unit::kEnd)> kUnitNames = {
    "second", "minute", "hour", "day", "week", "weekend", "month", "quarter", "year"};
inline constexpr std::array<std::string_view, 6> kPartNames = {"early",     "morning", "noon",
                                                               "afternoon", "evening", "night"};
inline constexpr std::array<std::string_view, 3> kThirdNames = {"begin", "middle", "end"};
enum class DayPart : std::uint8_t { kEarly, kMorning, kNoon, kAfternoon, kEvening, kNight };

}  // namespace anima::language
