// In which order requests begin, and which run side by side.
#include "serve/turn_line.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace anima::serve {
namespace {

constexpr Needs kRead{Needs::Order::kRead}, kWrite{Needs::Order::kWrite};
constexpr Needs kHouseRead{Needs::Order::kRead, true};

// The places that may begin now.
std::vector<TurnLine::Place> begun(TurnLine& line) {
  std::vector<TurnLine::Place> places;
  while (const auto place = line.next()) places.push_back(*place);
  return places;
}
using Places = std::vector<TurnLine::Place>;

TEST(TurnLine, ReadsRunSideBySideAndBehindTheWriteThatCameBefore) {
  TurnLine line;
  const auto first = line.join(kRead), second = line.join(kRead);
  const auto write = line.join(kWrite);
  const auto third = line.join(kRead), free = line.join({});
  EXPECT_EQ(begun(line), (Places{first, second, free}));
  line.leave(second);
  EXPECT_EQ(begun(line), Places{});
  line.leave(first);
  EXPECT_EQ(begun(line), Places{write});
  line.leave(write);
  EXPECT_EQ(begun(line), Places{third});
}

TEST(TurnLine, WritesKeepTheirOrder) {
  TurnLine line;
  const auto first = line.join(kWrite), second = line.join(kWrite), third = line.join(kWrite);
  for (const auto place : {first, second, third}) {
    EXPECT_EQ(begun(line), Places{place});
    line.leave(place);
  }
}

TEST(TurnLine, TheHouseIsOfOneAtATimeAndNobodyElseWaitsForIt) {
  TurnLine line;
  const auto first = line.join(kHouseRead), second = line.join(kHouseRead);
  const auto reads = line.join(kRead);
  EXPECT_EQ(begun(line), (Places{first, reads}));
  line.leave(first);
  EXPECT_EQ(begun(line), Places{second});
}

TEST(TurnLine, NobodyGoesAheadOfWhoWaitsForTheHouse) {
  TurnLine line;
  const auto write = line.join(kWrite), reads = line.join(kHouseRead);
  const auto last = line.join({.house = true});
  EXPECT_EQ(begun(line), Places{write});
  line.leave(write);
  EXPECT_EQ(begun(line), Places{reads});
  line.leave(reads);
  EXPECT_EQ(begun(line), Places{last});
}

TEST(TurnLine, WhoLeavesBeforeItsTurnHoldsNobodyUp) {
  TurnLine line;
  const auto runs = line.join(kRead), write = line.join(kWrite), behind = line.join(kRead);
  EXPECT_EQ(begun(line), Places{runs});
  line.leave(write);
  EXPECT_EQ(begun(line), Places{behind});
  EXPECT_TRUE(line.begun(behind));
}

TEST(HouseTurn, IsHeldByOneAndDoesNotComeInTime) {
  HouseTurn turn;
  {
    const auto held = turn.take(std::chrono::milliseconds(0));
    ASSERT_TRUE(held);
    EXPECT_FALSE(turn.take(std::chrono::milliseconds(10)));
  }
  EXPECT_TRUE(turn.take(std::chrono::milliseconds(0)));
}

TEST(HouseTurn, ComesToEachOfManyThreads) {
  HouseTurn turn;
  int count = 0;  // guarded by the turn
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) {
        const auto held = turn.take(std::chrono::minutes(10));
        EXPECT_TRUE(held);
        ++count;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(count, 1600);
}

}  // namespace
}  // namespace anima::serve
