// What two things said differently before KIP's MERGE made them one: the attribute merge_conflicts
// of the one that stayed, a list of {"key","kept","other","of"}. It is over where what was kept
// stands no more, or the other was told and that was taken back. Thread-safety: pure.
#pragma once

#include <string>
#include <vector>

#include "base/json/json.h"
#include "store/snapshot.h"

namespace anima::memory {

inline constexpr std::string_view kMergeConflicts = "merge_conflicts";

struct MergeConflict {
  store::EntityId subject = store::EntityId::kNone;
  std::string key;
  Json kept, other;
  std::string of;  // the name of the one that the other value was said of
};

// Those that are not over, by subject. What is no such list is passed over. O(what was ever said of
// the things that were merged).
std::vector<MergeConflict> merge_conflicts(const store::Snapshot& snapshot);

}  // namespace anima::memory
