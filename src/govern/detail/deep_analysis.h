// Deep analysis of a text that shows weak signs only: other readings of the same text, to be
// scanned again. Thread-safety: pure functions. Source: governance specification 1.2, "Uncertain ->
// deep analysis".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "govern/pattern_set.h"

namespace anima::govern::detail {

// Why the text deserves deep analysis: any of "encoded_run", "escapes", "hidden_characters",
// "near_miss", "spread_letters". Empty = it does not. O(text).
std::vector<std::string> weak_indicators(std::string_view text, std::string_view normal,
                                         const PatternSet& patterns);

struct Reading {
  std::string text;       // normal text
  bool explained = true;  // false: the sign that led here has no innocent explanation
};

// At most three levels of decoding and 64 KiB in all.
std::vector<Reading> deep_readings(std::string_view text, std::string_view normal,
                                   const PatternSet& patterns);

// Every match stands between quotation marks.
bool only_quoted(std::string_view normal, const std::vector<PatternMatch>& matches);

}  // namespace anima::govern::detail
