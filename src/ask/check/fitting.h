// Whether what a reading says fits what the attributes are: their units, their times, their kind.
//
// A reading is built wherever words and types allow it; this is the one place that refuses one for
// what its values are. Thread-safety: pure functions. Ownership: none is kept. Errors: none.
// Complexity: O(restrictions), and once O(values of an attribute) where that is kept as text.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ask/parse/reading.h"

namespace anima::ask {

// Why each reading does not fit, in words of the language; empty: it fits.
std::vector<std::string> misfits_of(const std::vector<Reading>& readings, const Lexicon& lexicon);

// The days that a time stands for that is not said with its year ("last month"); an empty end is
// open.
struct TimeTaken {
  std::string attribute, from, until;  // ISO, both days within
  bool operator==(const TimeTaken&) const = default;
};
std::vector<TimeTaken> relative_times(const Reading& reading, const Lexicon& lexicon);

// The columns of days of the rows that it goes by, which may say what is so at a time: of rows that
// happen, and of what has several such columns.
std::set<std::string> days_of_rows(const Reading& reading, const Lexicon& lexicon);

// The things that it names.
std::set<store::EntityId> named_things(const Reading& reading);

// The numbers that it compares with, as the question has them.
std::set<std::string> numbers_written(const Reading& reading);

// The days that its times begin or end with, with the attribute that each is said of.
std::set<std::pair<std::string, int>> days_said(const Reading& reading);

// Something that was written may be another number, too, so that no row decides which is meant.
bool is_unsure(const Reading& reading);

}  // namespace anima::ask
