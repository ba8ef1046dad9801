#include "serve/mcp_protocol.h"

#include <gtest/gtest.h>

#include <string>

namespace anima::serve {
namespace {

// A server with one method, whatever it is for.
class Protocol : public testing::Test {
 protected:
  std::string said(std::string_view message) {
    const auto answer = protocol_.handle(*parse_json(message));
    return answer ? answer->dump() : "";
  }
  static std::string modern(std::string_view method, std::string_view version = "2026-07-28") {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
           R"(","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":")" +
           std::string(version) + R"(","io.modelcontextprotocol/clientCapabilities":{}}}})";
  }
  int asked_ = 0;
  McpProtocol protocol_{{.name = "one", .title = "One", .version = "3", .list_ttl_ms = 5},
                        [this](McpCall& call) {
                          ++asked_;
                          if (call.method == "tools/list") return Json::object();
                          return call.fail(kMethodNotFound, "no " + call.method);
                        }};
};

TEST_F(Protocol, AnswersInTheEraOfTheRequest) {
  EXPECT_EQ(said(R"({"jsonrpc":"2.0","id":"a","method":"tools/list"})"),
            R"({"jsonrpc":"2.0","id":"a","result":{}})");
  EXPECT_EQ(said(modern("tools/list")),
            R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":5,)"
            R"("cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":)"
            R"({"name":"one","version":"3"}}}})");
  EXPECT_NE(said(modern("tools/list", "2031-01-01")).find("-32022"), std::string::npos);
  EXPECT_NE(said(modern("ping")).find("-32601"), std::string::npos) << "of the other era";
  EXPECT_NE(said(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
                 R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})")
                .find("clientCapabilities"),
            std::string::npos);
}

TEST_F(Protocol, WhatIsNoRequestReachesNobody) {
  for (const char* wrong : {"[]", "1", R"({"jsonrpc":"1.0","id":1,"method":"tools/list"})",
                            R"({"jsonrpc":"2.0","id":[],"method":"tools/list"})",
                            R"([{"jsonrpc":"2.0","id":1,"method":"tools/list"}])"})
    EXPECT_NE(said(wrong).find("-32600"), std::string::npos) << wrong;
  EXPECT_NE(said(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]})").find("-32602"),
            std::string::npos);
  for (const char* silent :
       {R"({"jsonrpc":"2.0","id":1,"result":{}})", R"({"jsonrpc":"2.0","method":"tools/list"})"})
    EXPECT_EQ(said(silent), "") << silent;
  EXPECT_EQ(asked_, 0);
}

TEST_F(Protocol, BatchesAreOfOneVersionAlone) {
  const char* batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"ping"}])";
  EXPECT_NE(said(batch).find("-32600"), std::string::npos);
  EXPECT_NE(said(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
                 R"({"protocolVersion":"2025-03-26"}})")
                .find(R"("protocolVersion":"2025-03-26")"),
            std::string::npos);
  EXPECT_EQ(said(batch), R"([{"jsonrpc":"2.0","id":1,"result":{}}])");
}

TEST_F(Protocol, ARequestThatWasTakenBackBeforeIsNotBegun) {
  EXPECT_EQ(said(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                 R"("params":{"requestId":7}})"),
            "");
  EXPECT_EQ(said(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})"), "");
  EXPECT_EQ(asked_, 0);
  EXPECT_NE(said(R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})"), "") << "once";
}

}  // namespace
}  // namespace anima::serve
