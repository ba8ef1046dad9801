// What an undo leaves of when links hold. It puts back keys, each as it was before; when a link
// holds follows from all that is told of it and of what may take its place (detail/timeline.h). So
// it is laid out anew in the entry of the undo: as if what was undone had never been told.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "store/act.h"
#include "store/transaction.h"

namespace anima::agent {

// For store::UndoActsOptions::follows. Gives the links that it looked at. Links that others changed
// since, or that are older than records of what was told, stay as the undo leaves them.
// Thread-safety: that of the transaction. Errors: those of the space. O(links that the undone
// entries wrote x what their subjects have).
Result<std::vector<store::Triple>> lay_out_undone(store::Transaction& transaction,
                                                  const store::Snapshot& before,
                                                  std::span<const store::Sequence> undone,
                                                  std::span<const store::WrittenKey> keys);

}  // namespace anima::agent
