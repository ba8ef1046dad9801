// Times in a question, as language/times reads them, by the pieces that the parser works on.
//
// Thread-safety: pure functions. Complexity: O(pieces) where a time may begin, else O(1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/lexicon/words.h"
#include "ask/parse/ask_time.h"
#include "ask/parse/reading.h"

namespace anima::ask {

struct TimeRange {
  std::size_t end = 0;      // pieces read
  std::string from, until;  // ISO, half open: days, or with a time of day (`clock`)
  bool any_year = false;    // a month or a day of one, of no year that was said
  bool clock = false;       // "the last 2 hours": it begins or ends within a day
  bool coming = false;      // the next one, where the question may as well mean the last
  TimeSaid said = TimeSaid::kDated;
};

// What the pieces from `at` on say, every reading of different length. What has several meanings
// (3/4/2024) is no time here, but "on Friday" is both the last and the next one where the question
// does not say whether it is past. A month without more is the last one that has begun; of
// `any_year` it is that of this year. Days are those of the asker's clock.
std::vector<TimeRange> read_time(const std::vector<Piece>& pieces, std::size_t at, const Pack& pack,
                                 AskTime now);
// Those of whole days that have been, where they may be meant.
std::vector<TimeRange> read_days(const std::vector<Piece>& pieces, std::size_t at, const Pack& pack,
                                 AskTime now);
// An ISO day some days later.
std::string day_after(const std::string& day, int days);
std::string day_of(Timestamp time);
std::string day_of(AskTime time);  // by the clock of who asks

}  // namespace anima::ask
