// What statements rely on: that there are the things that they are about, and the types and
// relations that these are of. An entity that one statement brought and another names, too, is
// there as the word of that one when the first was undone. So what comes back brings it along, as
// it was when it was said, and takes it along when it goes. Thread-safety: that of the transaction.
// O(the keys x log n, and the versions of what is missing).
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "store/snapshot.h"
#include "store/space/undo_members.h"
#include "store/transaction.h"

namespace anima::store::detail {

// Which other keys of what these are about, or of what that was merged into, stand as the word of
// what does not count, or stood as that of what comes to count.
std::vector<WrittenKey> brought_along(const Snapshot& now, std::span<const WrittenKey> keys,
                                      const Members& members);

// Brings back what the statements rely on that the transaction left under these keys; and what it
// took from a graph that says more of it. Errors: those of restate().
Status bring_along(Transaction& transaction, const Snapshot& before,
                   std::span<const WrittenKey> keys);

}  // namespace anima::store::detail
