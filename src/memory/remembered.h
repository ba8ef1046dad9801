// What is remembered, read without a trace: no access is counted, nothing is audited.
//
// For whoever only looks whether something was said. Items that are closed, quarantined, or the
// exchanges of sessions are left out; of the rest those that the reader may see. Thread-safety:
// pure. Errors: none. Complexity: O(items).
#pragma once

#include <string_view>
#include <vector>

#include "memory/memory_item.h"
#include "store/snapshot.h"

namespace anima::memory {

std::vector<MemoryItem> remembered_texts(const store::Snapshot& snapshot, std::string_view reader);

}  // namespace anima::memory
