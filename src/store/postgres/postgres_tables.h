// The tables of a log in a PostgreSQL database, and connections that find them.
//
// A log has a schema of its own (?schema=NAME, default "anima"), so that one database can hold
// several. On disk, never change but by a migration: log(sequence, entry) and part(sequence,
// number, bytes) hold the rows of entry_codec.h, the same bytes as in SQLite; about(name, value)
// says "schema" (as PRAGMA user_version of a log in SQLite) and "id", drawn when the log was made.
// Thread-safety: PostgresTables from any thread; a connection belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/postgres/postgres_connection.h"
#include "base/result.h"
#include "store/log/shared_head.h"

namespace anima::store::detail {

inline constexpr std::string_view kDefaultSchema = "anima";

// Options of an address that are ours.
inline constexpr std::string_view kSchemaOption = "schema";
inline constexpr std::string_view kFolderOption = "folder";

// Errors: kInvalidArgument, also for the name of a schema that cannot be used.
Result<PostgresAddress> parse_log_address(const std::string& text);
std::string schema_of(const PostgresAddress& address);

class PostgresTables {
 public:
  PostgresTables(PostgresAddress address, TurnWait wait);

  // A connection whose statements find the tables, with what a commit needs to be durable.
  Result<std::unique_ptr<PostgresConnection>> connect() const;

  // Finds the log, or makes it; gives the connection that it was done with. Errors: kNotFound (no
  // log there and `create` unset), kVersionMismatch, kCorrupt (tables of somebody else), kDenied,
  // kIo.
  Result<std::unique_ptr<PostgresConnection>> open(bool create);
  // What open() has found.
  const std::string& id() const { return id_; }
  std::int64_t key() const { return key_; }  // of the advisory lock: the writer's turn
  const std::string& channel() const { return channel_; }  // of notifications
  const std::string& shown() const { return shown_; }
  const std::string& schema() const { return schema_; }

  static Result<std::int64_t> schema_version(PostgresConnection& connection);

 private:
  Status make(PostgresConnection& connection) const;
  Status find(PostgresConnection& connection);
  Result<bool> are_there(PostgresConnection& connection) const;

  const PostgresAddress address_;
  const TurnWait wait_;
  const std::string schema_, shown_;
  std::string id_, channel_;
  std::int64_t key_ = 0;
};

// The schema version that a database's log says it has, whatever it is.
Result<std::int64_t> postgres_schema_version(const PostgresAddress& address);

// What of the server's settings makes an acknowledged commit less than durable; empty: nothing.
Result<std::string> postgres_weakness(const PostgresAddress& address);

}  // namespace anima::store::detail
