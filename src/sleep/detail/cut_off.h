// Cycles by their entries of the log alone: a cycle that was killed has no record in the book yet.
// Thread-safety: functions without state. Complexity: O(entries since the last whole cycle).
#pragma once

#include <cstdint>
#include <optional>

#include "sleep/cycle_record.h"
#include "store/space.h"

namespace anima::sleep::detail {

// The highest cycle among the entries after `after`; 0 = none. More than the book knows when one
// runs or was cut off.
std::uint64_t highest_cycle(const store::Snapshot& now, store::Sequence after);

// The entries after `after` that are the cycle's own, as ranges.
void find_own_entries(const store::Snapshot& now, store::Sequence after, CycleRecord* record);

// What the cycle's entries after `after`, up to `last`, changed, added to the phases of its record.
void add_earlier_changes(const store::Snapshot& now, store::Sequence after, store::Sequence last,
                         CycleRecord* record);

// The record of the cycle that has entries and none in the book, with the status "cut off"; null:
// there is no such cycle. Its metrics are measured: O(entities). Errors: kCorrupt.
Result<std::optional<CycleRecord>> cut_off_cycle(const store::Snapshot& now);

}  // namespace anima::sleep::detail
