// What two snapshots of a space say differently, by the keys that were written between them.
//
// Thread-safety: pure.
#pragma once

#include <vector>

#include "store/snapshot.h"

namespace anima::ask {

// What differs between two snapshots.
struct StatementChanges {
  struct One {
    store::Triple triple;
    bool now = false;  // is it said now? It was not before; else the other way round
  };
  std::vector<One> statements;
  std::vector<store::EntityId> written;  // the subjects of all that was written, sorted
};
// Of the keys that were written between the two, what is said in one of them alone.
// O(keys and their values).
StatementChanges changed_statements(const store::Snapshot& before, const store::Snapshot& now,
                                    const std::vector<store::WrittenKey>& keys);

}  // namespace anima::ask
