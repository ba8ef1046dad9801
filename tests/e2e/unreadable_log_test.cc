// A log that cannot be followed is an error for whoever reads: never the state of before, and never
// an answer that something is not there.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "agent/loop/agent.h"
#include "kip/engine.h"
#include "memory/compartments/compartments.h"
#include "store/space.h"

namespace anima::unreadable_log_test {
namespace {

class UnreadableLog : public testing::Test {
 protected:
  void SetUp() override {
    space_ = open();
    kip_ = *kip::Engine::open(space_);
    const auto other = open();
    add(*other, "Mercury");
    ASSERT_EQ(ask(kFind), "ok");
    manager_ = std::make_unique<memory::CompartmentManager>(*space_, system_files(),
                                                            folder_.file("compartments"));
    agent::AgentConfig config;
    config.clock = std::make_shared<SystemClock>();
    auto agent = agent::Agent::create(*space_, *manager_, system_files(), std::move(config));
    ASSERT_TRUE(agent) << agent.error().describe();
    agent_ = std::move(*agent);
    damage(add(*other, "Venus"));
  }
  std::shared_ptr<store::Space> open() {
    store::SpaceOptions options;
    options.create = true;
    auto space = store::Space::open(folder_.file("space"), options);
    EXPECT_TRUE(space) << space.error().describe();
    return *space;
  }
  static store::Sequence add(store::Space& space, std::string_view name) {
    const auto receipt = space.write({}, [&](store::Transaction& transaction) {
      return transaction.upsert_concept(store::kEntityType, name).map([](store::EntityId) {});
    });
    EXPECT_TRUE(receipt);
    return receipt ? receipt->sequence : store::Sequence::kNone;
  }
  void damage(store::Sequence entry) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(folder_.file("space/log.db").c_str(), &handle), SQLITE_OK);
    const std::string statement =
        "UPDATE log SET entry = CAST(substr(entry, 1, length(entry) - 1) || x'ff' AS BLOB)"
        " WHERE sequence = " +
        std::to_string(static_cast<std::uint64_t>(entry));
    EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }
  std::string ask(std::string_view command, bool dry_run = false) {
    kip::Caller caller;
    caller.origin.trust = store::Trust::kOperator;
    Json request = Json::object({{"command", command}});
    if (dry_run) request.set("dry_run", true);
    const Json answer = kip_->execute(request, caller);
    const Json* error = answer.find("error");
    return error == nullptr ? "ok" : error->dump();
  }
  template <typename T>
  static void expect_corrupt(const Result<T>& read) {
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt) << read.error().describe();
  }
  static constexpr std::string_view kFind = R"(FIND(?x) WHERE { ?x {type: "$ConceptType"} })";

  TemporaryDirectory folder_;
  std::shared_ptr<store::Space> space_;
  std::shared_ptr<kip::Engine> kip_;
  std::unique_ptr<memory::CompartmentManager> manager_;
  std::unique_ptr<agent::Agent> agent_;
};

TEST_F(UnreadableLog, Kip) {
  for (const bool dry_run : {false, true}) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_NE(ask(kFind, dry_run).find("log entry"), std::string::npos) << ask(kFind, dry_run);
    }
  }
  EXPECT_NE(ask("DESCRIBE PRIMER"), "ok");
  EXPECT_NE(ask(R"(SEARCH CONCEPT "Mercury")"), "ok");
  EXPECT_FALSE(kip_->explain(kFind, Json::object(), {}));
}

TEST_F(UnreadableLog, TheAgent) {
  expect_corrupt(agent_->mentioned("What is Mercury?"));
  expect_corrupt(agent_->unknown_words("What is Mercury?"));
  expect_corrupt(agent_->recall({}, 3));
  expect_corrupt(agent_->add_goal("find Mercury"));
}

TEST_F(UnreadableLog, Compartments) { EXPECT_FALSE(manager_->refresh()); }

}  // namespace
}  // namespace anima::unreadable_log_test
