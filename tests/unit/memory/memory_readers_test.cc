// Who may read an item: partition and list together, and where the texts of a closed item lie.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files/file.h"
#include "memory/memory_manager.h"
#include "memory/recall/recall_context.h"
#include "support/lent_clock.h"

namespace anima::memory {
namespace {

using govern::Trust;

class MemoryReadersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.clock = test::lent(clock_);
    options.create = true;
    space_ = store::Space::open(folder_.file("space"), options).value();
    reopen();
  }
  void reopen() {
    manager_.reset();
    ledger_ = std::make_unique<govern::Ledger>(*space_, clock_, random_);
    manager_ = std::make_unique<MemoryManager>(*space_, *ledger_, guardian_, events_, clock_,
                                               random_, MemoryOptions());
  }
  NewMemory note(std::string content, std::vector<std::string> readers,
                 Partition partition = Partition::kPublic, Trust trust = Trust::kOperator) const {
    NewMemory memory;
    memory.content = std::move(content);
    memory.readers = std::move(readers);
    memory.partition = partition;
    memory.trust = trust;
    return memory;
  }
  StoredMemory store(const NewMemory& memory) {
    auto stored = manager_->store(memory);
    EXPECT_TRUE(stored) << stored.error().describe();
    return stored ? *stored : StoredMemory();
  }
  bool reads(std::string_view agent, const std::string& id) {
    return manager_->read(id, agent)->has_value();
  }
  // Whether any fact holds the text, or the words of any concept.
  bool is_fact(std::string_view text) {
    const store::Snapshot now = space_->snapshot().value();
    store::TextQuery query;
    query.text = text;
    bool found = !now.search(query).empty();
    std::vector<store::Triple> batch(256);
    store::Cursor facts = now.scan(store::Pattern());
    while (const std::size_t count = facts.next(batch)) {
      for (std::size_t i = 0; i < count; ++i)
        found = found || now.value(batch[i].object).text.find(text) != std::string_view::npos;
    }
    return found;
  }

  TemporaryDirectory folder_{"anima-readers"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{4};
  bus::EventBus events_;
  govern::Guardian guardian_{govern::PatternSet::shipped().value()};
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<govern::Ledger> ledger_;
  std::unique_ptr<MemoryManager> manager_;
};

TEST_F(MemoryReadersTest, AccessIsThePartitionAndTheListOfTheItem) {
  const std::string id = store(note("the gate opens at seven", {"planner", "billing"})).id;
  for (const char* agent : {"planner", "billing", "operator"}) EXPECT_TRUE(reads(agent, id));
  for (const char* agent : {"executor", "guardian", "core"}) EXPECT_FALSE(reads(agent, id));
  const std::string inside =
      store(note("the key hangs left", {"planner"}, Partition::kInternal)).id;
  EXPECT_TRUE(reads("planner", inside));
  EXPECT_FALSE(reads("executor", inside));
  reopen();
  EXPECT_TRUE(reads("planner", id));
  EXPECT_FALSE(reads("executor", id));
}

TEST_F(MemoryReadersTest, AReaderWhomThePartitionKeepsOutIsAMistake) {
  for (const NewMemory& memory : {note("a", {"planner"}, Partition::kSensitive),
                                  note("a", {"billing"}, Partition::kInternal), note("a", {""})}) {
    const auto stored = manager_->store(memory);
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(manager_->store(note("a", {"guardian"}, Partition::kSensitive)));
  EXPECT_TRUE(manager_->store(note("b", {"operator"}, Partition::kSensitive)));
}

TEST_F(MemoryReadersTest, WhatIsClosedIsNoFact) {
  store(note("heliotrope opens it", {"planner"}));
  EXPECT_FALSE(is_fact("heliotrope"));
  const auto hits = manager_->search("heliotrope", "planner");
  ASSERT_EQ(hits->size(), 1u);
  EXPECT_EQ(hits->front().item.content, "heliotrope opens it");
  EXPECT_TRUE(manager_->search("heliotrope", "executor")->empty());
  EXPECT_EQ(
      recall_context(*manager_, space_->snapshot().value(), "heliotrope", {.reader = "executor"})
          ->withheld,
      1u);
  store(note("periwinkle is everybody's", {}));  // a memory, and no statement of the graph either
  EXPECT_FALSE(is_fact("periwinkle"));
  EXPECT_EQ(manager_->search("periwinkle", "executor")->size(), 1u);
}

TEST_F(MemoryReadersTest, NeitherSideOfASensitiveCardIsAFact) {
  const auto card =
      manager_->add_card("gate code", "heliotrope", note("", {}, Partition::kSensitive));
  ASSERT_TRUE(card);
  EXPECT_FALSE(is_fact("gate code"));
  EXPECT_FALSE(is_fact("heliotrope"));
  ASSERT_TRUE(manager_->review(card->id, 5));
  ASSERT_TRUE(manager_->flush());
  EXPECT_FALSE(is_fact("heliotrope"));
  reopen();
  const auto due = manager_->due(Timestamp{INT64_MAX});
  ASSERT_EQ(due->size(), 1u);
  EXPECT_EQ(due->front().card->front, "gate code");
  EXPECT_EQ(due->front().card->back, "heliotrope");
  EXPECT_EQ(due->front().card->repetitions, 1);
}

TEST_F(MemoryReadersTest, TheOperatorNarrowsBySayingAgainAndNothingOpens) {
  const std::string text = "heliotrope opens it";
  const std::string id = store(note(text, {}, Partition::kPublic, Trust::kStandard)).id;
  // Nobody else narrows what the others know.
  EXPECT_FALSE(store(note(text, {"core"}, Partition::kPublic, Trust::kStandard)).narrowed);
  EXPECT_TRUE(reads("planner", id));
  const StoredMemory closed = store(note(text, {}, Partition::kSensitive));
  EXPECT_TRUE(closed.known_before && closed.raised && closed.narrowed);
  EXPECT_EQ(closed.id, id);
  EXPECT_FALSE(reads("planner", id));
  EXPECT_TRUE(reads("guardian", id));
  EXPECT_FALSE(is_fact("heliotrope"));
  const StoredMemory again = store(note(text, {}));
  EXPECT_FALSE(again.narrowed || again.raised);
  EXPECT_EQ(again.partition, Partition::kSensitive);
  EXPECT_FALSE(reads("planner", id));
  EXPECT_EQ(store(note(text, {"arbiter"})).readers, std::vector<std::string>{"arbiter"});
  EXPECT_FALSE(reads("guardian", id));
  EXPECT_EQ(manager_->read(id, "operator")->value().content, text);
  // Nobody in common leaves the owner.
  EXPECT_EQ(store(note(text, {"planner"})).readers, std::vector<std::string>{"operator"});
  EXPECT_FALSE(reads("arbiter", id));
}

TEST_F(MemoryReadersTest, WhatAnotherProcessNarrowsIsHiddenHereToo) {
  const std::string text = "heliotrope opens it";
  store(note(text, {}));
  ASSERT_EQ(manager_->search("heliotrope", "planner")->size(), 1u);
  MemoryManager other(*space_, *ledger_, guardian_, events_, clock_, random_, MemoryOptions());
  ASSERT_TRUE(other.store(note(text, {}, Partition::kSensitive))->narrowed);
  EXPECT_TRUE(manager_->search("heliotrope", "planner")->empty());
}

// Else who guesses a closed text would be told that he is right, or open it.
TEST_F(MemoryReadersTest, AStrangersSameTextIsAnItemOfItsOwn) {
  const std::string text = "heliotrope opens it";
  const std::string closed = store(note(text, {}, Partition::kSensitive)).id;
  const std::string narrowed = store(note("the tide turns", {})).id;
  ASSERT_TRUE(store(note("the tide turns", {"core"})).narrowed);
  for (const std::string& guess : {text, std::string("the tide turns")}) {
    const StoredMemory said = store(note(guess, {}, Partition::kPublic, Trust::kStandard));
    EXPECT_FALSE(said.known_before) << guess;
    EXPECT_TRUE(reads("planner", said.id));
    EXPECT_TRUE(store(note(guess, {}, Partition::kPublic, Trust::kStandard)).known_before) << guess;
  }
  EXPECT_FALSE(reads("planner", closed));
  EXPECT_FALSE(reads("planner", narrowed));
  EXPECT_EQ(manager_->read(narrowed, "core")->value().content, "the tide turns");
}

TEST_F(MemoryReadersTest, NarrowingKeepsWhatIsKnownOfTheItem) {
  const std::string text = "the tide turns at noon";
  const std::string id = store(note(text, {})).id;
  ASSERT_TRUE(reads("planner", id));
  ASSERT_TRUE(manager_->verify(id, "guardian"));
  clock_.advance(1'000'000);
  ASSERT_TRUE(store(note(text, {"planner"})).narrowed);
  reopen();
  const auto item = manager_->read(id, "planner");
  ASSERT_TRUE(*item);
  EXPECT_EQ((*item)->verified_by, "guardian");
  EXPECT_EQ((*item)->access_count, 2u);
  EXPECT_EQ((*item)->trust, Trust::kOperator);
  EXPECT_LT((*item)->created_at, clock_.now());
}

}  // namespace
}  // namespace anima::memory
