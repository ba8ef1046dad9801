// What an undo does beside putting back keys, and what follows a merge or a deletion: for
// statements that follow from records of their own, as when a link holds follows from all that was
// told of it. A space goes by the rules that it was opened with, whoever writes. Thread-safety:
// called under the writer's turn.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "store/ids.h"
#include "store/snapshot.h"
#include "store/transaction.h"

namespace anima::store {

// A statement that is made of another thing by a change, or of none: it was withdrawn as it stood.
// A link; or all that an attribute of a thing says, which has no object.
struct MovedStatement {
  Triple was;
  std::optional<Triple> is = {};
};

struct UndoRules {
  // A key that no undo takes back: what counts the records, which stay. None: there is no such key.
  std::function<bool(const Snapshot& before, const WrittenKey& key)> keeps = {};
  // Which of the keys that the undone entries wrote are not withdrawn, for what is not undone says
  // the same. `before`: the state before the undo; `undone`: all that does not count behind it,
  // what was undone before among it, ascending. None: all are.
  std::function<std::vector<WrittenKey>(const Snapshot& before, std::span<const Sequence> undone,
                                        std::span<const WrittenKey> keys)>
      said_elsewhere = {};
  // A statement that follows from records, so that it is in no undo's way. None: there is none.
  std::function<bool(const Snapshot& now, const Triple& statement, const Assertion& word)>
      is_laid_out = {};
  // What follows, written into the entry of the undo behind what it puts back.
  std::function<Status(Transaction&, const Snapshot& before, std::span<const Sequence> undone,
                       std::span<const WrittenKey> keys)>
      follows = {};
  // What follows a merge or a deletion, written behind it in the same transaction.
  std::function<Status(Transaction&, std::span<const MovedStatement> moved)> follows_moves = {};
};

}  // namespace anima::store
