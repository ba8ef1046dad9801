// The clock that the machine shows: its time zone, as the environment (TZ) or the system sets it.
// Thread-safety: from any thread. Complexity: O(1).
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace anima::language {

// How many seconds it is ahead of UTC at that time; 0 where the machine does not know.
std::int64_t local_offset_seconds(Timestamp time);

}  // namespace anima::language
