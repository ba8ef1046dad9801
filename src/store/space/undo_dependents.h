// Who relies on what an undo would take away: entries that name one of its entries as their cause,
// whose statements stand and are about an entity that would be there no more, or that merged what
// these had moved or replaced. Thread-safety: pure. O(the keys, and what is said of the entities
// that go).
#pragma once

#include <span>

#include "store/snapshot.h"
#include "store/space/undo_words.h"
#include "store/undo_rules.h"

namespace anima::store::detail {

// Neither members nor what has no say. `rules`: null or of the space.
Sequences dependents_of(const Members& members, const Later& later, const Snapshot& now,
                        std::span<const WrittenKey> keys, std::span<const Restore> restores,
                        const UndoRules* rules);

}  // namespace anima::store::detail
