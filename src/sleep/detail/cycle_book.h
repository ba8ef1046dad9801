// The book of cycles: one concept a cycle in the graph urn:anima:sleep. No undo changes it: whether
// a cycle is undone, the log says (taken_back.h). Thread-safety: functions without state.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sleep/cycle_record.h"
#include "store/space.h"

namespace anima::sleep::detail {

// Oldest first. Errors: kCorrupt.
Result<std::vector<CycleRecord>> read_cycles(const store::Snapshot& snapshot);
Result<std::optional<CycleRecord>> read_cycle(const store::Snapshot& snapshot, std::uint64_t cycle);
// "3, 4"
std::string list_of(std::span<const CycleRecord> records);
// The highest number in the book; 0 = none. O(log cycles).
std::uint64_t newest_cycle(const store::Snapshot& snapshot);
// The newest cycle that looked at everything it had to; undone ones count.
Result<std::optional<CycleRecord>> newest_whole_cycle(const store::Snapshot& snapshot);
// All of them in one entry.
Status write_cycles(store::Space& space, std::span<const CycleRecord> records);

}  // namespace anima::sleep::detail
