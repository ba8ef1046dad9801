// The difference of two texts, line by line, as people read it: the unified format of diff(1).
//
// Shortest by Myers' method ("An O(ND) difference algorithm and its variations", 1986) while at
// most kMostEdits lines differ; beyond that all lines in between count as changed.
// Thread-safety: pure functions. Complexity: lines times differing lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/effects/staging.h"

namespace anima::tools::effects {

// Hunks with three lines around each change, without the names of files; empty for equal texts. At
// most `most_lines` lines, then how many more there are.
std::string text_diff(std::string_view before, std::string_view after, std::size_t most_lines);

// The whole difference for people: a line for each path, and the text of what changed in files of
// UTF-8 text; at most about `most_bytes`. What was before is read from the work folder.
std::string difference_text(const Staging& staging, const Staged& staged, std::size_t most_bytes);

}  // namespace anima::tools::effects
