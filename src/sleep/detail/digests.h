// Digests of weeks grow old, too. Thread-safety: one thread.
#pragma once

#include "sleep/detail/cycle.h"

namespace anima::sleep::detail {

// Where consolidated events are removed one day, the digests of weeks that long ago are folded into
// one of their quarter: numbers add up, links follow. Does nothing where events stay for ever.
Status fold_old_digests(Cycle& cycle);

}  // namespace anima::sleep::detail
