// Times in a question, as language/times reads them, by the pieces that the parser works on.
//
// Thread-safety: pure functions. Complexity: O(pieces) where a time may begin, else O(1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/lexicon/words.h"
#include "base/clock.h"

namespace anima::ask {

struct TimeRange {
  std::size_t end = 0;      // pieces read
  std::string from, until;  // ISO days, half open
  bool any_year = false;    // a month or a day of one, of no year that was said
};

// What the pieces from `at` on say, every reading of different length. What has several meanings
// (3/4/2024) is no time here. A weekday or a month without more is the last one where the question
// does not speak of the future; of `any_year` it is that of this year.
std::vector<TimeRange> read_time(const std::vector<Piece>& pieces, std::size_t at, const Pack& pack,
                                 Timestamp now);
// An ISO day some days later.
std::string day_after(const std::string& day, int days);
std::string day_of(Timestamp time);

}  // namespace anima::ask
