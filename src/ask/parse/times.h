// Times as people say them: "last week", "May 2026", "2019", "tomorrow", "1 June 2026".
//
// Thread-safety: pure functions. Complexity: O(pieces).
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

// What the pieces from `at` on say, every reading of different length.
std::vector<TimeRange> read_time(const std::vector<Piece>& pieces, std::size_t at, const Pack& pack,
                                 Timestamp now);
// An ISO day some days later.
std::string day_after(const std::string& day, int days);
std::string day_of(Timestamp time);

}  // namespace anima::ask
