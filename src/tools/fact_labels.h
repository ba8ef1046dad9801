// The labels of a call's arguments by what the graph says: an argument that is the name of a
// concept or a stated text has the trust of who stated it, the most trusted when several did. What
// nobody stated has no label of its own. So an argument that an agent took from an imported page is
// judged as that page, whoever asks. Thread-safety: functions over a Snapshot. Complexity: O(log n)
// an argument, and at most 64 statements of it. Source: governance specification 1.7; DATA.md 14.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "govern/permissions.h"
#include "store/snapshot.h"

namespace anima::tools {

std::optional<govern::Trust> fact_label(const store::Snapshot& snapshot, std::string_view text);
std::vector<govern::ArgumentOrigin> argument_origins(const store::Snapshot& snapshot,
                                                     const Json& arguments);

}  // namespace anima::tools
