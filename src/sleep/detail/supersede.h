// One statement takes the place of another; nothing is removed. Thread-safety: one thread.
#pragma once

#include <string>

#include "sleep/detail/cycle.h"

namespace anima::sleep::detail {

// When a statement was seen to hold (store/holds.h): an instant as text, or empty.
std::string observed(const Reading& reading, EntityId link);

// The newer link `supersedes` the older, which gets `valid_to` and `superseded_by`, as the newer
// gets `valid_from`, where the writer gave none. Not done, and listed, where a compartment states
// one of them, or where the one that was seen later is trusted less. `evidence` stands in the
// record. False when a bound is reached.
bool supersede(Cycle& cycle, const Reading& reading, EntityId older, EntityId newer,
               const std::string& evidence);

}  // namespace anima::sleep::detail
