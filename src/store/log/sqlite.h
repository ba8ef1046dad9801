// SQLite for the store: connections and statements that close themselves, errors as values.
//
// The only header of SQLite in Anima is included by sqlite.cc and the files beside it in detail/.
// Thread-safety: a Database and its Statements belong to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace anima::store::detail {

// A prepared statement. Bound blobs and texts are not copied: they must live until reset().
class Statement {
 public:
  Statement() = default;
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;
  ~Statement();

  void bind(int index, std::int64_t value);
  void bind_blob(int index, std::string_view value);
  void bind_text(int index, std::string_view value);
  Result<bool> step();  // true: a row is there
  void reset();
  // step() to the end and reset().
  Status run();

  std::int64_t integer(int column) const;
  std::string_view blob(int column) const;  // valid until the next step() or reset()
  std::string text(int column) const;
  bool is_blob(int column) const;

 private:
  friend class Database;
  sqlite3_stmt* statement_ = nullptr;
};

// kUnlocked reads the WAL, too, where no -shm file can be made: the index of the WAL is in memory,
// and no lock is held. Whoever opens a file so, or as kImmutable, looks himself whether it is
// written.
enum class DatabaseMode : std::uint8_t { kReadOnly, kReadWrite, kCreate, kImmutable, kUnlocked };

class Database {
 public:
  Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // `vfs` empty: the default. Waits up to busy_milliseconds where another process holds a lock.
  static Result<Database> open(const std::string& path, DatabaseMode mode, const std::string& vfs,
                               int busy_milliseconds);

  // Of a file with a WAL that may lie where nothing can be written: as kReadOnly, else as
  // kImmutable or kUnlocked where that is possible. `mode` receives which.
  static Result<Database> open_to_read(const std::string& path, const std::string& vfs,
                                       int busy_milliseconds, DatabaseMode* mode = nullptr);

  Result<Statement> prepare(std::string_view sql);
  Status execute(const std::string& sql);
  Result<std::int64_t> query_integer(const std::string& sql);
  // Keeps the -wal and -shm files when the last connection closes: the next opening need not make
  // them, and a read-only one cannot.
  void keep_wal();
  // Whether closing the last connection moves the WAL's pages into the database and empties it; on
  // by default.
  void checkpoint_on_close(bool on);
  // From now on asks `still_waiting` (milliseconds so far) where another process holds a lock,
  // every few milliseconds, and gives up with kBusy when it says no. Lives as long as the Database.
  void wait_with(std::function<bool(std::int64_t waited_milliseconds)> still_waiting);
  // Whether the file that is open no longer is the one at its path.
  bool moved() const;
  // A number that changes when another connection has written; requires an open transaction.
  void data_version(std::uint32_t* version);
  // Gives the code of the last failure on this connection as an Error.
  Error last_error(std::string_view what) const;
  sqlite3* handle() const { return handle_; }
  const std::string& path() const { return path_; }

 private:
  sqlite3* handle_ = nullptr;
  std::string path_;
  struct Waiting;
  std::unique_ptr<Waiting> waiting_;
};

// Copies everything from one open database to another, as of one moment, while others write to the
// first. `progress` is called now and then with pages left and pages in all; false stops with
// kCancelled.
Status copy_database(Database& from, Database& to,
                     const std::function<bool(std::uint64_t left, std::uint64_t all)>& progress);

// Maps a SQLite result code: kDiskFull, kBusy, kCorrupt, kDenied, kIo ...
Error sqlite_error(sqlite3* handle, int code, std::string_view what, const std::string& where);

}  // namespace anima::store::detail
