// ItemIndex: the words of all items that are kept, and who may see these. It follows the space:
// what an item says never changes, so ids that are new come in and ids that are gone go; who may
// see them may change.
//
// Items of the same text are one document. Not thread-safe. Errors: those of reading an item.
// Complexity: of following, O(items) when the space has changed, and the words of what is new.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/knowledge_index.h"
#include "memory/memory_item.h"
#include "store/snapshot.h"

namespace anima::memory::detail {

class ItemIndex {
 public:
  using Ids = std::set<std::string, std::less<>>;
  using Load = std::function<Result<MemoryItem>(store::EntityId)>;

  // Whether words came or went. `load` reads an item whole.
  Result<bool> follow(const store::Snapshot& snapshot, const Load& load);

  std::size_t documents() const { return words_.size(); }
  // Weighed by what the reader may see alone. `query.limit` and `query.weightless` are set here.
  std::vector<KnowledgeHit> search(KnowledgeQuery query, std::string_view reader);
  // The items of a document, empty when there is none.
  const Ids& items_of(std::string_view document) const;
  // What is read_standing() of an item that it holds.
  const MemoryItem& standing_of(std::string_view id) const { return standing_.find(id)->second; }

 private:
  bool drop_absent(const Ids& present);
  // Documents of which the reader may see no item.
  Ids hidden_from(std::string_view reader) const;

  KnowledgeIndex words_;
  std::map<std::string, Ids, std::less<>> items_;             // document -> items
  std::map<std::string, std::string, std::less<>> document_;  // item -> document
  std::map<std::string, MemoryItem, std::less<>> standing_;   // item -> who may see it
  store::Sequence at_ = store::Sequence::kNone;
};

}  // namespace anima::memory::detail
