#include "memory/lost_memories.h"

#include <algorithm>

#include "memory/detail/item_store.h"

namespace anima::memory {

Result<std::vector<MemoryItem>> unreadable_memories(store::Space& space, std::string_view reader) {
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  const store::Snapshot items = detail::items_in(now);
  std::vector<MemoryItem> found;
  for (const store::EntityId entity : detail::all_items(items)) {
    MemoryItem item = detail::read_item(items, entity);
    if (!item.is_closed() || !item.readable_by(reader)) continue;
    ANIMA_TRY(detail::read_closed(space, items, entity, item));
    if (is_unreadable(item)) found.push_back(std::move(item));
  }
  std::ranges::sort(found, {}, &MemoryItem::id);
  return found;
}

Result<std::vector<std::string>> withdraw_lost_memories(store::Space& space,
                                                        const govern::Ledger& ledger,
                                                        std::string_view by, bool dry_run) {
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  const store::Snapshot items = detail::items_in(now);
  ANIMA_ASSIGN(const auto lost, detail::lost_items(space, items));
  std::vector<std::string> ids;
  for (const store::EntityId entity : lost) ids.emplace_back(items.name(entity));
  if (dry_run || ids.empty()) return ids;
  Json list = Json::array();
  for (const std::string& id : ids) list.push_back(id);
  const govern::LedgerRecord audit =
      ledger.audit_record("memory_withdraw_lost", by, govern::Trust::kOperator,
                          Json::object({{"memoryIds", std::move(list)}}));
  store::Origin who;
  who.author = by;
  who.source = "memory";
  who.trust = govern::Trust::kOperator;
  const auto receipt = space.write(who, [&](store::Transaction& transaction) -> Status {
    for (const std::string& id : ids) ANIMA_TRY(detail::withdraw_item(transaction, id));
    ANIMA_ASSIGN(const std::string payload, govern::record_payload(audit.content));
    return transaction.record(audit.kind, payload);
  });
  if (!receipt) return fail(receipt.error());
  return ids;
}

}  // namespace anima::memory
