// What the cells of one column are, counted over all rows: which forms they fit, whether each is
// there once, and hashes of what occurs, so that columns can be held against keys.
//
// Memory: 16 bytes a distinct value; a column that repeats values stops at kMaxDistinct of them.
// Thread-safety: one thread. O(1) a cell.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "load/map/value_forms.h"
#include "load/read/hash_set.h"
#include "load/read/table.h"

namespace anima::load {

inline constexpr std::size_t kMaxDistinct = 200'000;
inline constexpr std::size_t kMaxSamples = 40;
inline constexpr std::array<char, 3> kSeparators = {';', '|', ','};

// Whether one number is written in two ways, as 1.1 and 1.10: then they may be versions, sections
// or marks, which a number does not keep apart. Looks at the first 4,096 writings.
class NumberWritings {
 public:
  void add(std::string_view text, char point);
  // The shortest writing of such a number; empty: there is none.
  const std::string& written_twice() const { return twice_; }

 private:
  HashSet64 written_;    // as they stand
  HashSet64 shortened_;  // without the zeros at the end, of those that had some
  std::string twice_;
};

struct ColumnProfile {
  std::uint64_t rows = 0, empty = 0, markers = 0;  // no value; NA and its like
  std::uint64_t written = 0, texts = 0, integers = 0, numbers = 0, booleans = 0, lists = 0;
  std::array<std::uint64_t, kNumberStyles> number_styles{}, fraction_styles{};
  std::array<std::uint64_t, kDateStyles> date_styles{};
  std::array<std::array<std::uint64_t, 2>, kBooleanPairs> pairs{};  // no, yes
  NumberWritings with_point, with_comma;
  std::uint64_t leading_zeros = 0, bytes = 0, line_ends = 0;
  bool unique = true;  // no value twice
  HashSet64 distinct;
  std::vector<std::string> samples;                  // the first distinct ones
  std::array<HashSet64, kSeparators.size()> items;   // of cells cut at a separator
  std::array<bool, kSeparators.size()> separated{};  // it occurs
  std::array<bool, kSeparators.size()> items_open{true, true, true};

  std::uint64_t filled() const { return rows - empty; }
  void add(const Row& row, const Cell& cell);

 private:
  void add_value(const Cell& cell);
  void add_text(std::string_view text, bool typed);
  void note(std::string_view text);
  bool fraction_ = false;  // the cell at hand is a number with a fraction
};

// A cell as text: what keys and names are made of. Lists give nothing.
std::string_view cell_text(const Cell& cell, std::string& own);

struct ChosenForm {
  ValueForm form;
  std::string note;         // for people: "12 of 80 are no numbers"
  std::uint64_t wrong = 0;  // cells that do not fit
};
// A column is of the form that all its cells share, or nearly all: then those that do not fit are
// wrong (one among at least three, else at most one in ten).
ChosenForm choose_form(const ColumnProfile& profile, bool comma_is_free);

}  // namespace anima::load
