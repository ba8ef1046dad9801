// Deep analysis of a text that shows weak signs only: other readings of the same text, to be
// scanned again. Thread-safety: pure functions. Source: governance specification 1.2, "Uncertain ->
// deep analysis".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "govern/detect/detail/decoding.h"
#include "govern/detect/detail/near_miss.h"
#include "govern/detect/pattern_set.h"

namespace anima::govern::detail {

struct Reading {
  std::string text;       // normal text
  bool explained = true;  // false: the sign that led here has no innocent explanation
};

// Over one text; what was computed to find the signs serves the readings too. `text`, its normal
// form and the patterns outlive it.
class DeepAnalysis {
 public:
  DeepAnalysis(std::string_view text, std::string_view normal, const PatternSet& patterns);

  // Why the text deserves deep analysis: any of "encoded_run", "escapes", "hidden_characters",
  // "near_miss", "spread_letters". Empty = it does not. O(text).
  const std::vector<std::string>& indicators() const { return indicators_; }
  // At most three levels of decoding and 64 KiB in all.
  std::vector<Reading> readings() const;

 private:
  std::string_view text_, normal_;
  const PatternSet& patterns_;
  SpellingSigns spelling_;
  std::optional<Folded> folded_;  // of a text that is not ASCII
  std::vector<std::string> indicators_;
};

// Every match stands between quotation marks.
bool only_quoted(std::string_view normal, const std::vector<PatternMatch>& matches);

}  // namespace anima::govern::detail
