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

// What a written number says of the column that it stands in (column_profile.h).
enum class NumberSign : std::uint8_t {
  kPoint,  // 1.5, 1,234.5: the point is the decimal mark, for this can be read in no other way
  kComma,  // 1,5, 1.234,5: the comma is
  kEitherPoint,   // 1.234: a decimal point, or a group of thousands
  kEitherComma,   // 1,234
  kZeroComma,     // 0,125: the comma is no group, for none begins with 0
  kPlus,          // +49123
  kMinus,         // -5
  kBareExponent,  // 1e5, 2E10: perhaps a code
  kScientific,    // 1.5e3, 1e-5
  kInexact,       // a whole part that a double does not hold: past 2^53
  kTooLong,       // digits past 64 bits
  kLeadingZero,   // 007
};
inline constexpr std::size_t kNumberSigns = 12;

// What one written cell could be.
struct CellForms {
  std::uint8_t numbers = 0;    // bit by NumberStyle
  std::uint8_t fractions = 0;  // of these, read so it has a fraction
  std::uint8_t dates = 0;      // bit by DateStyle
  std::uint16_t signs = 0;     // bit by NumberSign
  bool has(NumberSign sign) const { return (signs >> static_cast<unsigned>(sign) & 1u) != 0; }
};
// Past what a double holds exactly.
inline constexpr std::int64_t kMostExact = std::int64_t{1} << 53;
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
// What most tables put for it; beside codes of countries or airlines it may be one of them.
inline constexpr std::string_view kNotAvailable = "NA";
// Two or three capitals, as such codes are.
bool is_short_code(std::string_view text);
// The same in any column: NULL, \N, N/A.
bool is_null_word(std::string_view text);

// What the text says under the form; `own` holds a text that is made. Nothing when it does not fit.
std::optional<store::ValueView> read_written(std::string_view text, const ValueForm& form,
                                             std::string& own);

}  // namespace anima::load
