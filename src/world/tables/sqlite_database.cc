// The tables of source 002 section 9. SQLite has no schemas, so agent.goals is agent_goals; types
// and defaults are the source's.
#include "world/tables/sqlite_database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

namespace anima::world {
namespace {

constexpr int kBusyMilliseconds = 5000;
constexpr std::int64_t kSqliteSchemaVersion = 1;

constexpr TableNames kSqliteTables{"nexus_agents",        "agent_memory", "agent_experiences",
                                   "agent_beliefs",       "agent_plans",  "agent_goals",
                                   "agent_runtime_state", "world_state"};

constexpr const char* kSqliteSchema = R"sql(
CREATE TABLE nexus_agents (
  id BLOB PRIMARY KEY, role INTEGER NOT NULL, status INTEGER NOT NULL, sealed_key BLOB NOT NULL);
CREATE TABLE agent_memory (
  agent_id BLOB PRIMARY KEY, working BLOB NOT NULL DEFAULT x'', knowledge BLOB NOT NULL DEFAULT x'',
  peer_model BLOB NOT NULL DEFAULT x'', updated_at INTEGER NOT NULL DEFAULT 0);
CREATE TABLE agent_experiences (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id BLOB NOT NULL REFERENCES nexus_agents(id) ON DELETE CASCADE, tick INTEGER NOT NULL,
  action BLOB NOT NULL, outcome INTEGER NOT NULL, lesson BLOB NOT NULL,
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX idx_experiences_agent_tick ON agent_experiences(agent_id, tick DESC);
CREATE TABLE agent_beliefs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id BLOB NOT NULL REFERENCES nexus_agents(id) ON DELETE CASCADE, claim BLOB NOT NULL,
  confidence REAL NOT NULL, evidence BLOB NOT NULL, formed_at INTEGER NOT NULL,
  last_tested INTEGER NOT NULL, updated_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX idx_beliefs_agent ON agent_beliefs(agent_id);
CREATE TABLE agent_plans (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id BLOB NOT NULL REFERENCES nexus_agents(id) ON DELETE CASCADE, goal_id BLOB NOT NULL,
  steps BLOB NOT NULL, dependencies BLOB NOT NULL, estimated_ticks INTEGER NOT NULL,
  estimated_cost INTEGER NOT NULL, risk_assessment REAL NOT NULL, status INTEGER NOT NULL,
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX idx_plans_agent_status ON agent_plans(agent_id, status);
CREATE TABLE agent_goals (
  id BLOB PRIMARY KEY, agent_id BLOB NOT NULL REFERENCES nexus_agents(id) ON DELETE CASCADE,
  layer INTEGER NOT NULL, source INTEGER NOT NULL, description BLOB NOT NULL,
  priority REAL NOT NULL, status INTEGER NOT NULL, created_at INTEGER NOT NULL, deadline INTEGER);
CREATE INDEX idx_goals_agent_status ON agent_goals(agent_id, status);
CREATE INDEX idx_goals_agent_layer ON agent_goals(agent_id, layer);
CREATE TABLE agent_runtime_state (
  agent_id BLOB PRIMARY KEY REFERENCES nexus_agents(id) ON DELETE CASCADE, state BLOB NOT NULL,
  plan_progress BLOB NOT NULL);
CREATE TABLE world_state (name TEXT PRIMARY KEY, bytes BLOB NOT NULL);
)sql";

Unexpected<Error> sqlite_error(sqlite3* handle) {
  const int code = handle == nullptr ? SQLITE_NOMEM : sqlite3_errcode(handle);
  const ErrorCode kind = code == SQLITE_FULL                               ? ErrorCode::kDiskFull
                         : code == SQLITE_BUSY || code == SQLITE_LOCKED    ? ErrorCode::kBusy
                         : code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? ErrorCode::kCorrupt
                                                                           : ErrorCode::kIo;
  const char* path = handle == nullptr ? nullptr : sqlite3_db_filename(handle, "main");
  return fail(kind,
              std::string("the state of the world cannot be used: ") +
                  (handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle)),
              path == nullptr ? "" : path,
              kind == ErrorCode::kBusy ? "another program runs this world; wait for it" : "");
}

// A path as SQLite's URI, with what it is opened for.
std::string sqlite_uri(const std::string& path, std::string_view query) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain = c != '%' && c != '?' && c != '#' && static_cast<unsigned char>(c) > ' ';
    plain ? uri += c : uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri.append(query);
}

struct EndSqliteStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
struct CloseSqlite {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};

class SqliteStatement final : public SqlStatement {
 public:
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}

  SqlStatement& integer(int index, std::int64_t value) override {
    sqlite3_bind_int64(statement_.get(), index, value);
    return *this;
  }
  SqlStatement& real(int index, double value) override {
    sqlite3_bind_double(statement_.get(), index, value);
    return *this;
  }
  SqlStatement& blob(int index, std::string_view value) override {
    const char* data = value.data() == nullptr ? "" : value.data();
    sqlite3_bind_blob64(statement_.get(), index, data, value.size(), SQLITE_TRANSIENT);
    return *this;
  }
  SqlStatement& text(int index, std::string_view value) override {
    const char* data = value.data() == nullptr ? "" : value.data();
    sqlite3_bind_text64(statement_.get(), index, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
  }
  SqlStatement& null(int index) override {
    sqlite3_bind_null(statement_.get(), index);
    return *this;
  }

  Result<bool> step() override {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) {
      auto error = sqlite_error(sqlite3_db_handle(statement_.get()));
      sqlite3_reset(statement_.get());
      return error;
    }
    sqlite3_reset(statement_.get());
    return false;
  }
  Status run() override {
    for (;;) {
      ANIMA_ASSIGN(const bool row, step());
      if (!row) return {};
    }
  }

  std::int64_t integer(int column) const override {
    return sqlite3_column_int64(statement_.get(), column);
  }
  double real(int column) const override { return sqlite3_column_double(statement_.get(), column); }
  std::string bytes(int column) const override {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return data == nullptr ? std::string() : std::string(data, static_cast<std::size_t>(size));
  }
  bool is_null(int column) const override {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }

 private:
  std::unique_ptr<sqlite3_stmt, EndSqliteStatement> statement_;
};

class SqliteDatabase final : public SqlDatabase {
 public:
  Status open(const std::string& path) {
    sqlite3* raw = nullptr;
    const int code =
        sqlite3_open_v2(path.c_str(), &raw,
                        SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    handle_.reset(raw);
    if (code != SQLITE_OK) return sqlite_error(raw);
    sqlite3_busy_timeout(raw, kBusyMilliseconds);
    ANIMA_TRY(execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON"));
    return make_tables(path);
  }

  // While the file of the newest writes is there, a world runs, or was killed: it is read with
  // them. Without one nothing beside the file is looked at, nor made.
  Status open_to_read(const std::string& path) {
    if (access(path.c_str(), F_OK) != 0)
      return fail(ErrorCode::kNotFound, "there is no state of a world", path);
    const bool written = access((path + "-wal").c_str(), F_OK) == 0;
    sqlite3* raw = nullptr;
    const int code =
        sqlite3_open_v2(sqlite_uri(path, written ? "?mode=ro" : "?immutable=1").c_str(), &raw,
                        SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    handle_.reset(raw);
    if (code != SQLITE_OK) return sqlite_error(raw);
    sqlite3_busy_timeout(raw, kBusyMilliseconds);
    ANIMA_ASSIGN(const std::int64_t version, version_of(path));
    if (version == 0) return fail(ErrorCode::kNotFound, "no world was founded here yet", path);
    return {};
  }

  const TableNames& tables() const override { return kSqliteTables; }

  Result<std::unique_ptr<SqlStatement>> prepare(std::string_view sql) override {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &raw,
                           nullptr) != SQLITE_OK)
      return sqlite_error(handle_.get());
    return std::unique_ptr<SqlStatement>(std::make_unique<SqliteStatement>(raw));
  }

  Status begin() override { return execute("BEGIN IMMEDIATE"); }
  Status commit() override { return execute("COMMIT"); }
  void roll_back() override { static_cast<void>(execute("ROLLBACK")); }

 private:
  Status execute(const std::string& sql) {
    if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      return sqlite_error(handle_.get());
    return {};
  }

  Result<std::int64_t> version_of(const std::string& path) {
    ANIMA_ASSIGN(const auto asked, prepare("PRAGMA user_version"));
    ANIMA_TRY(asked->step());
    const std::int64_t version = asked->integer(0);
    if (version > kSqliteSchemaVersion)
      return fail(ErrorCode::kVersionMismatch, "a newer program made this world", path);
    return version;
  }

  Status make_tables(const std::string& path) {
    ANIMA_ASSIGN(const std::int64_t version, version_of(path));
    if (version == kSqliteSchemaVersion) return {};
    return execute("BEGIN IMMEDIATE;" + std::string(kSqliteSchema) +
                   "PRAGMA user_version = " + std::to_string(kSqliteSchemaVersion) + "; COMMIT");
  }

  std::unique_ptr<sqlite3, CloseSqlite> handle_;
};

}  // namespace

Result<std::unique_ptr<SqlDatabase>> open_sqlite_database(const std::string& path) {
  auto database = std::make_unique<SqliteDatabase>();
  ANIMA_TRY(database->open(path));
  return std::unique_ptr<SqlDatabase>(std::move(database));
}

Result<std::unique_ptr<SqlDatabase>> read_sqlite_database(const std::string& path) {
  auto database = std::make_unique<SqliteDatabase>();
  ANIMA_TRY(database->open_to_read(path));
  return std::unique_ptr<SqlDatabase>(std::move(database));
}

}  // namespace anima::world
