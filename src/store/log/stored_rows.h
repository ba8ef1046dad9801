// The rows of a log as they lie in its tables: what backups, archives and upkeep work on, whatever
// database holds them.
//
// A log in SQLite and one in PostgreSQL hold the very same bytes, row by row and part by part, so
// that a copy of either is a SQLite file of the log's own schema. A log in memory has no rows.
// Thread-safety: as Log; a LogFile belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/log.h"
#include "store/log/redacted.h"
#include "store/log/sqlite.h"

namespace anima::store::detail {

// One entry as it is stored (entry_codec.h).
struct EntryRows {
  std::string row;
  std::vector<std::string> parts;
  std::optional<std::string> attachment;  // of RowTurn::put(): nothing = it stays as it is
};

// Entries done and entries in all, or pages; false stops with kCancelled.
using CopyProgress = std::function<bool(std::uint64_t done, std::uint64_t all)>;

class StoredRows {
 public:
  virtual ~StoredRows() = default;
  virtual Result<std::int64_t> schema_version() = 0;
  // Not checked by its hash. Errors: kCorrupt (it is missing).
  virtual Result<EntryRows> stored(Sequence sequence) = 0;
  // A new SQLite file with the whole log as of one moment, while others write.
  virtual Status copy_to(const std::string& path, const CopyProgress& progress) = 0;
  // What turns have overwritten is in no file of the log any more; with `shrink` what is free goes
  // back to the disk too. False: not while somebody reads. O(size of the log) with `shrink`.
  virtual Result<bool> sweep(bool shrink) = 0;
  // Tells one log from another; empty where the folder does.
  virtual std::string identity() const { return {}; }
  // Where it lies, for people.
  virtual std::string place() const = 0;
};

// A turn that can put rows where there are some, or none yet; those of a log with StoredRows.
class RowTurn : public RedactingTurn {
 public:
  virtual Status put(Sequence sequence, const EntryRows& entry) = 0;
  virtual Status set_schema_version(std::int64_t version) = 0;
};

// The rows of the log. Errors: kUnsupported (a log in memory has none).
Result<StoredRows*> rows_of(Log& log);
// The turn as one that can change rows. Errors: kUnsupported.
Result<RowTurn*> rows_of(Log::Turn& turn);

// What is left of a redacted entry (redacted.h), as it is stored.
EntryRows stored_redacted(const LogEntry& entry, std::uint64_t part_bytes);
std::vector<std::string> parts_of(std::string_view payload, std::uint64_t part_bytes);
// The whole entry, checked by its hash. Errors: kCorrupt, kNotFound (its payload is archived).
Result<LogEntry> whole_entry(Sequence sequence, const EntryRows& stored);

// A SQLite file with the tables of a log, being filled. Not durable before finish().
class LogFile {
 public:
  // Without a version it is no log, but has a log's tables: an archive.
  static Result<LogFile> create(const std::string& path, std::optional<std::int64_t> version,
                                const std::string& more_sql = {});
  Status put(Sequence sequence, const EntryRows& entry);
  Status finish();
  Database& database() { return database_; }

 private:
  Database database_;
  Statement entry_, part_;
};

// The rows of a log's SQLite file, or of an archive's.
class FileRows {
 public:
  static Result<FileRows> open(Database& database);
  Result<EntryRows> read(Sequence sequence);

 private:
  Statement entry_, parts_;
};

}  // namespace anima::store::detail
