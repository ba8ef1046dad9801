// PostgresLog: the log in the tables of a PostgreSQL database (postgres_tables.h), so that
// processes on several machines share it.
//
// The writer's turn is an advisory lock that lasts as long as the turn's transaction, so that it
// ends with its holder's connection, and that the next holder sees what the one before committed.
// The head is the last row under that lock; the table's key is a second fence, for a row can be
// there once. A turn's rows go out in libpq's pipeline, and its last rows, the notification and
// COMMIT make one round trip. A COMMIT whose answer was lost is looked up by the entry's hash on a
// new connection, behind the lock, when the old transaction has ended either way.
// Nobody is told of a head without asking: each head() is a round trip. LISTEN wakes follow(),
// which asks, and asks every second besides. Thread-safety: as Log. Errors: kIo (the connection is
// lost; the next call opens another), kBusy, kDenied, kCancelled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/postgres/postgres_address.h"
#include "base/result.h"
#include "store/log.h"
#include "store/log/entry_codec.h"
#include "store/log/shared_head.h"

namespace anima::store::detail {

struct PostgresLogOptions {
  bool create = false;
  bool read_only = false;
  std::string folder;  // of this machine: remembers what was acknowledged; empty: nothing does
  std::uint64_t part_bytes = kPartBytes;  // longest payload that stays in its row
  TurnWait wait = {};
};

// Errors: those of PostgresTables::open().
Result<std::unique_ptr<Log>> open_postgres_log(const PostgresAddress& address,
                                               const PostgresLogOptions& options);

}  // namespace anima::store::detail
