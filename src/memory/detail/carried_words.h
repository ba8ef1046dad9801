// What maintenance made of what entries said that are forgotten by source or by time
// (memory/forgetting.h).
//
// What sleep wrote again as the word of who said it goes with that word (store/space/redaction.h).
// Here is the rest: facts, preferences and digests that sleep made of events of which nothing is
// left; things of which nobody but sleep says anything more, as that they lie in a domain; and what
// a merge keeps in lists of its own of the thing that is gone (aliases, merge_conflicts,
// merged_from), which lose it. Thread-safety: a function without state.
#pragma once

#include <functional>
#include <set>

#include "memory/forgetting.h"
#include "store/snapshot.h"

namespace anima::memory::detail {

// `gone` says whether an entry is forgotten as a whole. Adds to the things and to what is
// rewritten. The snapshot is taken with the books. O(entities + their statements).
void add_carried(const store::Snapshot& snapshot, const std::function<bool(store::Sequence)>& gone,
                 std::set<store::EntityId>& things, ForgetPlan& plan);

// Whether nobody but Anima itself states it. O(its assertions).
bool is_by_system_alone(const store::Snapshot& snapshot, const store::Triple& statement);

}  // namespace anima::memory::detail
