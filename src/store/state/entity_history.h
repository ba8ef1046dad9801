// The entries that changed what is stated of an entity. Thread-safety: pure functions over
// immutable states.
#pragma once

#include <cstdint>
#include <vector>

#include "store/state/state.h"

namespace anima::store::detail {

// Ascending, each once. O(versions of the entity's statements).
std::vector<Sequence> history_of(const SnapshotState& state, std::uint32_t entity);

}  // namespace anima::store::detail
