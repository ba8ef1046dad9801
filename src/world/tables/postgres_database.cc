// The tables of source 002 section 9 as the source has them, with nexus.agents, which they refer
// to, agent.runtime_state and world.state.
#include "world/tables/postgres_database.h"

#include <optional>
#include <vector>

#include "base/postgres/postgres_connection.h"

namespace anima::world {
namespace {

constexpr std::int64_t kPostgresSchemaVersion = 1;
constexpr std::size_t kPipelined = 256;  // their answers fit into what a socket holds
// Of the advisory lock: "anima" and "world", whatever else uses the database.
constexpr const char* kLock = "SELECT pg_advisory_lock(1634625889, 2003792484)";
constexpr const char* kLockPatience = "SET lock_timeout = '3s'";

constexpr TableNames kPostgresTables{
    "nexus.agents", "agent.agent_memory", "agent.experiences",   "agent.beliefs",
    "agent.plans",  "agent.goals",        "agent.runtime_state", "world.state"};

constexpr const char* kPostgresSchema = R"sql(
CREATE SCHEMA IF NOT EXISTS nexus;
CREATE SCHEMA IF NOT EXISTS agent;
CREATE SCHEMA IF NOT EXISTS world;
CREATE TABLE nexus.agents (
  id BYTEA PRIMARY KEY, role SMALLINT NOT NULL, status SMALLINT NOT NULL,
  sealed_key BYTEA NOT NULL);
CREATE TABLE agent.agent_memory (
  agent_id BYTEA PRIMARY KEY, working BYTEA NOT NULL DEFAULT ''::BYTEA,
  knowledge BYTEA NOT NULL DEFAULT ''::BYTEA, peer_model BYTEA NOT NULL DEFAULT ''::BYTEA,
  updated_at BIGINT NOT NULL DEFAULT 0);
CREATE TABLE agent.experiences (
  id BIGSERIAL PRIMARY KEY, agent_id BYTEA NOT NULL, tick BIGINT NOT NULL, action BYTEA NOT NULL,
  outcome SMALLINT NOT NULL, lesson BYTEA NOT NULL, created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  CONSTRAINT fk_experience_agent FOREIGN KEY (agent_id)
    REFERENCES nexus.agents(id) ON DELETE CASCADE);
CREATE INDEX idx_experiences_agent_tick ON agent.experiences(agent_id, tick DESC);
CREATE TABLE agent.beliefs (
  id BIGSERIAL PRIMARY KEY, agent_id BYTEA NOT NULL, claim BYTEA NOT NULL,
  confidence REAL NOT NULL, evidence BYTEA NOT NULL, formed_at BIGINT NOT NULL,
  last_tested BIGINT NOT NULL, updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  CONSTRAINT fk_belief_agent FOREIGN KEY (agent_id)
    REFERENCES nexus.agents(id) ON DELETE CASCADE);
CREATE INDEX idx_beliefs_agent ON agent.beliefs(agent_id);
CREATE TABLE agent.plans (
  id BIGSERIAL PRIMARY KEY, agent_id BYTEA NOT NULL, goal_id BYTEA NOT NULL, steps BYTEA NOT NULL,
  dependencies BYTEA NOT NULL, estimated_ticks BIGINT NOT NULL, estimated_cost BIGINT NOT NULL,
  risk_assessment REAL NOT NULL, status SMALLINT NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(), updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  CONSTRAINT fk_plan_agent FOREIGN KEY (agent_id)
    REFERENCES nexus.agents(id) ON DELETE CASCADE);
CREATE INDEX idx_plans_agent_status ON agent.plans(agent_id, status);
CREATE TABLE agent.goals (
  id BYTEA PRIMARY KEY, agent_id BYTEA NOT NULL, layer SMALLINT NOT NULL, source SMALLINT NOT NULL,
  description BYTEA NOT NULL, priority DOUBLE PRECISION NOT NULL, status SMALLINT NOT NULL,
  created_at BIGINT NOT NULL, deadline BIGINT,
  CONSTRAINT fk_goal_agent FOREIGN KEY (agent_id)
    REFERENCES nexus.agents(id) ON DELETE CASCADE);
CREATE INDEX idx_goals_agent_status ON agent.goals(agent_id, status);
CREATE INDEX idx_goals_agent_layer ON agent.goals(agent_id, layer);
CREATE TABLE agent.runtime_state (
  agent_id BYTEA PRIMARY KEY REFERENCES nexus.agents(id) ON DELETE CASCADE, state BYTEA NOT NULL,
  plan_progress BYTEA NOT NULL);
CREATE TABLE world.state (name TEXT PRIMARY KEY, bytes BYTEA NOT NULL);
CREATE TABLE world.schema_version (version BIGINT NOT NULL);
)sql";

class PostgresDatabase;

class PostgresStatement final : public SqlStatement {
 public:
  PostgresStatement(PostgresDatabase& database, std::string sql, std::size_t parameters)
      : database_(database), sql_(std::move(sql)), values_(parameters) {}

  SqlStatement& integer(int index, std::int64_t value) override {
    return set(index, Bound{Bound::Kind::kText, std::to_string(value), 0});
  }
  SqlStatement& real(int index, double value) override {
    return set(index, Bound{Bound::Kind::kReal, {}, value});
  }
  SqlStatement& blob(int index, std::string_view value) override {
    return set(index, Bound{Bound::Kind::kBlob, std::string(value), 0});
  }
  SqlStatement& text(int index, std::string_view value) override {
    return set(index, Bound{Bound::Kind::kText, std::string(value), 0});
  }
  SqlStatement& null(int index) override { return set(index, Bound{}); }

  Result<bool> step() override;
  Status run() override;

  std::int64_t integer(int column) const override { return rows_->integer(row_, column); }
  double real(int column) const override { return rows_->real(row_, column); }
  std::string bytes(int column) const override { return std::string(rows_->bytes(row_, column)); }
  bool is_null(int column) const override { return rows_->is_null(row_, column); }

 private:
  struct Bound {
    enum class Kind : std::uint8_t { kNull, kText, kReal, kBlob } kind = Kind::kNull;
    std::string bytes;
    double real = 0;
  };
  SqlStatement& set(int index, Bound value) {
    values_[static_cast<std::size_t>(index - 1)] = std::move(value);
    return *this;
  }
  PostgresValues bound() const {
    PostgresValues values;
    for (const Bound& each : values_) {
      if (each.kind == Bound::Kind::kNull) values.null();
      if (each.kind == Bound::Kind::kText) values.text(each.bytes);
      if (each.kind == Bound::Kind::kReal) values.real(each.real);
      if (each.kind == Bound::Kind::kBlob) values.blob(each.bytes);
    }
    return values;
  }

  PostgresDatabase& database_;
  const std::string sql_;
  std::vector<Bound> values_;
  std::optional<PostgresRows> rows_;
  int row_ = 0;
};

class PostgresDatabase final : public SqlDatabase {
 public:
  Status open(const PostgresAddress& address) {
    ANIMA_TRY(connect(address));
    ANIMA_TRY(lock());
    return make_tables();
  }

  Status open_to_read(const PostgresAddress& address) {
    ANIMA_TRY(connect(address));
    ANIMA_TRY(connection_->execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"));
    ANIMA_ASSIGN(const bool there, has_tables());
    if (!there)
      return fail(ErrorCode::kNotFound, "there is no world in this database", connection_->shown());
    return check_version();
  }

  const TableNames& tables() const override { return kPostgresTables; }

  Result<std::unique_ptr<SqlStatement>> prepare(std::string_view sql) override {
    std::string numbered;
    std::size_t parameters = 0;
    for (const char c : sql) {
      numbered += c;
      if (c == '?') {
        numbered.back() = '$';
        numbered += std::to_string(++parameters);
      }
    }
    ANIMA_TRY(connection_->prepare(numbered));
    return std::unique_ptr<SqlStatement>(
        std::make_unique<PostgresStatement>(*this, std::move(numbered), parameters));
  }

  Status begin() override {
    ANIMA_TRY(connection_->execute("BEGIN"));
    in_transaction_ = true;
    return {};
  }
  Status commit() override {
    if (Status settled = connection_->settle(); !settled) {
      roll_back();
      return settled;
    }
    in_transaction_ = false;
    ANIMA_ASSIGN(const PostgresRows done, connection_->ask("COMMIT"));
    // The server answers so where an error went before.
    if (done.command() != "COMMIT") {
      return fail(ErrorCode::kIo, "the database has rolled the cycle back", connection_->shown());
    }
    return {};
  }
  void roll_back() override {
    static_cast<void>(connection_->settle());
    in_transaction_ = false;
    static_cast<void>(connection_->execute("ROLLBACK"));
  }

  Status send(const std::string& sql, const PostgresValues& values) {
    ANIMA_TRY(connection_->send(sql, values));
    const bool settles = !in_transaction_ || connection_->waiting() == kPipelined;
    return settles ? connection_->settle() : Status();
  }
  Result<PostgresRows> ask(const std::string& sql, const PostgresValues& values) {
    return connection_->ask(sql, values);
  }

 private:
  Status connect(const PostgresAddress& address) {
    PostgresWords words;
    words.use = "the state of the world";
    words.when_lost = "when it is back, the same command goes on with the cycle that was cut";
    ANIMA_ASSIGN(connection_, PostgresConnection::open(address, std::move(words)));
    return {};
  }

  // The lock of a process that ended a moment ago is waited for.
  Status lock() {
    ANIMA_TRY(connection_->execute(kLockPatience));
    if (const Status locked = connection_->execute(kLock); !locked) {
      if (locked.error().code != ErrorCode::kBusy) return locked;
      return fail(ErrorCode::kBusy, "another process runs the world of this database",
                  connection_->shown(), "wait for it, or give this world a database of its own");
    }
    return connection_->execute("RESET lock_timeout");
  }

  Result<bool> has_tables() {
    ANIMA_ASSIGN(const PostgresRows there,
                 connection_->ask("SELECT (to_regclass('world.schema_version') IS NOT NULL)::int"));
    return there.integer(0, 0) != 0;
  }

  Status make_tables() {
    ANIMA_ASSIGN(const bool there, has_tables());
    if (there) return check_version();
    return connection_->execute("BEGIN;" + std::string(kPostgresSchema) +
                                "INSERT INTO world.schema_version(version) VALUES(" +
                                std::to_string(kPostgresSchemaVersion) + "); COMMIT");
  }

  Status check_version() {
    ANIMA_ASSIGN(const PostgresRows version,
                 connection_->ask("SELECT max(version) FROM world.schema_version"));
    if (version.count() == 0 || version.is_null(0, 0) || version.integer(0, 0) < 1)
      return fail(ErrorCode::kCorrupt, "the version of the world's tables is damaged",
                  connection_->shown());
    if (version.integer(0, 0) > kPostgresSchemaVersion)
      return fail(ErrorCode::kVersionMismatch, "a newer program made this world",
                  connection_->shown());
    return {};
  }

  std::unique_ptr<PostgresConnection> connection_;
  bool in_transaction_ = false;
};

Result<bool> PostgresStatement::step() {
  if (!rows_) {
    ANIMA_ASSIGN(rows_, database_.ask(sql_, bound()));
    row_ = -1;
  }
  if (++row_ < rows_->count()) return true;
  rows_.reset();
  return false;
}

Status PostgresStatement::run() { return database_.send(sql_, bound()); }

}  // namespace

Result<std::unique_ptr<SqlDatabase>> open_postgres_database(const std::string& address) {
  ANIMA_ASSIGN(const PostgresAddress parsed, parse_postgres_address(address));
  auto database = std::make_unique<PostgresDatabase>();
  ANIMA_TRY(database->open(parsed));
  return std::unique_ptr<SqlDatabase>(std::move(database));
}

Result<std::unique_ptr<SqlDatabase>> read_postgres_database(const std::string& address) {
  ANIMA_ASSIGN(const PostgresAddress parsed, parse_postgres_address(address));
  auto database = std::make_unique<PostgresDatabase>();
  ANIMA_TRY(database->open_to_read(parsed));
  return std::unique_ptr<SqlDatabase>(std::move(database));
}

}  // namespace anima::world
