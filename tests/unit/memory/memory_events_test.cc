// What the bus tells of memory: sessions that begin and end, and an index that took something in.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "memory/memory_manager.h"
#include "support/lent_clock.h"

namespace anima::memory {
namespace {

class MemoryEventsTest : public ::testing::Test {
 protected:
  MemoryEventsTest() {
    store::SpaceOptions options;
    options.clock = test::lent(clock_);
    options.create = true;
    space_ = store::Space::open(folder_.file("space"), options).value();
    ledger_ = std::make_unique<govern::Ledger>(*space_, clock_, random_);
    manager_ = std::make_unique<MemoryManager>(*space_, *ledger_, guardian_, events_, clock_,
                                               random_, MemoryOptions());
  }
  void say(std::string content, std::string session) {
    NewMemory memory;
    memory.kind = ItemKind::kSession;
    memory.content = std::move(content);
    memory.session = std::move(session);
    memory.trust = govern::Trust::kOperator;
    EXPECT_TRUE(manager_->store(memory));
  }

  TemporaryDirectory folder_{"anima-events"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{4};
  bus::EventBus events_;
  govern::Guardian guardian_{govern::PatternSet::shipped().value()};
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<govern::Ledger> ledger_;
  std::unique_ptr<MemoryManager> manager_;
};

TEST_F(MemoryEventsTest, ASessionStartsWithItsFirstExchangeAndEndsWhenItIsForgotten) {
  std::vector<std::string> told;
  const auto listening = events_.subscribe("*", [&](const bus::Event& event) {
    if (!event.type.starts_with("session:")) return;
    told.push_back(event.type + " " + event.payload.find("session")->as_string());
  });
  say("hello", "s1");
  say("and again", "s1");
  say("hello", "s2");
  EXPECT_EQ(*manager_->end_session("s1"), 2u);
  say("back again", "s1");
  EXPECT_EQ(told, (std::vector<std::string>{"session:started s1", "session:started s2",
                                            "session:ended s1", "session:started s1"}));
}

TEST_F(MemoryEventsTest, AnIndexTellsWhenItTookSomethingIn) {
  std::vector<std::int64_t> counts;
  const auto listening = events_.subscribe("knowledge:indexed", [&](const bus::Event& event) {
    counts.push_back(event.payload.find("documentCount")->as_integer());
    EXPECT_GE(event.payload.find("duration")->as_integer(), 0);
  });
  say("the tide turns", "s1");
  say("the moon rises", "s1");
  ASSERT_TRUE(manager_->search("tide", "core"));
  ASSERT_TRUE(manager_->search("moon", "core"));
  EXPECT_EQ(counts, std::vector<std::int64_t>{2});
  ASSERT_TRUE(manager_->end_session("s1"));
  ASSERT_TRUE(manager_->search("moon", "core"));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{2, 0}));
}

}  // namespace
}  // namespace anima::memory
