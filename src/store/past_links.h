// Which links there ever were, read from their versions: no older state is built for it.
// Thread-safety: pure.
#pragma once

#include <vector>

#include "store/snapshot.h"

namespace anima::store {

// Those from the entity and to it that somebody stated once, whether they stand or not; each once,
// sorted. O(versions of the entity's statements and of the links to it).
std::vector<Triple> links_ever(const Snapshot& now, EntityId entity);

}  // namespace anima::store
