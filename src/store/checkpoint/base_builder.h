// Builds the image of a base from a snapshot: what is in its base, merged with the layers above.
// Reads the snapshot only, so it runs beside readers and the writer. O(rows), plus sorting what is
// newer.
#pragma once

#include "base/result.h"
#include "store/base/base.h"
#include "store/base/bulk_rows.h"
#include "store/base/limits.h"
#include "store/state/state.h"

namespace anima::store::detail {

struct BuildOptions {
  const BulkRows* bulk = nullptr;  // statements that the state does not hold yet
  std::uint32_t bulk_context = 0;  // whose word they are
  bool value_order = true;         // else range scans of values sort on the spot
};

// Requires a state without scope whose layers are the shared delta or none. Errors: kLimitExceeded
// naming the limit of a base that the state has passed.
Result<BaseImage> build_base(const SnapshotState& state, const Head& head,
                             const BuildOptions& options = {}, const NumberLimits& limits = {});

}  // namespace anima::store::detail
