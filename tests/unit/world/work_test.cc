// Row 161 as counts of work, which no clock disturbs: a tick, goals in order, memory written, read
// and cleared do as much as they need, and not more for who has lived longer. The milliseconds are
// in bench/runtime_bench.cc.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/random.h"
#include "support/allocations.h"
#include "support/small_world.h"
#include "world/learning.h"
#include "world/motives.h"
#include "world/symbolic_mind.h"
#include "world/tables/sqlite_database.h"
#include "world/tables/table_state.h"

namespace anima::world::work_test {
namespace {

// What a store asks of its database.
struct Asked {
  std::size_t written = 0;     // statements that change something
  std::size_t read = 0;        // statements that ask
  std::size_t parameters = 0;  // values sent
};

class CountedStatement final : public SqlStatement {
 public:
  CountedStatement(std::unique_ptr<SqlStatement> inner, Asked& asked)
      : inner_(std::move(inner)), asked_(asked) {}
  SqlStatement& integer(int index, std::int64_t value) override {
    return sent(inner_->integer(index, value));
  }
  SqlStatement& real(int index, double value) override { return sent(inner_->real(index, value)); }
  SqlStatement& blob(int index, std::string_view value) override {
    return sent(inner_->blob(index, value));
  }
  SqlStatement& text(int index, std::string_view value) override {
    return sent(inner_->text(index, value));
  }
  SqlStatement& null(int index) override { return sent(inner_->null(index)); }
  Result<bool> step() override {
    if (!stepped_) ++asked_.read;
    stepped_ = true;
    return inner_->step();
  }
  Status run() override {
    ++asked_.written;
    return inner_->run();
  }
  std::int64_t integer(int column) const override { return inner_->integer(column); }
  double real(int column) const override { return inner_->real(column); }
  std::string bytes(int column) const override { return inner_->bytes(column); }
  bool is_null(int column) const override { return inner_->is_null(column); }

 private:
  SqlStatement& sent(SqlStatement&) {
    ++asked_.parameters;
    return *this;
  }
  std::unique_ptr<SqlStatement> inner_;
  Asked& asked_;
  bool stepped_ = false;
};

class CountedDatabase final : public SqlDatabase {
 public:
  CountedDatabase(std::unique_ptr<SqlDatabase> inner, Asked& asked)
      : inner_(std::move(inner)), asked_(asked) {}
  const TableNames& tables() const override { return inner_->tables(); }
  Result<std::unique_ptr<SqlStatement>> prepare(std::string_view sql) override {
    ANIMA_ASSIGN(auto made, inner_->prepare(sql));
    return std::unique_ptr<SqlStatement>(
        std::make_unique<CountedStatement>(std::move(made), asked_));
  }
  Status begin() override { return inner_->begin(); }
  Status commit() override { return inner_->commit(); }
  void roll_back() override { inner_->roll_back(); }

 private:
  std::unique_ptr<SqlDatabase> inner_;
  Asked& asked_;
};

// One with goals in every layer, that has done something in each of so many ticks.
Citizen lived(std::uint64_t ticks, std::size_t tasks = kMaxTasks) {
  Citizen citizen;
  citizen.identity = identity_from_seed(sha256("LIVED"));
  citizen.state.genome = seed_genome(0);
  citizen.state.balance = 100;
  inject_from_sources(citizen, 0);
  for (std::size_t i = 0; i < tasks; ++i) {
    GoalNotes notes;
    notes.kind = "own";
    notes.tags = {"compiler"};
    EXPECT_TRUE(inject(
        citizen,
        {GoalLayer::kTask, GoalSource::kSocial, "task " + std::to_string(i), {}, std::move(notes)},
        0));
  }
  for (std::uint64_t tick = 1; tick <= ticks; ++tick)
    remember(citizen, tick, {"msg_post", "compiler", sha256("p"), 1}, Outcome::kSuccess, "l");
  for (int i = 0; i < 100; ++i) {
    support(citizen.memory, "belief " + std::to_string(i), sha256("e"), 0);
    met_peer(citizen.memory, sha256(std::to_string(i)), Outcome::kSuccess, true, "compiler", 0);
  }
  citizen.memory.working = std::string(kWorkingMemoryMax, 'w');
  return citizen;
}

class StoreWork : public ::testing::Test {
 protected:
  // What writing the agent takes.
  Asked flush(const Citizen& citizen) {
    asked_ = {};
    EXPECT_TRUE(store_->begin());
    EXPECT_TRUE(store_->save_agent(citizen, "sealed"));
    EXPECT_TRUE(store_->commit());
    return asked_;
  }
  void live(Citizen& citizen, std::uint64_t ticks) {
    for (; ticks > 0; --ticks)
      remember(citizen, ++now_, {"msg_post", "compiler", sha256("p"), 1}, Outcome::kSuccess, "l");
  }

  TemporaryDirectory folder_;
  Asked asked_;
  std::unique_ptr<StateStore> store_ = make_table_state(
      std::make_unique<CountedDatabase>(*open_sqlite_database(folder_.file("world.db")), asked_));
  std::uint64_t now_ = 10'000;
};

TEST_F(StoreWork, Row161AFlushWritesWhatIsNew) {
  Citizen citizen = lived(900);
  const Asked first = flush(citizen);
  EXPECT_LE(first.written, 50U) << "rows go many in a statement";
  EXPECT_GT(first.parameters, 900U * 5) << "all of them";
  EXPECT_EQ(flush(citizen).written, 0U) << "nothing is new";

  live(citizen, 64);
  const Asked cycle = flush(citizen);
  EXPECT_LE(cycle.written, 3U) << "experiences and the runtime state";
  EXPECT_EQ(cycle.parameters, 64U * 5 + 3);

  live(citizen, 64);  // the oldest 500 are merged
  ASSERT_LT(citizen.memory.experiences.size(), 600U);
  const Asked merge = flush(citizen);
  EXPECT_LE(merge.written, 5U) << "one statement more, for those that go, and one for the summary";
  EXPECT_EQ(merge.parameters, 65U * 5 + 3 + 3);

  citizen.goals.tasks.pop_back();
  EXPECT_LE(flush(citizen).written, 14U) << "goals alone";
  support(citizen.memory, "belief 7", sha256("f"), now_);
  EXPECT_LE(flush(citizen).written, 10U) << "beliefs alone";
  citizen.memory.working += "w";
  EXPECT_EQ(flush(citizen).written, 1U);
  citizen.state.status = AgentStatus::kDormant;
  EXPECT_EQ(flush(citizen).written, 2U) << "its status is in two rows";
}

TEST_F(StoreWork, Row161ALoadAsksOnceOfEachTable) {
  const Citizen old = lived(1000);
  flush(old);
  asked_ = {};
  ASSERT_TRUE(store_->load_agent(old.id()).has_value());
  EXPECT_EQ(asked_.read, 7U);
  EXPECT_EQ(asked_.written, 0U);

  // A world that goes on: what it has read it does not write again.
  store_ = make_table_state(
      std::make_unique<CountedDatabase>(*open_sqlite_database(folder_.file("world.db")), asked_));
  Citizen again = std::move(store_->load_agent(old.id())->citizen);
  live(again, 1);
  ASSERT_LT(again.memory.experiences.size(), 600U) << "a merge";
  EXPECT_LT(flush(again).parameters, 3000U) << "beliefs, goals and so on, but 2 experiences";
  EXPECT_EQ(store_->load_agent(old.id())->citizen.memory.experiences.size(),
            again.memory.experiences.size());
}

TEST_F(StoreWork, WhatDidNotChangeOfAWorldIsNotWritten) {
  ASSERT_TRUE(store_->save_part("daemon.Portal", "state"));
  asked_ = {};
  ASSERT_TRUE(store_->save_part("daemon.Portal", "state"));
  EXPECT_EQ(asked_.written, 0U);
  ASSERT_TRUE(store_->begin());
  ASSERT_TRUE(store_->save_part("daemon.Portal", "other"));
  store_->roll_back();
  ASSERT_TRUE(store_->save_part("daemon.Portal", "other"));
  EXPECT_EQ(asked_.written, 2U) << "what was rolled back was not written";
  EXPECT_EQ(**store_->load_part("daemon.Portal"), "other");
}

TEST(Work, Row161PrioritisingIsLinearInTheGoalsAlone) {
  const auto taken = [](std::uint64_t ticks, std::size_t tasks) {
    Citizen citizen = lived(ticks, tasks);
    return test::bytes_allocated_by([&] { prioritise(citizen, 2000); });
  };
  const std::size_t few = taken(10, 16), many = taken(10, 64);
  EXPECT_LT(many, 5 * few);
  EXPECT_EQ(taken(1000, 64), many) << "a long life makes it no dearer";
}

TEST(Work, Row161ClearingTakesNothing) {
  Citizen citizen = lived(1000);
  citizen.state.keep_working = false;
  EXPECT_EQ(test::bytes_allocated_by([&] { end_cycle_memory(citizen, 256); }), 0U);
  EXPECT_TRUE(citizen.memory.working.empty());
}

// Counts what is asked of a mind; it says the same always.
class CountedMind final : public Mind {
 public:
  Result<std::string> think(const ThinkRequest&) override {
    ++calls;
    return std::string(R"({"action":"entry_query","params":{},"reasoning":"r"})");
  }
  std::size_t calls = 0;
};

TEST(Work, Row161ATickAsksOneMindOnceAndSendsOneMessage) {
  CountedMind mind;
  test::SmallWorld world(mind);
  const AgentId id =
      *world.runtime->spawn(identity_from_seed(sha256("works")), seed_genome(0), kGrant);
  world.begin_cycle(1);
  world.sent.clear();
  for (std::size_t tick = 1; tick <= 40; ++tick) {
    ASSERT_TRUE(world.runtime->tick(id).has_value());
    ++world.realm.tick;
    EXPECT_EQ(mind.calls, tick);
    EXPECT_EQ(world.sent.size(), tick + 1) << "and one question for the balance a cycle";
  }
}

TEST(Work, Row161ATickIsNoDearerAfterALongLife) {
  const auto tick = [](std::uint64_t lived_ticks) {
    CountedMind mind;
    test::SmallWorld world(mind);
    const AgentId id =
        *world.runtime->spawn(identity_from_seed(sha256("works")), seed_genome(0), kGrant);
    world.begin_cycle(1);
    Citizen& citizen = *world.runtime->find(id);
    for (std::uint64_t i = 0; i < lived_ticks; ++i)
      remember(citizen, i, {"entry_query", "compiler", sha256("p"), 1}, Outcome::kSuccess, "l");
    EXPECT_TRUE(world.runtime->tick(id).has_value());
    ++world.realm.tick;
    return test::bytes_allocated_by([&] { EXPECT_TRUE(world.runtime->tick(id).has_value()); });
  };
  // The list of experiences doubles now and then, which is no work of the tick.
  EXPECT_LT(tick(900), tick(20) + 1000 * sizeof(Experience));
}

}  // namespace
}  // namespace anima::world::work_test
