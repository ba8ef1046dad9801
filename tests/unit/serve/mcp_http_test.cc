// MCP over HTTP, message by message: sessions, streams, progress, cancellation, and whose they are.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "serve/mcp_http/transport.h"
#include "support/event_stream.h"
#include "support/memory_server.h"

namespace anima::serve::mcp_http_test {
namespace {

using test::HttpAnswer;

constexpr std::string_view kBoth = "Accept: application/json, text/event-stream\r\n";

class McpHttp : public test::MemoryServer {
 protected:
  static std::string message(const std::string& method, const std::string& params,
                             const std::string& id = "1") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" +
           params + "}";
  }
  HttpAnswer mcp(const std::string& body, const std::string& headers = "",
                 const std::string& client = "ada") {
    return http("POST", "/mcp", body, std::string(kBoth) + headers, client);
  }
  HttpAnswer initialize(const std::string& version = "2025-11-25",
                        const std::string& client = "ada") {
    return mcp(message("initialize",
                       R"({"protocolVersion":")" + version +
                           R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"}})"),
               "", client);
  }
  std::string session(const std::string& client = "ada") {
    const HttpAnswer answer = initialize("2025-11-25", client);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return "Mcp-Session-Id: " + answer.header("mcp-session-id") + "\r\n";
  }
  static std::string call(const std::string& tool, const std::string& arguments,
                          const std::string& meta = "", const std::string& id = "1") {
    return message("tools/call",
                   R"({"name":")" + tool + R"(","arguments":)" + arguments + meta + "}", id);
  }
};

TEST_F(McpHttp, ASessionBeginsWorksAndEnds) {
  for (const char* version : {"2025-06-18", "2025-11-25"}) {
    const HttpAnswer begun = initialize(version);
    ASSERT_EQ(begun.status, 200) << begun.body;
    EXPECT_EQ(parse_json(begun.body)->find("result")->find("protocolVersion")->as_string(),
              version);
    const std::string own = "Mcp-Session-Id: " + begun.header("mcp-session-id") +
                            "\r\nMCP-Protocol-Version: " + version + "\r\n";
    const HttpAnswer noted = mcp(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", own);
    EXPECT_EQ(noted.status, 202);
    EXPECT_EQ(noted.body, "");
    const HttpAnswer tools = mcp(message("tools/list", "{}"), own);
    EXPECT_EQ(tools.header("content-type"), "application/json");
    EXPECT_NE(tools.body.find("\"remember\""), std::string::npos);
    EXPECT_EQ(mcp(message("ping", "{}"), own).body, R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_EQ(http("DELETE", "/mcp", "", own).status, 204);
    EXPECT_EQ(mcp(message("tools/list", "{}"), own).status, 404);
    EXPECT_EQ(http("DELETE", "/mcp", "", own).status, 404);
  }
}

TEST_F(McpHttp, WhatItKeepsIsTheTokensAlsoAtV1) {
  const std::string own = session();
  ASSERT_EQ(mcp(call("remember", R"({"text":"Ada works at Initech"})"), own).status, 200);
  EXPECT_EQ(newest_entry().author, "http:ada");
  const Json list = get("/v1/memories");
  ASSERT_EQ(list.find("memories")->as_array().size(), 1U);
  EXPECT_TRUE(list.find("memories")->as_array()[0].find("changeable")->as_bool());
  EXPECT_NE(mcp(call("ask", R"({"question":"Where does Ada work?"})"), own).body.find("Initech"),
            std::string::npos);
  add_client("eye", store::Trust::kStandard, false);
  const std::string reading = session("eye");
  EXPECT_EQ(mcp(message("tools/list", "{}"), reading, "eye").body.find("\"remember\""),
            std::string::npos);
  EXPECT_NE(mcp(call("remember", R"({"text":"no"})"), reading, "eye").body.find("\"error\""),
            std::string::npos);
  EXPECT_EQ(get("/v1/memories").find("memories")->as_array().size(), 1U);
}

TEST_F(McpHttp, ASessionIsItsCallersOwn) {
  const std::string own = session();
  add_client("bob", store::Trust::kVerified, true);
  EXPECT_EQ(mcp(message("tools/list", "{}"), own, "bob").status, 404);
  EXPECT_EQ(http("DELETE", "/mcp", "", own, "bob").status, 404);
  EXPECT_EQ(mcp(message("tools/list", "{}"), own).status, 200);
  // With the rights of another token of the same name it is another session's.
  ASSERT_TRUE(tokens_->remove("ada"));
  EXPECT_EQ(mcp(message("tools/list", "{}"), own).status, 401);
  add_client("ada", store::Trust::kUntrusted, false);
  EXPECT_EQ(mcp(message("tools/list", "{}"), own).status, 404);
}

TEST_F(McpHttp, RulesKnowTheCaller) {
  rule("deny(Call, \"not for this program\") :- call(Call, \"mcp:recall\", \"http:ada\", _).\n");
  const std::string own = session();
  const HttpAnswer refused = mcp(call("recall", R"({"question":"Ada"})"), own);
  EXPECT_NE(refused.body.find("not for this program"), std::string::npos) << refused.body;
  add_client("bob", store::Trust::kVerified, true);
  EXPECT_EQ(
      mcp(call("recall", R"({"question":"Ada"})"), session("bob"), "bob").body.find("not for"),
      std::string::npos);
}

TEST_F(McpHttp, ACallWithAProgressTokenIsAStream) {
  const std::string own = session();
  const std::string body =
      call("recall", R"({"question":"Ada"})", R"(,"_meta":{"progressToken":"p"})", "7");
  test::EventStream stream(
      server_->port(), "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + authorization("ada") +
                           std::string(kBoth) + own + "Content-Type: application/json\r\n" +
                           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  ASSERT_EQ(stream.head().status, 200) << stream.head().body;
  EXPECT_EQ(stream.head().header("content-type"), "text/event-stream");
  const auto progress = parse_json(stream.next().data);
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->find("method")->as_string(), "notifications/progress");
  EXPECT_EQ(progress->find("params")->find("progressToken")->as_string(), "p");
  const auto answer = parse_json(stream.next().data);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->find("id")->as_integer(), 7);
  EXPECT_NE(answer->find("result"), nullptr);
  stream.next();
  EXPECT_TRUE(stream.ended());
}

TEST_F(McpHttp, TheServersOwnStreamIsOneAndEndsWithTheSession) {
  const std::string own = session();
  const auto open = [&] {
    return std::make_unique<test::EventStream>(
        server_->port(), "GET /mcp HTTP/1.1\r\nHost: localhost\r\n" + authorization("ada") +
                             "Accept: text/event-stream\r\n" + own + "\r\n");
  };
  const auto stream = open();
  ASSERT_EQ(stream->head().status, 200) << stream->head().body;
  EXPECT_EQ(open()->head().status, 409);
  EXPECT_EQ(http("DELETE", "/mcp", "", own).status, 204);
  stream->next();
  EXPECT_TRUE(stream->ended());
  EXPECT_EQ(open()->head().status, 404);
}

// A call that runs for long is taken back while it runs, though its caller has all places that he
// can have.
TEST_F(McpHttp, ACancellationDoesNotWait) {
  const std::string own = session();
  std::string many = "UPSERT {";
  for (int i = 0; i < 250; ++i)
    many += " CONCEPT { {type: \\\"Domain\\\", name: \\\"d" + std::to_string(i) + "\\\"} }";
  ASSERT_EQ(http("POST", "/v1/kip", "{\"command\":\"" + many + " }\"}").status, 200);
  const std::string slow =
      R"J({"command":"FIND(COUNT(?a)) WHERE { ?a {type: \"Domain\"} ?b {type: \"Domain\"} ?c {type: \"Domain\"} ?d {type: \"Domain\"} FILTER(?a.name != ?b.name && ?c.name != ?d.name) }"})J";
  std::vector<std::thread> calls;
  std::atomic<int> ended{0};
  for (int i = 0; i < 5; ++i) {
    calls.emplace_back([&, i] {
      mcp(call("execute_kip_readonly", slow, "", std::to_string(100 + i)), own);
      ++ended;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(mcp(message("ping", "{}"), own).status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(mcp(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
                      std::to_string(100 + i) + "}}",
                  own)
                  .status,
              202);
  }
  for (std::thread& each : calls) each.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(15));
}

TEST_F(McpHttp, WhatIsNoMessageIsRefused) {
  const std::string own = session();
  EXPECT_EQ(mcp("{", own).status, 400);
  EXPECT_NE(mcp("{", own).body.find("-32700"), std::string::npos);
  EXPECT_EQ(mcp("{}", own).status, 400);
  EXPECT_EQ(mcp(message("tools/list", "{}")).status, 400);
  EXPECT_EQ(mcp(message("tools/list", "{}"), "Mcp-Session-Id: nope\r\n").status, 404);
  EXPECT_EQ(mcp(message("tools/list", "{}"), own + "MCP-Protocol-Version: 1999-01-01\r\n").status,
            400);
  EXPECT_EQ(http("POST", "/mcp", message("ping", "{}"), "Accept: text/html\r\n" + own).status, 406);
  EXPECT_EQ(test::http(server_->port(), "POST", "/mcp",
                       authorization("ada") + std::string(kBoth) + own, "x")
                .status,
            415);
  EXPECT_EQ(http("PUT", "/mcp", "{}", own).status, 405);
  EXPECT_EQ(http("GET", "/mcp", "", own + "Accept: application/json\r\n").status, 406);
  EXPECT_EQ(mcp(message("ping", "{}"), own + "Origin: http://localhost\r\n").status, 403);
  EXPECT_EQ(test::http(server_->port(), "POST", "/mcp").status, 401);
}

TEST_F(McpHttp, WhatIsTooLongIsRefusedWithItsId) {
  const std::string own = session();
  const std::string much(std::size_t{16} << 20, 'x');
  const HttpAnswer answer = mcp(message("ping", R"({"x":")" + much + "\"}", "\"long\""), own);
  EXPECT_EQ(answer.status, 413);
  const auto told = parse_json(answer.body);
  ASSERT_TRUE(told) << answer.body;
  EXPECT_EQ(*told->find("id"), Json("long"));
  EXPECT_EQ(*told->find("error")->find("data")->find("maxBytes"), Json(16 << 20));
}

TEST_F(McpHttp, SessionsAreBounded) {
  const std::string first = session();
  std::string second;
  for (int i = 0; i < 16; ++i) second = session();
  // The one that was silent for longest gave way.
  EXPECT_EQ(mcp(message("tools/list", "{}"), first).status, 404);
  EXPECT_EQ(mcp(message("tools/list", "{}"), second).status, 200);
  EXPECT_NE(http("GET", "/metrics").body.find("anima_mcp_sessions 16\n"), std::string::npos);
}

TEST_F(McpHttp, SessionsThatAreSilentForLongEnd) {
  mcp_http::SessionOptions options;
  options.silence = std::chrono::milliseconds(50);
  mcp_http::SessionBook book(*parts_, options);
  const http::Caller caller{"http:ada", store::Trust::kStandard, true};
  const std::string id = book.add(book.make(caller));
  EXPECT_TRUE(book.find(id, caller));
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  EXPECT_FALSE(book.find(id, caller));
  EXPECT_EQ(book.count(), 0U);
}

TEST_F(McpHttp, TheEraWithoutSessionsIsAnsweredToo) {
  const std::string meta =
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
  const std::string headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n";
  const std::string body =
      message("tools/call", R"({"name":"recall","arguments":{"question":"Ada"},)" + meta + "}");
  const HttpAnswer answer = mcp(body, headers + "Mcp-Name: recall\r\n");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_NE(answer.body.find("\"resultType\":\"complete\""), std::string::npos) << answer.body;
  EXPECT_EQ(mcp(body, headers + "Mcp-Name: ask\r\n").status, 400);
  EXPECT_NE(mcp(body, headers).body.find("-32020"), std::string::npos);
  const std::string unknown = message("no/such", "{" + meta + "}");
  EXPECT_EQ(mcp(unknown, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: no/such\r\n").status,
            404);
}

// As the conformance suite of MCP asks it (server-stateless).
TEST_F(McpHttp, ARequestWithoutSessionsSaysItsVersionAndWhatTheClientCan) {
  const std::string headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n";
  for (const char* meta :
       {R"({})", R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}})",
        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})"}) {
    const HttpAnswer answer = mcp(message("server/discover", meta, "102"), headers);
    EXPECT_EQ(answer.status, 400) << meta;
    const auto told = parse_json(answer.body);
    ASSERT_TRUE(told) << answer.body;
    EXPECT_EQ(*told->find("error")->find("code"), Json(-32602)) << answer.body;
    EXPECT_EQ(*told->find("id"), Json(102));
  }
  const HttpAnswer other = mcp(
      message(
          "server/discover",
          R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2999-01-01","io.modelcontextprotocol/clientCapabilities":{}}})"),
      "MCP-Protocol-Version: 2999-01-01\r\nMcp-Method: server/discover\r\n");
  EXPECT_EQ(other.status, 400);
  EXPECT_NE(other.body.find("-32022"), std::string::npos) << other.body;
}

}  // namespace
}  // namespace anima::serve::mcp_http_test
