// When a link holds: from `valid_from` in its metadata on, until before `valid_to`; what is missing
// bounds nothing. Times as RFC 3339 with any offset, or dates (midnight UTC); a text that is no
// time bounds nothing either. What was believed when is another question: `as_of` answers it.
// Thread-safety: pure.
#pragma once

#include "base/clock.h"
#include "query/plan.h"

namespace anima::kip::detail {

// True for rows whose link holds at the time.
query::Expr holds_at(const store::Snapshot& snapshot, query::Slot link, Timestamp time);

}  // namespace anima::kip::detail
