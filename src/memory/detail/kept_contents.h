// KeptContents: which items say the same to the letter, closed and quarantined ones too. It follows
// the space: what an item says never changes, so items that are new come in and items that are gone
// go.
//
// Of a text 64 bits of its SHA-256 are kept. Not thread-safe. Errors: those of reading an item.
// Complexity: of following, O(items) when the space has changed, and reading what is new.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "memory/memory_item.h"
#include "store/snapshot.h"

namespace anima::memory::detail {

class KeptContents {
 public:
  // Reads an item whole, also a closed one.
  using Load = std::function<Result<MemoryItem>(store::EntityId)>;

  Status follow(const store::Snapshot& items, const Load& load);
  std::vector<store::EntityId> find(std::string_view content) const;  // rising

 private:
  std::map<store::EntityId, std::uint64_t> keys_;  // item -> text
  std::unordered_multimap<std::uint64_t, store::EntityId> items_;
  store::Sequence at_ = store::Sequence::kNone;
};

}  // namespace anima::memory::detail
