// Agents and daemons as rows: the same statements for every database.
#include "world/tables/table_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/json/message_pack_fields.h"
#include "world/tables/sql.h"

namespace anima::world {
namespace {

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

// The goals' table has no column for their places: the runtime state holds their ids in order.
MessagePack packed_state(const Citizen& citizen) {
  std::vector<Digest> order;
  for (const GoalLayer layer : {GoalLayer::kAspiration, GoalLayer::kObjective, GoalLayer::kTask}) {
    for (const Goal& goal : citizen.goals.layer(layer)) order.push_back(goal.id);
  }
  MessagePack packed = pack(citizen.state);
  packed.set("goal_order", pack(order));
  return packed;
}

void restore_order(GoalStack& goals, const std::vector<Digest>& order) {
  std::map<Digest, std::size_t> places;
  for (const Digest& id : order) places.emplace(id, places.size());
  const auto place = [&](const Goal& goal) {
    const auto found = places.find(goal.id);
    return found == places.end() ? places.size() : found->second;
  };
  for (const GoalLayer layer : {GoalLayer::kAspiration, GoalLayer::kObjective, GoalLayer::kTask}) {
    std::vector<Goal>& list = goals.layer(layer);
    std::stable_sort(list.begin(), list.end(),
                     [&](const Goal& a, const Goal& b) { return place(a) < place(b); });
  }
}

// What of an experience is in its row, for seeing whether it was written as it is.
std::size_t mark_of(const Experience& experience) {
  const std::hash<std::string_view> hash;
  std::size_t mark = hash(experience.action.bytes) * 31 + hash(experience.lesson.bytes);
  mark = mark * 31 + static_cast<std::size_t>(experience.tick);
  return mark * 31 + static_cast<std::size_t>(experience.outcome);
}

// What of an agent is in its rows as it is; nothing is written twice. Of lists that change as a
// whole, one mark.
struct Written {
  std::vector<std::size_t> experiences;
  std::optional<std::size_t> beliefs, goals, plans;
};

// Whether what is packed is not what was written; it is, from now on.
bool replaces(std::optional<std::size_t>& written, const MessagePack& packed) {
  const std::size_t mark = std::hash<std::string>()(packed.encode());
  if (written == mark) return false;
  written = mark;
  return true;
}

// Empty is the default of the columns, and means empty.
template <typename T>
Status unpack_blob(const std::string& bytes, T& value) {
  if (bytes.empty()) return {};
  ANIMA_ASSIGN(value, unpack_bytes<T>(bytes));
  return {};
}

class TableState final : public StateStore {
 public:
  explicit TableState(std::unique_ptr<SqlDatabase> database)
      : database_(std::move(database)), tables_(database_->tables()) {}

  Status begin() override {
    ANIMA_TRY(database_->begin());
    in_batch_ = true;
    return {};
  }
  Status commit() override {
    if (Status committed = database_->commit(); !committed) {
      roll_back();
      return committed;
    }
    in_batch_ = false;
    return {};
  }
  void roll_back() override {
    database_->roll_back();
    in_batch_ = false;
    written_.clear();
  }
  bool in_batch() const override { return in_batch_; }

  Status save_agent(const Citizen& citizen, std::string_view sealed_key) override {
    Status saved = save_rows(citizen, sealed_key);
    if (!saved) written_.erase(citizen.id());
    return saved;
  }

  Result<StoredAgent> load_agent(const AgentId& id) override {
    StoredAgent stored;
    Citizen& citizen = stored.citizen;
    citizen.identity.id = id;
    ANIMA_ASSIGN(const auto known, prepare("SELECT sealed_key FROM {agents} WHERE id = ?"));
    ANIMA_ASSIGN(const bool there, known->blob(1, bytes_of(id)).step());
    if (!there) return fail(ErrorCode::kNotFound, "agent not found: " + alias(id));
    stored.sealed_key = known->bytes(0);
    std::vector<PlanProgress> progress;
    std::vector<Digest> goal_order;
    ANIMA_TRY(load_state(citizen, progress, goal_order));
    ANIMA_TRY(load_memory(citizen));
    ANIMA_TRY(load_experiences(citizen));
    ANIMA_TRY(load_beliefs(citizen));
    ANIMA_TRY(load_goals(citizen));
    restore_order(citizen.goals, goal_order);
    ANIMA_TRY(load_plans(citizen, progress));
    return stored;
  }

  Result<std::vector<AgentId>> agents() override {
    std::vector<AgentId> ids;
    ANIMA_ASSIGN(const auto all, prepare("SELECT id FROM {agents} ORDER BY id"));
    for (;;) {
      ANIMA_ASSIGN(const bool row, all->step());
      if (!row) return ids;
      const std::string bytes = all->bytes(0);
      if (bytes.size() != 32) return fail(ErrorCode::kCorrupt, "the id of an agent is damaged");
      std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(ids.emplace_back().data()));
    }
  }

  Status remove_agent(const AgentId& id) override {
    ANIMA_TRY(clear(tables_.memory, id));
    written_.erase(id);
    ANIMA_ASSIGN(const auto remove, prepare("DELETE FROM {agents} WHERE id = ?"));
    return remove->blob(1, bytes_of(id)).run();
  }

  Status save_part(std::string_view name, std::string_view bytes) override {
    ANIMA_ASSIGN(const auto save, prepare("INSERT INTO {world}(name, bytes) VALUES(?, ?) ON "
                                          "CONFLICT(name) DO UPDATE SET bytes = excluded.bytes"));
    return save->text(1, name).blob(2, bytes).run();
  }

  Result<std::optional<std::string>> load_part(std::string_view name) override {
    ANIMA_ASSIGN(const auto load, prepare("SELECT bytes FROM {world} WHERE name = ?"));
    ANIMA_ASSIGN(const bool row, load->text(1, name).step());
    if (!row) return std::optional<std::string>();
    return std::optional(load->bytes(0));
  }

 private:
  // With {goals} and so on for the names of the tables.
  Result<std::unique_ptr<SqlStatement>> prepare(std::string_view sql) {
    return database_->prepare(fmt::format(
        fmt::runtime(sql), fmt::arg("agents", tables_.agents), fmt::arg("memory", tables_.memory),
        fmt::arg("experiences", tables_.experiences), fmt::arg("beliefs", tables_.beliefs),
        fmt::arg("plans", tables_.plans), fmt::arg("goals", tables_.goals),
        fmt::arg("runtime", tables_.runtime), fmt::arg("world", tables_.world)));
  }

  Status clear(std::string_view table, const AgentId& id) {
    ANIMA_ASSIGN(const auto rows,
                 prepare("DELETE FROM " + std::string(table) + " WHERE agent_id = ?"));
    return rows->blob(1, bytes_of(id)).run();
  }

  Status save_rows(const Citizen& citizen, std::string_view sealed_key) {
    const AgentId& id = citizen.id();
    ANIMA_TRY(save_identity(citizen, sealed_key));
    ANIMA_TRY(save_memory(citizen));
    ANIMA_TRY(save_experiences(citizen));
    Written& written = written_[id];
    if (replaces(written.beliefs, pack(citizen.memory.beliefs))) ANIMA_TRY(save_beliefs(citizen));
    if (replaces(written.goals, pack(citizen.goals))) ANIMA_TRY(save_goals(citizen));
    std::vector<Plan> plans = citizen.memory.plan_history;
    if (citizen.memory.active_plan) plans.push_back(*citizen.memory.active_plan);
    if (replaces(written.plans, pack(plans))) ANIMA_TRY(save_plans(citizen, plans));
    return save_state(citizen, plans);
  }

  Status save_identity(const Citizen& citizen, std::string_view sealed_key) {
    ANIMA_ASSIGN(const auto save,
                 prepare("INSERT INTO {agents}(id, role, status, sealed_key) "
                         "VALUES(?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET status = "
                         "excluded.status, sealed_key = excluded.sealed_key"));
    return save->blob(1, bytes_of(citizen.id()))
        .integer(2, static_cast<std::int64_t>(citizen.state.genome.role))
        .integer(3, static_cast<std::int64_t>(citizen.state.status))
        .blob(4, sealed_key)
        .run();
  }

  Status save_memory(const Citizen& citizen) {
    ANIMA_ASSIGN(const auto save,
                 prepare("INSERT INTO {memory}(agent_id, working, knowledge, peer_model, "
                         "updated_at) VALUES(?, ?, ?, ?, ?) ON CONFLICT(agent_id) DO UPDATE SET "
                         "working = excluded.working, knowledge = excluded.knowledge, peer_model = "
                         "excluded.peer_model, updated_at = excluded.updated_at"));
    const std::uint64_t tick =
        citizen.memory.experiences.empty() ? 0 : citizen.memory.experiences.back().tick;
    return save->blob(1, bytes_of(citizen.id()))
        .blob(2, citizen.memory.working)
        .blob(3, pack(citizen.memory.knowledge).encode())
        .blob(4, pack(citizen.memory.peer_model).encode())
        .integer(5, static_cast<std::int64_t>(tick))
        .run();
  }

  Status load_memory(Citizen& citizen) {
    ANIMA_ASSIGN(const auto load, prepare("SELECT working, knowledge, peer_model FROM "
                                          "{memory} WHERE agent_id = ?"));
    ANIMA_ASSIGN(const bool row, load->blob(1, bytes_of(citizen.id())).step());
    if (!row) return {};
    citizen.memory.working = load->bytes(0);
    if (!unpack_blob(load->bytes(1), citizen.memory.knowledge) ||
        !unpack_blob(load->bytes(2), citizen.memory.peer_model))
      return corrupt("memory", citizen.id());
    return {};
  }

  // Experiences are only ever added, until the oldest are merged: then all are written again.
  Status save_experiences(const Citizen& citizen) {
    const std::vector<Experience>& experiences = citizen.memory.experiences;
    std::vector<std::size_t> marks;
    for (const Experience& each : experiences) marks.push_back(mark_of(each));
    std::vector<std::size_t>& known = written_[citizen.id()].experiences;
    std::size_t first = 0;
    if (!known.empty() && known.size() <= marks.size() &&
        std::equal(known.begin(), known.end(), marks.begin())) {
      first = known.size();
    } else {
      ANIMA_TRY(clear(tables_.experiences, citizen.id()));
    }
    ANIMA_ASSIGN(const auto save, prepare("INSERT INTO {experiences}(agent_id, tick, action, "
                                          "outcome, lesson) VALUES(?, ?, ?, ?, ?)"));
    for (std::size_t i = first; i < experiences.size(); ++i) {
      const Experience& each = experiences[i];
      ANIMA_TRY(save->blob(1, bytes_of(citizen.id()))
                    .integer(2, static_cast<std::int64_t>(each.tick))
                    .blob(3, each.action.bytes)
                    .integer(4, static_cast<std::int64_t>(each.outcome))
                    .blob(5, each.lesson.bytes)
                    .run());
    }
    known = std::move(marks);
    return {};
  }

  Status load_experiences(Citizen& citizen) {
    ANIMA_ASSIGN(const auto load, prepare("SELECT tick, action, outcome, lesson FROM {experiences} "
                                          "WHERE agent_id = ? ORDER BY id"));
    load->blob(1, bytes_of(citizen.id()));
    for (;;) {
      ANIMA_ASSIGN(const bool row, load->step());
      if (!row) return {};
      if (load->integer(2) < 0 || load->integer(2) > 3) return corrupt("experiences", citizen.id());
      citizen.memory.experiences.push_back({static_cast<std::uint64_t>(load->integer(0)),
                                            {load->bytes(1)},
                                            static_cast<Outcome>(load->integer(2)),
                                            {load->bytes(3)}});
    }
  }

  Status save_beliefs(const Citizen& citizen) {
    ANIMA_TRY(clear(tables_.beliefs, citizen.id()));
    ANIMA_ASSIGN(const auto save,
                 prepare("INSERT INTO {beliefs}(agent_id, claim, confidence, "
                         "evidence, formed_at, last_tested) VALUES(?, ?, ?, ?, ?, ?)"));
    for (const Belief& each : citizen.memory.beliefs) {
      ANIMA_TRY(save->blob(1, bytes_of(citizen.id()))
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
    ANIMA_ASSIGN(const auto load,
                 prepare("SELECT claim, confidence, evidence, formed_at, last_tested "
                         "FROM {beliefs} WHERE agent_id = ? ORDER BY id"));
    load->blob(1, bytes_of(citizen.id()));
    for (;;) {
      ANIMA_ASSIGN(const bool row, load->step());
      if (!row) return {};
      Belief& belief = citizen.memory.beliefs.emplace_back();
      if (!unpack_blob(load->bytes(0), belief.claim) ||
          !unpack_blob(load->bytes(2), belief.evidence))
        return corrupt("beliefs", citizen.id());
      belief.confidence = static_cast<float>(load->real(1));
      belief.formed_at = static_cast<std::uint64_t>(load->integer(3));
      belief.last_tested = static_cast<std::uint64_t>(load->integer(4));
    }
  }

  Status save_goals(const Citizen& citizen) {
    ANIMA_TRY(clear(tables_.goals, citizen.id()));
    ANIMA_ASSIGN(const auto save, prepare("INSERT INTO {goals}(id, agent_id, layer, source, "
                                          "description, priority, status, created_at, deadline) "
                                          "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    for (const GoalLayer layer :
         {GoalLayer::kAspiration, GoalLayer::kObjective, GoalLayer::kTask}) {
      for (const Goal& each : citizen.goals.layer(layer)) {
        save->blob(1, bytes_of(each.id))
            .blob(2, bytes_of(citizen.id()))
            .integer(3, static_cast<std::int64_t>(each.layer))
            .integer(4, static_cast<std::int64_t>(each.source))
            .blob(5, text_pack(each.description))
            .real(6, each.priority)
            .integer(7, static_cast<std::int64_t>(each.status))
            .integer(8, static_cast<std::int64_t>(each.created_at));
        each.deadline ? save->integer(9, static_cast<std::int64_t>(*each.deadline)) : save->null(9);
        ANIMA_TRY(save->run());
      }
    }
    return {};
  }

  Status load_goals(Citizen& citizen) {
    ANIMA_ASSIGN(const auto load,
                 prepare("SELECT id, layer, source, description, priority, status, "
                         "created_at, deadline FROM {goals} WHERE agent_id = ? "
                         "ORDER BY priority DESC, created_at, id"));
    load->blob(1, bytes_of(citizen.id()));
    for (;;) {
      ANIMA_ASSIGN(const bool row, load->step());
      if (!row) return {};
      Goal goal;
      const std::string id = load->bytes(0);
      const bool in_range = load->integer(1) >= 0 && load->integer(1) <= 2 &&
                            load->integer(2) >= 0 && load->integer(2) <= 4 &&
                            load->integer(5) >= 0 && load->integer(5) <= 3;
      if (id.size() != goal.id.size() || !in_range ||
          !unpack_blob(load->bytes(3), goal.description))
        return corrupt("goals", citizen.id());
      std::copy(id.begin(), id.end(), reinterpret_cast<char*>(goal.id.data()));
      goal.layer = static_cast<GoalLayer>(load->integer(1));
      goal.source = static_cast<GoalSource>(load->integer(2));
      goal.priority = load->real(4);
      goal.status = static_cast<GoalStatus>(load->integer(5));
      goal.created_at = static_cast<std::uint64_t>(load->integer(6));
      if (!load->is_null(7)) goal.deadline = static_cast<std::uint64_t>(load->integer(7));
      citizen.goals.layer(goal.layer).push_back(std::move(goal));
    }
  }

  // The plans of before, then the active one.
  Status save_plans(const Citizen& citizen, const std::vector<Plan>& plans) {
    ANIMA_TRY(clear(tables_.plans, citizen.id()));
    ANIMA_ASSIGN(const auto save,
                 prepare("INSERT INTO {plans}(agent_id, goal_id, steps, dependencies, "
                         "estimated_ticks, estimated_cost, risk_assessment, status) VALUES(?, ?, "
                         "?, ?, ?, ?, ?, ?)"));
    for (const Plan& each : plans) {
      ANIMA_TRY(save->blob(1, bytes_of(citizen.id()))
                    .blob(2, bytes_of(each.goal))
                    .blob(3, pack(each.steps).encode())
                    .blob(4, pack(each.dependencies).encode())
                    .integer(5, static_cast<std::int64_t>(each.estimated_ticks))
                    .integer(6, static_cast<std::int64_t>(each.estimated_cost))
                    .real(7, static_cast<double>(each.risk_assessment))
                    .integer(8, static_cast<std::int64_t>(each.status))
                    .run());
    }
    return {};
  }

  // What the source's tables have no columns for.
  Status save_state(const Citizen& citizen, const std::vector<Plan>& plans) {
    std::vector<PlanProgress> progress;
    for (const Plan& each : plans)
      progress.push_back({each.next_step, each.failures, each.ticks_used, each.waiting_since});
    ANIMA_ASSIGN(const auto state,
                 prepare("INSERT INTO {runtime}(agent_id, state, plan_progress) VALUES(?, ?, ?) "
                         "ON CONFLICT(agent_id) DO UPDATE SET state = excluded.state, "
                         "plan_progress = excluded.plan_progress"));
    return state->blob(1, bytes_of(citizen.id()))
        .blob(2, packed_state(citizen).encode())
        .blob(3, pack(progress).encode())
        .run();
  }

  Status load_state(Citizen& citizen, std::vector<PlanProgress>& progress,
                    std::vector<Digest>& goal_order) {
    ANIMA_ASSIGN(const auto load,
                 prepare("SELECT state, plan_progress FROM {runtime} WHERE agent_id = ?"));
    ANIMA_ASSIGN(const bool row, load->blob(1, bytes_of(citizen.id())).step());
    const auto state = row ? decode_message_pack(load->bytes(0)) : Result<MessagePack>();
    if (!row || !state || !unpack_to(*state, citizen.state) ||
        !unpack_blob(load->bytes(1), progress))
      return corrupt("runtime state", citizen.id());
    // Worlds of before have none.
    const MessagePack* const order = state->find("goal_order");
    if (order != nullptr && !unpack_to(*order, goal_order)) return corrupt("goals", citizen.id());
    return {};
  }

  Status load_plans(Citizen& citizen, const std::vector<PlanProgress>& progress) {
    ANIMA_ASSIGN(const auto load, prepare("SELECT goal_id, steps, dependencies, estimated_ticks, "
                                          "estimated_cost, risk_assessment, status FROM {plans} "
                                          "WHERE agent_id = ? ORDER BY id"));
    load->blob(1, bytes_of(citizen.id()));
    for (std::size_t number = 0;; ++number) {
      ANIMA_ASSIGN(const bool row, load->step());
      if (!row) return {};
      Plan plan;
      const std::string goal = load->bytes(0);
      if (goal.size() != plan.goal.size() || number >= progress.size() || load->integer(6) < 0 ||
          load->integer(6) > 3 || !unpack_blob(load->bytes(1), plan.steps) ||
          !unpack_blob(load->bytes(2), plan.dependencies))
        return corrupt("plans", citizen.id());
      std::copy(goal.begin(), goal.end(), reinterpret_cast<char*>(plan.goal.data()));
      plan.estimated_ticks = static_cast<std::uint64_t>(load->integer(3));
      plan.estimated_cost = static_cast<std::uint64_t>(load->integer(4));
      plan.risk_assessment = static_cast<float>(load->real(5));
      plan.status = static_cast<PlanStatus>(load->integer(6));
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

  const std::unique_ptr<SqlDatabase> database_;
  const TableNames& tables_;
  bool in_batch_ = false;
  std::map<AgentId, Written> written_;
};

}  // namespace

std::unique_ptr<StateStore> make_table_state(std::unique_ptr<SqlDatabase> database) {
  return std::make_unique<TableState>(std::move(database));
}

}  // namespace anima::world
