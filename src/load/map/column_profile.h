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

// How the numbers of one decimal mark are written: whether a zero at an end tells two of them
// apart, as 1.10 and 1.9 of versions, sections and marks. Looks at the first 4,096 writings.
class NumberWritings {
 public:
  void add(std::string_view text, char mark);
  // Why a number would not say what is written, for people; empty: it would.
  std::string doubt() const;

 private:
  HashSet64 written_;    // as they stand
  HashSet64 shortened_;  // without the zeros at the end, of those that had some
  std::string twice_;    // one number in two writings, the shorter one
  // A fraction of two digits or more with a zero at its end. Where all fractions have one length,
  // that zero says nothing: 1.10 beside 2.50. Nor does it beside a fraction that is measured.
  std::string padded_;
  std::size_t shortest_ = ~std::size_t{0}, longest_ = 0;  // digits behind the mark
};

struct ColumnProfile {
  std::uint64_t rows = 0, empty = 0, markers = 0;    // no value; NA and its like
  std::uint64_t not_available = 0, short_codes = 0;  // NA alone; others of two or three capitals
  std::uint64_t written = 0, texts = 0, integers = 0, numbers = 0, booleans = 0, lists = 0;
  std::array<std::uint64_t, kNumberStyles> number_styles{}, fraction_styles{};
  std::array<std::uint64_t, kDateStyles> date_styles{};
  std::array<std::array<std::uint64_t, 2>, kBooleanPairs> pairs{};  // no, yes
  NumberWritings with_point, with_comma;
  std::uint64_t all_numbers = 0;  // of any style, or too long
  // The first cell with each sign; empty: there is none.
  std::array<std::string, kNumberSigns> sign_samples;
  std::uint64_t leading_zeros = 0, bytes = 0, line_ends = 0;
  bool inexact = false;  // a whole number that its file typed is past 2^53
  bool unique = true;    // no value twice
  HashSet64 distinct;
  std::vector<std::string> samples;                  // the first distinct ones
  std::array<HashSet64, kSeparators.size()> items;   // of cells cut at a separator
  std::array<bool, kSeparators.size()> separated{};  // it occurs
  std::array<bool, kSeparators.size()> items_open{true, true, true};

  std::uint64_t filled() const { return rows - empty; }
  const std::string& sample(NumberSign sign) const {
    return sign_samples[static_cast<std::size_t>(sign)];
  }
  bool has(NumberSign sign) const { return !sample(sign).empty(); }
  void add(const Row& row, const Cell& cell);

 private:
  void add_value(const Cell& cell);
  void add_text(std::string_view text, bool typed);
  void add_number(std::string_view text, const CellForms& forms);
  void note(std::string_view text);
  bool fraction_ = false;  // the cell at hand is a number with a fraction
};

// A cell as text: what keys and names are made of. Lists give nothing.
std::string_view cell_text(const Cell& cell, std::string& own);

struct ChosenForm {
  ValueForm form;
  std::string doubt;        // why it is text, for people: "12 of 80 are no numbers"
  std::uint64_t wrong = 0;  // cells that do not fit
};
struct ColumnPlace {
  bool comma_is_free = false;  // table.h
  bool is_version = false;     // its title says so (title_words.h)
};
// A column is of the form that all its cells share, or nearly all: then those that do not fit are
// wrong (one among at least three, else at most one in ten). Numbers that can be read in two ways,
// or that a number does not keep as they are written, make it text, with the doubt (docs/load.md,
// "Numbers"). In a text NA is no value where values repeat and none of them is a short code.
ChosenForm choose_form(const ColumnProfile& profile, const ColumnPlace& place);

}  // namespace anima::load
