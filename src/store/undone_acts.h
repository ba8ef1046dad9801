// Which acts were taken back, and whose act is the next to be (act.h). Thread-safety: functions
// without state.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "store/act.h"

namespace anima::store {

// The source of the undo by which an act that was cut off is taken back.
inline constexpr std::string_view kCutOffSource = "an act that was cut off";

// The sources of entries by which the system keeps what others made or did: the state of an agent,
// the record of a cycle of sleep. An undo leaves them as they are.
inline constexpr std::string_view kStateSource = "state of an agent";
inline constexpr std::string_view kSleepBookSource = "book of sleep";
bool keeps_record(const EntryInfo& entry);

// The entries that an entry took back; empty where it is no undo. Errors: those of reading the log.
Result<std::vector<Sequence>> undone_by(Space& space, Sequence entry);

// Whether the entry took others back.
bool undoes(const Snapshot& now, Sequence entry);
// Which of these entries are undone, those that undid others among them; what was undone and then
// brought back is not. All undos of theirs are to be among them. O(entries), and reading the undos.
Result<std::set<Sequence>> undone_among(Space& space, const Snapshot& now,
                                        std::span<const Sequence> ascending);

// As newest_act_to_undo(), of those whose first entry is of this author; empty: of anybody's.
// `counts`: whether what was written there is anything that somebody did; none: all is.
using CountsAsDone = std::function<bool(const WrittenKey&)>;
Result<Act> newest_act_of(Space& space, const Snapshot& now, std::string_view author,
                          CountsAsDone counts = {});

}  // namespace anima::store
