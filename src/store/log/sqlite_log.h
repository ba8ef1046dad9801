// SqliteLog: the log in one SQLite file.
//
// WAL with synchronous=FULL: what commit() acknowledged survives a power cut. One row an entry, no
// index; a payload above part_bytes lies in parts, in the same SQLite transaction (DATA.md 13: the
// entry's row is written last and commits them).
// Files: log.db (+ -wal, -shm of SQLite), log.head (SharedHead), log.turn (TurnLock).
// Versions: PRAGMA user_version is the schema; a newer one is kVersionMismatch, an older one too,
// until migrate_log() was run: never a silent upgrade. Thread-safety: as Log. Each turn uses the
// one writing connection; reads take one of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "store/log.h"
#include "store/log/entry_codec.h"
#include "store/log/shared_head.h"

namespace anima::store::detail {

inline constexpr std::int64_t kLogSchema = 1;
inline constexpr std::int64_t kLogApplication = 0x414e494d;  // "ANIM"

// On disk, never change but by a migration: the tables of schema 1, which an archive has too.
inline constexpr char kLogTables[] =
    "CREATE TABLE log(sequence INTEGER PRIMARY KEY, entry BLOB NOT NULL);"
    "CREATE TABLE part(sequence INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,"
    " PRIMARY KEY(sequence, number)) WITHOUT ROWID;";
// How long a file is waited for that only strangers (the sqlite3 program) can hold.
inline constexpr int kBusyMilliseconds = 30'000;

struct SqliteLogOptions {
  bool create = false;
  bool read_only = false;
  std::string vfs;                        // a SQLite VFS by name; for tests that inject faults
  std::uint64_t part_bytes = kPartBytes;  // longest payload that stays in its row
  TurnWait wait = {};
};

// The file names in a space's folder.
std::string log_path(const std::string& folder);
// What is wrong with a folder without a log. kNotFound.
Error no_space(const std::string& folder);
// PRAGMA user_version of the file, whatever it is.
Result<std::int64_t> sqlite_schema_version(const std::string& folder);

// Errors: kNotFound (no log there and create unset), kVersionMismatch, kCorrupt (no SQLite file),
// kIo.
Result<std::unique_ptr<Log>> open_sqlite_log(const std::string& folder,
                                             const SqliteLogOptions& options);

}  // namespace anima::store::detail
