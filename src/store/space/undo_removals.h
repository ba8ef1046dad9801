// Which entries took away a thing with all that was said of it, also what had been withdrawn
// before: who takes back that withdrawal brings nothing back of a thing that is gone. A merge takes
// nothing away, it moves what was said. Thread-safety: pure. O(versions of the existence of what
// the key is about).
#pragma once

#include <span>
#include <vector>

#include "store/snapshot.h"
#include "store/space/undo_members.h"
#include "store/space/undo_words.h"

namespace anima::store::detail {

// Of a thing that the key names, or of the link that it says something of; in no order.
std::vector<Sequence> removals_of(const Snapshot& now, const WrittenKey& key);

// All that was ever said of the things that come back, and of those that go with an undone undo:
// what was withdrawn before they went comes back where that withdrawal does not count, and what
// was not there when they went goes where it is there again.
std::vector<WrittenKey> said_of_moved(const Snapshot& now, std::span<const Restore> restores,
                                      const Members& members);

}  // namespace anima::store::detail
