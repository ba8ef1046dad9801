// The tables of source 002 section 9 as the source has them, with nexus.agents, which they refer
// to, agent.runtime_state and world.state.
#include "world/tables/postgres_database.h"

#include <charconv>
#include <cstring>
#include <map>
#include <vector>

#include "world/state_store.h"
#include "world/tables/libpq.h"

namespace anima::world {
namespace {

constexpr std::int64_t kPostgresSchemaVersion = 1;
constexpr std::size_t kPipelined = 256;  // their answers fit into what a socket holds
constexpr const char* kConnectSeconds = "10";
constexpr const char* kUnansweredMilliseconds = "30000";
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

struct FinishConnection {
  void operator()(PGconn* connection) const { libpq().finish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { libpq().clear(result); }
};
using PostgresResult = std::unique_ptr<PGresult, ClearResult>;

bool succeeded(const PGresult* result) {
  const ExecStatusType status = libpq().result_status(result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

// One line of what libpq says.
std::string one_line(const char* said) {
  std::string text = said == nullptr ? "" : said;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

// By the class of its SQLSTATE.
ErrorCode code_of_state(std::string_view state) {
  if (state.starts_with("53100")) return ErrorCode::kDiskFull;
  if (state.starts_with("28") || state.starts_with("42501")) return ErrorCode::kDenied;
  if (state.starts_with("40") || state.starts_with("55")) return ErrorCode::kBusy;
  if (state.starts_with("XX")) return ErrorCode::kCorrupt;
  return ErrorCode::kIo;
}

// The numbers of a row are as the server holds them: the highest byte first.
std::uint64_t from_network(const char* bytes, int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

class PostgresDatabase;

class PostgresStatement final : public SqlStatement {
 public:
  PostgresStatement(PostgresDatabase& database, std::string name, std::size_t parameters)
      : database_(database),
        name_(std::move(name)),
        values_(parameters),
        is_null_(parameters, true),
        formats_(parameters, 0) {}

  SqlStatement& integer(int index, std::int64_t value) override {
    return set(index, std::to_string(value), 0);
  }
  SqlStatement& real(int index, double value) override {
    char text[32];
    const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
    return set(index, std::string(text, end), 0);
  }
  SqlStatement& blob(int index, std::string_view value) override {
    return set(index, std::string(value), 1);
  }
  SqlStatement& text(int index, std::string_view value) override {
    return set(index, std::string(value), 0);
  }
  SqlStatement& null(int index) override {
    is_null_[static_cast<std::size_t>(index - 1)] = true;
    return *this;
  }

  Result<bool> step() override;
  Status run() override;

  std::int64_t integer(int column) const override {
    const int size = libpq().length(result_.get(), row_, column);
    const std::uint64_t value = from_network(libpq().value(result_.get(), row_, column), size);
    if (size == 2) return static_cast<std::int16_t>(value);
    return size == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
  }
  double real(int column) const override {
    const int size = libpq().length(result_.get(), row_, column);
    const std::uint64_t bits = from_network(libpq().value(result_.get(), row_, column), size);
    if (size == 4) {
      const auto half = static_cast<std::uint32_t>(bits);
      float value = 0;
      std::memcpy(&value, &half, sizeof value);
      return static_cast<double>(value);
    }
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::string bytes(int column) const override {
    return {libpq().value(result_.get(), row_, column),
            static_cast<std::size_t>(libpq().length(result_.get(), row_, column))};
  }
  bool is_null(int column) const override {
    return libpq().is_null(result_.get(), row_, column) == 1;
  }

 private:
  SqlStatement& set(int index, std::string value, int format) {
    const auto place = static_cast<std::size_t>(index - 1);
    values_[place] = std::move(value);
    is_null_[place] = false;
    formats_[place] = format;
    return *this;
  }
  void point() {
    pointers_.clear();
    lengths_.clear();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      pointers_.push_back(is_null_[i] ? nullptr : values_[i].c_str());
      lengths_.push_back(static_cast<int>(values_[i].size()));
    }
  }

  PostgresDatabase& database_;
  std::string name_;
  std::vector<std::string> values_;
  std::vector<bool> is_null_;
  std::vector<int> formats_;  // 0 text, 1 binary
  std::vector<const char*> pointers_;
  std::vector<int> lengths_;
  PostgresResult result_;
  int row_ = 0;
};

class PostgresDatabase final : public SqlDatabase {
 public:
  explicit PostgresDatabase(std::string shown) : shown_(std::move(shown)) {}

  Status open(const std::string& address) {
    // What comes later wins: the address may have a time of its own.
    const char* const names[] = {"connect_timeout", "tcp_user_timeout",          "client_encoding",
                                 "dbname",          "fallback_application_name", nullptr};
    const char* const values[] = {
        kConnectSeconds, kUnansweredMilliseconds, "UTF8", address.c_str(), "anima", nullptr};
    connection_.reset(libpq().connect(names, values, 1));
    if (connection_ == nullptr) return fail(ErrorCode::kIo, "there is no memory for a connection");
    if (libpq().status(connection_.get()) != CONNECTION_OK) return refused();
    libpq().set_notice_receiver(
        connection_.get(), [](void*, const PGresult*) {}, nullptr);
    ANIMA_TRY(lock());
    return make_tables();
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
    auto known = prepared_.find(numbered);
    if (known == prepared_.end()) {
      ANIMA_TRY(settle());
      const std::string name = "anima_" + std::to_string(prepared_.size());
      const PostgresResult made(
          libpq().prepare(connection_.get(), name.c_str(), numbered.c_str(), 0, nullptr));
      if (!succeeded(made.get())) return error(made.get());
      known = prepared_.emplace(numbered, name).first;
    }
    return std::unique_ptr<SqlStatement>(
        std::make_unique<PostgresStatement>(*this, known->second, parameters));
  }

  Status begin() override {
    ANIMA_TRY(execute("BEGIN"));
    in_transaction_ = true;
    return {};
  }
  Status commit() override {
    if (Status settled = settle(); !settled) {
      roll_back();
      return settled;
    }
    in_transaction_ = false;
    const PostgresResult done(libpq().exec(connection_.get(), "COMMIT"));
    if (!succeeded(done.get())) return error(done.get());
    // The server answers so where an error went before.
    if (std::string_view(libpq().command_status(done.get())) != "COMMIT")
      return fail(ErrorCode::kIo, "the database has rolled the cycle back", shown_);
    return {};
  }
  void roll_back() override {
    static_cast<void>(settle());
    in_transaction_ = false;
    static_cast<void>(execute("ROLLBACK"));
  }

  Status send(const std::string& name, const std::vector<const char*>& values,
              const std::vector<int>& lengths, const std::vector<int>& formats) {
    if (waiting_ == 0 && libpq().enter_pipeline(connection_.get()) != 1) return lost();
    if (libpq().send_query_prepared(connection_.get(), name.c_str(),
                                    static_cast<int>(values.size()), values.data(), lengths.data(),
                                    formats.data(), 1) != 1) {
      auto why = lost();
      static_cast<void>(settle());
      return why;
    }
    ++waiting_;
    return !in_transaction_ || waiting_ == kPipelined ? settle() : Status();
  }

  Result<PostgresResult> ask(const std::string& name, const std::vector<const char*>& values,
                             const std::vector<int>& lengths, const std::vector<int>& formats) {
    ANIMA_TRY(settle());
    PostgresResult rows(libpq().exec_prepared(connection_.get(), name.c_str(),
                                              static_cast<int>(values.size()), values.data(),
                                              lengths.data(), formats.data(), 1));
    if (!succeeded(rows.get())) return error(rows.get());
    return rows;
  }

 private:
  // The answers to all that was sent. The first error counts: what is behind it was not done.
  Status settle() {
    if (waiting_ == 0) return {};
    Status outcome;
    const bool sent = libpq().pipeline_sync(connection_.get()) == 1;
    if (!sent) outcome = lost();
    for (; sent && waiting_ > 0; --waiting_) {
      for (;;) {
        const PostgresResult result(libpq().get_result(connection_.get()));
        if (result == nullptr) break;
        if (outcome && !succeeded(result.get())) outcome = error(result.get());
      }
      if (libpq().status(connection_.get()) != CONNECTION_OK) break;
    }
    waiting_ = 0;
    if (libpq().status(connection_.get()) != CONNECTION_OK)
      return outcome ? Status(lost()) : outcome;
    const PostgresResult synced(libpq().get_result(connection_.get()));
    libpq().exit_pipeline(connection_.get());
    return outcome;
  }

  Status execute(const std::string& sql) {
    ANIMA_TRY(settle());
    const PostgresResult done(libpq().exec(connection_.get(), sql.c_str()));
    if (!succeeded(done.get())) return error(done.get());
    return {};
  }

  // The lock of a process that ended a moment ago is waited for.
  Status lock() {
    ANIMA_TRY(execute(kLockPatience));
    const PostgresResult locked(libpq().exec(connection_.get(), kLock));
    if (!succeeded(locked.get())) {
      Unexpected<Error> why = error(locked.get());
      if (why.error().code != ErrorCode::kBusy) return why;
      return fail(ErrorCode::kBusy, "another process runs the world of this database", shown_,
                  "wait for it, or give this world a database of its own");
    }
    return execute("RESET lock_timeout");
  }

  Status make_tables() {
    const PostgresResult there(
        libpq().exec(connection_.get(), "SELECT to_regclass('world.schema_version') IS NOT NULL"));
    if (!succeeded(there.get())) return error(there.get());
    if (std::string_view(libpq().value(there.get(), 0, 0)) != "t")
      return execute("BEGIN;" + std::string(kPostgresSchema) +
                     "INSERT INTO world.schema_version(version) VALUES(" +
                     std::to_string(kPostgresSchemaVersion) + "); COMMIT");
    ANIMA_ASSIGN(const auto asked, prepare("SELECT max(version) FROM world.schema_version"));
    ANIMA_ASSIGN(const bool row, asked->step());
    if (!row || asked->is_null(0) || asked->integer(0) < 1)
      return fail(ErrorCode::kCorrupt, "the version of the world's tables is damaged", shown_);
    if (asked->integer(0) > kPostgresSchemaVersion)
      return fail(ErrorCode::kVersionMismatch, "a newer program made this world", shown_);
    return {};
  }

  // libpq's words name host, port and user, never a password.
  Unexpected<Error> refused() const {
    const std::string said = one_line(libpq().error_message(connection_.get()));
    const bool denied = said.find("authentication failed") != std::string::npos ||
                        said.find("no password supplied") != std::string::npos ||
                        said.find("pg_hba.conf") != std::string::npos;
    return fail(denied ? ErrorCode::kDenied : ErrorCode::kIo,
                "the database cannot be reached: " + said, shown_,
                denied ? "libpq reads passwords from ~/.pgpass and PGPASSWORD, too"
                       : "is the server running, and is the address right?");
  }
  Unexpected<Error> lost() const {
    return fail(ErrorCode::kIo,
                "the connection to the database is lost: " +
                    one_line(libpq().error_message(connection_.get())),
                shown_, "when it is back, the same command goes on with the cycle that was cut");
  }
  Unexpected<Error> error(const PGresult* result) const {
    if (result == nullptr || libpq().status(connection_.get()) != CONNECTION_OK) return lost();
    const char* const state = libpq().result_error_field(result, PG_DIAG_SQLSTATE);
    const char* const said = libpq().result_error_field(result, PG_DIAG_MESSAGE_PRIMARY);
    // libpq's own errors have no state; 57P0x: the server ends, or has not begun.
    if (state == nullptr || std::string_view(state).starts_with("57P0")) return lost();
    return fail(code_of_state(state),
                "the database refuses the state of the world: " + one_line(said), shown_);
  }

  std::string shown_;
  std::unique_ptr<PGconn, FinishConnection> connection_;
  std::map<std::string, std::string> prepared_;  // names by SQL
  std::size_t waiting_ = 0;                      // sent, without an answer
  bool in_transaction_ = false;
};

Result<bool> PostgresStatement::step() {
  if (result_ == nullptr) {
    point();
    ANIMA_ASSIGN(result_, database_.ask(name_, pointers_, lengths_, formats_));
    row_ = -1;
  }
  if (++row_ < libpq().rows(result_.get())) return true;
  result_.reset();
  return false;
}

Status PostgresStatement::run() {
  point();
  return database_.send(name_, pointers_, lengths_, formats_);
}

}  // namespace

bool is_postgres_address(std::string_view address) {
  return address.starts_with("postgresql://") || address.starts_with("postgres://");
}

std::string shown_address(const std::string& address) {
  std::string parts[3];
  constexpr std::string_view kShown[] = {"host", "port", "dbname"};
  PQconninfoOption* const options =
      libpq().problem.empty() ? libpq().conninfo_parse(address.c_str(), nullptr) : nullptr;
  for (const PQconninfoOption* each = options; each != nullptr && each->keyword != nullptr;
       ++each) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (each->keyword == kShown[i] && each->val != nullptr) parts[i] = each->val;
    }
  }
  if (options != nullptr) libpq().conninfo_free(options);
  return "postgresql://" + parts[0] + (parts[1].empty() ? "" : ":" + parts[1]) + "/" + parts[2];
}

Result<std::unique_ptr<SqlDatabase>> open_postgres_database(const std::string& address) {
  if (!libpq().problem.empty())
    return fail(ErrorCode::kUnsupported, "PostgreSQL cannot be used: " + libpq().problem, {},
                "install libpq5");
  // Its words would show the whole address, with a password.
  PQconninfoOption* const options =
      is_postgres_address(address) ? libpq().conninfo_parse(address.c_str(), nullptr) : nullptr;
  if (options == nullptr)
    return fail(ErrorCode::kInvalidArgument, "the address of the database cannot be read", {},
                "write postgresql://user@host:5432/database");
  libpq().conninfo_free(options);
  auto database = std::make_unique<PostgresDatabase>(shown_address(address));
  ANIMA_TRY(database->open(address));
  return std::unique_ptr<SqlDatabase>(std::move(database));
}

}  // namespace anima::world
