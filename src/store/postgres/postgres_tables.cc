#include "store/postgres/postgres_tables.h"

#include <algorithm>
#include <array>

#include "base/crypto.h"
#include "base/random.h"
#include "base/text/read_number.h"
#include "store/log/redacted.h"
#include "store/log/sqlite_log.h"

namespace anima::store::detail {
namespace {

// What is stored is not compressed again, so that a part of it can be read alone.
constexpr const char* kTables =
    "CREATE TABLE log(sequence BIGINT PRIMARY KEY, entry BYTEA NOT NULL);"
    "CREATE TABLE part(sequence BIGINT NOT NULL, number BIGINT NOT NULL, bytes BYTEA NOT NULL,"
    " PRIMARY KEY(sequence, number));"
    "CREATE TABLE about(name TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "ALTER TABLE log ALTER COLUMN entry SET STORAGE EXTERNAL;"
    "ALTER TABLE part ALTER COLUMN bytes SET STORAGE EXTERNAL;";

// Of the advisory locks: "anim", whatever else uses the database. Below it the table's own number,
// or 0 while tables are made.
constexpr std::int64_t kLockClass = std::int64_t{0x616e696d} << 32;

// A server that does not wait for its disk would acknowledge what a power cut takes back; how many
// copies it waits for is its owner's choice.
constexpr const char* kSession =
    "SET client_min_messages = warning; SET default_transaction_isolation = 'read committed';"
    "SET default_transaction_read_only = off; SET statement_timeout = 0;"
    "SET idle_in_transaction_session_timeout = 0; SET client_connection_check_interval = '2s';"
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off';";

bool is_schema_name(std::string_view name) {
  constexpr std::size_t kLongest = 63;
  return !name.empty() && name.size() <= kLongest && !name.starts_with("pg_") &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

}  // namespace

Result<PostgresAddress> parse_log_address(const std::string& text) {
  ANIMA_ASSIGN(PostgresAddress address, parse_postgres_address(text, {std::string(kSchemaOption),
                                                                      std::string(kFolderOption)}));
  if (!is_schema_name(schema_of(address))) {
    return fail(ErrorCode::kInvalidArgument,
                "\"" + schema_of(address) + "\" cannot be the name of a schema", {},
                "take letters, digits and _, 63 at most, and nothing that begins with pg_");
  }
  return address;
}

std::string schema_of(const PostgresAddress& address) {
  const auto named = address.own.find(std::string(kSchemaOption));
  return named == address.own.end() ? std::string(kDefaultSchema) : named->second;
}

PostgresTables::PostgresTables(PostgresAddress address, TurnWait wait)
    : address_(std::move(address)),
      wait_(wait),
      schema_(schema_of(address_)),
      shown_(address_.shown()) {}

Result<std::unique_ptr<PostgresConnection>> PostgresTables::connect() const {
  PostgresWords words;
  words.use = "the log";
  words.when_lost = "try again when the server is back";
  words.shown = shown_;
  ANIMA_ASSIGN(auto connection, PostgresConnection::open(address_, std::move(words)));
  const std::int64_t patience = std::max<std::int64_t>(wait_.milliseconds, 1);
  ANIMA_TRY(connection->execute(std::string(kSession) + "SET search_path = \"" + schema_ +
                                "\"; SET lock_timeout = " + std::to_string(patience)));
  return connection;
}

Result<bool> PostgresTables::are_there(PostgresConnection& connection) const {
  PostgresValues name;
  name.text("\"" + schema_ + "\".about");
  ANIMA_ASSIGN(const PostgresRows there,
               connection.ask("SELECT (to_regclass($1) IS NOT NULL)::int", name));
  return there.integer(0, 0) != 0;
}

Result<std::unique_ptr<PostgresConnection>> PostgresTables::open(bool create) {
  ANIMA_ASSIGN(auto connection, connect());
  ANIMA_ASSIGN(const bool there, are_there(*connection));
  if (!there && !create) {
    return fail(ErrorCode::kNotFound, "there is no space", shown_,
                "make one with `anima init --space ADDRESS`");
  }
  if (!there) ANIMA_TRY(make(*connection));
  ANIMA_TRY(find(*connection));
  return connection;
}

// One at a time in the database, for somebody else may be faster.
Status PostgresTables::make(PostgresConnection& connection) const {
  std::array<std::uint8_t, 16> id{};
  SystemRandom().fill(id);
  ANIMA_TRY(connection.execute("BEGIN"));
  const auto made = [&]() -> Status {
    ANIMA_TRY(
        connection.execute("SELECT pg_advisory_xact_lock(" + std::to_string(kLockClass) + ")"));
    // Not by to_regclass(), which within a transaction may not know yet what others have made.
    PostgresValues name;
    name.text(schema_);
    ANIMA_ASSIGN(const PostgresRows tables,
                 connection.ask("SELECT count(*) FROM pg_class c JOIN pg_namespace n"
                                " ON n.oid = c.relnamespace"
                                " WHERE n.nspname = $1 AND c.relname = 'about'",
                                name));
    if (tables.integer(0, 0) != 0) return {};
    ANIMA_ASSIGN(const PostgresRows schema,
                 connection.ask("SELECT count(*) FROM pg_namespace WHERE nspname = $1", name));
    // Who may not make schemas can be given one.
    if (schema.integer(0, 0) == 0)
      ANIMA_TRY(connection.execute("CREATE SCHEMA \"" + schema_ + "\""));
    ANIMA_TRY(connection.execute(kTables));
    ANIMA_TRY(connection.execute("INSERT INTO about VALUES('schema', '" +
                                 std::to_string(kLogSchema) + "'), ('id', '" + to_hex(id) + "')"));
    return connection.execute("COMMIT");
  }();
  if (!made || connection.lost()) {
    if (!connection.lost()) (void)connection.execute("ROLLBACK");
    return made;
  }
  (void)connection.execute("ROLLBACK");
  return {};
}

Result<std::int64_t> PostgresTables::schema_version(PostgresConnection& connection) {
  ANIMA_ASSIGN(const PostgresRows rows,
               connection.ask("SELECT value FROM about WHERE name = 'schema'"));
  const std::string_view text = rows.count() == 1 ? rows.bytes(0, 0) : std::string_view();
  const auto version = read_number<std::int64_t>(text);
  if (!version) {
    return fail(ErrorCode::kCorrupt, "these tables do not say which version of a log they are",
                connection.shown());
  }
  return *version;
}

Status PostgresTables::find(PostgresConnection& connection) {
  ANIMA_ASSIGN(const std::int64_t version, schema_version(connection));
  if (!is_known_schema(version)) {
    const bool newer = version > kLogSchema;
    return fail(ErrorCode::kVersionMismatch,
                "the log has schema version " + std::to_string(version) + ", this program knows " +
                    std::to_string(kLogSchema),
                shown_,
                newer ? "use a newer anima" : "run `anima migrate`: it makes a backup first");
  }
  ANIMA_ASSIGN(const PostgresRows rows,
               connection.ask("SELECT (SELECT value FROM about WHERE name = 'id'),"
                              " 'log'::regclass::oid::bigint"));
  if (rows.is_null(0, 0)) {
    return fail(ErrorCode::kCorrupt, "these tables do not say which log they are", shown_);
  }
  id_ = rows.bytes(0, 0);
  const std::int64_t number = rows.integer(0, 1);
  key_ = kLockClass | number;
  channel_ = "anima_" + std::to_string(number);
  return {};
}

Result<std::string> postgres_weakness(const PostgresAddress& address) {
  ANIMA_ASSIGN(const auto connection, PostgresTables(address, {}).connect());
  ANIMA_ASSIGN(const PostgresRows rows,
               connection->ask("SELECT name || ' = ' || setting FROM pg_settings WHERE name IN"
                               " ('fsync', 'full_page_writes', 'synchronous_commit')"
                               " AND setting = 'off' ORDER BY name"));
  std::string off;
  for (int i = 0; i < rows.count(); ++i)
    off += (i == 0 ? "" : ", ") + std::string(rows.bytes(i, 0));
  return off.empty() ? off : "a power cut of the server can lose acknowledged entries: " + off;
}

Result<std::int64_t> postgres_schema_version(const PostgresAddress& address) {
  ANIMA_ASSIGN(const auto connection, PostgresTables(address, {}).connect());
  return PostgresTables::schema_version(*connection);
}

}  // namespace anima::store::detail
