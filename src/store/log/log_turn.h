// The writer's side of a log's SQLite file: the one writing connection, and the turns that append
// with it.
//
// A turn holds the mutex of this process's threads, then the lock among processes, then SQLite's
// own; commit() makes it durable (synchronous=FULL) and tells the shared head. The turn ends with
// the LogTurn, so that its owner can show what it committed before anybody else commits.
// Thread-safety: a LogTurn belongs to one thread at a time; the rest by who holds the turn.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/log.h"
#include "store/log/file_identity.h"
#include "store/log/shared_head.h"
#include "store/log/sqlite.h"
#include "store/log/sqlite_log.h"
#include "store/log/stored_rows.h"

namespace anima::store::detail {

// What is said of a log that holds no space: it was begun, or all of it is lost.
inline constexpr std::string_view kEmptyLog = "there is no space yet: its log is empty";

// What one turn after the other needs.
struct WritingConnection {
  Database database;
  Statement begin, commit, rollback, insert, insert_part, drop_part, attached, last, replace,
      drop_parts;
  std::mutex mutex;                // the turn among this process's threads
  std::unique_ptr<TurnLock> lock;  // and among processes
  SharedHead* shared = nullptr;    // the log's; set before the first turn
  TurnWait wait;                   // for the turn, and for strangers that hold the file
  std::uint64_t part_bytes = 0;    // longest payload that stays in its row
  Head head;                       // valid while data_version is what SQLite says
  std::uint32_t data_version = 0;
  bool head_known = false;
  // Of the files that are open. The WAL's is known from the first turn on.
  std::optional<FileIdentity> file, wal;

  // Opens the file, and makes it a log where it is empty and may be created. Errors: kNotFound (an
  // empty file), kCorrupt, kVersionMismatch, kIo.
  Status open(const std::string& folder, const SqliteLogOptions& options);
  // Whether the open files still are those at their paths: what a commit puts into others is lost.
  // Two system calls.
  bool in_place() const;
};

class LogTurn final : public Log::Turn, public RowTurn {
 public:
  // Takes the turn among this process's threads; begin() the rest. Requires writing.shared.
  explicit LogTurn(WritingConnection& writing) : writing_(writing), guard_(writing.mutex) {}
  ~LogTurn() override { finish(); }

  Status begin();
  Head head() const override { return head_; }
  Result<Head> append(LogEntry entry, Timestamp now) override;
  Result<std::uint64_t> drop_attachment(Sequence sequence) override;
  Status redact(const LogEntry& entry) override;
  Status mark_compacted() override;
  Status put(Sequence sequence, const EntryRows& entry) override;
  Status set_schema_version(std::int64_t version) override;
  Status commit() override;

 private:
  Status overwrite_what_goes();
  Status mark_redacted(bool compacted);
  Status insert_parts(const LogEntry& entry);
  Status insert_part(Sequence sequence, std::int64_t number, std::string_view bytes);
  Status commit_changed();
  Status check_in_place() const;
  Error in_doubt(const Error& why) const;
  void finish();

  WritingConnection& writing_;
  std::unique_lock<std::mutex> guard_;
  Head start_, head_;
  std::string row_;
  bool locked_ = false, begun_ = false, announced_ = false, dropped_ = false, redacted_ = false,
       changed_ = false;
};

}  // namespace anima::store::detail
