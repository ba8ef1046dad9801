// Reading statements row by row, and a concept of the type Word. Shared by the files that count a
// space into a Schema. Thread-safety: pure functions.
#pragma once

#include <array>

#include "ask/lexicon/schema.h"
#include "store/snapshot.h"

namespace anima::ask {

template <typename Visit>
void each_row(store::Cursor& cursor, const Visit& visit) {
  std::array<store::Triple, 256> rows;
  while (const std::size_t count = cursor.next(rows)) {
    for (std::size_t i = 0; i < count; ++i) visit(rows[i]);
  }
}

template <typename Visit>
void each_statement(const store::Snapshot& snapshot, const store::Pattern& pattern,
                    const Visit& visit) {
  store::Cursor cursor = snapshot.scan(pattern);
  each_row(cursor, visit);
}

// What a concept of the type Word declares; `row` is its existence.
Synonym word_of_space(const store::Snapshot& snapshot, const store::Triple& row);

}  // namespace anima::ask
