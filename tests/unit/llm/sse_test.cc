#include "llm/sse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace anima::llm::sse_test {
namespace {

using Events = std::vector<std::string>;

// "type|data|id" of each event, the bytes fed in pieces of that size.
Events read(std::string_view bytes, std::size_t piece = 1'000'000) {
  SseParser parser;
  Events events;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const Status status = parser.feed(bytes.substr(at, piece), [&](const SseEvent& event) {
      events.push_back(event.type + "|" + event.data + "|" + event.id);
      return Status();
    });
    EXPECT_TRUE(status) << status.error().describe();
  }
  return events;
}

TEST(Sse, ReadsTheExamplesOfTheStandard) {
  EXPECT_EQ(read("data: YHOO\ndata: +2\ndata: 10\n\n"), (Events{"message|YHOO\n+2\n10|"}));
  EXPECT_EQ(read(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
                 "data:  third event\n\n"),
            (Events{"message|first event|1", "message|second event|", "message| third event|"}));
  EXPECT_EQ(read("data\n\ndata\ndata\n\ndata:"), (Events{"message||", "message|\n|"}));
  EXPECT_EQ(read("data:test\n\ndata: test\n\n"), (Events{"message|test|", "message|test|"}));
  EXPECT_EQ(read("event: add\ndata: 7\n\nevent: gone\n\ndata: x\n\n"),
            (Events{"add|7|", "message|x|"}));
}

TEST(Sse, LineEndsAndMarksMayBeAnyOfTheStandards) {
  const Events expected{"message|a\nb|", "message|c|"};
  EXPECT_EQ(read("data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n"), expected);
  EXPECT_EQ(read("data: a\rdata: b\r\rdata: c\r\r"), expected);
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "data: a\ndata: b\n\ndata: c\n\n"),
            expected);
  EXPECT_EQ(read("retry: 10\nnonsense: 1\n:\ndata: a\ndata: b\n\ndata: c\n\n"), expected);
}

TEST(Sse, PiecesOfAnySizeGiveTheSameEvents) {
  const std::string bytes =
      "\xEF\xBB\xBF"
      "event: one\r\ndata: {\"a\":\"\xC3\xA9\"}\r\n\r\nid: 4\r\r: x\ndata\n\n\r\n"
      "data: last\n\n";
  const Events whole = read(bytes);
  ASSERT_EQ(whole.size(), 3U);
  for (std::size_t piece = 1; piece < bytes.size(); ++piece)
    EXPECT_EQ(read(bytes, piece), whole) << piece;
}

TEST(Sse, AnEventThatIsCutOffIsNone) {
  EXPECT_TRUE(read("data: half").empty());
  EXPECT_TRUE(read("data: whole line\n").empty());
}

TEST(Sse, AnEndlessEventIsAnError) {
  SseParser parser(100);
  const auto ignore = [](const SseEvent&) { return Status(); };
  Status status;
  for (int i = 0; i < 20 && status; ++i) status = parser.feed("data: 0123456789\n", ignore);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kLimitExceeded);
  SseParser lines(100);
  EXPECT_FALSE(lines.feed("data: " + std::string(200, 'x'), ignore));
}

TEST(Sse, AnErrorOfTheTakerEndsTheReading) {
  SseParser parser;
  int seen = 0;
  const Status status = parser.feed("data: 1\n\ndata: 2\n\n", [&](const SseEvent&) -> Status {
    ++seen;
    return fail(ErrorCode::kBusy, "enough");
  });
  EXPECT_FALSE(status);
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace anima::llm::sse_test
