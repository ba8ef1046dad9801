// Who may read an item, also one that is said a second time: saying again never opens what was
// closed.
//
// Thread-safety: functions without state.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "memory/memory_item.h"

namespace anima::memory::detail {

struct Audience {
  Partition partition = Partition::kPublic;
  std::vector<std::string> readers;  // empty: all whom the partition lets in
  friend bool operator==(const Audience&, const Audience&) = default;
};

Audience audience_of(const MemoryItem& item);
// Whom both let in. Nobody in common leaves the operator, who reads everything.
Audience common(const Audience& a, const Audience& b);
// For people: "operator, planner, guardian".
std::string readers_of(const MemoryItem& item);
// Errors: kInvalidArgument: a reader without a name, or one whom the partition keeps out.
Status check_audience(const Audience& audience);

}  // namespace anima::memory::detail
