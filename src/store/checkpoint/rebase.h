// Moving the delta onto a newer base, and reading what a dropped graph held.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "store/state/state.h"

namespace anima::store::detail {

// What `now` holds beyond `next`, a base of the same log at an earlier or the same sequence.
// O(delta).
std::shared_ptr<Delta> rebase_delta(const SnapshotState& now,
                                    const std::shared_ptr<const Base>& next);

// Every statement that the graph stopped asserting in that entry.
Status visit_dropped(const SnapshotState& state, std::uint64_t sequence, std::uint32_t graph,
                     const std::function<Status(const Triple&)>& visit);

}  // namespace anima::store::detail
