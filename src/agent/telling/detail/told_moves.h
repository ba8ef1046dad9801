// What follows for what was told when two things become one, or when it is deleted otherwise than
// by whom it was told: what was told of both is as if it had been told of one, and what is deleted
// as if it never had been. Thread-safety: that of the transaction. Errors: those of the space.
#pragma once

#include <span>

#include "base/result.h"
#include "store/transaction.h"
#include "store/undo_rules.h"

namespace anima::agent::detail {

// For store::UndoRules::follows_moves. O(what was told of the things x what they have).
Status lay_out_moved(store::Transaction& transaction, std::span<const store::MovedStatement> moved);

}  // namespace anima::agent::detail
