// What things were merged into. A merge leaves no record of its own: the one that went is another
// name of the one that stayed, and what was said of it is said of that one. Thread-safety: pure.
// O(things that are called so, and the versions of the thing's existence).
#pragma once

#include <optional>

#include "store/snapshot.h"

namespace anima::store {

// Another thing of the type that is called by the name of this one, too: what this one was merged
// into, also where its name was made anew.
std::optional<EntityId> called_by_name_of(const Snapshot& now, EntityId entity);
// The same for a thing that is no more: that one has what was said of it.
std::optional<EntityId> merged_into(const Snapshot& now, EntityId entity);
// From which entry on a thing is there again that had been no more; nullopt: it is none.
std::optional<Sequence> made_anew(const Snapshot& now, EntityId entity);
// What a concept that was spoken of in an entry is part of by now, for it was merged behind it;
// nullopt: it is itself, also where it is no more.
std::optional<EntityId> merged_since(const Snapshot& now, EntityId entity, Sequence entry);

}  // namespace anima::store
