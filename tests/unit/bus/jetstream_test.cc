// What a stream of a NATS server has to hold for whoever relies on it.
#include "bus/jetstream.h"

#include <gtest/gtest.h>

#include "support/nats_server.h"
#include "support/needs.h"

namespace anima::bus::jetstream_test {
namespace {

class JetStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kNats, server_.there());
    stream_ = open();
    ASSERT_NE(stream_, nullptr);
    const Status kept = stream_->keep("TEST", "test.to");
    ASSERT_TRUE(kept.has_value()) << kept.error().describe();
  }
  std::unique_ptr<JetStream> open() const {
    auto opened = JetStream::open({server_.url(), "test"});
    EXPECT_TRUE(opened.has_value()) << opened.error().describe();
    return opened ? *std::move(opened) : nullptr;
  }
  static std::unique_ptr<Inbox> inbox(JetStream& stream, const std::string& subject,
                                      const std::string& name) {
    auto opened = stream.inbox("TEST", subject, name);
    EXPECT_TRUE(opened.has_value()) << opened.error().describe();
    return opened ? *std::move(opened) : nullptr;
  }
  static std::string take(Inbox& inbox, std::int64_t timeout_ms = 10'000) {
    const auto next = inbox.next(timeout_ms);
    EXPECT_TRUE(next.has_value());
    if (!next || !*next) return "nothing";
    inbox.acknowledge(**next);
    return (*next)->bytes;
  }

  test::NatsServer server_;
  std::unique_ptr<JetStream> stream_;
};

TEST_F(JetStreamTest, MessagesWaitForTheirReaderInOrderAndTheSameIdIsOneMessage) {
  for (const char* id : {"1", "2", "2", "1", "3"})
    ASSERT_TRUE(stream_->send("test.to.a", id, std::string("message ") + id).has_value());
  ASSERT_TRUE(stream_->send("test.to.b", "4", "for another").has_value());
  const auto reader = inbox(*stream_, "test.to.a", "reader");
  EXPECT_EQ(take(*reader), "message 1");
  EXPECT_EQ(take(*reader), "message 2");
  EXPECT_EQ(take(*reader), "message 3");
  EXPECT_EQ(take(*reader, 200), "nothing");
  const auto other = inbox(*stream_, "test.to.b", "other");
  EXPECT_EQ(take(*other), "for another");
}

TEST_F(JetStreamTest, WhatIsNotAcknowledgedOutlivesACrash) {
  ASSERT_TRUE(stream_->send("test.to.a", "1", std::string("\0 one", 5)).has_value());
  ASSERT_TRUE(stream_->send("test.to.a", "2", "two").has_value());
  {
    const auto reader = inbox(*stream_, "test.to.a", "reader");
    EXPECT_EQ(take(*reader), std::string("\0 one", 5));
  }
  server_.stop();
  server_.start();
  ASSERT_TRUE(stream_->send("test.to.a", "3", "three").has_value()) << "by the same connection";
  const auto later = open();
  const auto reader = inbox(*later, "test.to.a", "reader");
  // Whether the server had noted the acknowledgement before it crashed is not known.
  std::string next = take(*reader);
  if (next == std::string("\0 one", 5)) next = take(*reader);
  EXPECT_EQ(next, "two");
  EXPECT_EQ(take(*reader), "three");
}

TEST_F(JetStreamTest, SomebodyWhoIsThereAnswersAtOnce) {
  EXPECT_EQ(stream_->ask("test.who", 1000), std::nullopt);
  const auto other = open();
  ASSERT_TRUE(other->answer("test.who", "one").has_value());
  EXPECT_EQ(stream_->ask("test.who", 10'000), "one");
  ASSERT_TRUE(other->answer("test.who", "two").has_value());
  EXPECT_EQ(other->ask("test.who", 10'000), "two") << "and not the former answer";
}

TEST_F(JetStreamTest, SaysWhatCannotBe) {
  const Status large = stream_->send("test.to.a", "1", std::string(2'000'000, 'x'));
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().code, ErrorCode::kLimitExceeded);
  const Status overlap = stream_->keep("OTHER", "test");
  ASSERT_FALSE(overlap.has_value());
  EXPECT_EQ(overlap.error().code, ErrorCode::kConflict);
  bool stop = false;
  const auto hasty = JetStream::open({server_.url(), "test", [&stop] { return stop; }});
  const auto reader = inbox(**hasty, "test.to.a", "reader");
  stop = true;
  EXPECT_EQ(reader->next(10'000).error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace anima::bus::jetstream_test
