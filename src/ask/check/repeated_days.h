// Days that come back: every March, each 1st, all Mondays. A question that names one of them
// without its year means one only where no other is there.
//
// Thread-safety: pure functions. Ownership: none is kept. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "ask/parse/reading.h"

namespace anima::ask {

// The days of the attribute that the same words may mean as well as those of the time, sorted, each
// once; the last and the next one of a weekday or a day of a month are asked about elsewhere.
// `from`, `until`: ISO days, half open. O(values of the attribute).
std::vector<std::string> other_such_days(const Lexicon& lexicon, int attribute, TimeSaid said,
                                         const std::string& from, const std::string& until);

}  // namespace anima::ask
