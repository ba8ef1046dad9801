#include "llm/cassette.h"

#include <gtest/gtest.h>

#include <string>

#include "llm/models.h"
#include "support/called_model.h"

namespace anima::llm::cassette_test {
namespace {

using test::CalledModel;
using test::chat_reply;
using test::http_answer;
using test::json_answer;
using test::stream_answer;

Request question(std::string text) {
  Request request;
  request.messages.push_back(user_message(std::move(text)));
  return request;
}

// The events of a call, and its outcome, as one text.
std::string call(Model& model, const Request& request, bool streamed) {
  std::string told;
  CallOptions options;
  if (streamed) {
    options.sink = [&](const StreamEvent& event) {
      told += std::to_string(static_cast<int>(event.kind)) + event.text + "\n";
    };
  }
  const auto reply = model.complete(request, options);
  return told + (reply ? to_json(*reply).dump() : reply.error().describe());
}

ModelParts playing_parts(PlayingTransport& playing, Clock& clock, Random& random, Waiter& waiter) {
  return {playing, clock, random, waiter, {}, {}};
}

TEST(Cassette, PlaysBitForBitWithoutAnyConnection) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("calls.jsonl");
  std::string first, second, third;
  ModelConfig config;
  {
    CassetteFile file(system_files(), path);
    CalledModel called;
    called.keeper = &file;
    called.server.answer(json_answer(Json(), 429, "retry-after: 1\r\n"));
    called.server.answer(json_answer(chat_reply("caf\u00e9 \xF0\x9F\x98\x80")));
    called.server.answer(stream_answer(
        {"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"caf\xC3\xA9\"}}]}"}));
    called.server.answer(stream_answer(
        {"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":"
         "\"stop\"}]}"}));
    called.server.answer(http_answer(400, "application/json", "{\"error\":\"\xff\"}"));
    first = call(called.model(), question("one"), false);
    second = call(called.model(), question("two"), true);
    third = call(called.model(), question("three"), false);
    config = called.config;
  }  // the server is gone
  const auto exchanges = read_cassette(system_files(), path);
  ASSERT_TRUE(exchanges) << exchanges.error().describe();
  EXPECT_EQ(exchanges->size(), 5U);
  EXPECT_EQ(system_files().info(path)->permissions, 0600U);
  const auto bytes = read_file(system_files(), path);
  EXPECT_EQ(bytes->find(test::kTestKey), std::string::npos);

  PlayingTransport playing(*exchanges);
  ManualClock clock;
  SeededRandom random(99);
  NoWaiter waiter;
  const auto model = make_model(config, playing_parts(playing, clock, random, waiter));
  EXPECT_EQ(call(*model, question("one"), false), first);
  EXPECT_EQ(call(*model, question("two"), true), second);
  EXPECT_EQ(call(*model, question("three"), false), third);
  EXPECT_EQ(playing.left(), 0U);
  EXPECT_NE(call(*model, question("four"), false).find("no further call was recorded"),
            std::string::npos);
}

TEST(Cassette, ExchangesSurviveTheirForm) {
  Exchange exchange;
  exchange.url = "https://e.example/v1";
  exchange.headers = {{"accept", "x"}};
  exchange.body = "{}";
  exchange.head = {200, {{"content-type", "a"}, {"x", "\xff"}}};
  exchange.pieces = {{5, "caf\xC3"}, {9, "\xA9"}};
  exchange.end = HttpEnd::kBroken;
  exchange.detail = "gone";
  exchange.started = {77};
  exchange.duration_us = 12;
  const Json json = to_json(exchange);
  const auto again = exchange_from_json(*parse_json(json.dump()));
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(to_json(*again).dump(), json.dump());
  EXPECT_EQ(again->pieces[0].bytes, "caf\xC3");
  for (const char* bad : {"{}", R"({"url":"x","status":1,"end":"sometime"})",
                          R"({"url":"x","status":1,"end":"done","pieces":[[1]]})"})
    EXPECT_FALSE(exchange_from_json(*parse_json(bad))) << bad;
}

TEST(Cassette, AnotherCallThanTheRecordedIsAConflict) {
  Exchange exchange;
  exchange.url = "http://127.0.0.1:1/v1/chat/completions";
  ModelConfig config;
  config.name = "m";
  config.url = "http://127.0.0.1:1/v1";
  config.model = "x";
  exchange.headers = {{"content-type", "application/json"}, {"accept", "application/json"}};
  exchange.body = R"({"model":"x","messages":[{"role":"user","content":"then"}]})";
  PlayingTransport playing({exchange});
  ManualClock clock;
  SeededRandom random(1);
  NoWaiter waiter;
  const auto model = make_model(config, playing_parts(playing, clock, random, waiter));
  const auto reply = model->complete(question("now"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kConflict);
  EXPECT_NE(reply.error().describe().find("at byte "), std::string::npos);
  EXPECT_EQ(playing.left(), 1U);
}

TEST(Cassette, AKeeperThatFailsIsHeard) {
  class Full final : public ExchangeKeeper {
   public:
    Status keep(const Exchange&) override { return fail(ErrorCode::kDiskFull, "no space left"); }
  };
  Full full;
  CalledModel called;
  called.keeper = &full;
  called.server.answer(json_answer(chat_reply("x")));
  const auto reply = called.ask("?");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kDiskFull);
  EXPECT_EQ(called.server.count(), 1U);
}

TEST(Models, PlayedOnesNeedNoKeyAndNoAccount) {
  const TemporaryDirectory folder;
  test::KeptExchanges kept;
  CalledModel called;
  called.keeper = &kept;
  called.server.answer(json_answer(chat_reply("yes")));
  const std::string recorded = call(called.model(), question("?"), false);
  ManualClock clock;
  SeededRandom random(1);
  ModelConfig config = called.config;
  config.key = {KeySource::Kind::kEnvironment, "NOT_SET"};
  Models models({{{config}, {}},
                 {1, 0, BudgetConfig::Period::kTotal},
                 folder.file("state/account.json"),
                 {},
                 system_files(),
                 clock,
                 random,
                 nullptr,
                 kept.exchanges});
  const auto model = models.find("scripted");
  ASSERT_TRUE(model) << model.error().describe();
  EXPECT_EQ(call(**model, question("?"), false), recorded);
  EXPECT_EQ(models.left_to_play(), 0U);
  EXPECT_FALSE(file_exists(system_files(), folder.file("state/account.json")));
  EXPECT_FALSE(models.find("other"));
}

}  // namespace
}  // namespace anima::llm::cassette_test
