#include "memory/remembered.h"

#include "memory/detail/item_store.h"

namespace anima::memory {

std::vector<MemoryItem> remembered_texts(const store::Snapshot& snapshot, std::string_view reader) {
  const store::Snapshot items = detail::items_in(snapshot);
  std::vector<MemoryItem> found;
  for (const store::EntityId entity : detail::all_items(items)) {
    const MemoryItem standing = detail::read_standing(items, entity);
    const bool told = standing.kind == ItemKind::kKnowledge &&
                      standing.type != ItemType::kQuarantine && !standing.is_closed();
    if (told && standing.readable_by(reader)) found.push_back(detail::read_item(items, entity));
  }
  return found;
}

}  // namespace anima::memory
