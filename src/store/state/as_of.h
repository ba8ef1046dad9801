// The state of an earlier entry. Thread-safety: pure functions over immutable states.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "store/state/state.h"

namespace anima::store::detail {

// O(1) for a sequence that the shared delta covers, O(changes since) below the base's. Errors:
// kNotFound when the space has not come there yet.
Result<std::shared_ptr<const SnapshotState>> state_as_of(
    const std::shared_ptr<const SnapshotState>& from, std::uint64_t sequence);

}  // namespace anima::store::detail
