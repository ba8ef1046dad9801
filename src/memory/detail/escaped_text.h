// A text that is written with escapes, as it is meant: the percent escapes of a URL and its "+" for
// a blank, character references of HTML, \u and \x of JSON and of programs, also one inside another
// ("%2520"). Thread-safety: a pure function. O(text).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anima::memory::detail {

struct MeantText {
  std::string text;
  std::vector<std::size_t> begins;  // of each byte, and of the end: where it begins as written
};

// Nothing for a text without escapes. What is no escape stands as it is.
std::optional<MeantText> meant_text(std::string_view written);

}  // namespace anima::memory::detail
