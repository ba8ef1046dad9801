// The state of a world in SQLite: the tables of source 002 section 9. SQLite has no schemas, so
// agent.goals is agent_goals; types and defaults are the source's.
#include <algorithm>

#include "base/json/message_pack_fields.h"
#include "world/sqlite/database.h"
#include "world/state_store.h"

namespace anima::world {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

constexpr const char* kSchema = R"sql(
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

// How far a plan is: the source's table has no columns for it. In the order of the plans.
struct PlanProgress {
  std::uint64_t next_step = 0, failures = 0, ticks_used = 0, waiting_since = 0;
  ANIMA_FIELDS(ANIMA_FIELD(next_step) ANIMA_FIELD(failures) ANIMA_FIELD(ticks_used)
                   ANIMA_FIELD(waiting_since))
};

std::string text_pack(std::string_view text) { return MessagePack(text).encode(); }

Status corrupt(std::string_view what, const AgentId& id) {
  return fail(ErrorCode::kCorrupt, "the " + std::string(what) + " of an agent cannot be read",
              alias(id));
}

// Empty is the default of the columns, and means empty.
template <typename T>
Status unpack_blob(const std::string& bytes, T& value) {
  if (bytes.empty()) return {};
  ANIMA_ASSIGN(value, unpack_bytes<T>(bytes));
  return {};
}

class SqliteState final : public StateStore {
 public:
  explicit SqliteState(Database database) : database_(std::move(database)) {}

  Status begin() override {
    ANIMA_TRY(database_.execute("BEGIN IMMEDIATE"));
    in_batch_ = true;
    return {};
  }
  Status commit() override {
    ANIMA_TRY(database_.execute("COMMIT"));
    in_batch_ = false;
    return {};
  }
  void roll_back() override {
    static_cast<void>(database_.execute("ROLLBACK"));
    in_batch_ = false;
  }
  bool in_batch() const override { return in_batch_; }

  Status save_agent(const Citizen& citizen, std::string_view sealed_key) override {
    const AgentId& id = citizen.id();
    ANIMA_TRY(save_identity(citizen, sealed_key));
    for (const char* table : {"agent_experiences", "agent_beliefs", "agent_plans", "agent_goals"}) {
      ANIMA_ASSIGN(Statement clear,
                   database_.prepare("DELETE FROM " + std::string(table) + " WHERE agent_id = ?"));
      ANIMA_TRY(clear.blob(1, bytes_of(id)).run());
    }
    ANIMA_TRY(save_memory(citizen));
    ANIMA_TRY(save_experiences(citizen));
    ANIMA_TRY(save_beliefs(citizen));
    ANIMA_TRY(save_goals(citizen));
    return save_plans(citizen);
  }

  Result<StoredAgent> load_agent(const AgentId& id) override {
    StoredAgent stored;
    Citizen& citizen = stored.citizen;
    citizen.identity.id = id;
    ANIMA_ASSIGN(Statement known,
                 database_.prepare("SELECT sealed_key FROM nexus_agents WHERE id = ?"));
    ANIMA_ASSIGN(const bool there, known.blob(1, bytes_of(id)).step());
    if (!there) return fail(ErrorCode::kNotFound, "agent not found: " + alias(id));
    stored.sealed_key = known.bytes(0);
    std::vector<PlanProgress> progress;
    ANIMA_TRY(load_state(citizen, progress));
    ANIMA_TRY(load_memory(citizen));
    ANIMA_TRY(load_experiences(citizen));
    ANIMA_TRY(load_beliefs(citizen));
    ANIMA_TRY(load_goals(citizen));
    ANIMA_TRY(load_plans(citizen, progress));
    return stored;
  }

  Result<std::vector<AgentId>> agents() override {
    std::vector<AgentId> ids;
    ANIMA_ASSIGN(Statement all, database_.prepare("SELECT id FROM nexus_agents ORDER BY id"));
    for (;;) {
      ANIMA_ASSIGN(const bool row, all.step());
      if (!row) return ids;
      const std::string bytes = all.bytes(0);
      if (bytes.size() != 32) return fail(ErrorCode::kCorrupt, "the id of an agent is damaged");
      std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(ids.emplace_back().data()));
    }
  }

  Status remove_agent(const AgentId& id) override {
    ANIMA_ASSIGN(Statement memory,
                 database_.prepare("DELETE FROM agent_memory WHERE agent_id = ?"));
    ANIMA_TRY(memory.blob(1, bytes_of(id)).run());
    ANIMA_ASSIGN(Statement remove, database_.prepare("DELETE FROM nexus_agents WHERE id = ?"));
    return remove.blob(1, bytes_of(id)).run();
  }

  Status save_part(std::string_view name, std::string_view bytes) override {
    ANIMA_ASSIGN(Statement save,
                 database_.prepare("INSERT INTO world_state(name, bytes) VALUES(?, ?) ON "
                                   "CONFLICT(name) DO UPDATE SET bytes = excluded.bytes"));
    return save.text(1, name).blob(2, bytes).run();
  }

  Result<std::optional<std::string>> load_part(std::string_view name) override {
    ANIMA_ASSIGN(Statement load, database_.prepare("SELECT bytes FROM world_state WHERE name = ?"));
    ANIMA_ASSIGN(const bool row, load.text(1, name).step());
    if (!row) return std::optional<std::string>();
    return std::optional(load.bytes(0));
  }

 private:
  Status save_identity(const Citizen& citizen, std::string_view sealed_key) {
    ANIMA_ASSIGN(Statement save,
                 database_.prepare("INSERT INTO nexus_agents(id, role, status, sealed_key) "
                                   "VALUES(?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET status = "
                                   "excluded.status, sealed_key = excluded.sealed_key"));
    return save.blob(1, bytes_of(citizen.id()))
        .integer(2, static_cast<std::int64_t>(citizen.state.genome.role))
        .integer(3, static_cast<std::int64_t>(citizen.state.status))
        .blob(4, sealed_key)
        .run();
  }

  Status save_memory(const Citizen& citizen) {
    ANIMA_ASSIGN(Statement save,
                 database_.prepare("INSERT OR REPLACE INTO agent_memory(agent_id, working, "
                                   "knowledge, peer_model, updated_at) VALUES(?, ?, ?, ?, ?)"));
    const std::uint64_t tick =
        citizen.memory.experiences.empty() ? 0 : citizen.memory.experiences.back().tick;
    return save.blob(1, bytes_of(citizen.id()))
        .blob(2, citizen.memory.working)
        .blob(3, pack(citizen.memory.knowledge).encode())
        .blob(4, pack(citizen.memory.peer_model).encode())
        .integer(5, static_cast<std::int64_t>(tick))
        .run();
  }

  Status load_memory(Citizen& citizen) {
    ANIMA_ASSIGN(Statement load, database_.prepare("SELECT working, knowledge, peer_model FROM "
                                                   "agent_memory WHERE agent_id = ?"));
    ANIMA_ASSIGN(const bool row, load.blob(1, bytes_of(citizen.id())).step());
    if (!row) return {};
    citizen.memory.working = load.bytes(0);
    if (!unpack_blob(load.bytes(1), citizen.memory.knowledge) ||
        !unpack_blob(load.bytes(2), citizen.memory.peer_model))
      return corrupt("memory", citizen.id());
    return {};
  }

  Status save_experiences(const Citizen& citizen) {
    ANIMA_ASSIGN(Statement save,
                 database_.prepare("INSERT INTO agent_experiences(agent_id, tick, action, outcome, "
                                   "lesson) VALUES(?, ?, ?, ?, ?)"));
    for (const Experience& each : citizen.memory.experiences) {
      ANIMA_TRY(save.blob(1, bytes_of(citizen.id()))
                    .integer(2, static_cast<std::int64_t>(each.tick))
                    .blob(3, each.action.bytes)
                    .integer(4, static_cast<std::int64_t>(each.outcome))
                    .blob(5, each.lesson.bytes)
                    .run());
    }
    return {};
  }

  Status load_experiences(Citizen& citizen) {
    ANIMA_ASSIGN(Statement load,
                 database_.prepare("SELECT tick, action, outcome, lesson FROM agent_experiences "
                                   "WHERE agent_id = ? ORDER BY id"));
    load.blob(1, bytes_of(citizen.id()));
    for (;;) {
      ANIMA_ASSIGN(const bool row, load.step());
      if (!row) return {};
      if (load.integer(2) < 0 || load.integer(2) > 3) return corrupt("experiences", citizen.id());
      citizen.memory.experiences.push_back({static_cast<std::uint64_t>(load.integer(0)),
                                            {load.bytes(1)},
                                            static_cast<Outcome>(load.integer(2)),
                                            {load.bytes(3)}});
    }
  }

  Status save_beliefs(const Citizen& citizen) {
    ANIMA_ASSIGN(Statement save,
                 database_.prepare("INSERT INTO agent_beliefs(agent_id, claim, confidence, "
                                   "evidence, formed_at, last_tested) VALUES(?, ?, ?, ?, ?, ?)"));
    for (const Belief& each : citizen.memory.beliefs) {
      ANIMA_TRY(save.blob(1, bytes_of(citizen.id()))
                    .blob(2, text_pack(each.claim))
                    .real(3, static_cast<double>(each.confidence))
                    .blob(4, pack(each.evidence).encode())
                    .integer(5, static_cast<std::int64_t>(each.formed_at))
                    .integer(6, static_cast<std::int64_t>(each.last_tested))
                    .run());
    }
    return {};
  }

  Status load_beliefs(Citizen& citizen) {
    ANIMA_ASSIGN(Statement load,
                 database_.prepare("SELECT claim, confidence, evidence, formed_at, last_tested "
                                   "FROM agent_beliefs WHERE agent_id = ? ORDER BY id"));
    load.blob(1, bytes_of(citizen.id()));
    for (;;) {
      ANIMA_ASSIGN(const bool row, load.step());
      if (!row) return {};
      Belief& belief = citizen.memory.beliefs.emplace_back();
      if (!unpack_blob(load.bytes(0), belief.claim) || !unpack_blob(load.bytes(2), belief.evidence))
        return corrupt("beliefs", citizen.id());
      belief.confidence = static_cast<float>(load.real(1));
      belief.formed_at = static_cast<std::uint64_t>(load.integer(3));
      belief.last_tested = static_cast<std::uint64_t>(load.integer(4));
    }
  }

  Status save_goals(const Citizen& citizen) {
    ANIMA_ASSIGN(Statement save,
                 database_.prepare("INSERT INTO agent_goals(id, agent_id, layer, source, "
                                   "description, priority, status, created_at, deadline) "
                                   "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    for (const GoalLayer layer :
         {GoalLayer::kAspiration, GoalLayer::kObjective, GoalLayer::kTask}) {
      for (const Goal& each : citizen.goals.layer(layer)) {
        save.blob(1, bytes_of(each.id))
            .blob(2, bytes_of(citizen.id()))
            .integer(3, static_cast<std::int64_t>(each.layer))
            .integer(4, static_cast<std::int64_t>(each.source))
            .blob(5, text_pack(each.description))
            .real(6, each.priority)
            .integer(7, static_cast<std::int64_t>(each.status))
            .integer(8, static_cast<std::int64_t>(each.created_at));
        each.deadline ? save.integer(9, static_cast<std::int64_t>(*each.deadline)) : save.null(9);
        ANIMA_TRY(save.run());
      }
    }
    return {};
  }

  Status load_goals(Citizen& citizen) {
    ANIMA_ASSIGN(Statement load,
                 database_.prepare("SELECT id, layer, source, description, priority, status, "
                                   "created_at, deadline FROM agent_goals WHERE agent_id = ? "
                                   "ORDER BY rowid"));
    load.blob(1, bytes_of(citizen.id()));
    for (;;) {
      ANIMA_ASSIGN(const bool row, load.step());
      if (!row) return {};
      Goal goal;
      const std::string id = load.bytes(0);
      const bool in_range = load.integer(1) >= 0 && load.integer(1) <= 2 && load.integer(2) >= 0 &&
                            load.integer(2) <= 4 && load.integer(5) >= 0 && load.integer(5) <= 3;
      if (id.size() != goal.id.size() || !in_range || !unpack_blob(load.bytes(3), goal.description))
        return corrupt("goals", citizen.id());
      std::copy(id.begin(), id.end(), reinterpret_cast<char*>(goal.id.data()));
      goal.layer = static_cast<GoalLayer>(load.integer(1));
      goal.source = static_cast<GoalSource>(load.integer(2));
      goal.priority = load.real(4);
      goal.status = static_cast<GoalStatus>(load.integer(5));
      goal.created_at = static_cast<std::uint64_t>(load.integer(6));
      if (!load.is_null(7)) goal.deadline = static_cast<std::uint64_t>(load.integer(7));
      citizen.goals.layer(goal.layer).push_back(std::move(goal));
    }
  }

  // The plans of before, then the active one; and what is kept beside the tables.
  Status save_plans(const Citizen& citizen) {
    std::vector<Plan> plans = citizen.memory.plan_history;
    if (citizen.memory.active_plan) plans.push_back(*citizen.memory.active_plan);
    std::vector<PlanProgress> progress;
    ANIMA_ASSIGN(Statement save,
                 database_.prepare("INSERT INTO agent_plans(agent_id, goal_id, steps, "
                                   "dependencies, estimated_ticks, estimated_cost, "
                                   "risk_assessment, status) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"));
    for (const Plan& each : plans) {
      progress.push_back({each.next_step, each.failures, each.ticks_used, each.waiting_since});
      ANIMA_TRY(save.blob(1, bytes_of(citizen.id()))
                    .blob(2, bytes_of(each.goal))
                    .blob(3, pack(each.steps).encode())
                    .blob(4, pack(each.dependencies).encode())
                    .integer(5, static_cast<std::int64_t>(each.estimated_ticks))
                    .integer(6, static_cast<std::int64_t>(each.estimated_cost))
                    .real(7, static_cast<double>(each.risk_assessment))
                    .integer(8, static_cast<std::int64_t>(each.status))
                    .run());
    }
    ANIMA_ASSIGN(Statement state,
                 database_.prepare("INSERT OR REPLACE INTO agent_runtime_state(agent_id, state, "
                                   "plan_progress) VALUES(?, ?, ?)"));
    return state.blob(1, bytes_of(citizen.id()))
        .blob(2, pack(citizen.state).encode())
        .blob(3, pack(progress).encode())
        .run();
  }

  Status load_state(Citizen& citizen, std::vector<PlanProgress>& progress) {
    ANIMA_ASSIGN(Statement load, database_.prepare("SELECT state, plan_progress FROM "
                                                   "agent_runtime_state WHERE agent_id = ?"));
    ANIMA_ASSIGN(const bool row, load.blob(1, bytes_of(citizen.id())).step());
    if (!row || !unpack_blob(load.bytes(0), citizen.state) || !unpack_blob(load.bytes(1), progress))
      return corrupt("runtime state", citizen.id());
    return {};
  }

  Status load_plans(Citizen& citizen, const std::vector<PlanProgress>& progress) {
    ANIMA_ASSIGN(Statement load,
                 database_.prepare("SELECT goal_id, steps, dependencies, estimated_ticks, "
                                   "estimated_cost, risk_assessment, status FROM agent_plans "
                                   "WHERE agent_id = ? ORDER BY id"));
    load.blob(1, bytes_of(citizen.id()));
    for (std::size_t number = 0;; ++number) {
      ANIMA_ASSIGN(const bool row, load.step());
      if (!row) return {};
      Plan plan;
      const std::string goal = load.bytes(0);
      if (goal.size() != plan.goal.size() || number >= progress.size() || load.integer(6) < 0 ||
          load.integer(6) > 3 || !unpack_blob(load.bytes(1), plan.steps) ||
          !unpack_blob(load.bytes(2), plan.dependencies))
        return corrupt("plans", citizen.id());
      std::copy(goal.begin(), goal.end(), reinterpret_cast<char*>(plan.goal.data()));
      plan.estimated_ticks = static_cast<std::uint64_t>(load.integer(3));
      plan.estimated_cost = static_cast<std::uint64_t>(load.integer(4));
      plan.risk_assessment = static_cast<float>(load.real(5));
      plan.status = static_cast<PlanStatus>(load.integer(6));
      plan.next_step = progress[number].next_step;
      plan.failures = progress[number].failures;
      plan.ticks_used = progress[number].ticks_used;
      plan.waiting_since = progress[number].waiting_since;
      if (plan.status == PlanStatus::kActive) {
        if (plan.next_step >= plan.steps.size()) return corrupt("plans", citizen.id());
        citizen.memory.active_plan = std::move(plan);
      } else {
        citizen.memory.plan_history.push_back(std::move(plan));
      }
    }
  }

  Database database_;
  bool in_batch_ = false;
};

}  // namespace

Result<std::unique_ptr<StateStore>> open_sqlite_state(const std::string& path) {
  ANIMA_ASSIGN(Database database, Database::open(path));
  std::int64_t version = 0;
  {
    ANIMA_ASSIGN(Statement asked, database.prepare("PRAGMA user_version"));
    ANIMA_TRY(asked.step());
    version = asked.integer(0);
  }
  if (version > kSchemaVersion)
    return fail(ErrorCode::kVersionMismatch, "a newer program made this world", path);
  if (version == 0)
    ANIMA_TRY(database.execute("BEGIN IMMEDIATE;" + std::string(kSchema) +
                               "PRAGMA user_version = " + std::to_string(kSchemaVersion) +
                               "; COMMIT"));
  return std::unique_ptr<StateStore>(std::make_unique<SqliteState>(std::move(database)));
}

}  // namespace anima::world
