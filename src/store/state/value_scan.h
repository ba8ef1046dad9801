// The statements of an attribute in the order of their values. Thread-safety: pure functions over
// immutable states.
#pragma once

#include <memory>
#include <optional>

#include "store/state/cursor.h"
#include "store/state/state.h"

namespace anima::store::detail {

// Those with values from `low` to `high`, both included. O(log n + rows) while the base has the
// order, else O(rows of the attribute).
std::unique_ptr<CursorState> scan_values(const std::shared_ptr<const SnapshotState>& state,
                                         Predicate attribute, std::optional<Term> low,
                                         std::optional<Term> high);

// At most so many rows scan_values() gives; nullopt where it would have to look at all of the
// attribute's. O(log n + rows newer than the base).
std::optional<std::uint64_t> most_in_value_range(const SnapshotState& state, Predicate attribute,
                                                 std::optional<Term> low, std::optional<Term> high);

}  // namespace anima::store::detail
