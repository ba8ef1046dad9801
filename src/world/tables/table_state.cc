// Agents and daemons as rows: the same statements for every database.
#include "world/tables/table_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

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
struct ExperienceMark {
  std::uint64_t tick = 0;
  std::size_t rest = 0;
  bool operator==(const ExperienceMark&) const = default;
};

ExperienceMark mark_of(const Experience& experience) {
  const std::hash<std::string_view> hash;
  const std::size_t mark = hash(experience.action.bytes) * 31 + hash(experience.lesson.bytes);
  return {experience.tick, mark * 31 + static_cast<std::size_t>(experience.outcome)};
}

std::vector<ExperienceMark> marks_of(const std::vector<Experience>& experiences) {
  std::vector<ExperienceMark> marks;
  marks.reserve(experiences.size());
  for (const Experience& each : experiences) marks.push_back(mark_of(each));
  return marks;
}

// Whether each tick has one experience at most, the oldest first.
bool one_a_tick(const std::vector<ExperienceMark>& marks) {
  return std::ranges::adjacent_find(
             marks, [](const auto& a, const auto& b) { return a.tick >= b.tick; }) == marks.end();
}

// What of an agent is in its rows as it is; nothing is written twice. Of what is written as a
// whole, one mark.
struct Written {
  std::vector<ExperienceMark> experiences;
  std::optional<std::size_t> identity, memory, beliefs, goals, plans, state;
};

// Whether the bytes are not what was written; they are, from now on.
bool replaces(std::optional<std::size_t>& written, std::string_view bytes) {
  const std::size_t mark = std::hash<std::string_view>()(bytes);
  if (written == mark) return false;
  written = mark;
  return true;
}

// The parameters of a row among those of a statement that takes many.
class RowParameters {
 public:
  RowParameters(SqlStatement& statement, int before) : statement_(statement), last_(before) {}
  RowParameters& integer(std::uint64_t value) {
    statement_.integer(++last_, static_cast<std::int64_t>(value));
    return *this;
  }
  template <typename E>
  requires std::is_enum_v<E> RowParameters& code(E value) {
    return integer(static_cast<std::uint64_t>(value));
  }
  RowParameters& real(double value) {
    statement_.real(++last_, value);
    return *this;
  }
  RowParameters& blob(std::string_view value) {
    statement_.blob(++last_, value);
    return *this;
  }
  RowParameters& null() {
    statement_.null(++last_);
    return *this;
  }

 private:
  SqlStatement& statement_;
  int last_;
};

// Rows go many in a statement: for each statement a database does more than for a row.
constexpr std::size_t kRowsTogether[] = {64, 8, 1};

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
    parts_.clear();
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
    written_[id].experiences = marks_of(citizen.memory.experiences);
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
    ANIMA_TRY(clear("memory", id));
    written_.erase(id);
    ANIMA_ASSIGN(SqlStatement* const remove, writer("DELETE FROM {agents} WHERE id = ?"));
    return remove->blob(1, bytes_of(id)).run();
  }

  Status save_part(std::string_view name, std::string_view bytes) override {
    if (!replaces(parts_[std::string(name)], bytes)) return {};
    ANIMA_ASSIGN(SqlStatement* const save,
                 writer("INSERT INTO {world}(name, bytes) VALUES(?, ?) ON CONFLICT(name) DO UPDATE "
                        "SET bytes = excluded.bytes"));
    Status saved = save->text(1, name).blob(2, bytes).run();
    if (!saved) parts_.erase(std::string(name));
    return saved;
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

  // One that is kept for the next time; run() leaves it ready.
  Result<SqlStatement*> writer(const std::string& sql) {
    const auto known = writers_.find(sql);
    if (known != writers_.end()) return known->second.get();
    ANIMA_ASSIGN(auto made, prepare(sql));
    return (writers_[sql] = std::move(made)).get();
  }

  // `bind` gives the parameters of the row of a number; `into` names its columns.
  template <typename Bind>
  Status insert(const std::string& into, std::size_t columns, std::size_t rows, const Bind& bind) {
    std::string row = "(?";
    for (std::size_t i = 1; i < columns; ++i) row += ", ?";
    row += ")";
    for (std::size_t first = 0; first < rows;) {
      const std::size_t together = *std::ranges::find_if(
          kRowsTogether, [&](std::size_t each) { return each <= rows - first; });
      std::string sql = "INSERT INTO " + into + " VALUES" + row;
      for (std::size_t i = 1; i < together; ++i) sql += ", " + row;
      ANIMA_ASSIGN(SqlStatement* const statement, writer(sql));
      for (std::size_t i = 0; i < together; ++i)
        bind(RowParameters(*statement, static_cast<int>(i * columns)), first + i);
      ANIMA_TRY(statement->run());
      first += together;
    }
    return {};
  }

  Status clear(const std::string& table, const AgentId& id) {
    ANIMA_ASSIGN(SqlStatement* const rows,
                 writer("DELETE FROM {" + table + "} WHERE agent_id = ?"));
    return rows->blob(1, bytes_of(id)).run();
  }

  Status save_rows(const Citizen& citizen, std::string_view sealed_key) {
    Written& written = written_[citizen.id()];
    ANIMA_TRY(save_identity(citizen, sealed_key, written));
    ANIMA_TRY(save_memory(citizen, written));
    ANIMA_TRY(save_experiences(citizen, written.experiences));
    if (replaces(written.beliefs, pack(citizen.memory.beliefs).encode()))
      ANIMA_TRY(save_beliefs(citizen));
    if (replaces(written.goals, pack(citizen.goals).encode())) ANIMA_TRY(save_goals(citizen));
    std::vector<Plan> plans = citizen.memory.plan_history;
    if (citizen.memory.active_plan) plans.push_back(*citizen.memory.active_plan);
    if (replaces(written.plans, pack(plans).encode())) ANIMA_TRY(save_plans(citizen, plans));
    return save_state(citizen, plans, written);
  }

  Status save_identity(const Citizen& citizen, std::string_view sealed_key, Written& written) {
    const std::string status = std::to_string(static_cast<int>(citizen.state.status));
    if (!replaces(written.identity, status + std::string(sealed_key))) return {};
    ANIMA_ASSIGN(SqlStatement* const save,
                 writer("INSERT INTO {agents}(id, role, status, sealed_key) VALUES(?, ?, ?, ?) ON "
                        "CONFLICT(id) DO UPDATE SET status = excluded.status, sealed_key = "
                        "excluded.sealed_key"));
    return save->blob(1, bytes_of(citizen.id()))
        .integer(2, static_cast<std::int64_t>(citizen.state.genome.role))
        .integer(3, static_cast<std::int64_t>(citizen.state.status))
        .blob(4, sealed_key)
        .run();
  }

  Status save_memory(const Citizen& citizen, Written& written) {
    const std::string knowledge = pack(citizen.memory.knowledge).encode();
    const std::string peers = pack(citizen.memory.peer_model).encode();
    const std::string& working = citizen.memory.working;
    if (!replaces(written.memory, std::to_string(working.size()) + working +
                                      std::to_string(knowledge.size()) + knowledge + peers))
      return {};
    ANIMA_ASSIGN(
        SqlStatement* const save,
        writer("INSERT INTO {memory}(agent_id, working, knowledge, peer_model, updated_at) "
               "VALUES(?, ?, ?, ?, ?) ON CONFLICT(agent_id) DO UPDATE SET working = "
               "excluded.working, knowledge = excluded.knowledge, peer_model = "
               "excluded.peer_model, updated_at = excluded.updated_at"));
    const std::uint64_t tick =
        citizen.memory.experiences.empty() ? 0 : citizen.memory.experiences.back().tick;
    return save->blob(1, bytes_of(citizen.id()))
        .blob(2, working)
        .blob(3, knowledge)
        .blob(4, peers)
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

  // A tick has one experience, which never changes: what is new is added, and what was merged goes,
  // in one statement for all that followed each other.
  Status save_experiences(const Citizen& citizen, std::vector<ExperienceMark>& known) {
    const std::vector<Experience>& experiences = citizen.memory.experiences;
    std::vector<ExperienceMark> marks = marks_of(experiences);
    std::vector<std::size_t> fresh;
    if (known.empty() || !one_a_tick(known) || !one_a_tick(marks)) {
      ANIMA_TRY(clear("experiences", citizen.id()));
      fresh.resize(marks.size());
      std::iota(fresh.begin(), fresh.end(), std::size_t{0});
    } else {
      ANIMA_TRY(drop_experiences(citizen.id(), known, marks));
      for (std::size_t i = 0; i < marks.size(); ++i) {
        if (!holds(known, marks[i])) fresh.push_back(i);
      }
    }
    ANIMA_TRY(insert("{experiences}(agent_id, tick, action, outcome, lesson)", 5, fresh.size(),
                     [&](RowParameters row, std::size_t number) {
                       const Experience& each = experiences[fresh[number]];
                       row.blob(bytes_of(citizen.id()))
                           .integer(each.tick)
                           .blob(each.action.bytes)
                           .code(each.outcome)
                           .blob(each.lesson.bytes);
                     }));
    known = std::move(marks);
    return {};
  }

  // Of two lists with one mark a tick: whether the mark is there as it is.
  static bool holds(const std::vector<ExperienceMark>& marks, const ExperienceMark& mark) {
    const auto found = std::ranges::lower_bound(marks, mark.tick, {}, &ExperienceMark::tick);
    return found != marks.end() && *found == mark;
  }

  Status drop_experiences(const AgentId& id, const std::vector<ExperienceMark>& known,
                          const std::vector<ExperienceMark>& wanted) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (holds(wanted, known[i])) continue;
      const std::size_t first = i;
      while (i + 1 < known.size() && !holds(wanted, known[i + 1])) ++i;
      ANIMA_ASSIGN(SqlStatement* const drop,
                   writer("DELETE FROM {experiences} WHERE agent_id = ? AND tick BETWEEN ? AND ?"));
      ANIMA_TRY(drop->blob(1, bytes_of(id))
                    .integer(2, static_cast<std::int64_t>(known[first].tick))
                    .integer(3, static_cast<std::int64_t>(known[i].tick))
                    .run());
    }
    return {};
  }

  Status load_experiences(Citizen& citizen) {
    ANIMA_ASSIGN(const auto load, prepare("SELECT tick, action, outcome, lesson FROM {experiences} "
                                          "WHERE agent_id = ? ORDER BY tick, id"));
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
    const std::vector<Belief>& beliefs = citizen.memory.beliefs;
    ANIMA_TRY(clear("beliefs", citizen.id()));
    return insert("{beliefs}(agent_id, claim, confidence, evidence, formed_at, last_tested)", 6,
                  beliefs.size(), [&](RowParameters row, std::size_t number) {
                    const Belief& each = beliefs[number];
                    row.blob(bytes_of(citizen.id()))
                        .blob(text_pack(each.claim))
                        .real(static_cast<double>(each.confidence))
                        .blob(pack(each.evidence).encode())
                        .integer(each.formed_at)
                        .integer(each.last_tested);
                  });
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
    std::vector<const Goal*> goals;
    for (const GoalLayer layer :
         {GoalLayer::kAspiration, GoalLayer::kObjective, GoalLayer::kTask}) {
      for (const Goal& each : citizen.goals.layer(layer)) goals.push_back(&each);
    }
    ANIMA_TRY(clear("goals", citizen.id()));
    return insert(
        "{goals}(id, agent_id, layer, source, description, priority, status, created_at, deadline)",
        9, goals.size(), [&](RowParameters row, std::size_t number) {
          const Goal& each = *goals[number];
          row.blob(bytes_of(each.id))
              .blob(bytes_of(citizen.id()))
              .code(each.layer)
              .code(each.source)
              .blob(text_pack(each.description))
              .real(each.priority)
              .code(each.status)
              .integer(each.created_at);
          each.deadline ? row.integer(*each.deadline) : row.null();
        });
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
    ANIMA_TRY(clear("plans", citizen.id()));
    return insert(
        "{plans}(agent_id, goal_id, steps, dependencies, estimated_ticks, estimated_cost, "
        "risk_assessment, status)",
        8, plans.size(), [&](RowParameters row, std::size_t number) {
          const Plan& each = plans[number];
          row.blob(bytes_of(citizen.id()))
              .blob(bytes_of(each.goal))
              .blob(pack(each.steps).encode())
              .blob(pack(each.dependencies).encode())
              .integer(each.estimated_ticks)
              .integer(each.estimated_cost)
              .real(static_cast<double>(each.risk_assessment))
              .code(each.status);
        });
  }

  // What the source's tables have no columns for.
  Status save_state(const Citizen& citizen, const std::vector<Plan>& plans, Written& written) {
    std::vector<PlanProgress> progress;
    for (const Plan& each : plans)
      progress.push_back({each.next_step, each.failures, each.ticks_used, each.waiting_since});
    const std::string state = packed_state(citizen).encode();
    const std::string progressed = pack(progress).encode();
    if (!replaces(written.state, state + progressed)) return {};
    ANIMA_ASSIGN(SqlStatement* const save,
                 writer("INSERT INTO {runtime}(agent_id, state, plan_progress) VALUES(?, ?, ?) ON "
                        "CONFLICT(agent_id) DO UPDATE SET state = excluded.state, plan_progress = "
                        "excluded.plan_progress"));
    return save->blob(1, bytes_of(citizen.id())).blob(2, state).blob(3, progressed).run();
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
  std::map<std::string, std::unique_ptr<SqlStatement>> writers_;  // by SQL; end before database_
  std::map<AgentId, Written> written_;
  std::map<std::string, std::optional<std::size_t>> parts_;
};

}  // namespace

std::unique_ptr<StateStore> make_table_state(std::unique_ptr<SqlDatabase> database) {
  return std::make_unique<TableState>(std::move(database));
}

}  // namespace anima::world
