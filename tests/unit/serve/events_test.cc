// /v1/events over a real socket: each change once, also after a break and a restart, and for how
// many and how long a stream is there.
#include "serve/v1/events.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "serve/http/stream_keeper.h"
#include "support/event_stream.h"
#include "support/memory_server.h"

namespace anima::serve::events_test {
namespace {

using test::EventStream;
using test::StreamEvent;

class Events : public test::MemoryServer {
 protected:
  std::unique_ptr<EventStream> open(const std::string& headers = "", const std::string& query = "",
                                    const std::string& client = "ada") {
    return std::make_unique<EventStream>(
        server_->port(), "GET /v1/events" + query + " HTTP/1.1\r\nHost: localhost\r\n" +
                             authorization(client) + headers + "\r\n");
  }
  void tell(const std::string& who) {
    ASSERT_EQ(http("POST", "/v1/memories", "{\"text\":\"" + who + " works at Initech\"}").status,
              201);
  }
  std::string newest() {
    return std::to_string(static_cast<std::uint64_t>(newest_entry().sequence));
  }
  // The names of those who are told of, from the next so many events.
  static std::string names(EventStream& stream, std::size_t count) {
    std::string names;
    for (std::size_t i = 0; i < count; ++i) {
      const StreamEvent event = stream.next();
      const std::size_t at = event.data.find(" works_at");
      const std::size_t begin = event.data.rfind('"', at);
      if (at != std::string::npos) names += event.data.substr(begin + 1, at - begin - 1) + " ";
    }
    return names;
  }
};

TEST_F(Events, EachChangeIsToldWithItsNumber) {
  const auto stream = open();
  ASSERT_EQ(stream->head().status, 200) << stream->head().body;
  EXPECT_EQ(stream->head().header("content-type"), "text/event-stream");
  tell("Ada");
  StreamEvent event;
  for (int i = 0; i < 10 && event.data.find("works_at") == std::string::npos; ++i)
    event = stream->next();
  EXPECT_EQ(event.name, "change");
  const auto data = parse_json(event.data);
  ASSERT_TRUE(data) << event.data;
  EXPECT_EQ(std::to_string(data->find("sequence")->as_integer()), event.id);
  EXPECT_EQ(data->find("author")->as_string(), "http:ada");
  EXPECT_EQ(data->find("trust")->as_string(), "standard");
  EXPECT_NE(data->find("added")->dump().find("Ada works_at Initech"), std::string::npos);
}

TEST_F(Events, WhoGoesOnMissesNothingAndReadsNothingTwice) {
  const std::string begin = newest();
  std::vector<std::string> all;
  for (const char* name : {"Ada", "Bob", "Carl", "Dora", "Eve"}) tell(name);
  const std::string end = newest();
  const auto ids = [&](EventStream& stream, std::size_t most) {
    std::vector<std::string> seen;
    while (seen.size() < most) {
      const StreamEvent event = stream.next();
      if (event.name != "change") break;
      seen.push_back(event.id);
      if (event.data.find("Eve works_at") != std::string::npos) break;
    }
    return seen;
  };
  const auto whole = ids(*open("", "?after=" + begin), 100);
  ASSERT_GE(whole.size(), 5U);
  // Broken off behind each event, it goes on with the one behind it, also at another server.
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    auto seen = ids(*open("", "?after=" + begin), cut);
    if (cut == 2) start();
    const auto rest = ids(*open("Last-Event-ID: " + seen.back() + "\r\n"), 100);
    seen.insert(seen.end(), rest.begin(), rest.end());
    EXPECT_EQ(seen, whole) << cut;
  }
  EXPECT_EQ(open("Last-Event-ID: x\r\n")->head().status, 400);
  EXPECT_EQ(open("Last-Event-ID: 999999\r\n")->head().status, 400);
}

TEST_F(Events, StreamsTakeNoPlaceAndAreBounded) {
  std::vector<std::unique_ptr<EventStream>> open_streams;
  for (int i = 0; i < 8; ++i) {
    open_streams.push_back(open());
    ASSERT_EQ(open_streams.back()->head().status, 200);
  }
  const auto ninth = open();
  EXPECT_EQ(ninth->head().status, 503);
  EXPECT_EQ(ninth->head().header("retry-after"), "1");
  add_client("bob", store::Trust::kStandard, true);
  EXPECT_EQ(open("", "", "bob")->head().status, 200);
  // Eight streams of one caller and four places: requests are answered all the same.
  tell("Ada");
  for (const auto& stream : open_streams) EXPECT_EQ(names(*stream, 1).empty(), false);
  open_streams.clear();
  // Their places come back when their readers are gone.
  int status = 503;
  for (int i = 0; i < 100 && status == 503; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    status = open()->head().status;
  }
  EXPECT_EQ(status, 200);
}

TEST_F(Events, TheyEndWithAWord) {
  auto stream = open();
  ASSERT_EQ(stream->head().status, 200);
  server_->stop();
  const StreamEvent end = stream->next();
  EXPECT_EQ(end.name, "end");
  EXPECT_EQ(end.data, R"({"reason":"the server is ending"})");
  stream->next();
  EXPECT_TRUE(stream->ended());
}

TEST_F(Events, WhoseTokenIsGoneIsToldNoMore) {
  const auto stream = open();
  ASSERT_EQ(stream->head().status, 200);
  add_client("bob", store::Trust::kStandard, true);
  ASSERT_TRUE(tokens_->remove("ada"));
  ASSERT_EQ(http("POST", "/v1/memories", R"({"text":"Bob works at Initech"})", "", "bob").status,
            201);
  const StreamEvent end = stream->next();
  EXPECT_EQ(end.name, "end");
  EXPECT_NE(end.data.find("token"), std::string::npos) << end.data;
}

TEST_F(Events, AStreamOfNoTokenEndsThoughNothingComes) {
  const auto stream = open();
  ASSERT_EQ(stream->head().status, 200);
  ASSERT_TRUE(tokens_->remove("ada"));
  EXPECT_EQ(stream->next().name, "end");
}

TEST_F(Events, ARuleThatComesLaterEndsThem) {
  const auto stream = open();
  ASSERT_EQ(stream->head().status, 200);
  rule("deny(Call, \"no events\") :- call(Call, \"http:events\", _, _).\n");
  tell("Ada");
  const StreamEvent end = stream->next();
  EXPECT_EQ(end.name, "end");
  EXPECT_NE(end.data.find("no events"), std::string::npos) << end.data;
  EXPECT_EQ(open()->head().status, 403);
}

// The ids of the events of a stream's text.
std::vector<std::string> ids_in(const std::string& text) {
  std::vector<std::string> ids;
  for (std::size_t at = 0; (at = text.find("id: ", at)) != std::string::npos; at += 4)
    ids.push_back(text.substr(at + 4, text.find('\n', at) - at - 4));
  return ids;
}

TEST_F(Events, AReaderWhoTakesNothingIsToldAndGoesOnLater) {
  const store::Sequence begin = newest_entry().sequence;
  for (const char* name : {"Ada", "Bob"}) tell(name);
  v1::FeedOptions options;
  options.slow = std::chrono::milliseconds(100);
  v1::EventFeed feed(parts_->space, begin, options);
  http::Outlet outlet(http::sse_farewell);
  feed.step(outlet);
  EXPECT_FALSE(outlet.is_over());
  tell("Carl");
  // Nobody takes what waits.
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  feed.step(outlet);
  EXPECT_TRUE(outlet.is_over());
  const http::Outlet::Piece piece = outlet.take();
  EXPECT_TRUE(piece.last);
  EXPECT_TRUE(piece.bytes.ends_with(
      "event: end\ndata: {\"reason\":\"the reader is too slow: go on with Last-Event-ID\"}\n\n"))
      << piece.bytes;
  const auto seen = ids_in(piece.bytes);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(piece.bytes.find("Carl works_at"), std::string::npos);
  v1::EventFeed rest(parts_->space, store::Sequence{std::stoul(seen.back())}, options);
  http::Outlet later(http::sse_farewell);
  rest.step(later);
  const std::string more = later.take().bytes;
  EXPECT_NE(more.find("Carl works_at"), std::string::npos) << more;
  EXPECT_GT(std::stoul(ids_in(more).front()), std::stoul(seen.back()));
}

TEST(StreamKeeper, KeepsSilentStreamsAliveAndEndsThem) {
  const auto outlet = std::make_shared<http::Outlet>(http::sse_farewell);
  {
    http::StreamKeeper keeper(std::chrono::milliseconds(5), std::chrono::milliseconds(20));
    keeper.add(outlet);
    for (int i = 0; i < 400 && outlet->waiting() == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(outlet->take().bytes, ": still here\n\n");
  }
  EXPECT_TRUE(outlet->is_over());
  EXPECT_EQ(outlet->take().bytes, "event: end\ndata: {\"reason\":\"the server is ending\"}\n\n");
}

TEST(Outlet, BoundsWhatWaits) {
  http::Outlet outlet([](std::string_view reason) { return "[" + std::string(reason) + "]"; }, 10);
  EXPECT_TRUE(outlet.put("a piece longer than ten"));
  EXPECT_FALSE(outlet.put("x"));
  EXPECT_FALSE(outlet.put("y"));
  const http::Outlet::Piece piece = outlet.take();
  EXPECT_EQ(piece.bytes, "a piece longer than ten[the reader is too slow]");
  EXPECT_TRUE(piece.last);
}

}  // namespace
}  // namespace anima::serve::events_test
