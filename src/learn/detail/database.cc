#include "learn/detail/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/crc32.h"

namespace anima::learn::detail {
namespace {

constexpr int kBusyMilliseconds = 5000;

ErrorCode code_of(int extended) {
  switch (extended & 0xff) {
    case SQLITE_FULL:
      return ErrorCode::kDiskFull;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kBusy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::kCorrupt;
    case SQLITE_TOOBIG:
      return ErrorCode::kLimitExceeded;
    default:
      return ErrorCode::kIo;
  }
}

std::string hint_for(ErrorCode code) {
  if (code == ErrorCode::kBusy) return "another program writes; try again";
  return code == ErrorCode::kCorrupt ? "`anima doctor --mend` sets it aside" : "";
}

Unexpected<Error> database_error(sqlite3* handle, const std::string& path) {
  const int code = handle == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(handle);
  return fail(code_of(code),
              std::string("the store of learnings cannot be used: ") +
                  (handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle)),
              path, hint_for(code_of(code)));
}

// A table with its columns by name, for the checksum of a row: all but the number of the row.
struct Table {
  std::string_view name;
  std::string_view declared;  // the columns of the source by its names, then those of our own
  std::string_view columns;
};
constexpr Table kTables[] = {
    {"learnings",
     "id INTEGER PRIMARY KEY AUTOINCREMENT, shard_type TEXT NOT NULL, fact_predicate TEXT NOT "
     "NULL, "
     "fact_args TEXT NOT NULL, learned_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, source_campaign "
     "TEXT "
     "DEFAULT '', confidence REAL DEFAULT 1.0, decay_steps INTEGER NOT NULL DEFAULT 0, "
     "reinforcements INTEGER NOT NULL DEFAULT 0, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, "
     "trust INTEGER NOT NULL DEFAULT 1, UNIQUE(fact_predicate, fact_args)",
     "shard_type, fact_predicate, fact_args, learned_at, source_campaign, confidence, decay_steps, "
     "reinforcements, created_at, trust"},
    {"save_log", "ts INTEGER NOT NULL", "ts"},
    {"pattern_counts",
     "kind TEXT, key TEXT, n INTEGER, last_ts INTEGER, example TEXT, trust INTEGER NOT NULL "
     "DEFAULT "
     "1, PRIMARY KEY(kind, key)",
     "kind, key, n, last_ts, example, trust"},
    {"evidence", "id TEXT PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, ts INTEGER NOT NULL",
     "id, kind, key, ts"},
    {"learning_audit", "ts INTEGER, op TEXT, predicate TEXT, args TEXT, outcome TEXT, detail TEXT",
     "ts, op, predicate, args, outcome, detail"},
};

std::string sum_of(const Table& table) { return "row_sum(" + std::string(table.columns) + ")"; }

std::string schema() {
  std::string sql;
  for (const Table& table : kTables) {
    // Columns stand before constraints.
    std::string declared(table.declared);
    std::size_t at = std::min(declared.find(", UNIQUE("), declared.find(", PRIMARY KEY("));
    if (at == std::string::npos) at = declared.size();
    declared.insert(at, ", sum INTEGER AS (" + sum_of(table) + ") STORED");
    sql += "CREATE TABLE " + std::string(table.name) + "(" + declared + ");";
  }
  return sql +
         "CREATE INDEX idx_learnings_predicate ON learnings(fact_predicate);"
         "CREATE INDEX idx_learnings_confidence ON learnings(confidence);";
}

// From version 1, whose rows had no checksum.
std::string upgrade() {
  std::string sql = "DROP INDEX idx_learnings_predicate; DROP INDEX idx_learnings_confidence;";
  for (const Table& table : kTables) {
    const std::string name(table.name);
    sql += "ALTER TABLE " + name + " RENAME TO old_" + name + ";";
  }
  sql += schema();
  for (const Table& table : kTables) {
    const std::string name(table.name), id = name == "learnings" ? "id, " : "";
    const std::string columns = id + std::string(table.columns);
    sql += "INSERT INTO " + name + "(" + columns + ") SELECT " + columns + " FROM old_" + name +
           " ORDER BY rowid; DROP TABLE old_" + name + ";";
  }
  return sql;
}

// The CRC-32 of values with their kinds.
void row_sum(sqlite3_context* context, int count, sqlite3_value** values) {
  std::string bytes;
  const auto add = [&](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  for (int i = 0; i < count; ++i) {
    sqlite3_value* const value = values[i];
    const int kind = sqlite3_value_type(value);
    bytes += static_cast<char>('0' + kind);
    if (kind == SQLITE_INTEGER) {
      const std::int64_t number = sqlite3_value_int64(value);
      add(&number, sizeof number);
    } else if (kind == SQLITE_FLOAT) {
      const double number = sqlite3_value_double(value);
      add(&number, sizeof number);
    } else if (kind != SQLITE_NULL) {
      const void* const data = sqlite3_value_blob(value);
      const auto size = static_cast<std::uint64_t>(sqlite3_value_bytes(value));
      add(&size, sizeof size);
      if (data != nullptr) add(data, size);
    }
  }
  sqlite3_result_int64(context, crc32(bytes));
}

}  // namespace

void Database::End::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)) {}

Statement::~Statement() {
  if (statement_ != nullptr) sqlite3_reset(statement_);
}

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_, index, value);
  return *this;
}

Statement& Statement::bind(int index, double value) {
  sqlite3_bind_double(statement_, index, value);
  return *this;
}

Statement& Statement::bind(int index, std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  sqlite3_bind_text64(statement_, index, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_);
    return false;
  }
  sqlite3* const handle = sqlite3_db_handle(statement_);
  const char* const path = sqlite3_db_filename(handle, "main");
  auto error = database_error(handle, path == nullptr ? "" : path);
  sqlite3_reset(statement_);
  return error;
}

Status Statement::run() {
  for (;;) {
    ANIMA_ASSIGN(const bool row, step());
    if (!row) return {};
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
std::string Statement::text(int column) const {
  const auto* const data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<Database> Database::open(const std::string& path, Mode mode) {
  const int flags =
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE |
      (mode == Mode::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  Database database;
  database.path_ = path;
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    return fail(ErrorCode::kCorrupt,
                std::string("this is no store of learnings, but ") +
                    (S_ISDIR(there.st_mode) ? "a folder" : "no file"),
                path, hint_for(ErrorCode::kCorrupt));
  }
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  database.handle_.reset(raw);
  if (code != SQLITE_OK) return database_error(raw, path);
  sqlite3_busy_timeout(raw, kBusyMilliseconds);
  sqlite3_create_function_v2(raw, "row_sum", -1,
                             SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
                             &row_sum, nullptr, nullptr, nullptr);
  if (mode == Mode::kRead) return database;
  // A power cut may take the last learnings, never the file: what is lost is learnt again.
  ANIMA_TRY(database.execute(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON"));
  return database;
}

Result<Statement> Database::prepare(std::string_view sql) {
  if (const auto known = statements_.find(sql); known != statements_.end())
    return Statement(known->second.get());
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (code != SQLITE_OK) return database_error(handle_.get(), path_);
  statements_[std::string(sql)].reset(raw);
  return Statement(raw);
}

Status Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return database_error(handle_.get(), path_);
  return {};
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  ANIMA_ASSIGN(Statement statement, prepare(sql));
  ANIMA_ASSIGN(const bool row, statement.step());
  return row ? statement.integer(0) : std::int64_t{0};
}

std::int64_t Database::changes() const { return sqlite3_changes64(handle_.get()); }

Result<Turn> Turn::begin(Database& database) {
  ANIMA_TRY(database.execute("BEGIN IMMEDIATE"));
  return Turn(database);
}

Turn::Turn(Turn&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}

Turn::~Turn() {
  if (database_ != nullptr) (void)database_->execute("ROLLBACK");
}

Status Turn::commit() {
  ANIMA_TRY(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

Result<std::string> whole_row(Database& database, std::string_view table) {
  ANIMA_ASSIGN(const std::int64_t version, database.integer("PRAGMA user_version"));
  const auto* const found = std::ranges::find(kTables, table, &Table::name);
  ANIMA_CHECK(found != std::end(kTables));
  return version < 2 ? std::string("1") : "sum IS " + sum_of(*found);
}

Status check_rows(Database& database) {
  ANIMA_ASSIGN(Statement check, database.prepare("PRAGMA integrity_check(1)"));
  ANIMA_ASSIGN(const bool row, check.step());
  if (!row || check.text(0) != "ok") {
    return fail(ErrorCode::kCorrupt, "the store of learnings is damaged: " + check.text(0),
                database.path(), hint_for(ErrorCode::kCorrupt));
  }
  for (const Table& table : kTables) {
    ANIMA_ASSIGN(const std::string whole, whole_row(database, table.name));
    ANIMA_ASSIGN(const std::int64_t changed,
                 database.integer("SELECT count(*) FROM " + std::string(table.name) +
                                  " WHERE NOT (" + whole + ")"));
    if (changed == 0) continue;
    return fail(ErrorCode::kCorrupt,
                "the store of learnings is damaged: " + std::to_string(changed) +
                    " of the rows of " + std::string(table.name) + " are not as they were written",
                database.path(), hint_for(ErrorCode::kCorrupt));
  }
  return {};
}

Status prepare_schema(Database& database) {
  ANIMA_ASSIGN(const std::int64_t found, database.integer("PRAGMA user_version"));
  if (found == kSchemaVersion) return {};
  ANIMA_ASSIGN(Turn turn, Turn::begin(database));
  // Another process may have made it meanwhile.
  ANIMA_ASSIGN(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version == kSchemaVersion) return turn.commit();
  if (version != 0 && version != 1) {
    return fail(ErrorCode::kVersionMismatch,
                "the store of learnings is of version " + std::to_string(version), database.path(),
                "a newer anima made it");
  }
  ANIMA_TRY(database.execute(version == 0 ? schema() : upgrade()));
  ANIMA_TRY(database.execute("PRAGMA user_version=" + std::to_string(kSchemaVersion)));
  return turn.commit();
}

}  // namespace anima::learn::detail
