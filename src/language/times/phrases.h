// Finds the patterns of a language (time_words.h) in lexemes and what they bind: the first of the
// two steps from words to times; the second is resolve.h. Thread-safety: a matcher belongs to one
// thread. Complexity: O(patterns that begin with the word), each O(its parts).
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "language/statements/tense.h"
#include "language/times/resolve.h"
#include "language/times/time_words.h"
#include "language/times/times.h"

namespace anima::language {

struct FoundTime {
  std::size_t end = 0;  // the lexeme after it
  ResolvedTime time;
};

class PhraseMatcher {
 public:
  PhraseMatcher(std::string_view text, const Lexemes& lexemes, const TimeWords& words,
                const TimeContext& context);

  // Every time that begins at the lexeme, in the order of the patterns, shorter ones of the same
  // words behind longer ones of one pattern.
  std::vector<FoundTime> times_at(std::size_t at);

 private:
  struct Step {
    std::size_t end = 0;
    Bound bound;
  };
  using Steps = std::vector<Step>;

  Steps match(const Pattern& pattern, std::size_t at, std::vector<ResolvedTime> before);
  Steps match_parts(const Pattern& pattern, Step first);
  Steps match_part(const PatternPart& part, Step step);
  void match_entries(Slot slot, const Step& step, Steps& out) const;
  void match_numbers(Slot slot, const Step& step, Steps& out) const;
  void match_year(const Step& step, Steps& out) const;
  void match_short_year(const Step& step, Steps& out) const;
  int year_of_two_digits(int digits) const;
  void match_date(const Step& step, Steps& out) const;
  void match_hour_minute(const Step& step, Steps& out) const;
  void match_patterns(Slot slot, const Step& step, Steps& out);
  void match_times(const Step& step, Steps& out);
  std::optional<WholeNumber> number_at(std::size_t at) const;
  Direction limited(Tense tense, Direction direction) const;
  bool is_cut_off(std::size_t at) const;
  bool is_glued(std::size_t end) const;
  bool is_tied(std::size_t at) const;
  bool stands_alone(const Pattern& pattern, std::size_t at) const;
  bool is_led(std::size_t at) const;
  bool is_before_month(std::size_t end) const;
  bool may_be_day(std::size_t at) const;
  static bool looks_back(const Pattern& pattern, Tense tense);
  void add(const Pattern& pattern, std::size_t at, Step step, std::vector<FoundTime>& found) const;
  void add_tails(std::size_t at, std::vector<FoundTime>& found);

  std::string_view text_;
  const Lexemes& lexemes_;
  const TimeWords& words_;
  TimeContext context_;
  Resolver resolver_;
  int depth_ = 0;
  std::optional<Direction> forced_;  // inside "since", which looks back
  // Inside what says an end or a beginning: "until", "from .. on".
  Meaning limit_ = Meaning::kEnd;
};

}  // namespace anima::language
