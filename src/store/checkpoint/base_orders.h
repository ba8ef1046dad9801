// The sections of a base that hold its statements in their orders: SPO, POS (and by value), OPS,
// and by the entry that made them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/base/base.h"
#include "store/checkpoint/base_builder.h"
#include "store/checkpoint/base_rows.h"
#include "store/state/state.h"

namespace anima::store::detail {

template <typename T>
void store_section(std::string& section, const std::vector<T>& values) {
  section.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// Requires `rows` in SPO order, their subjects and objects below entity_bound. O(rows), but for the
// sorting of values.
void store_row_orders(const SnapshotState& state, const BuildOptions& options,
                      const std::vector<BaseRow>& rows, std::uint32_t entity_bound,
                      BaseImage& image);

}  // namespace anima::store::detail
