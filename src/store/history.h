// What happened to one entity, entry by entry, read from its own versions: no older state of the
// space is built for it. And what happened last. Thread-safety: functions without state.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "store/ids.h"
#include "store/snapshot.h"
#include "store/space.h"

namespace anima::store {

// What one entry changed: statements with the entity as subject, and links to it, that a graph of
// the snapshot's scope stated from then on, or none any more; sorted.
struct EntityChange {
  Sequence sequence = Sequence::kNone;
  std::vector<Triple> added, removed;
};

// The newest `most` of Snapshot::history(entity), ascending. O(versions of the entity's statements
// and of the links to it).
std::vector<EntityChange> entity_changes(const Snapshot& snapshot, EntityId entity,
                                         std::size_t most);

// The newest entry that wrote a statement, is no undo and was not undone: what "undo the last"
// means, so that doing it again goes a step further back. Errors: kNotFound (there is none but the
// first), those of reading the log. O(entries and what they wrote, from the newest to it).
Result<Sequence> newest_to_undo(Space& space);

}  // namespace anima::store
