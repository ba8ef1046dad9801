// The MCP client against a real program in the sandbox and a real HTTP server, both scripted, good
// and hostile.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/mcp_program.h"
#include "support/model_server.h"
#include "support/needs_sandbox.h"
#include "tools/mcp/detail/client.h"

namespace anima::tools::mcp_client_test {
namespace {

using mcp::Client;

class McpClientTest : public testing::Test {
 protected:
  void SetUp() override { ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces()); }
  Result<std::unique_ptr<Client>> connect(const std::string& mode,
                                          std::int64_t timeout_ms = 10'000) {
    ANIMA_ASSIGN(const SandboxRequest request, sandbox_request(test::mcp_program(mode), {}, false));
    ANIMA_ASSIGN(auto transport, mcp::open_program(request, clock_, "a hint"));
    return Client::connect(std::move(transport), clock_, timeout_ms, {});
  }
  static Json arguments(const char* text) { return *parse_json(text); }

  SystemClock clock_;
};

TEST_F(McpClientTest, ListsAndCalls) {
  for (const char* mode : {"good", "pages", "liar", "stateless"}) {
    auto client = connect(mode);
    ASSERT_TRUE(client.has_value()) << mode << client.error().describe();
    EXPECT_EQ((*client)->server().name, "scripted");
    const auto tools = (*client)->list_tools(10'000, {});
    ASSERT_TRUE(tools.has_value()) << mode << tools.error().describe();
    EXPECT_EQ(tools->size(), 10U);
    EXPECT_TRUE((*tools)[3].name == "echo" && (*tools)[3].hints_that_it_reads())
        << (*tools)[3].name;
    const auto said = (*client)->call("echo", arguments(R"({"text":"hi"})"), 10'000, {});
    ASSERT_TRUE(said.has_value()) << said.error().describe();
    EXPECT_EQ(said->find("text")->as_string(), "hi");
    const auto sum = (*client)->call("sum", arguments(R"({"a":2,"b":3})"), 10'000, {});
    ASSERT_TRUE(sum.has_value()) << sum.error().describe();
    EXPECT_EQ(sum->find("structured")->find("total")->as_integer(), 5);
    const auto failed = (*client)->call("fail", Json::object(), 10'000, {});
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().message, "the tool failed: no such [2J thing");
    EXPECT_FALSE((*client)->call("nothing", Json::object(), 10'000, {}).has_value());
  }
}

TEST_F(McpClientTest, AServerThatAsksIsGivenNothing) {
  auto client = connect("good");
  ASSERT_TRUE(client.has_value());
  const auto asked = (*client)->call("asks", Json::object(), 10'000, {});
  ASSERT_TRUE(asked.has_value()) << asked.error().describe();
  EXPECT_EQ(asked->find("text")->as_string(), "[-32601, {}]");
}

TEST_F(McpClientTest, TimeIsOverAndTheLastProgressIsTold) {
  auto client = connect("good");
  ASSERT_TRUE(client.has_value());
  const auto slow = (*client)->call("slow", Json::object(), 700, {});
  ASSERT_FALSE(slow.has_value());
  EXPECT_EQ(slow.error().code, ErrorCode::kTimeout);
  EXPECT_NE(slow.error().message.find("it said last: 3 of 10: reading"), std::string::npos)
      << slow.error().message;
}

TEST_F(McpClientTest, ACallIsTakenBack) {
  auto client = connect("good");
  ASSERT_TRUE(client.has_value());
  std::stop_source source;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    source.request_stop();
  });
  const auto slow = (*client)->call("slow", Json::object(), 20'000, source.get_token());
  ASSERT_FALSE(slow.has_value());
  EXPECT_EQ(slow.error().code, ErrorCode::kCancelled);
}

TEST_F(McpClientTest, HostileServersEndInErrors) {
  struct Case {
    const char* mode;
    ErrorCode code;
    const char* says;
  };
  for (const Case& each :
       {Case{"garbage", ErrorCode::kSyntax, "no JSON"},
        Case{"silent", ErrorCode::kTimeout, "in time"},
        Case{"chatty", ErrorCode::kTimeout, "in time"}, Case{"dies", ErrorCode::kIo, "no licence"},
        Case{"long", ErrorCode::kLimitExceeded, "8 MiB"},
        Case{"ancient", ErrorCode::kUnsupported, "1999-01-01"}}) {
    const auto client = connect(each.mode, 3000);
    ASSERT_FALSE(client.has_value()) << each.mode;
    EXPECT_EQ(client.error().code, each.code) << each.mode << client.error().describe();
    EXPECT_NE(client.error().describe().find(each.says), std::string::npos)
        << each.mode << client.error().describe();
  }
  for (const char* mode : {"endless", "twice", "nameless"}) {
    auto client = connect(mode);
    ASSERT_TRUE(client.has_value()) << mode;
    EXPECT_FALSE((*client)->list_tools(10'000, {}).has_value()) << mode;
  }
}

TEST_F(McpClientTest, TheEndOfTheProgramIsTold) {
  auto client = connect("good");
  ASSERT_TRUE(client.has_value());
  const auto gone = (*client)->call("dies", Json::object(), 10'000, {});
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().code, ErrorCode::kIo);
  EXPECT_NE(gone.error().message.find("out of ideas"), std::string::npos) << gone.error().message;
  EXPECT_EQ(gone.error().hint, "a hint");
  EXPECT_FALSE((*client)->catch_up().has_value());
}

// --- HTTP
// ------------------------------------------------------------------------------------------

test::ServerAnswer answer_of(const test::ServerRequest& request, bool streamed) {
  const auto asked = parse_json(request.body);
  const Json* id = asked->find("id");
  const std::string method = asked->find("method")->as_string();
  if (id == nullptr) return test::http_answer(202, "text/plain", "");
  Json result = Json::object({{"tools", Json::array()}});
  if (method == "initialize") {
    result = Json::object({{"protocolVersion", "2025-06-18"},
                           {"serverInfo", Json::object({{"name", "web"}, {"version", "1"}})}});
  } else if (method == "tools/call") {
    result = Json::object(
        {{"content",
          Json::array({Json::object({{"type", "text"},
                                     {"text", request.header("mcp-session-id") + " " +
                                                  request.header("mcp-protocol-version")}})})}});
  }
  const Json message = Json::object({{"jsonrpc", "2.0"}, {"id", *id}, {"result", result}});
  if (streamed) {
    return test::stream_answer(
        {": a comment",
         "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}",
         "data: " + message.dump()});
  }
  return test::json_answer(message, 200, method == "initialize" ? "mcp-session-id: s-1\r\n" : "");
}

TEST(McpHttpTest, SpeaksToAnAddressPlainAndStreamed) {
  for (const bool streamed : {false, true}) {
    test::ModelServer server;
    server.otherwise(
        [&](const test::ServerRequest& request) { return answer_of(request, streamed); });
    SystemClock clock;
    const auto http = llm::make_http_transport(clock);
    auto client = Client::connect(mcp::open_address(server.url(), llm::Secret("sesame"), *http),
                                  clock, 10'000, {});
    ASSERT_TRUE(client.has_value()) << client.error().describe();
    EXPECT_EQ((*client)->server().name, "web");
    EXPECT_TRUE((*client)->list_tools(10'000, {}).has_value());
    const auto said = (*client)->call("x", Json::object(), 10'000, {});
    ASSERT_TRUE(said.has_value()) << said.error().describe();
    EXPECT_EQ(said->find("text")->as_string(), streamed ? " 2025-06-18" : "s-1 2025-06-18");
    EXPECT_EQ((*client)->take_changed(), streamed);
    EXPECT_EQ(server.requests().back().header("authorization"), "Bearer sesame");
  }
}

TEST(McpHttpTest, RefusalsAndFaultsAreTold) {
  struct Case {
    test::ServerAnswer answer;
    ErrorCode code;
    const char* says;
  };
  for (Case each :
       {Case{test::http_answer(401, "text/plain", "who?"), ErrorCode::kDenied, "--key-env"},
        Case{test::http_answer(500, "text/html", "<h1>oops</h1>"), ErrorCode::kIo, "500"},
        Case{test::http_answer(200, "application/json", "hello"), ErrorCode::kSyntax, "JSON"},
        Case{test::stream_answer({"data: {}"}), ErrorCode::kCorrupt, "JSON-RPC"},
        Case{test::stream_answer({}), ErrorCode::kIo, "ended its answer"},
        Case{{{}, test::ServerAnswer::End::kReset}, ErrorCode::kIo, "not reached"}}) {
    test::ModelServer server;
    server.otherwise([&](const test::ServerRequest&) { return each.answer; });
    SystemClock clock;
    const auto http = llm::make_http_transport(clock);
    const auto client =
        Client::connect(mcp::open_address(server.url(), {}, *http), clock, 5'000, {});
    ASSERT_FALSE(client.has_value());
    EXPECT_EQ(client.error().code, each.code) << client.error().describe();
    EXPECT_NE(client.error().describe().find(each.says), std::string::npos)
        << client.error().describe();
  }
  SystemClock clock;
  const auto http = llm::make_http_transport(clock);
  const auto plain =
      Client::connect(mcp::open_address("http://192.0.2.1/mcp", {}, *http), clock, 5'000, {});
  ASSERT_FALSE(plain.has_value());
  EXPECT_EQ(plain.error().code, ErrorCode::kDenied);
}

}  // namespace
}  // namespace anima::tools::mcp_client_test
