// What-if before acting: what a tool proposes is written on a branch of the snapshot first, and
// what it would do there is shown with the decision, before anything is written for good.
// Thread-safety: a function over a snapshot; the space is not changed.
#pragma once

#include <vector>

#include "agent/loop/cycle.h"
#include "agent/mind/psyche.h"
#include "memory/compartments/rule_keeper.h"
#include "store/space.h"

namespace anima::agent::detail {

// Facts gained and lost by the rules, statements that become superseded, and the veto pattern that
// a written or derived fact fires. Errors: those of the store; rules that fail are a note.
Result<Effects> foresee(store::Space& space, const store::Snapshot& snapshot,
                        const std::vector<tools::Proposal>& proposals, memory::RuleKeeper& rules,
                        Timestamp now, const Psyche& psyche);

}  // namespace anima::agent::detail
