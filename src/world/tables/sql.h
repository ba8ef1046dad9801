// What the tables of a world need of a database: statements with bound parameters, transactions,
// errors as values. Two stand behind it: sqlite_database.h and postgres_database.h.
// Thread-safety: a database and its statements belong to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::world {

// Parameters and columns: parameters count from 1, columns from 0.
class SqlStatement {
 public:
  virtual ~SqlStatement() = default;
  virtual SqlStatement& integer(int index, std::int64_t value) = 0;
  virtual SqlStatement& real(int index, double value) = 0;
  virtual SqlStatement& blob(int index, std::string_view value) = 0;
  virtual SqlStatement& text(int index, std::string_view value) = 0;
  virtual SqlStatement& null(int index) = 0;
  virtual Result<bool> step() = 0;  // true: a row is there
  // To the end, and ready for the next. Within a transaction it may be sent later, with others: an
  // error then comes of a later call, at the latest of commit().
  virtual Status run() = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
  virtual std::string bytes(int column) const = 0;
  virtual bool is_null(int column) const = 0;
};

// What each database calls the tables of source 002 section 9, and those beside them.
struct TableNames {
  std::string_view agents, memory, experiences, beliefs, plans, goals, runtime, world;
};

class SqlDatabase {
 public:
  virtual ~SqlDatabase() = default;
  virtual const TableNames& tables() const = 0;
  // With "?" for each parameter, and nowhere else. Errors: of the database.
  virtual Result<std::unique_ptr<SqlStatement>> prepare(std::string_view sql) = 0;
  virtual Status begin() = 0;
  virtual Status commit() = 0;
  virtual void roll_back() = 0;
};

}  // namespace anima::world
