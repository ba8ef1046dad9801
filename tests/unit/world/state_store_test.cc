// Rows 106, 117, 135, 138, 139, 144, 147-150 where they are kept, and what every database must do
// alike: the same checks on SQLite and on PostgreSQL.
#include "world/state_store.h"

#include <gtest/gtest.h>

#include "base/json/message_pack_fields.h"
#include "base/random.h"
#include "support/needs.h"
#include "support/postgres_server.h"
#include "support/small_world.h"
#include "world/learning.h"
#include "world/motives.h"
#include "world/tables/postgres_database.h"
#include "world/tables/sqlite_database.h"

namespace anima::world::state_store_test {
namespace {

Citizen citizen_of(std::size_t number) {
  Citizen citizen;
  citizen.identity = identity_from_seed(sha256("KEPT:" + std::to_string(number)));
  RuntimeState& state = citizen.state;
  state.genome = seed_genome(number);
  state.status = AgentStatus::kActive;
  state.balance = -7;
  state.reputation = 0.1F;
  state.tick_budget = 12;
  state.results["exec:ab"] = "42";
  state.done["nop/"] = 3;
  inject_from_sources(citizen, 7);
  EXPECT_TRUE(inject(
      citizen,
      {GoalLayer::kTask, GoalSource::kSocial, "behind all others, said \"später\"", 9000, {}}, 8));
  AgentMemory& memory = citizen.memory;
  memory.working = std::string("\0working\xff", 9);
  memory.knowledge.nodes.push_back(
      {sha256("n"), "label", "content", KnowledgeSource::kOracle, 0.3F});
  memory.knowledge.edges.push_back({sha256("n"), sha256("m"), "is", 0.25F});
  support(memory, "water is wet", sha256("e"), 5);
  contradict(memory, "fire is cold", sha256("f"), 6);
  met_peer(memory, sha256("peer"), Outcome::kPartial, true, "compiler", 9);
  for (std::uint64_t tick = 1; tick <= 20; ++tick)
    remember(citizen, tick, {"msg_post", "t", sha256("p"), 1},
             tick % 2 == 0 ? Outcome::kSuccess : Outcome::kFailure, "lesson");
  Plan plan;
  plan.goal = citizen.goals.aspirations.front().id;
  plan.steps = {{"msg_post", "{}", std::nullopt, std::nullopt, 1}, {"nop", "{}", "root", {}, 2}};
  plan.dependencies = {sha256("d")};
  plan.estimated_ticks = 3;
  plan.estimated_cost = 4;
  plan.risk_assessment = 0.7F;
  plan.status = PlanStatus::kCompleted;
  memory.plan_history.push_back(plan);
  plan.status = PlanStatus::kActive;
  plan.next_step = 1;
  plan.failures = 2;
  memory.active_plan = plan;
  return citizen;
}

// All that is kept of an agent, as text that can be compared.
std::string shape(const Citizen& citizen) {
  MessagePack all;
  all.set("state", pack(citizen.state)).set("goals", pack(citizen.goals));
  const AgentMemory& memory = citizen.memory;
  all.set("working", MessagePack(Binary{memory.working}))
      .set("knowledge", pack(memory.knowledge))
      .set("experiences", pack(memory.experiences))
      .set("beliefs", pack(memory.beliefs))
      .set("plan", pack(memory.active_plan))
      .set("plans", pack(memory.plan_history))
      .set("peers", pack(memory.peer_model));
  return to_hex(bytes_of(citizen.id())) + to_hex(all.encode());
}

class StateStoreTest : public ::testing::TestWithParam<const char*> {
 protected:
  bool on_postgres() const { return std::string_view(GetParam()) == "Postgres"; }
  void SetUp() override {
    if (on_postgres()) {
      server_ = std::make_unique<test::PostgresServer>();
      ANIMA_NEEDS(test::kPostgres, server_->there());
    }
    open();
  }
  Result<std::unique_ptr<StateStore>> opened() {
    return on_postgres() ? open_postgres_state(server_->address())
                         : open_sqlite_state(folder_.file("world.db"));
  }
  void open() {
    store_.reset();
    auto made = opened();
    ASSERT_TRUE(made.has_value()) << made.error().describe();
    store_ = std::move(*made);
  }
  void save(const Citizen& citizen) {
    ASSERT_TRUE(store_->begin());
    const Status saved = store_->save_agent(citizen, "sealed");
    ASSERT_TRUE(saved) << saved.error().describe();
    const Status committed = store_->commit();
    ASSERT_TRUE(committed) << committed.error().describe();
  }
  std::string loaded(const AgentId& id) {
    const auto stored = store_->load_agent(id);
    return stored ? shape(stored->citizen) : stored.error().describe();
  }

  // What another process finds.
  Citizen reloaded(const AgentId& id) {
    open();
    auto stored = store_->load_agent(id);
    EXPECT_TRUE(stored.has_value()) << stored.error().describe();
    if (!stored) return {};
    stored->citizen.identity = identity_from_seed(sha256("KEPT:1"));
    return std::move(stored->citizen);
  }
  // A column as the database has it, in the order of another.
  std::vector<std::int64_t> column(std::string_view name, std::string_view TableNames::*table,
                                   std::string_view order) {
    store_.reset();
    std::vector<std::int64_t> values;
    {
      auto database = on_postgres() ? open_postgres_database(server_->address())
                                    : open_sqlite_database(folder_.file("world.db"));
      EXPECT_TRUE(database.has_value());
      const auto asked = *(*database)->prepare("SELECT " + std::string(name) + " FROM " +
                                               std::string((*database)->tables().*table) +
                                               " ORDER BY " + std::string(order));
      while (*asked->step()) values.push_back(asked->integer(0));
    }
    open();
    return values;
  }

  TemporaryDirectory folder_;
  std::unique_ptr<test::PostgresServer> server_;
  std::unique_ptr<StateStore> store_;
};

using Numbers = std::vector<std::int64_t>;

TEST_P(StateStoreTest, Row106WhatWasHeardBeforeIsStillRefused) {
  Citizen citizen = citizen_of(1);
  const auto heard = [](std::uint64_t tick, std::string_view number) {
    Envelope envelope;
    envelope.source = sha256("a daemon");
    envelope.timestamp = tick;
    envelope.message_id = sha256(number);
    return envelope;
  };
  ASSERT_TRUE(citizen.state.replays.accept(heard(7, "one")));
  save(citizen);
  Citizen again = reloaded(citizen.id());
  EXPECT_FALSE(again.state.replays.accept(heard(7, "one")));
  EXPECT_FALSE(again.state.replays.accept(heard(6, "older")));
  EXPECT_TRUE(again.state.replays.accept(heard(7, "two")));
}

TEST_P(StateStoreTest, Row117And118TheBudgetIsWhatWasLeft) {
  Citizen citizen = citizen_of(1);
  citizen.state.tick_budget = 41;
  save(citizen);
  EXPECT_EQ(reloaded(citizen.id()).state.tick_budget, 41U);
}

TEST_P(StateStoreTest, Row135And136NopsGoOnBeingCounted) {
  Citizen citizen = citizen_of(1);
  citizen.state.nop_count = 9;
  save(citizen);
  EXPECT_EQ(reloaded(citizen.id()).state.nop_count, 9U);
  citizen.state.nop_count = 0;
  citizen.state.status = AgentStatus::kDormant;
  save(citizen);
  const Citizen again = reloaded(citizen.id());
  EXPECT_EQ(again.state.nop_count, 0U);
  EXPECT_EQ(again.state.status, AgentStatus::kDormant);
}

TEST_P(StateStoreTest, Row138And139WorkingMemoryIsKeptOnceAndThenGone) {
  Citizen citizen = citizen_of(1);
  ASSERT_TRUE(write_working(citizen, std::string(kWorkingMemoryMax, '\xff')).has_value());
  EXPECT_FALSE(write_working(citizen, std::string(kWorkingMemoryMax + 1, 'x')).has_value());
  save(citizen);
  citizen = reloaded(citizen.id());
  EXPECT_EQ(citizen.memory.working, std::string(kWorkingMemoryMax, '\xff'));
  end_cycle_memory(citizen, 256);
  save(citizen);
  citizen = reloaded(citizen.id());
  EXPECT_EQ(citizen.memory.working.size(), kWorkingMemoryMax) << "kept once";
  end_cycle_memory(citizen, 512);
  save(citizen);
  EXPECT_TRUE(reloaded(citizen.id()).memory.working.empty());
}

TEST_P(StateStoreTest, Row144APlanThatIsDoneIsInTheHistory) {
  Citizen citizen = citizen_of(1);
  save(citizen);
  retire_plan(citizen.memory, PlanStatus::kCompleted);
  save(citizen);
  const Citizen again = reloaded(citizen.id());
  EXPECT_FALSE(again.memory.active_plan.has_value());
  ASSERT_EQ(again.memory.plan_history.size(), 2U);
  EXPECT_EQ(again.memory.plan_history[1].status, PlanStatus::kCompleted);
  EXPECT_EQ(again.memory.plan_history[1].next_step, 1U);
  for (std::size_t i = 0; i < kPlanHistory; ++i) {
    citizen.memory.active_plan = citizen.memory.plan_history.back();
    citizen.memory.active_plan->estimated_cost = i;
    retire_plan(citizen.memory, PlanStatus::kAbandoned);
  }
  save(citizen);
  EXPECT_EQ(loaded(citizen.id()), shape(citizen)) << "the oldest are gone";
  EXPECT_EQ(column("estimated_cost", &TableNames::plans, "id").size(), kPlanHistory);
}

TEST_P(StateStoreTest, Row147AMergeShrinksTheRowsToo) {
  Citizen citizen = citizen_of(1);
  citizen.memory.experiences.clear();
  for (std::uint64_t tick = 1; tick <= 1000; ++tick)
    remember(citizen, tick, {"nop", "", {}, 1}, Outcome::kUnknown, "");
  save(citizen);
  EXPECT_EQ(column("tick", &TableNames::experiences, "id").size(), 1000U);
  remember(citizen, 1001, {"nop", "", {}, 1}, Outcome::kUnknown, "");
  save(citizen);
  EXPECT_EQ(loaded(citizen.id()), shape(citizen));
  const Numbers ticks = column("tick", &TableNames::experiences, "tick");
  ASSERT_EQ(ticks.size(), 502U);
  EXPECT_EQ(ticks.front(), 500) << "the summary";
  EXPECT_EQ(ticks.back(), 1001);
  EXPECT_EQ(total_experiences(reloaded(citizen.id()).memory), 1001U);
}

TEST_P(StateStoreTest, Row149TheNumbersAreThoseOfTheSource) {
  Citizen citizen = citizen_of(1);
  citizen.state.genome.role = AgentRole::kExplorer;
  citizen.memory.experiences.clear();
  citizen.goals = {};
  citizen.memory.plan_history.clear();
  citizen.memory.active_plan.reset();
  const auto add = [&](GoalLayer layer, GoalSource source, GoalStatus status) {
    const std::uint64_t now = citizen.goals.live().size() + 1;
    EXPECT_TRUE(inject(citizen, {layer, source, std::to_string(now), {}, {}}, now));
    citizen.goals.layer(layer).back().status = status;
  };
  using enum GoalLayer;
  add(kAspiration, GoalSource::kSurvival, GoalStatus::kPending);
  add(kObjective, GoalSource::kRole, GoalStatus::kActive);
  add(kTask, GoalSource::kOpportunity, GoalStatus::kPending);
  add(kTask, GoalSource::kCuriosity, GoalStatus::kActive);
  add(kTask, GoalSource::kSocial, GoalStatus::kActive);
  for (Goal& goal : citizen.goals.tasks) {
    if (goal.source == GoalSource::kCuriosity) goal.status = GoalStatus::kCompleted;
    if (goal.source == GoalSource::kSocial) goal.status = GoalStatus::kAbandoned;
  }
  for (std::uint64_t i = 0; i < 4; ++i) {
    remember(citizen, i, {"nop", "", {}, 1}, static_cast<Outcome>(i), "");
    Plan plan;
    plan.goal = sha256("g");
    plan.steps = {{"nop", "{}", {}, {}, 1}};
    plan.status = static_cast<PlanStatus>(i);
    plan.estimated_cost = i;
    if (plan.status == PlanStatus::kActive) {
      citizen.memory.active_plan = plan;
    } else {
      citizen.memory.plan_history.push_back(plan);
    }
  }
  save(citizen);
  EXPECT_EQ(column("outcome", &TableNames::experiences, "tick"), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(column("layer", &TableNames::goals, "created_at"), (Numbers{0, 1, 2, 2, 2}));
  EXPECT_EQ(column("source", &TableNames::goals, "created_at"), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(column("status", &TableNames::goals, "created_at"), (Numbers{0, 1, 0, 2, 3}));
  EXPECT_EQ(column("status", &TableNames::plans, "estimated_cost"), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(column("role", &TableNames::agents, "id"), Numbers{4});
  const std::pair<AgentStatus, std::int64_t> statuses[] = {{AgentStatus::kEmbryo, 0},
                                                           {AgentStatus::kActive, 1},
                                                           {AgentStatus::kDormant, 2},
                                                           {AgentStatus::kDead, 3}};
  for (const auto& each : statuses) {
    citizen.state.status = each.first;
    save(citizen);
    EXPECT_EQ(column("status", &TableNames::agents, "id"), Numbers{each.second});
  }
}

TEST_P(StateStoreTest, Row150TheDeadStayDead) {
  SeededRandom random(3);
  const std::uint64_t now = 9;
  EventBus bus;
  Surroundings around;
  around.introduce = [](const PublicKey&) {};
  around.bus = &bus;
  around.now = &now;
  around.random = &random;
  Citizen citizen = citizen_of(1);
  citizen.state.status = AgentStatus::kDead;
  save(citizen);
  Runtime runtime(around);
  runtime.adopt(reloaded(citizen.id()), 0);
  EXPECT_EQ(runtime.tick(citizen.id()).error().code, ErrorCode::kConflict);
  for (const AgentStatus status :
       {AgentStatus::kEmbryo, AgentStatus::kActive, AgentStatus::kDormant})
    EXPECT_EQ(runtime.set_status(citizen.id(), status).error().code, ErrorCode::kConflict);
}

TEST_P(StateStoreTest, Row148WhatIsLoadedIsWhatWasFlushed) {
  Citizen citizen = citizen_of(1);
  save(citizen);
  EXPECT_EQ(loaded(citizen.id()), shape(citizen));
  open();
  EXPECT_EQ(loaded(citizen.id()), shape(citizen)) << "also from another connection";
  EXPECT_EQ(store_->load_agent(citizen.id())->sealed_key, "sealed");

  // It goes on living: what is added, what is merged, what is gone.
  for (std::uint64_t tick = 21; tick <= 60; ++tick)
    remember(citizen, tick, {"nop", "", {}, 1}, Outcome::kUnknown, "");
  citizen.goals.tasks.clear();
  retire_plan(citizen.memory, PlanStatus::kAbandoned);
  save(citizen);
  EXPECT_EQ(loaded(citizen.id()), shape(citizen));
  for (std::uint64_t tick = 61; tick <= 1100; ++tick)
    remember(citizen, tick, {"nop", "", {}, 1}, Outcome::kUnknown, "l");
  save(citizen);
  EXPECT_EQ(loaded(citizen.id()), shape(citizen)) << "the oldest were merged";
  std::reverse(citizen.goals.objectives.begin(), citizen.goals.objectives.end());
  citizen.memory.working.clear();
  save(citizen);
  EXPECT_EQ(loaded(citizen.id()), shape(citizen)) << "goals keep their places";
}

TEST_P(StateStoreTest, Row148ThroughTheRuntime) {
  SeededRandom random(3);
  const std::uint64_t now = 9;
  EventBus bus;
  Surroundings around;
  around.introduce = [](const PublicKey&) {};
  around.bus = &bus;
  around.now = &now;
  around.store = store_.get();
  around.random = &random;
  around.seal.fill(5);
  Runtime runtime(around);
  const Citizen citizen = citizen_of(2);
  runtime.adopt(citizen, 0);
  const Citizen& resident = *runtime.find(citizen.id());
  ASSERT_TRUE(runtime.flush_memory(citizen.id()));
  EXPECT_FALSE(store_->in_batch());
  const auto again = runtime.load(citizen.id());
  ASSERT_TRUE(again.has_value()) << again.error().describe();
  EXPECT_EQ(shape(*again), shape(resident));
  EXPECT_EQ(again->identity.key.seed, citizen.identity.key.seed) << "the key was sealed";
  around.seal.fill(6);
  EXPECT_EQ(Runtime(around).load(citizen.id()).error().code, ErrorCode::kDenied);
}

TEST_P(StateStoreTest, WhatIsNotCommittedWasNeverThere) {
  Citizen citizen = citizen_of(1);
  save(citizen);
  const std::string before = shape(citizen);
  ASSERT_TRUE(store_->save_part("meta", "one"));
  ASSERT_TRUE(store_->begin());
  EXPECT_TRUE(store_->in_batch());
  remember(citizen, 21, {"nop", "", {}, 1}, Outcome::kUnknown, "");
  ASSERT_TRUE(store_->save_agent(citizen, "sealed again"));
  ASSERT_TRUE(store_->save_agent(citizen_of(2), "sealed"));
  ASSERT_TRUE(store_->save_part("meta", "two"));
  store_->roll_back();
  EXPECT_FALSE(store_->in_batch());
  EXPECT_EQ(loaded(citizen.id()), before);
  EXPECT_EQ(**store_->load_part("meta"), "one");
  EXPECT_EQ(store_->agents()->size(), 1U);
  ASSERT_TRUE(store_->begin());
  ASSERT_TRUE(store_->save_part("meta", "three"));
  open();  // the process ended
  EXPECT_EQ(**store_->load_part("meta"), "one");
  save(citizen);
  EXPECT_EQ(loaded(citizen.id()), shape(citizen)) << "all rows, also those that were rolled back";
}

TEST_P(StateStoreTest, AgentsAndPartsAreFoundByTheirNames) {
  const std::vector<Citizen> citizens = {citizen_of(1), citizen_of(2), citizen_of(3)};
  for (const Citizen& each : citizens) save(each);
  const auto ids = *store_->agents();
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  ASSERT_TRUE(store_->remove_agent(citizens[1].id()));
  EXPECT_EQ(store_->load_agent(citizens[1].id()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store_->agents()->size(), 2U);
  save(citizens[1]);
  EXPECT_EQ(loaded(citizens[1].id()), shape(citizens[1])) << "nothing of it was left";

  const std::string bytes("\0'; DROP TABLE nexus_agents; --\\ \xff", 34);
  EXPECT_FALSE((*store_->load_part(bytes.substr(1, 20))).has_value());
  ASSERT_TRUE(store_->save_part(bytes.substr(1, 20), bytes));
  EXPECT_EQ(**store_->load_part(bytes.substr(1, 20)), bytes);
  ASSERT_TRUE(store_->save_part("empty", ""));
  EXPECT_EQ(**store_->load_part("empty"), "");
  const std::string large(5'000'000, 'x');
  ASSERT_TRUE(store_->save_part("large", large));
  EXPECT_EQ(**store_->load_part("large"), large);
}

TEST_P(StateStoreTest, AnErrorUndoesTheWholeBatch) {
  Citizen citizen = citizen_of(1);
  citizen.goals.tasks.push_back(citizen.goals.tasks.front());  // an id twice
  ASSERT_TRUE(store_->begin());
  Status outcome = store_->save_part("meta", "one");
  if (outcome) outcome = store_->save_agent(citizen, "sealed");
  if (outcome) {
    outcome = store_->commit();
  } else {
    store_->roll_back();
  }
  EXPECT_FALSE(outcome);
  EXPECT_FALSE(store_->in_batch());
  EXPECT_FALSE((*store_->load_part("meta")).has_value());
  EXPECT_TRUE(store_->agents()->empty());
  save(citizen_of(1));
  EXPECT_EQ(store_->agents()->size(), 1U) << "it can be used as before";
}

INSTANTIATE_TEST_SUITE_P(On, StateStoreTest, ::testing::Values("Sqlite", "Postgres"),
                         [](const auto& param) { return std::string(param.param); });

class PostgresStateTest : public ::testing::Test {
 protected:
  void SetUp() override { ANIMA_NEEDS(test::kPostgres, server_.there()); }
  test::PostgresServer server_;
};

TEST_F(PostgresStateTest, OneProcessAtATimeRunsTheWorldOfADatabase) {
  auto first = open_postgres_state(server_.address());
  ASSERT_TRUE(first.has_value()) << first.error().describe();
  const auto second = open_postgres_state(server_.address());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  ASSERT_TRUE(server_.sql("CREATE DATABASE another"));
  EXPECT_TRUE(open_postgres_state(server_.address("another")).has_value());
  first->reset();
  EXPECT_TRUE(open_postgres_state(server_.address()).has_value());
  ASSERT_TRUE(server_.sql("INSERT INTO world.schema_version VALUES(2)"));
  EXPECT_EQ(open_postgres_state(server_.address()).error().code, ErrorCode::kVersionMismatch);
}

TEST_F(PostgresStateTest, ALostConnectionIsAnErrorAndLosesNothingCommitted) {
  const Citizen citizen = citizen_of(1);
  auto store = *open_postgres_state(server_.address());
  ASSERT_TRUE(store->save_part("meta", "one"));
  ASSERT_TRUE(store->begin());
  ASSERT_TRUE(store->save_agent(citizen, "sealed"));
  server_.stop("immediate");
  const Status lost = store->commit();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kIo);
  EXPECT_NE(lost.error().message.find("lost"), std::string::npos) << lost.error().message;
  EXPECT_FALSE(store->load_part("meta").has_value()) << "no answer is better than an old one";
  server_.start();
  EXPECT_FALSE(store->load_part("meta").has_value()) << "the same connection stays lost";
  auto again = open_postgres_state(server_.address());
  ASSERT_TRUE(again.has_value()) << again.error().describe();
  EXPECT_EQ(**(*again)->load_part("meta"), "one");
  EXPECT_TRUE((*again)->agents()->empty());
}

TEST(PostgresState, ShowsNoPasswordInItsErrors) {
  for (const char* address :
       {"postgresql://me:hush@db:port:port/x", "postgresql://me:hush@db/x?hush=1",
        "postgresql://me:hush@[db/x", "me:hush@db", "postgresql://me:hush@127.0.0.1:1/x"}) {
    const auto refused = open_postgres_state(address);
    ASSERT_FALSE(refused.has_value()) << address;
    EXPECT_EQ(refused.error().describe().find("hush"), std::string::npos)
        << refused.error().describe();
  }
  EXPECT_EQ(open_postgres_state("postgresql://me:hush@127.0.0.1:1/x").error().code, ErrorCode::kIo);
  EXPECT_EQ(open_postgres_state("me:hush@db").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace anima::world::state_store_test
