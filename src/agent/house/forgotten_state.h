// What an agent goes on with, where something is forgotten: its newest state is written again
// without the names, before the log forgets, so that its vetoes, its persona and what it learnt
// outlive the entries that go with them. A goal and a plan that name what goes, and what working
// memory has of it, go; so do all of these where their entry goes as a whole (by source or time).
// Thread-safety: plain functions. O(agents) states. Errors: those of the log.
#pragma once

#include <string>
#include <vector>

#include "memory/forgetting.h"
#include "store/space.h"

namespace anima::agent {

struct NamedState {
  std::string agent;
  std::vector<std::string> vetoes;  // patterns of its psyche that name it, by name
};

// The agents whose newest state names what goes, or lies in an entry that goes as a whole.
Result<std::vector<NamedState>> states_naming(store::Space& space, const memory::ForgetPlan& plan);
// Writes these states again. "[forgotten]" stands in the place of each name.
Status write_states_without(store::Space& space, const memory::ForgetPlan& plan,
                            const std::vector<NamedState>& states);

}  // namespace anima::agent
