#include "learn/detail/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <utility>

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

// The columns of the source by its names, and behind them those of our own.
constexpr const char* kSchema = R"sql(
CREATE TABLE learnings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shard_type TEXT NOT NULL,
  fact_predicate TEXT NOT NULL,
  fact_args TEXT NOT NULL,
  learned_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  source_campaign TEXT DEFAULT '',
  confidence REAL DEFAULT 1.0,
  decay_steps INTEGER NOT NULL DEFAULT 0,
  reinforcements INTEGER NOT NULL DEFAULT 0,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  trust INTEGER NOT NULL DEFAULT 1,
  UNIQUE(fact_predicate, fact_args));
CREATE INDEX idx_learnings_predicate ON learnings(fact_predicate);
CREATE INDEX idx_learnings_confidence ON learnings(confidence);
CREATE TABLE save_log(ts INTEGER NOT NULL);
CREATE TABLE pattern_counts(kind TEXT, key TEXT, n INTEGER, last_ts INTEGER, example TEXT,
  trust INTEGER NOT NULL DEFAULT 1, PRIMARY KEY(kind, key));
CREATE TABLE evidence(id TEXT PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, ts INTEGER NOT NULL);
CREATE TABLE learning_audit(ts INTEGER, op TEXT, predicate TEXT, args TEXT, outcome TEXT, detail TEXT);
)sql";

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

Status prepare_schema(Database& database) {
  ANIMA_ASSIGN(const std::int64_t found, database.integer("PRAGMA user_version"));
  if (found == kSchemaVersion) return {};
  ANIMA_ASSIGN(Turn turn, Turn::begin(database));
  // Another process may have made it meanwhile.
  ANIMA_ASSIGN(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version == kSchemaVersion) return turn.commit();
  if (version != 0) {
    return fail(ErrorCode::kVersionMismatch,
                "the store of learnings is of version " + std::to_string(version), database.path(),
                "a newer anima made it");
  }
  ANIMA_TRY(database.execute(kSchema));
  ANIMA_TRY(database.execute("PRAGMA user_version=" + std::to_string(kSchemaVersion)));
  return turn.commit();
}

}  // namespace anima::learn::detail
