// Comparing a cycle that was decided again on a private branch with what it wrote then.
//
// Statements are compared by what they say, without ids, which differ where others wrote between
// the cycle's entries, and without when they were written (`created_at`). Thread-safety: one
// thread. Complexity: what the cycle looked at.
#pragma once

#include <string_view>
#include <vector>

#include "sleep/evidence/work_set.h"
#include "sleep/sleep.h"
#include "store/space.h"

namespace anima::sleep::detail {

// What the source of an entry says of its changes, but for the last phase.
std::size_t changes_of(std::string_view author, std::string_view source);
// The entries of a cycle, in order, and those of others between them that changed something.
struct CycleEntries {
  std::vector<store::Sequence> own;
  std::size_t others = 0;
  std::size_t changes = 0;  // of its own, but for those of the last phase
};
CycleEntries entries_of(const store::Snapshot& now, const CycleRecord& record);

struct Repetition {
  store::Space& space;
  const CycleEntries& entries;
  const store::Snapshot &before, &after;  // of the log; `after` holds the cycle's last entry
  const store::Snapshot& branch;          // after the repetition
  const WorkSet& work;                    // that it looked at
};
// Adds what differs to the report. Errors: those of reading the log.
Status compare(const Repetition& repetition, ReplayedCycle& report);

}  // namespace anima::sleep::detail
