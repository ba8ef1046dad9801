// Where the log of a folder lies (space_place.h), and the log opened there, of whichever kind.
//
// On disk, never change: <folder>/log.address is "anima log address 1", the address without a
// password, and the log's id (postgres_tables.h), a line each. Thread-safety: functions from any
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/files/file.h"
#include "base/postgres/postgres_address.h"
#include "base/result.h"
#include "store/log.h"
#include "store/log/entry_codec.h"
#include "store/log/shared_head.h"

namespace anima::store::detail {

// How a log keeps its entries; for tests, which inject faults and want parts to be short.
struct LogTuning {
  std::string sqlite_vfs;
  std::uint64_t part_bytes = kPartBytes;  // longer payloads are stored in parts
};

struct LogPlace {
  std::string folder;
  std::optional<PostgresAddress> database;  // none: the log lies in the folder
  std::string id;                           // of the log that the folder belongs to; or empty
  bool elsewhere = false;  // the folder says another address than this process was told

  std::string shown() const;
};

// Errors: kCorrupt (log.address), kUnsupported (libpq is not here).
Result<LogPlace> log_place(FileSystem& files, const std::string& folder);

struct LogOpening {
  bool create = false;
  bool read_only = false;
  TurnWait wait = {};
  LogTuning tuning = {};
};

// The log, and nothing beside it. Errors: those of open_sqlite_log() and open_postgres_log();
// kAlreadyExists (the folder belongs to another log than the one that lies there).
Result<std::unique_ptr<Log>> open_log_at(const LogPlace& place, const LogOpening& opening);
// The folder says from now on where its log lies; nothing to do for one that lies in it. Who only
// reads does without a folder where none can be made.
Status keep_place(FileSystem& files, const LogPlace& place, Log& log, bool read_only);

}  // namespace anima::store::detail
