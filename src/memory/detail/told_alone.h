// Things of which nothing is known but what somebody told who is forgotten: they go with it.
//
// Snapshots are taken with the books. Thread-safety: functions without state.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "store/history.h"
#include "store/snapshot.h"

namespace anima::memory::detail {

// What was told and goes.
struct ToldAndGoing {
  std::set<std::uint64_t> records;    // of provenance
  std::set<store::Term> keys;         // of what is kept of when it holds
  std::set<store::Sequence> entries;  // in which it was told
};

// Of these nobody else ever said anything, not even what was withdrawn since: all that is said of
// them and of links to them was told with one of the records, and that they are there was written
// with it. Types, predicates and what Anima needs are none. O(what was ever said of anything).
std::vector<store::EntityId> things_told_alone(const store::Snapshot& snapshot,
                                               const ToldAndGoing& going);

}  // namespace anima::memory::detail
