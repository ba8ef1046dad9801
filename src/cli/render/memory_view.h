// What of the memory cannot be read, said beside what can. Thread-safety: as the context.
#pragma once

#include <vector>

#include "base/json/json.h"
#include "cli/frame/context.h"
#include "memory/memory_item.h"

namespace anima::cli {

// The ids of those that nobody can read, for `--json`.
Json unreadable_ids(const std::vector<memory::MemoryItem>& items);
// How many they are, and what is to be done; nothing when there are none.
void note_unreadable(Context& context, const std::vector<memory::MemoryItem>& items);
// One line of a list: the text, or why it is not there.
std::string content_line(const memory::MemoryItem& item);

}  // namespace anima::cli
