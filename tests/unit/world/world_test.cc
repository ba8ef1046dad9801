// A whole world: it lives, comes out the same again, goes on after a kill, and loses no money.
#include "world/world.h"

#include <gtest/gtest.h>

#include "base/json/message_pack_fields.h"
#include "support/needs.h"
#include "support/postgres_server.h"
#include "world/state_store.h"
#include "world/symbolic_mind.h"

namespace anima::world::world_test {
namespace {

class WorldTest : public ::testing::Test {
 protected:
  std::unique_ptr<World> open(const std::string& name, std::uint64_t seed = 7,
                              std::uint64_t agents = 8) {
    auto world =
        World::open(system_files(), {folder_.file(name), agents, seed, 3, {}}, mind_, random_);
    EXPECT_TRUE(world.has_value()) << world.error().describe();
    return world ? std::move(*world) : nullptr;
  }

  static void run(World& world, std::uint64_t cycles) {
    while (world.cycle() < cycles) {
      const Status done = world.run_cycle();
      ASSERT_TRUE(done.has_value()) << done.error().describe();
    }
  }

  TemporaryDirectory folder_;
  SymbolicMind mind_;
  SystemRandom random_;
};

TEST_F(WorldTest, LivesByItself) {
  const auto world = open("a");
  run(*world, 4);
  std::map<std::string, std::uint64_t> told;
  for (const CycleRecord& record : world->records()) {
    EXPECT_EQ(record.sum, record.supply);
    for (const auto& each : record.told) told[each.first] += each.second;
  }
  EXPECT_GT(told["bounties claimed"], 0U);
  EXPECT_GT(told["bounties submitted"], 0U);
  EXPECT_GT(told["bounties paid"], 0U);
  EXPECT_GT(told["entries verified"], 0U);
  EXPECT_GT(told["programs run"], 0U);
  const CycleRecord& last = world->records().back();
  std::uint64_t peers = 0, beliefs = 0;
  bool different = false;
  for (const AgentRecord& agent : last.agents) {
    peers += agent.peers;
    beliefs += agent.beliefs;
    different = different || agent.balance != last.agents.front().balance;
    EXPECT_EQ(agent.status, AgentStatus::kActive);
  }
  EXPECT_GT(peers, 0U);
  EXPECT_GT(beliefs, 0U);
  EXPECT_TRUE(different) << "money moves";
  const std::string page = report_page(world->records(), 7);
  for (const char* part :
       {"Balances", "Reputation", "Goals completed", "Peers: mean trust", "<svg", "</html>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("http"), std::string::npos) << "it asks nothing of the network";
}

TEST_F(WorldTest, TheSameSeedGivesTheSameWorld) {
  const auto first = open("a");
  const auto second = open("b");
  const auto other = open("c", 8);
  run(*first, 3);
  run(*second, 3);
  run(*other, 3);
  EXPECT_EQ(first->world_hash(), second->world_hash());
  EXPECT_NE(first->world_hash(), other->world_hash());
}

// Whatever is kept of agents and daemons: the same cycle comes out again.
class WorldOn : public WorldTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(WorldOn, GoesOnWhereverItWasStopped) {
  std::unique_ptr<test::PostgresServer> server;
  if (std::string_view(GetParam()) == "Postgres") {
    server = std::make_unique<test::PostgresServer>();
    ANIMA_NEEDS(test::kPostgres, server->there());
  }
  const auto open_kept = [&] {
    WorldOptions options{folder_.file("b"), 8, 7, 3, {}};
    if (server) options.database = server->address();
    auto world = World::open(system_files(), options, mind_, random_);
    EXPECT_TRUE(world.has_value()) << world.error().describe();
    return world ? std::move(*world) : nullptr;
  };
  const auto whole = open("a");
  run(*whole, 3);
  SeededRandom dice(3);
  {
    auto world = open_kept();
    for (int stop = 0; stop < 3; ++stop) {
      for (std::uint64_t ticks = 100 + dice.below(200); ticks > 0; --ticks)
        ASSERT_TRUE(world->run_tick().has_value());
      world.reset();  // nothing is written between the ends of cycles
      world = open_kept();
    }
    run(*world, 3);
    EXPECT_EQ(world->world_hash(), whole->world_hash());
    ASSERT_EQ(world->records().size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(pack(world->records()[i]), pack(whole->records()[i])) << i;
  }
  EXPECT_EQ(*read_file(system_files(), folder_.file("a/events_00000001.wal")),
            *read_file(system_files(), folder_.file("b/events_00000001.wal")));
}

INSTANTIATE_TEST_SUITE_P(Database, WorldOn, ::testing::Values("Sqlite", "Postgres"),
                         [](const auto& param) { return std::string(param.param); });

// A part of another world in its state: what comes then is nobody's world.
TEST_F(WorldTest, RefusesAStateThatIsNotTheOneThatWasWritten) {
  run(*open("a"), 2);
  run(*open("b"), 3);
  {
    const auto from = open_sqlite_state(folder_.file("b/world.db"));
    const auto to = open_sqlite_state(folder_.file("a/world.db"));
    const auto agora = (*from)->load_part("daemon.Agora");
    ASSERT_TRUE(agora && *agora);
    ASSERT_TRUE((*to)->begin());
    ASSERT_TRUE((*to)->save_part("daemon.Agora", **agora));
    ASSERT_TRUE((*to)->commit());
  }
  const auto world = World::open(system_files(), {folder_.file("a"), 8, 7, 3, {}}, mind_, random_);
  ASSERT_FALSE(world.has_value());
  EXPECT_EQ(world.error().code, ErrorCode::kCorrupt);
}

TEST_F(WorldTest, RefusesAnotherWorldsFolder) {
  { const auto world = open("a"); }
  const auto other = World::open(system_files(), {folder_.file("a"), 8, 9, 3, {}}, mind_, random_);
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument);
  WorldOptions any{folder_.file("a"), 8, 9, 3, {}};
  any.any_seed = true;
  {
    const auto same = World::open(system_files(), any, mind_, random_);
    ASSERT_TRUE(same.has_value()) << same.error().describe();
    EXPECT_EQ((*same)->seed(), 7U);
  }
  ASSERT_TRUE(system_files().make_directories(folder_.file("c"), 0700));
  ASSERT_TRUE(replace_file(system_files(), folder_.file("c/notes.txt"), "mine"));
  const auto beside = World::open(system_files(), {folder_.file("c"), 8, 7, 3, {}}, mind_, random_);
  ASSERT_FALSE(beside.has_value());
  EXPECT_EQ(beside.error().code, ErrorCode::kInvalidArgument);
  const auto one = open("a");
  const auto busy = World::open(system_files(), {folder_.file("a"), 8, 7, 3, {}}, mind_, random_);
  ASSERT_FALSE(busy.has_value());
  EXPECT_EQ(busy.error().code, ErrorCode::kBusy);
}

}  // namespace
}  // namespace anima::world::world_test
