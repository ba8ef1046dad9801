// A question whose time says when links held: read without it, and asked of those days.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ask/attempt.h"

namespace anima::ask {
namespace {

// A month without a year is one that has begun.
TimeRange begun(TimeRange time, AskTime now) {
  if (!time.any_year || time.from <= ask::day_of(now)) return time;
  for (std::string* day : {&time.from, &time.until}) {
    const int year = std::stoi(day->substr(0, 4)) - 1;
    *day = fmt::format("{:04}{}", year, day->substr(4));
  }
  return time;
}

}  // namespace

// The question without its time, whose links must hold then.
std::vector<Reading> Attempt::timed_by(std::size_t begin, const TimeRange& time) {
  constexpr std::string_view kFirst = "0001-01-01", kLast = "9999-12-31";
  std::string from = time.from, until = time.until;
  TimeSaid said = time.said;
  if (is_part_of_name(begin)) return {};
  if (begin > 0) {
    const std::size_t word = begin - 1;
    const bool before = is_word(word, WordClass::kBeforeTime);
    const bool to_its_end = is_word(word, WordClass::kUntilTime);
    const bool since = is_word(word, WordClass::kSinceTime);
    const bool after = is_word(word, WordClass::kAfterTime);
    if (before) {
      until = std::exchange(from, std::string(kFirst));
    } else if (to_its_end) {
      from = kFirst;
    } else if (after) {
      from = std::exchange(until, std::string(kLast));
    } else if (since) {
      until = kLast;
    }
    const bool open = before || to_its_end || since || after;
    if (open && said != TimeSaid::kDated) said = TimeSaid::kRelative;
    // "The total amount of 1999"
    if (!open && is_word(word, WordClass::kOf) && time.end == begin + 1 &&
        pieces_[begin].kind == Piece::Kind::kNumber)
      said = TimeSaid::kNumber;
    if (open || is_word(word, WordClass::kInTime)) --begin;
  }
  if (begin != 0 && time.end != pieces_.size()) return {};
  std::vector<Piece> rest(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(begin));
  rest.insert(rest.end(), pieces_.begin() + static_cast<std::ptrdiff_t>(time.end), pieces_.end());
  if (rest.empty()) return {};
  std::vector<Reading> found = read(rest, context_of_talk());
  // A time that is said of nothing that has one would be left out.
  std::vector<Reading> then;
  for (Reading& one : found) {
    if (one.form == Reading::Form::kHistory || one.form == Reading::Form::kWhy ||
        one.form == Reading::Form::kWhatIf || one.of_all != nullptr)
      continue;
    if (goes_along_dated(one)) {
      if (time.clock) continue;  // links hold for days
      one.valid_from = from;
      one.valid_until = until;
      then.push_back(std::move(one));
    } else if (auto dated = dated_by_value(one, from == kFirst ? "" : from,
                                           until == kLast ? "" : until, said)) {
      then.push_back(*std::move(dated));
    }
  }
  return then;
}

// "Who was the owner of the mill in March?": of the longest time that can be left out.
std::vector<Reading> Attempt::timed() {
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    std::vector<TimeRange> times = read_time(pieces_, at, lexicon_.pack(), now_);
    std::stable_sort(times.begin(), times.end(),
                     [](const TimeRange& a, const TimeRange& b) { return a.end > b.end; });
    std::vector<Reading> found;
    for (std::size_t i = 0; i < times.size(); ++i) {
      // Of what may be the last one or the next one both.
      if (!found.empty() && times[i].end != times[i - 1].end) break;
      for (Reading& one : timed_by(at, begun(times[i], now_))) found.push_back(std::move(one));
    }
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace anima::ask
