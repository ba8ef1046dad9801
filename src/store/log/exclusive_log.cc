#include "store/log/exclusive_log.h"

#include "base/files/file.h"
#include "store/log/sqlite_log.h"

namespace anima::store::detail {

Result<ExclusiveLog> ExclusiveLog::open(const std::string& folder) {
  ExclusiveLog writing;
  ANIMA_ASSIGN(const auto head, SharedHead::open(join_path(folder, "log.head"), false));
  ANIMA_ASSIGN(writing.turn, TurnLock::open(join_path(folder, "log.turn")));
  ANIMA_TRY(writing.turn->lock(*head, {}));
  ANIMA_ASSIGN(writing.log,
               Database::open(log_path(folder), DatabaseMode::kReadWrite, {}, kBusyMilliseconds));
  ANIMA_TRY(writing.log.execute("PRAGMA synchronous=FULL"));
  writing.log.keep_wal();
  return writing;
}

Result<bool> ExclusiveLog::fold() {
  ANIMA_ASSIGN(const std::int64_t busy, log.query_integer("PRAGMA wal_checkpoint(TRUNCATE)"));
  return busy == 0;
}

Status ExclusiveLog::shrink() {
  const Status shrunk = log.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  const bool harmless = !shrunk && (shrunk.error().code == ErrorCode::kDiskFull ||
                                    shrunk.error().code == ErrorCode::kBusy);
  return harmless ? Status() : shrunk;
}

}  // namespace anima::store::detail
