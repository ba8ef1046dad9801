#include "memory/detail/item_index.h"

#include <algorithm>
#include <utility>

#include "memory/detail/item_store.h"

namespace anima::memory::detail {

Result<bool> ItemIndex::follow(const store::Snapshot& snapshot, const Load& load) {
  if (at_ == snapshot.sequence()) return false;
  bool changed = false;
  Ids present;
  for (const store::EntityId entity : all_items(snapshot)) {
    const std::string id(snapshot.name(entity));
    present.insert(id);
    standing_[id] = read_standing(snapshot, entity);
    if (document_.contains(id)) continue;
    ANIMA_ASSIGN(const MemoryItem item, load(entity));
    changed = true;
    const std::string document = words_.add(item.content);
    items_[document].insert(id);
    document_.emplace(id, document);
  }
  changed = drop_absent(present) || changed;
  at_ = snapshot.sequence();
  return changed;
}

bool ItemIndex::drop_absent(const Ids& present) {
  bool dropped = false;
  for (auto it = document_.begin(); it != document_.end();) {
    if (present.contains(it->first)) {
      ++it;
      continue;
    }
    dropped = true;
    Ids& sharing = items_[it->second];
    sharing.erase(it->first);
    if (sharing.empty()) {
      (void)words_.remove(it->second);
      items_.erase(it->second);
    }
    standing_.erase(it->first);
    it = document_.erase(it);
  }
  return dropped;
}

std::vector<KnowledgeHit> ItemIndex::search(KnowledgeQuery query, std::string_view reader) {
  const Ids hidden = hidden_from(reader);
  query.weightless = &hidden;
  query.limit = words_.size();
  return words_.search(query);
}

const ItemIndex::Ids& ItemIndex::items_of(std::string_view document) const {
  static const Ids kNone;
  const auto found = items_.find(document);
  return found == items_.end() ? kNone : found->second;
}

ItemIndex::Ids ItemIndex::hidden_from(std::string_view reader) const {
  Ids hidden;
  for (const auto& [document, ids] : items_) {
    const bool seen = std::ranges::any_of(ids, [&](const std::string& id) {
      const MemoryItem& standing = standing_of(id);
      return standing.type != ItemType::kQuarantine && standing.readable_by(reader);
    });
    if (!seen) hidden.insert(document);
  }
  return hidden;
}

}  // namespace anima::memory::detail
