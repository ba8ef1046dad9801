// SQLite for stores of learnings: connections, statements and transactions that end by themselves,
// errors as values. Thread-safety: a Database and what was made of it belong to one thread at a
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace anima::learn::detail {

// Since 2 each row ends with a checksum of what it holds.
inline constexpr std::int64_t kSchemaVersion = 2;

// A prepared statement of a database, which keeps it for the next who asks for the same; one at a
// time uses it. Texts that are bound are copied.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);
  Statement& bind(int index, std::string_view value);
  Result<bool> step();  // true: a row is there
  // step() to the end.
  Status run();

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  sqlite3_stmt* statement_;
};

class Database {
 public:
  enum class Mode : std::uint8_t { kRead, kCreate };
  // Waits up to five seconds where another process writes. Errors: kNotFound (kRead), kIo, kBusy,
  // kCorrupt.
  static Result<Database> open(const std::string& path, Mode mode);

  Result<Statement> prepare(std::string_view sql);
  Status execute(const std::string& sql);
  Result<std::int64_t> integer(std::string_view sql);
  std::int64_t changes() const;  // rows that the last statement changed
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  struct End {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, End>, std::less<>> statements_;
  std::string path_;
};

// A writer's turn: what it did is undone unless commit() is reached.
class Turn {
 public:
  static Result<Turn> begin(Database& database);
  Turn(Turn&& other) noexcept;
  Turn& operator=(Turn&&) = delete;
  ~Turn();
  Status commit();

 private:
  explicit Turn(Database& database) : database_(&database) {}
  Database* database_;
};

// Whether the row of `table` that a query is at is as it was written, as a term of SQL; of a store
// that keeps no checksums yet it is taken for that.
Result<std::string> whole_row(Database& database, std::string_view table);
// Errors: kCorrupt, with what SQLite finds, or the first table with a row that is not as it was
// written. O(rows).
Status check_rows(Database& database);

// Makes the tables of a store, or brings those of an older version up to date. Errors:
// kVersionMismatch (of a newer program).
Status prepare_schema(Database& database);

}  // namespace anima::learn::detail
