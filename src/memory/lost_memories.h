// Memories whose text cannot be read: it lies in a record of the log that was taken from it, or
// that is sealed. Such a memory has an empty content, which no other has; lists show it beside the
// rest. Thread-safety: functions without state. Errors: those of the log. O(memories).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "govern/ledger/ledger.h"
#include "memory/memory_item.h"
#include "store/space.h"

namespace anima::memory {

inline bool is_unreadable(const MemoryItem& item) { return item.content.empty(); }

// As far as the reader may see that they are there, by id.
Result<std::vector<MemoryItem>> unreadable_memories(store::Space& space, std::string_view reader);
// Withdraws those whose text is not in the log any more, in one entry, and gives their ids. What is
// only sealed stays. `dry_run` looks alone.
Result<std::vector<std::string>> withdraw_lost_memories(store::Space& space,
                                                        const govern::Ledger& ledger,
                                                        std::string_view by, bool dry_run);

}  // namespace anima::memory
