// An attribute that is kept as text, compared with a number: only where each of its texts is one.
//
// Thread-safety: pure functions over a Lexicon. Complexity: O(values of the attribute), and of
// text_column up to the first that is no number.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ask/parse/reading.h"

namespace anima::ask {

// Which of two comes first, and not only whether they are the same.
bool is_ordering(Compare compare);

struct ColumnValue {
  std::string text;
  bool is_string = false;
  std::optional<double> number;  // that it is, or that the string begins with
  std::string unit;              // folded, what stands behind that: of "19%", "12 kg"
  std::optional<bool> flag;
};
ColumnValue column_value(const store::Snapshot& snapshot, store::Term term);
// Of a list each of its values.
std::vector<ColumnValue> column_values(const store::Snapshot& snapshot, store::Term term);

// The values of what can be asked about, until `visit` says no.
void each_in_column(const Lexicon& lexicon, int attribute,
                    const std::function<bool(const ColumnValue&)>& visit);

// What can be asked about and has a value, each once.
std::vector<store::EntityId> having_column(const Lexicon& lexicon, int attribute);

// Of a text that an attribute is compared with for being the same, that text and those that list it
// among others, "pasta, sushi"; of anything else nothing. A sign parts a list where each of its
// parts is a value of the attribute elsewhere: "Paris, Texas" is one place. O(texts with such a
// sign).
std::vector<std::string> texts_with(const Lexicon& lexicon, int attribute, Compare compare,
                                    const Constant& value);

// "09:30", "9:30:15": the second of the day.
std::optional<std::int64_t> second_of_day(std::string_view text);

// What the values of an attribute are where they are kept as text. Codes look like numbers and are
// none: versions (1.9 beside 1.10), and numbers of which nothing says whether the point parts
// thousands (72.000). Clocks are times of day.
struct TextColumn {
  enum class Kind : std::uint8_t { kWords, kCodes, kNumbers, kClocks };
  Kind kind = Kind::kNumbers;
  std::string example;  // of words and codes
  std::string unit;     // of numbers that all have it: "%"
};
TextColumn text_column(const Lexicon& lexicon, int attribute);

}  // namespace anima::ask
