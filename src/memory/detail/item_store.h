// How memory items lie in the space: attributes of concepts, texts of closed ones in records.
// Functions that read take what items_in() gives: only what the graph of memory says of an item
// counts, for a client of the graph may say anything about the same concept.
// Thread-safety: functions over snapshots and transactions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/memory_item.h"
#include "store/space.h"

namespace anima::memory::detail {

// Writes every field; the texts of a closed item go into a record instead of attributes.
Status write_item(store::Transaction& transaction, const MemoryItem& item);
// Only counters, verification and card.
Status write_changes(store::Transaction& transaction, const MemoryItem& item);
Status withdraw_item(store::Transaction& transaction, std::string_view id);
// Writes it anew in the place of what it was; what its text told stays.
Status rewrite_item(store::Transaction& transaction, const MemoryItem& item);

// The attribute of an item with its readers.
inline constexpr std::string_view kReadersKey = "readers";

// The attribute of an item with the ids of the provenance records of what its text told. The entry
// that noted one holds the record.
inline constexpr std::string_view kToldRecords = "told";
// Nothing where there is no such item. Requires that the record is of this transaction.
Status note_told(store::Transaction& transaction, std::string_view id, std::uint64_t record);

store::Snapshot items_in(const store::Snapshot& snapshot);
std::optional<store::EntityId> find_item(const store::Snapshot& snapshot, std::string_view id);
std::vector<store::EntityId> all_items(const store::Snapshot& snapshot);  // sorted
// Whether it is one, or was: another thing may be called as an item is.
bool is_item(const store::Snapshot& snapshot, store::EntityId entity);
// Only what says who may see it, and whose words it is: kind, type, partition, readers, speaker.
MemoryItem read_standing(const store::Snapshot& snapshot, store::EntityId entity);
// The texts of a closed item are left empty: read_closed() puts them in. Where they are not there
// the content stays empty (lost_memories.h), so that the other items of a list can be read.
MemoryItem read_item(const store::Snapshot& snapshot, store::EntityId entity);
Status read_closed(store::Space& space, const store::Snapshot& snapshot, store::EntityId entity,
                   MemoryItem& item);
// Of a record kQuarantine: the id of the item whose texts it holds; empty for another record.
std::string item_of_record(std::string_view payload);
// Closed items whose record was taken from the log, so that nobody reads their texts any more. In
// the order of their entities. O(items x their history).
Result<std::vector<store::EntityId>> lost_items(store::Space& space,
                                                const store::Snapshot& snapshot);
bool has_session(const store::Snapshot& snapshot, std::string_view session);
std::uint64_t count_kind(const store::Snapshot& snapshot, ItemKind kind);

}  // namespace anima::memory::detail
