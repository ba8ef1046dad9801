// Rows 109-113 and 153 of the specification: filters, order, observers, segments.
#include "world/event_bus.h"

#include <gtest/gtest.h>

#include "base/json/message_pack_fields.h"
#include "world/event_log.h"

namespace anima::world::event_bus_test {
namespace {

class EventBusTest : public ::testing::Test {
 protected:
  EventId publish(EventKind kind, System system = System::kAgora, std::string payload = "\x80") {
    const MemberId member = system == System::kMint ? mint_member_ : agora_member_;
    const auto id = bus_.publish(member, system, kind, std::move(payload), 5);
    EXPECT_TRUE(id.has_value());
    return *id;
  }

  Identity agora_ = system_identity(System::kAgora);
  Identity mint_ = system_identity(System::kMint);
  Identity agent_ = identity_from_seed(sha256("TEST_AGENT:1"));
  EventBus bus_;
  MemberId agora_member_ = bus_.join(agora_, BusMode::kNormal);
  MemberId mint_member_ = bus_.join(mint_, BusMode::kNormal);
};

TEST_F(EventBusTest, Row109Filters) {
  publish(EventKind::kBountyCreated);
  publish(EventKind::kBountyClaimed);
  publish(EventKind::kTransferCompleted, System::kMint);
  const auto count = [&](EventFilter filter) { return bus_.replay({}, filter).size(); };
  const auto code = [](EventKind kind) { return static_cast<std::uint16_t>(kind); };
  EXPECT_EQ(count({}), 3U);
  EXPECT_EQ(count({{System::kAgora}, {}, {}, {}}), 2U);
  EXPECT_EQ(count({{System::kAgora, System::kMint}, {}, {}, {}}), 3U);
  EXPECT_EQ(count({{}, {code(EventKind::kBountyClaimed)}, {}, {}}), 1U);
  EXPECT_EQ(count({{}, {}, {mint_.id}, {}}), 1U);
  EXPECT_EQ(count({{System::kAgora}, {code(EventKind::kTransferCompleted)}, {}, {}}), 0U);
  EXPECT_EQ(count({{System::kMint}, {code(EventKind::kTransferCompleted)}, {agora_.id}, {}}), 0U);
}

TEST_F(EventBusTest, Row110SinceIsExclusive) {
  const EventId first = publish(EventKind::kBountyCreated);
  const EventId second = publish(EventKind::kBountyCreated);
  const auto after = bus_.replay(first, {});
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].id, second);
  EXPECT_EQ(bus_.replay({}, {{}, {}, {}, second}).size(), 0U);
}

TEST_F(EventBusTest, Row111TotalOrder) {
  publish(EventKind::kBountyCreated);
  EventBus other(4);
  const MemberId member = other.join(mint_, BusMode::kNormal);
  ASSERT_TRUE(other.publish(member, System::kMint, EventKind::kTransferCompleted, "\x80", 1));
  ASSERT_TRUE(bus_.receive(other.replay({}, {}).front(), mint_.key.public_key));
  EXPECT_EQ(bus_.current_lamport(), 6U) << "max(1, 5) + 1";
  const EventId last = publish(EventKind::kBountyClaimed);
  EXPECT_EQ(last.lamport, 7U);
  const auto all = bus_.replay({}, {});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[0].id < all[1].id && all[1].id < all[2].id);
  EXPECT_LT((EventId{1, mint_.id}), (EventId{2, agora_.id}));
  EXPECT_LT((EventId{2, agora_.id}), (EventId{2, mint_.id})) << "61.. before ab..";
  Event forged = all[0];
  forged.payload.bytes = "\x90";
  EXPECT_EQ(bus_.receive(forged, agora_.key.public_key).error().code, ErrorCode::kDenied);
}

TEST_F(EventBusTest, Row112ObserversHearAllAndSayNothing) {
  const MemberId observer = bus_.join(agent_, BusMode::kObserver);
  const SubscriptionId tap = bus_.subscribe(observer, {});
  EXPECT_EQ(bus_.publish(observer, System::kAgora, EventKind::kTick, "\x80", 1).error().code,
            ErrorCode::kDenied);
  publish(EventKind::kBountyCreated);
  publish(EventKind::kTransferCompleted, System::kMint);
  EXPECT_EQ(bus_.read(tap).size(), 2U);
  EXPECT_TRUE(bus_.read(tap).empty());
}

TEST_F(EventBusTest, Row153AgentsPublishNoEvents) {
  const MemberId agent = bus_.join(agent_, BusMode::kListener);
  const auto refused = bus_.publish(agent, System::kAgora, EventKind::kMessagePosted, "\x80", 1);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kDenied);
  EXPECT_EQ(bus_.current_lamport(), 0U);
}

TEST_F(EventBusTest, WhatAllHaveReadIsLetGo) {
  const SubscriptionId one = bus_.subscribe(agora_member_, {});
  const SubscriptionId two = bus_.subscribe(agora_member_, {});
  publish(EventKind::kBountyCreated);
  bus_.read(one);
  bus_.drop_read();
  EXPECT_EQ(bus_.replay({}, {}).size(), 1U) << "the second has not read it";
  bus_.read(two);
  bus_.drop_read();
  EXPECT_TRUE(bus_.replay({}, {}).empty());
  ASSERT_TRUE(bus_.unsubscribe(two).has_value());
  EXPECT_EQ(bus_.unsubscribe(two).error().code, ErrorCode::kNotFound);
}

class EventLogTest : public EventBusTest {
 protected:
  void fill(std::uint64_t segment_bytes = kSegmentBytes) {
    log_ = *EventLog::open(files_, folder_.path(), {}, segment_bytes);
    bus_.set_sink([this](const Event& event) { return log_->append(event); });
    for (int i = 0; i < 5; ++i) publish(EventKind::kBountyCreated);
    ASSERT_TRUE(log_->sync().has_value());
  }

  Result<std::vector<Event>> read(std::optional<LogPosition> end = {}) {
    std::vector<Event> events;
    ANIMA_TRY(read_events(files_, folder_.path(), end, [&](Event event) {
      events.push_back(std::move(event));
      return Status();
    }));
    return events;
  }

  std::string segment(int number) {
    return folder_.file("events_0000000" + std::to_string(number) + ".wal");
  }

  FileSystem& files_ = system_files();
  TemporaryDirectory folder_;
  std::unique_ptr<EventLog> log_;
};

TEST_F(EventLogTest, Row113ACutRecordIsIgnored) {
  fill();
  const std::string bytes = *read_file(files_, segment(1));
  ASSERT_EQ(read()->size(), 5U);
  const std::size_t record = bytes.size() / 5;
  for (const std::size_t cut : {std::size_t{1}, record / 2, record - 2}) {
    ASSERT_TRUE(replace_file(files_, segment(1), bytes.substr(0, bytes.size() - cut)));
    const auto events = read();
    ASSERT_TRUE(events.has_value());
    EXPECT_EQ(events->size(), 4U);
  }
  std::string flipped = bytes;
  flipped[bytes.size() - 20] ^= 1;
  ASSERT_TRUE(replace_file(files_, segment(1), flipped));
  EXPECT_EQ(read()->size(), 4U) << "the last record was torn";
}

TEST_F(EventLogTest, DamageInTheMiddleIsAnError) {
  fill();
  std::string bytes = *read_file(files_, segment(1));
  bytes[bytes.size() / 2] ^= 1;
  ASSERT_TRUE(replace_file(files_, segment(1), bytes));
  EXPECT_EQ(read().error().code, ErrorCode::kCorrupt);
}

TEST_F(EventLogTest, SegmentsFollowEachOther) {
  fill(700);
  EXPECT_GT(log_->position().segment, 1U);
  const auto events = read();
  ASSERT_TRUE(events.has_value());
  ASSERT_EQ(events->size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ((*events)[i].id.lamport, i + 1);
    EXPECT_TRUE(verify(agora_.key.public_key, signed_bytes((*events)[i]), (*events)[i].signature));
  }
}

TEST_F(EventLogTest, GoesOnAtACheckpoint) {
  fill();
  const LogPosition three{1, 3 * (log_->position().offset / 5)};
  const LogCheckpoint checkpoint{2, 3, three, sha256("w")};
  ASSERT_TRUE(write_checkpoint(files_, folder_.path(), checkpoint).has_value());
  const auto again = read_checkpoint(files_, folder_.path());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->position, three);
  EXPECT_EQ(again->world_hash, checkpoint.world_hash);
  EXPECT_EQ(read(three)->size(), 3U);
  log_.reset();
  log_ = *EventLog::open(files_, folder_.path(), three);
  EXPECT_EQ(read()->size(), 3U) << "what was behind the checkpoint is made again";
  log_.reset();
  EXPECT_EQ(EventLog::open(files_, folder_.path(), {1, three.offset + 1}).error().code,
            ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace anima::world::event_bus_test
