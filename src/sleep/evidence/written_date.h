// Dates as people write them, for whoever must not take one for a number of a thing.
//
// A day, a month, a quarter or a year in the words of a language (language/times), and what numbers
// alone say: "2024-03", "03/2024", "202403", the day of a year ("2024-065") and the week of one
// ("2024-W05", "KW 12 2024"; the words are in packs/sleep/weeks.toml). Thread-safety: pure.
// Complexity: O(text).
#pragma once

#include <string_view>

namespace anima::sleep::detail {

// A day or a moment as RFC 3339 writes it.
bool is_standard_date(std::string_view text);
// In any way in which people write one, with a time of day or without, and nothing beside it.
bool is_written_date(std::string_view text);

}  // namespace anima::sleep::detail
