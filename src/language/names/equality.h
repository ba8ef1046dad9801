// When two names are the same: four strengths, so that who merges, who searches and who asks say
// which one they mean.
//
// Two names that are equal in one strength are equal in every weaker one. Thread-safety: pure
// functions. Complexity: O(letters), for kSimilar O(words^2 x letters).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace anima::language {

// From the strongest to the weakest.
enum class NameEquality : std::uint8_t {
  kBytes,
  kCase,   // up to case, width, the form of letters, blanks ("ada  LOVELACE"), and which kind of
           // apostrophe or hyphen stands between words
  kMarks,  // up to accents, too, and what joins words: "Veli-Matti" and "veli matti", "José",
           // "Jose"
  // Of one person or thing, perhaps: up to titles, the order of words, initials ("A. Lovelace"),
  // transcription ("Mueller", "Müller"), words written as one, and one slip in a word of five
  // letters or more. Never enough to merge by.
  kSimilar,
};
std::string_view to_string(NameEquality strength);  // "bytes", "case", "marks", "similar"

bool equal_names(std::string_view a, std::string_view b, NameEquality strength);
// The strongest in which they are equal.
std::optional<NameEquality> name_equality(std::string_view a, std::string_view b);

// Equal for names that are equal in this strength: to look a name up by. Requires a strength other
// than kSimilar, which has no such key.
std::string name_key(std::string_view name, NameEquality strength);

}  // namespace anima::language
