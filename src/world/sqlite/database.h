// SQLite for the states of a world: a connection and its statements, errors as values.
// Thread-safety: a Database and its statements belong to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace anima::world {

class Statement {
 public:
  Statement& integer(int index, std::int64_t value);
  Statement& real(int index, double value);
  Statement& blob(int index, std::string_view value);
  Statement& text(int index, std::string_view value);
  Statement& null(int index);
  Result<bool> step();  // true: a row is there
  Status run();         // to the end, and ready for the next
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string bytes(int column) const;
  bool is_null(int column) const;

 private:
  friend class Database;
  struct End {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  std::unique_ptr<sqlite3_stmt, End> statement_;
};

class Database {
 public:
  static Result<Database> open(const std::string& path);
  Result<Statement> prepare(std::string_view sql);
  Status execute(const std::string& sql);

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace anima::world
