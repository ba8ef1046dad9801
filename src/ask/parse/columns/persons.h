// Whom "who" may mean: types of persons, and the columns of other rows in which persons stand.
//
// What is a person is told by words of the language (`persons` of the pack) and by what leads to
// it: `owner`, `referred_by`. Thread-safety: pure functions. Complexity: O(schema), and of a type
// of which neither tells anything O(things).
#pragma once

#include <vector>

#include "ask/parse/reading.h"

namespace anima::ask {

// kNo: its things have codes for names.
enum class Personhood : std::uint8_t { kYes, kMaybe, kNo };
Personhood personhood(const Lexicon& lexicon, TypeId type);

// A text that names one, or a link to one.
struct PersonColumn {
  int attribute = -1;
  int predicate = -1;
  bool doer = false;  // `referred_by`
};
std::vector<PersonColumn> person_columns(const Lexicon& lexicon, TypeId type);

// Whether the members are told from others by columns of their own, and not as what others lead to.
bool is_told_by_columns(const SetExpr& set);

}  // namespace anima::ask
