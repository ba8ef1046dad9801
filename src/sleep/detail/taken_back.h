// What somebody took back of sleep, by whatever door: `anima sleep undo`, `anima undo`, a program.
// It is his word, and no cycle does it again by itself. Thread-safety: functions without state.
#pragma once

#include <set>
#include <span>

#include "sleep/cycle_record.h"
#include "sleep/evidence/work_set.h"
#include "store/space.h"

namespace anima::sleep::detail {

struct TakenBack {
  std::set<store::Sequence> entries;  // of cycles, that are undone
  std::set<store::Sequence> undos;    // entries that took something of a cycle back
};
// Among the entries after `after`. O(these), and reading the undos among them.
Result<TakenBack> taken_back_since(store::Space& space, const Snapshot& now, store::Sequence after);

// What the log says of the cycles becomes their status: "undone", "partly undone", or what it was
// before the undo was undone. Requires that they are ascending. Errors: those of reading the log.
// O(entries since the first cycle).
Status note_undone(store::Space& space, const Snapshot& now, std::span<CycleRecord> records);

// Whether sleep made one thing of any two of these, and that was undone. O(their entries).
Result<bool> was_parted(store::Space& space, const Snapshot& now, std::span<const EntityId> things);

}  // namespace anima::sleep::detail
