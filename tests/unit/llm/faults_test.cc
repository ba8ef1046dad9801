// A server that fails in every way that servers fail: no turn is lost, no key gets out, nothing
// hangs.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/log.h"
#include "base/process.h"
#include "support/called_model.h"
#include "support/needs.h"

namespace anima::llm::faults_test {
namespace {

using test::CalledModel;
using test::chat_reply;
using test::http_answer;
using test::json_answer;
using test::ServerAnswer;
using test::stream_answer;

const std::string kHello = R"(data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]})"
                           "\n\n"
                           R"(data: {"choices":[{"index":0,"delta":{"content":"lo"}}]})";
const std::string kEnd = R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";

ServerAnswer cut(ServerAnswer answer, ServerAnswer::End end = ServerAnswer::End::kClose) {
  answer.end = end;
  return answer;
}

TEST(ModelFaults, ATurnSurvivesWhateverPasses) {
  CalledModel called;
  called.config.attempts = 12;
  called.server.answer(
      json_answer(Json::object({{"error", Json::object({{"message", "slow down"}})}}), 429,
                  "retry-after: 3\r\n"));
  called.server.answer(http_answer(500, "text/plain", "oops"));
  called.server.answer(http_answer(529, "application/json", R"({"type":"error"})"));
  called.server.answer({{{"HTTP/1.1 200 OK\r\ncontent-", 0}}, ServerAnswer::End::kReset});
  called.server.answer({{}, ServerAnswer::End::kClose});
  called.server.answer({{{"nonsense that is no HTTP\r\n\r\n", 0}}, ServerAnswer::End::kClose});
  called.server.answer(http_answer(200, "application/json", R"({"choices":[{"mess)"));
  called.server.answer(http_answer(200, "application/json", "{}"));
  called.server.answer(
      {{{"HTTP/1.1 200 OK\r\ncontent-length: 900\r\ncontent-type: application/json\r\n\r\n{", 0}},
       ServerAnswer::End::kClose});
  called.server.answer(json_answer(chat_reply("here I am")));
  const auto reply = called.ask("are you there?");
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(text_of(reply->message), "here I am");
  EXPECT_EQ(reply->attempts, 10);
  // What was asked is the same each time.
  const auto requests = called.server.requests();
  ASSERT_EQ(requests.size(), 10U);
  for (const auto& request : requests) EXPECT_EQ(request.body, requests[0].body);
  ASSERT_GE(called.waiter.waits.size(), 9U);
  EXPECT_GE(called.waiter.waits[0], 3000);
}

TEST(ModelFaults, StreamsThatAreCutBeginAnew) {
  CalledModel called;
  called.server.answer(stream_answer({kHello}));
  called.server.answer(cut(stream_answer({kHello}), ServerAnswer::End::kReset));
  called.server.answer(stream_answer({kHello, "data: {\"error\":{\"code\":\"server_error\"}}"}));
  called.server.answer(stream_answer({kHello, "data: {garbage"}));
  called.server.answer(stream_answer({kHello, kEnd, "data: [DONE]"}));
  std::string told;
  const auto reply = called.ask_streamed("?", told);
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(told, "Hello[again]Hello[again]Hello[again]Hello[again]Hello");
  EXPECT_EQ(text_of(reply->message), "Hello");
}

TEST(ModelFaults, AStreamThatBreaksBehindItsEndIsWhole) {
  CalledModel called;
  called.server.answer(cut(stream_answer({kHello, kEnd}), ServerAnswer::End::kReset));
  std::string told;
  const auto reply = called.ask_streamed("?", told);
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(called.server.count(), 1U);
  EXPECT_EQ(told, "Hello");
}

TEST(ModelFaults, WhatStaysIsNotTriedAgain) {
  struct Case {
    ServerAnswer answer;
    ErrorCode code;
    std::string_view says;
  };
  const Json invalid = Json::object(
      {{"error", Json::object({{"type", "invalid_request_error"}, {"message", "no such field"}})}});
  const Json quota = Json::object(
      {{"error", Json::object({{"code", "insufficient_quota"}, {"message", "pay first"}})}});
  const Json context = Json::object(
      {{"error", Json::object({{"code", "context_length_exceeded"}, {"message", "too long"}})}});
  const Case cases[] = {
      {json_answer(invalid, 400), ErrorCode::kInvalidArgument, "no such field"},
      {json_answer(quota, 429), ErrorCode::kBusy, "pay first"},
      {json_answer(context, 400), ErrorCode::kLimitExceeded, "too long"},
      {json_answer(invalid, 401), ErrorCode::kDenied, "401"},
      {json_answer(invalid, 404), ErrorCode::kNotFound, "404"},
      {http_answer(503, "text/html", "<html>", "x-should-retry: false\r\n"), ErrorCode::kBusy,
       "503"},
      {http_answer(200, "text/html", "<html>Log in</html>"), ErrorCode::kIo, "text/html"},
      {http_answer(302, "text/html", "", "location: https://elsewhere.example/v1\r\n"),
       ErrorCode::kDenied, "https://elsewhere.example/v1"},
      {json_answer(Json(), 429, "retry-after: 86400\r\n"), ErrorCode::kBusy, "429"},
  };
  for (const Case& each : cases) {
    CalledModel called;
    called.server.answer(each.answer);
    const auto reply = called.ask("?");
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, each.code) << reply.error().describe();
    EXPECT_NE(reply.error().describe().find(each.says), std::string::npos)
        << reply.error().describe();
    EXPECT_EQ(called.server.count(), 1U) << each.says;
  }
}

TEST(ModelFaults, ARedirectWithAKeyIsNotFollowed) {
  CalledModel called, other;
  other.server.otherwise([](const auto&) { return json_answer(chat_reply("caught")); });
  called.server.answer(http_answer(307, "text/html", "",
                                   "location: " + other.server.url() + "/chat/completions\r\n"));
  EXPECT_FALSE(called.ask("?"));
  EXPECT_EQ(other.server.count(), 0U);
}

TEST(ModelFaults, GivesUpAndSaysWhy) {
  CalledModel called;
  called.config.attempts = 3;
  called.server.otherwise([](const auto&) { return http_answer(500, "text/plain", "broken"); });
  const auto reply = called.ask("?");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kBusy);
  EXPECT_EQ(reply.error().describe(),
            "scripted: the model's server answers 500: broken (attempt 3)");
  EXPECT_EQ(called.server.count(), 3U);
  ASSERT_EQ(called.waiter.waits.size(), 2U);
  EXPECT_GE(called.waiter.waits[0], 250);
  EXPECT_LE(called.waiter.waits[0], 500);
  EXPECT_GE(called.waiter.waits[1], 500);
  EXPECT_LE(called.waiter.waits[1], 1000);
}

TEST(ModelFaults, NobodyThere) {
  CalledModel called;
  called.config.attempts = 2;
  {
    const test::ModelServer gone;
    called.config.url = gone.url();
  }
  const auto reply = called.ask("?");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kBusy);
  EXPECT_NE(reply.error().describe().find("no connection"), std::string::npos);
}

// How long a call takes, in milliseconds.
template <typename Call>
std::int64_t time_of(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

TEST(ModelFaults, ASilentServerIsLeft) {
  CalledModel called;
  called.config.attempts = 1;
  called.config.idle_seconds = 1;
  called.server.answer(cut(stream_answer({kHello}), ServerAnswer::End::kHang));
  std::string told;
  Result<Reply> reply = fail(ErrorCode::kInternal, "");
  const std::int64_t took = time_of([&] { reply = called.ask_streamed("?", told); });
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kTimeout) << reply.error().describe();
  EXPECT_LT(took, 4000);
}

TEST(ModelFaults, ASlowServerIsNotSilentButMustEnd) {
  CalledModel called;
  called.config.idle_seconds = 1;
  called.config.timeout_seconds = 2;
  ServerAnswer slow = stream_answer({});
  for (int i = 0; i < 100; ++i) slow.steps.push_back({": still here\n", 100});
  called.server.answer(slow);
  std::string told;
  Result<Reply> reply = fail(ErrorCode::kInternal, "");
  const std::int64_t took = time_of([&] { reply = called.ask_streamed("?", told); });
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kTimeout) << reply.error().describe();
  EXPECT_GE(took, 1900);
  EXPECT_LT(took, 6000);
  EXPECT_EQ(called.server.count(), 1U);
}

TEST(ModelFaults, AStopEndsTheCallAtOnce) {
  CalledModel called;
  called.server.answer({{}, ServerAnswer::End::kHang});
  Request request;
  request.messages.push_back(user_message("?"));
  std::stop_source source;
  CallOptions options;
  options.stop = source.get_token();
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    source.request_stop();
  });
  Result<Reply> reply = fail(ErrorCode::kInternal, "");
  const std::int64_t took = time_of([&] { reply = called.model().complete(request, options); });
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kCancelled);
  EXPECT_LT(took, 2000);
}

TEST(ModelFaults, EndlessAnswersAreCut) {
  CalledModel called;
  ServerAnswer endless{
      {{"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n", 0}},
      ServerAnswer::End::kClose};
  for (int i = 0; i < 40; ++i) endless.steps.push_back({std::string(std::size_t{1} << 20, ' '), 0});
  called.server.answer(endless);
  const auto reply = called.ask("?");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kLimitExceeded) << reply.error().describe();

  CalledModel headers;
  headers.server.answer(http_answer(200, "application/json", "{}",
                                    "x-long: " + std::string(90'000, 'a') + "\r\n" +
                                        "x-longer: " + std::string(90'000, 'a') +
                                        "\r\nx-more: " + std::string(90'000, 'a') + "\r\n"));
  EXPECT_FALSE(headers.ask("?"));
}

// --- the key -------------------------------------------------------------------------------------

class KeyLeak : public testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::kTrace);
    set_log_sink(
        [this](LogLevel, std::string_view, std::string_view message) { written_ += message; });
  }
  void TearDown() override {
    set_log_sink({});
    set_log_level(LogLevel::kWarning);
  }
  void write(const Result<Reply>& reply) {
    written_ += reply ? to_json(*reply).dump() : reply.error().describe();
    if (reply) {
      for (const Part& part : reply->message.parts) {
        if (const auto* opaque = std::get_if<Opaque>(&part)) written_ += opaque->content.dump();
      }
    }
  }
  std::string written_;  // everything that came out of a call
};

TEST_F(KeyLeak, NoAnswerErrorLogOrRecordHoldsIt) {
  const std::string key = test::kTestKey;
  std::string coded = "\\u0073" + key.substr(1);  // the same once decoded
  const std::string chat = R"({"choices":[{"finish_reason":"stop","message":{"content":"it is )" +
                           key + R"(", "tool_calls":[{"id":")" + coded +
                           R"(","function":{"name":"x","arguments":"{\"a\":\")" + key +
                           R"(\"}"}}]}}]})";
  const auto echo = R"({"error":{"message":"Incorrect API key provided: )" + key + R"("}})";
  for (const ServerAnswer& answer :
       {http_answer(200, "application/json", chat),
        http_answer(
            200, "application/json",
            R"({"choices":[{"finish_reason":"stop","message":{"content":")" + coded + R"("}}]})"),
        http_answer(401, "application/json", echo), http_answer(401, "text/plain", key),
        http_answer(302, "text/plain", "", "location: https://e.example/?k=" + key + "\r\n"),
        http_answer(200, key, "<html>" + key),
        http_answer(400, "application/json", R"({"error":{"message":")" + coded + R"("}})")}) {
    CalledModel called;
    test::KeptExchanges kept;
    called.keeper = &kept;
    called.server.answer(answer);
    write(called.ask("?"));
    for (const Exchange& exchange : kept.exchanges) written_ += to_json(exchange).dump();
  }
  EXPECT_NE(written_.find("[key removed]"), std::string::npos);
  EXPECT_EQ(written_.find(key), std::string::npos) << written_;
  EXPECT_EQ(written_.find(key.substr(3)), std::string::npos) << written_;
}

TEST_F(KeyLeak, NoPieceOfAStreamHoldsIt) {
  const std::string key = test::kTestKey;
  const auto delta = [](const std::string& text) {
    return R"(data: {"choices":[{"index":0,"delta":{"content":")" + text + R"("}}]})";
  };
  CalledModel called;
  test::KeptExchanges kept;
  called.keeper = &kept;
  ServerAnswer answer = stream_answer(
      {delta("the key is "), delta(key.substr(0, 9)), delta(key.substr(9)), delta(" or "), kEnd});
  // Once more, and cut in the middle by the connection.
  const std::string whole = delta(key) + "\n\n";
  answer.steps.insert(answer.steps.begin() + 1, {whole.substr(0, 70), 0});
  answer.steps.insert(answer.steps.begin() + 2, {whole.substr(70), 30});
  called.server.answer(answer);
  std::string told;
  write(called.ask_streamed("?", told));
  EXPECT_EQ(told, "[key removed]the key is [key removed] or ");
  written_ += told;
  EXPECT_EQ(written_.find(key), std::string::npos) << written_;
}

TEST_F(KeyLeak, AMessageThatHoldsItIsNotSent) {
  CalledModel called;
  const auto reply = called.ask(std::string("my key is ") + test::kTestKey);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kDenied);
  write(reply);
  EXPECT_EQ(written_.find(test::kTestKey), std::string::npos);
  EXPECT_EQ(called.server.count(), 0U);
}

TEST(ModelAddress, ACertificateThatNobodyVouchesForIsRefused) {
  const TemporaryDirectory folder;
  ProcessOptions making;
  making.arguments = {"openssl", "req",     "-x509",          "-newkey",      "rsa:2048",
                      "-nodes",  "-keyout", folder.file("k"), "-out",         folder.file("c"),
                      "-days",   "2",       "-subj",          "/CN=localhost"};
  making.timeout_ms = 60'000;
  const auto made = run_process(making);
  ANIMA_NEEDS(test::kOpenssl, made && made->ok());
  std::string port;
  {
    const test::ModelServer free_port;
    port = free_port.url().substr(17, free_port.url().rfind('/') - 17);
  }
  ProcessOptions serving;
  serving.arguments = {"openssl", "s_server",       "-accept", "127.0.0.1:" + port,
                       "-cert",   folder.file("c"), "-key",    folder.file("k"),
                       "-www"};
  const auto server = ChildProcess::start(serving);
  ASSERT_TRUE(server) << server.error().describe();
  ASSERT_TRUE((*server)->read_line(20'000));  // it says when it listens
  CalledModel called;
  called.config.url = "https://127.0.0.1:" + port + "/v1";
  called.config.attempts = 2;
  auto reply = called.ask("?");
  for (int i = 0; i < 100 && !reply && reply.error().code == ErrorCode::kBusy; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    reply = called.ask("?");
  }
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kDenied) << reply.error().describe();
  EXPECT_NE(reply.error().describe().find("not safe"), std::string::npos);
}

TEST(ModelAddress, PlainHttpIsForThisMachineAlone) {
  for (const char* url : {"http://192.0.2.1:9/v1", "http://example.invalid/v1"}) {
    CalledModel called;
    called.config.url = url;
    const auto reply = called.ask("?");
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::kDenied) << reply.error().describe();
    EXPECT_TRUE(called.waiter.waits.empty());
  }
  CalledModel allowed;
  allowed.config.url = "http://example.invalid/v1";
  allowed.config.allow_http = true;
  allowed.config.attempts = 1;
  const auto reply = allowed.ask("?");
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().code, ErrorCode::kDenied) << reply.error().describe();
}

}  // namespace
}  // namespace anima::llm::faults_test
