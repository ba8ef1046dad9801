// The log's SQLite file with the writers of every process kept out, for work on its rows
// themselves. Thread-safety: belongs to one thread.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/log/shared_head.h"
#include "store/log/sqlite.h"

namespace anima::store::detail {

struct ExclusiveLog {
  std::unique_ptr<TurnLock> turn;
  Database log;

  // Errors: kBusy (the turn does not come), kNotFound, kIo.
  static Result<ExclusiveLog> open(const std::string& folder);
  // Moves what the write-ahead file holds into the log's file and empties it: what was overwritten
  // in the log is then nowhere. False while somebody reads.
  Result<bool> fold();
  // Gives what is free back to the disk. Without room for a second copy, or while somebody reads,
  // the file stays as large as it is. O(size of the log).
  Status shrink();
};

}  // namespace anima::store::detail
