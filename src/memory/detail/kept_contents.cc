#include "memory/detail/kept_contents.h"

#include <algorithm>
#include <cstring>

#include "base/crypto.h"
#include "memory/detail/item_store.h"

namespace anima::memory::detail {
namespace {

std::uint64_t content_key(std::string_view content) {
  const auto hash = sha256(content);
  std::uint64_t key = 0;
  std::memcpy(&key, hash.data(), sizeof(key));
  return key;
}

}  // namespace

Status KeptContents::follow(const store::Snapshot& items, const Load& load) {
  if (at_ == items.sequence()) return {};
  const std::vector<store::EntityId> present = all_items(items);
  std::erase_if(keys_, [&](const auto& known) {
    if (std::ranges::binary_search(present, known.first)) return false;
    const auto [begin, end] = items_.equal_range(known.second);
    items_.erase(
        std::find_if(begin, end, [&](const auto& each) { return each.second == known.first; }));
    return true;
  });
  for (const store::EntityId entity : present) {
    if (keys_.contains(entity)) continue;
    ANIMA_ASSIGN(const MemoryItem item, load(entity));
    const std::uint64_t key = content_key(item.content);
    keys_.emplace(entity, key);
    items_.emplace(key, entity);
  }
  at_ = items.sequence();
  return {};
}

std::vector<store::EntityId> KeptContents::find(std::string_view content) const {
  std::vector<store::EntityId> found;
  const auto [begin, end] = items_.equal_range(content_key(content));
  for (auto it = begin; it != end; ++it) found.push_back(it->second);
  std::ranges::sort(found);
  return found;
}

}  // namespace anima::memory::detail
