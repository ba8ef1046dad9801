// The statements that a pattern matches, one by one.
//
// Thread-safety: that of the snapshot, and of what is called. Ownership: a statement is there for
// the call alone. Complexity: O(statements that match) beside what is called.
#pragma once

#include <array>
#include <span>
#include <type_traits>

#include "store/snapshot.h"

namespace anima::store {

// Calls visit(statement) for what the cursor has left. Where it gives a bool, false ends it.
template <typename Visit>
void each_statement(Cursor& cursor, const Visit& visit) {
  std::array<Triple, 256> rows;
  while (const std::size_t count = cursor.next(rows)) {
    for (const Triple& row : std::span(rows).first(count)) {
      if constexpr (std::is_void_v<std::invoke_result_t<const Visit&, const Triple&>>) {
        visit(row);
      } else if (!visit(row)) {
        return;
      }
    }
  }
}

template <typename Visit>
void each_statement(const Snapshot& snapshot, const Pattern& pattern, const Visit& visit) {
  Cursor cursor = snapshot.scan(pattern);
  each_statement(cursor, visit);
}

}  // namespace anima::store
