// A thing by another name of it, as merging leaves them (`aliases`) and as people tell them.
// Thread-safety: pure. Complexity: that of a search.
#pragma once

#include <optional>
#include <string_view>

#include "store/snapshot.h"

namespace anima::store {

// The one concept, of the type where one is named, among whose aliases the name is, to the letter;
// nothing where none or several are called so.
std::optional<EntityId> find_by_alias(const Snapshot& snapshot, std::string_view name,
                                      std::optional<EntityId> type = {});

}  // namespace anima::store
