// What a bus told is told again from the log: in order, from any entry on, after a restart.
#include "bus/event_journal.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"

namespace anima::bus {
namespace {

using store::Sequence;

class EventJournalTest : public ::testing::Test {
 protected:
  std::shared_ptr<store::Space> open() {
    return store::Space::open(folder_.file("space"), {.create = true, .clock = clock_}).value();
  }
  static std::vector<std::string> told(store::Space& space, Sequence after = Sequence::kNone,
                                       Sequence* last = nullptr) {
    std::vector<std::string> told;
    EXPECT_TRUE(EventJournal::replay(space, after, [&](const KeptEvent& kept) -> Status {
      told.push_back(kept.event.type + " " + kept.event.payload.dump());
      if (last != nullptr) *last = kept.entry;
      return {};
    }));
    return told;
  }
  TemporaryDirectory folder_{"anima-journal"};
  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(Timestamp{1'767'225'600'000'000});
};

TEST_F(EventJournalTest, AReaderGoesOnWhereItStopped) {
  Sequence seen = Sequence::kNone;
  {
    const auto space = open();
    EventJournal journal(*space, *clock_);
    EventBus bus([&](const Event& event) { journal.add(event); });
    bus.emit({"core:route", Json::object({{"target", "planner"}})});
    bus.emit({"executor:task_complete", Json::object({{"taskId", "1"}})});
    bus.emit({"executor:result", Json::object({{"taskId", "1"}})});
    ASSERT_TRUE(journal.flush());
    EXPECT_EQ(told(*space, Sequence::kNone, &seen),
              (std::vector<std::string>{R"(core:route {"target":"planner"})",
                                        R"(executor:task_complete {"taskId":"1"})",
                                        R"(executor:result {"taskId":"1"})"}));
    bus.emit({"core:response", Json::object({{"message", "done"}})});
  }  // the end of the journal writes the rest
  const auto again = open();
  EXPECT_EQ(told(*again, seen), std::vector<std::string>{R"(core:response {"message":"done"})"});
}

TEST_F(EventJournalTest, WritesWhatIsOldOrMuchByItself) {
  const auto space = open();
  EventJournal journal(*space, *clock_);
  journal.add({"core:route", Json::object()});
  EXPECT_TRUE(told(*space).empty());
  clock_->advance(1'000'000);
  journal.add({"core:response", Json::object()});
  EXPECT_EQ(told(*space).size(), 2u);
  for (int i = 0; i < 64; ++i) journal.add({"tool:start", Json::object({{"i", i}})});
  EXPECT_EQ(told(*space).size(), 66u);
}

TEST_F(EventJournalTest, KeepsTheTimeAndLeavesOutWhatIsInTheLogAlready) {
  const auto space = open();
  EventJournal journal(*space, *clock_);
  journal.add({"audit:logged", Json::object()});
  journal.add({"core:route", Json::object()});
  clock_->advance(250'000);
  journal.add({"core:response", Json::object()});
  ASSERT_TRUE(journal.flush());
  std::vector<std::int64_t> times;
  ASSERT_TRUE(EventJournal::replay(*space, Sequence::kNone, [&](const KeptEvent& kept) -> Status {
    times.push_back(kept.time.microseconds);
    return {};
  }));
  EXPECT_EQ(times, (std::vector<std::int64_t>{1'767'225'600'000'000, 1'767'225'600'250'000}));
}

TEST_F(EventJournalTest, WhatItSaidCanBeErased) {
  const auto space = open();
  EventJournal journal(*space, *clock_);
  journal.add({"core:response", Json::object({{"message", "my number is 7"}})});
  ASSERT_TRUE(journal.flush());
  ASSERT_TRUE(space->erase("events"));
  EXPECT_TRUE(told(*space).empty());
  journal.add({"core:response", Json::object()});
  ASSERT_TRUE(journal.flush());
  EXPECT_EQ(told(*space).size(), 1u);
}

TEST_F(EventJournalTest, ManyThreadsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kEach = 100;
  const auto space = open();
  EventJournal journal(*space, *clock_);
  EventBus bus([&](const Event& event) { journal.add(event); });
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&bus, t] {
      for (int i = 0; i < kEach; ++i)
        bus.emit({"tool:start", Json::object({{"thread", t}, {"i", i}})});
    });
  }
  threads.clear();
  ASSERT_TRUE(journal.flush());
  std::vector<std::int64_t> next(kThreads);
  ASSERT_TRUE(EventJournal::replay(*space, Sequence::kNone, [&](const KeptEvent& kept) -> Status {
    const auto thread = static_cast<std::size_t>(kept.event.payload.find("thread")->as_integer());
    EXPECT_EQ(kept.event.payload.find("i")->as_integer(), next[thread]++);
    return {};
  }));
  EXPECT_EQ(next, std::vector<std::int64_t>(kThreads, kEach));
}

TEST_F(EventJournalTest, ALogThatIsBusyLosesNoSecurityEventAndTellsTheGap) {
  constexpr int kFlood = 1500;
  const auto other = open();
  const auto space =
      store::Space::open(folder_.file("space"), {.turn_wait_milliseconds = 0, .clock = clock_})
          .value();
  EventJournal journal(*space, *clock_);
  ASSERT_TRUE(other->write({}, [&](store::Transaction&) -> Status {
    journal.add({"security:alert", Json::object({{"n", 1}})});
    for (int i = 0; i < kFlood; ++i) journal.add({"tool:start", Json::object({{"i", i}})});
    journal.add({"security:alert", Json::object({{"n", 2}})});
    EXPECT_FALSE(journal.flush());
    return {};
  }));
  ASSERT_TRUE(journal.flush());
  const std::vector<std::string> told_of = told(*space);
  ASSERT_EQ(told_of.size(), 1001u);
  EXPECT_EQ(told_of[0], R"(system:events_dropped {"count":502})");
  EXPECT_EQ(told_of[1], R"(security:alert {"n":1})");
  EXPECT_EQ(told_of[2], R"(tool:start {"i":502})");
  EXPECT_EQ(told_of[1000], R"(security:alert {"n":2})");
}

TEST_F(EventJournalTest, OtherRecordsOfTheKindArePassedOver) {
  const auto space = open();
  ASSERT_TRUE(space->write({}, [](store::Transaction& transaction) {
    return transaction.record(store::RecordKind::kEvent, R"({"type":"something else"})");
  }));
  EventJournal journal(*space, *clock_);
  journal.add({"core:route", Json::object()});
  ASSERT_TRUE(journal.flush());
  EXPECT_EQ(told(*space), std::vector<std::string>{"core:route {}"});
}

TEST_F(EventJournalTest, AHandlersErrorStopsTheReplay) {
  const auto space = open();
  EventJournal journal(*space, *clock_);
  for (int i = 0; i < 3; ++i) journal.add({"tool:start", Json::object()});
  ASSERT_TRUE(journal.flush());
  int seen = 0;
  const Status stopped =
      EventJournal::replay(*space, Sequence::kNone, [&](const KeptEvent&) -> Status {
        return ++seen == 2 ? Status(fail(ErrorCode::kCancelled, "enough")) : Status();
      });
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace anima::bus
