// Written values: which numbers, booleans and dates a text may be read as, and what it says under
// the form that its column has.
//
// A cell fits forms one by one; a column takes the form that its cells agree on (column_profile.h).
// Dates are stored as ISO 8601 text, which KIP and questions compare. Thread-safety: pure. O(text).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "load/mapping.h"
#include "store/value.h"

namespace anima::load {

// What one written cell could be.
struct CellForms {
  std::uint8_t numbers = 0;    // bit by NumberStyle
  std::uint8_t fractions = 0;  // of these, read so it has a fraction
  std::uint8_t dates = 0;      // bit by DateStyle
  bool leading_zero = false;   // 007
};
CellForms forms_of(std::string_view text);

// The pair of words of which a text is one: true/false is 0, yes/no 1, ...; `value` which of the
// two.
struct BooleanWord {
  int pair = -1;
  bool value = false;
};
inline constexpr int kBooleanPairs = 6;
BooleanWord boolean_word(std::string_view text);
// Whether a column of one word of the pair says a truth: true, false. The others have more meanings
// (NO is Norway, ON is Ontario, y a coordinate): both must occur.
bool is_truth_alone(int pair);

// Stands for "no value" where a number, a date or a truth is expected: NA, -, null, ...
bool is_no_value(std::string_view text);
// The same in any column: NULL, \N, N/A.
bool is_null_word(std::string_view text);

// What the text says under the form; `own` holds a text that is made. Nothing when it does not fit.
std::optional<store::ValueView> read_written(std::string_view text, const ValueForm& form,
                                             std::string& own);

}  // namespace anima::load
