// An event or episode as recall shows it: who said it, its words with what went along, and the
// entry that wrote them, which says how far they are trusted.
//
// Thread-safety: pure. Complexity: O(text).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/memory_item.h"
#include "memory/recall/detail/texts_view.h"
#include "store/snapshot.h"

namespace anima::memory::detail {

struct SaidText {
  std::string content;
  store::EntryInfo entry;
};
// Nothing when it is gone, or only the books state it.
std::optional<SaidText> read_event(const store::Snapshot& snapshot, store::EntityId entity,
                                   std::string_view speaker);
// The bytes of its content, without what is attached.
std::optional<std::size_t> size_of_event(const store::Snapshot& snapshot, store::EntityId entity,
                                         std::string_view speaker);
std::optional<SaidText> read_episode(const store::Snapshot& snapshot, store::EntityId entity);

// Events that share words with a text, as items whose id is the event's name; for labels.
std::vector<MemoryItem> events_like(TextsView& view, const store::Snapshot& snapshot,
                                    std::string_view text, std::size_t limit);

}  // namespace anima::memory::detail
