// What the log keeps of runs, for who looks at them: which there are, and the cycles of one with
// what was weighed, chosen and done. Whole runs of the owner's books: who may see them is decided
// by who asks. Thread-safety: functions without state. Errors: those of the log. O(log) for the
// list and for the entries of a run.
#pragma once

#include <cstddef>

#include "base/json/json.h"
#include "base/result.h"
#include "store/space.h"

namespace anima::agent {

// {"runs":[{"run","last","time","agent","source","steps","cycle_count"}]}, the newest first.
Result<Json> runs_json(store::Space& space, std::size_t most);

// What came of a run behind the entry `after`, at most `most` cycles of it: {"run","agent","time",
// "source","last","steps","cycles":[{"entry","time", ..CycleReport::to_json()}],"calls","more"}.
// `last` is the entry to go on behind, `steps` and `calls` (answers of tools and models) count what
// is told, `more` what is not. Errors: kNotFound.
Result<Json> run_json(store::Space& space, store::Sequence run, store::Sequence after,
                      std::size_t most);

}  // namespace anima::agent
