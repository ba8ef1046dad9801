// How the psyche of an agent became what it is: every entry of the log that changed it.
//
// What is in force behind each entry of the agent, an undo among them, is compared with what was
// before. What pruning took (`anima prune`) is told no more; the next entry then tells all that
// changed since.
// Thread-safety: that of the space. Complexity: O(entries of the agent).
#pragma once

#include <string>
#include <vector>

#include "agent/mind/psyche.h"
#include "store/space.h"

namespace anima::agent {

struct PsycheChange {
  store::Sequence entry = store::Sequence::kNone;
  Timestamp time;
  std::string author, source;
  std::vector<std::string> changes;  // psyche_change.h; never empty
};

// The oldest first. Errors: those of the log; kCorrupt for a psyche that cannot be read.
Result<std::vector<PsycheChange>> psyche_history(store::Space& space, const std::string& agent);

}  // namespace anima::agent
