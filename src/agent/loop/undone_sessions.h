// What an undo means for the agents. It puts back the turn of each, and with it the state of then
// (session.h), where that was not pruned.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/space.h"

namespace anima::agent {

// What changes in the psyches, for people: "veto no_shell added". For store::UndoActsOptions::
// checks; `after` is what the undo makes of `before`. Thread-safety: that of the space. Errors:
// kNotFound (a state that would come back was pruned or cannot be read: without it the vetoes in
// force would go), those of the log. O(agents).
Result<std::vector<std::string>> undone_psyches(store::Space& space, const store::Snapshot& before,
                                                const store::Snapshot& after);

}  // namespace anima::agent
