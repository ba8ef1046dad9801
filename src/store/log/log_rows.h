// The rows of a log's SQLite file: which file is a log of ours, and its rows read as entries, each
// checked against its own hash.
//
// Thread-safety: a ReadingConnection belongs to one thread at a time; its pool may be used from
// any.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "store/log.h"
#include "store/log/file_identity.h"
#include "store/log/sqlite.h"

namespace anima::store::detail {

// Errors: kCorrupt (a SQLite file, but no log), kVersionMismatch, kIo.
Status check_log_version(Database& database, const std::string& path);

// One connection for reading, with its statements.
struct ReadingConnection {
  Database database;
  Statement last, from, one, parts, attachment;

  static Result<std::unique_ptr<ReadingConnection>> open(const std::string& path, DatabaseMode mode,
                                                         const std::string& vfs);
};

// Reading connections of one log, opened when all are lent out.
class ReadingPool {
 public:
  // A connection, given back at the end. Must not outlive the pool.
  class Lease {
   public:
    Lease(ReadingPool& pool, std::unique_ptr<ReadingConnection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) noexcept = default;
    ~Lease();
    ReadingConnection* operator->() const { return connection_.get(); }

   private:
    ReadingPool* pool_;
    std::unique_ptr<ReadingConnection> connection_;
  };

  ReadingPool(std::string path, std::string vfs) : path_(std::move(path)), vfs_(std::move(vfs)) {}
  // How the connections that are yet to come are opened, and of which file; before the first lease.
  void set_mode(DatabaseMode mode) { mode_ = mode; }
  void expect(std::optional<FileIdentity> file) { file_ = file; }
  // Errors: kConflict (another file lies at the path now), kIo and the like.
  Result<Lease> lease();

 private:
  const std::string path_, vfs_;
  DatabaseMode mode_ = DatabaseMode::kReadOnly;
  std::optional<FileIdentity> file_;
  Mutex mutex_;
  std::vector<std::unique_ptr<ReadingConnection>> idle_ ANIMA_GUARDED_BY(mutex_);
};

// The entry of the current row of `statement`, hash checked. Keeps no view of the row. Errors:
// kCorrupt with the entry's place.
Result<LogEntry> read_row(Statement& statement, Statement& parts, Sequence expected);

// Errors: kCorrupt when the log ends before an entry that was acknowledged.
Status check_acknowledged(const Head& head, Sequence acknowledged, const std::string& path);

// The head by the statement that gives the last row; Head{} of an empty log.
Result<Head> read_head(Statement& last);

}  // namespace anima::store::detail
