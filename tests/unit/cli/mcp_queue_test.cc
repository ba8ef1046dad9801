// The requests of a client that wait: bounded, in their order, and taken back.
#include "cli/verbs/serve/mcp_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace anima::cli::mcp_queue_test {
namespace {

using Needs = serve::Needs;
constexpr Needs kWrite{Needs::Order::kWrite};

Json request(int id) { return Json::object({{"id", id}, {"method", "tools/call"}}); }

bool put(McpQueue& queue, int id, std::size_t bytes = 1, Needs needs = {}) {
  Json message = request(id);
  const bool taken = queue.put(message, bytes, needs);
  if (!taken) {
    EXPECT_EQ(message, request(id)) << "it is still the caller's";
  }
  return taken;
}

int id_of(const std::optional<McpQueue::Given>& given) {
  return given ? static_cast<int>(given->message.find("id")->as_integer()) : -1;
}

TEST(McpQueue, TakesSoManyAndNoMore) {
  McpQueue queue({.requests = 2, .bytes = 100});
  EXPECT_TRUE(put(queue, 1, 200)) << "one is taken, however long";
  EXPECT_FALSE(put(queue, 2, 1)) << "too many bytes";
  EXPECT_EQ(id_of(queue.take()), 1);
  EXPECT_TRUE(put(queue, 3));
  EXPECT_TRUE(put(queue, 4));
  EXPECT_FALSE(put(queue, 5)) << "too many requests";
  queue.end();
  EXPECT_FALSE(put(queue, 6));
  EXPECT_EQ(id_of(queue.take()), 3);
  EXPECT_EQ(id_of(queue.take()), 4);
  EXPECT_EQ(id_of(queue.take()), -1);
}

TEST(McpQueue, GivesWhatMayBeginAndTheRestWhenItMay) {
  McpQueue queue({});
  ASSERT_TRUE(put(queue, 1, 1, kWrite));
  ASSERT_TRUE(put(queue, 2, 1, kWrite));
  ASSERT_TRUE(put(queue, 3));
  queue.end();
  const auto first = queue.take();
  ASSERT_EQ(id_of(first), 1);
  EXPECT_EQ(id_of(queue.take()), 3);
  EXPECT_EQ(queue.running(), (std::vector<Json>{1, 3}));
  queue.done(first->place);
  EXPECT_EQ(id_of(queue.take()), 2);
  EXPECT_FALSE(queue.finished_within(std::chrono::milliseconds(0)));
}

TEST(McpQueue, WhatIsTakenBackBeforeItBeganIsGone) {
  McpQueue queue({});
  ASSERT_TRUE(put(queue, 1, 1, kWrite));
  ASSERT_TRUE(put(queue, 2, 1, kWrite));
  ASSERT_TRUE(put(queue, 3, 1, kWrite));
  const auto first = queue.take();
  EXPECT_FALSE(queue.take_back(1)) << "it runs";
  EXPECT_TRUE(queue.take_back(2));
  EXPECT_FALSE(queue.take_back(2));
  EXPECT_FALSE(queue.take_back("3")) << "a text is another id";
  queue.done(first->place);
  EXPECT_EQ(id_of(queue.take()), 3);
}

TEST(McpQueue, WhatIsDroppedIsNotGiven) {
  McpQueue queue({});
  ASSERT_TRUE(put(queue, 1, 1, kWrite));
  ASSERT_TRUE(put(queue, 2, 1, kWrite));
  const auto first = queue.take();
  queue.drop();
  EXPECT_EQ(id_of(queue.take()), -1);
  EXPECT_FALSE(queue.finished_within(std::chrono::milliseconds(0)));
  queue.done(first->place);
  EXPECT_TRUE(queue.finished_within(std::chrono::milliseconds(0)));
}

}  // namespace
}  // namespace anima::cli::mcp_queue_test
