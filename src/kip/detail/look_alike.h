// Names that a reader cannot tell apart: another normal form of the same letters, blanks at an end,
// characters that show nothing. They are two concepts for every exact look-up, so who makes the
// second one is told. Thread-safety: functions. Complexity: O(length), and one look-up for a name
// that is not plain ASCII or has a blank at an end.
#pragma once

#include <optional>
#include <string>

#include "store/snapshot.h"

namespace anima::kip::detail {

// What is to be said of a concept that was just made; nothing of most.
std::optional<std::string> look_alike_warning(const store::Snapshot& now, store::EntityId made);

}  // namespace anima::kip::detail
