// Reading a log in batches: the next is read and hashed while one is visited, and no statement of
// the database is open while a visitor runs. Thread-safety: a function without state; it reads
// batches on a thread of its own, one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/log.h"

namespace anima::store::detail {

inline constexpr std::size_t kReadBatchBytes = std::size_t{256} << 10;

struct ReadBatch {
  std::vector<LogEntry> entries;  // in order, each checked by its own hash
  std::optional<Error> damage;    // what came after them
  bool full = false;              // there may be more
};

// Log::read() over a function that gives the entries from one on.
Status read_in_batches(Sequence first,
                       const std::function<Result<ReadBatch>(Sequence first)>& read_batch,
                       const std::function<Status(const LogEntry&)>& visit);

}  // namespace anima::store::detail
