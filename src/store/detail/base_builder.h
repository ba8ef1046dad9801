// Builds the image of a base from a snapshot: what is in its base, merged with the layers above.
// Reads the snapshot only, so it runs beside readers and the writer. O(rows), plus sorting what is newer.
#pragma once

#include "store/detail/base.h"
#include "store/detail/state.h"

namespace anima::store::detail {

// Requires a state without scope whose layers are the shared delta or none.
BaseImage build_base(const SnapshotState& state, const Head& head);

}  // namespace anima::store::detail
