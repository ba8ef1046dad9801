// CursorState: a range of one order of the base, merged with the delta rows that match.
// The rows of the delta are gathered and sorted when the cursor is made; the base is read as the
// cursor moves. Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "store/state/state.h"

namespace anima::store::detail {

struct CursorState {
  CursorState(std::shared_ptr<const SnapshotState> from, const CodePattern& codes, Order wanted);
  // The rows as given.
  CursorState(std::shared_ptr<const SnapshotState> from, std::vector<Triple> rows);
  std::size_t next(std::span<Triple> out);

  std::shared_ptr<const SnapshotState> state;
  CodePattern pattern;
  RowOrder order = RowOrder::kSpo;
  Range range;
  bool exact = true;                       // no row of the range needs matches()
  bool check = false;                      // rows of the base may be invisible
  bool merge = false;                      // in order; else the base first
  std::uint32_t group = 0, group_end = 0;  // the leading code of POS and OPS, and where it ends
  std::vector<Triple> extra;
  std::size_t extra_at = 0;
  std::optional<Triple> ahead;  // of the base, found and not given yet

 private:
  std::size_t read_base(std::span<Triple> out);
  Triple base_row(std::uint32_t place);
};

bool row_before(RowOrder order, const Triple& a, const Triple& b);

}  // namespace anima::store::detail
