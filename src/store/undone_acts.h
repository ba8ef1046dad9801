// Which acts were taken back, and whose act is the next to be (act.h). Thread-safety: functions
// without state.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "store/act.h"

namespace anima::store {

// The source of the undo by which an act that was cut off is taken back.
inline constexpr std::string_view kCutOffSource = "an act that was cut off";

// The entries that an entry took back; empty where it is no undo. Errors: those of reading the log.
Result<std::vector<Sequence>> undone_by(Space& space, Sequence entry);

// As newest_act_to_undo(), of those whose first entry is of this author; empty: of anybody's.
// `counts`: whether what was written there is anything that somebody did; none: all is.
using CountsAsDone = std::function<bool(const WrittenKey&)>;
Result<Act> newest_act_of(Space& space, const Snapshot& now, std::string_view author,
                          CountsAsDone counts = {});

}  // namespace anima::store
