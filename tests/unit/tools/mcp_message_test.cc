// What servers send, read: every kind of message, and what is none.
#include <gtest/gtest.h>

#include "tools/mcp/detail/message.h"

namespace anima::tools::mcp_message_test {
namespace {

using mcp::Message;

TEST(McpMessage, EveryKindIsRead) {
  const auto result = mcp::read_message(R"({"jsonrpc":"2.0","id":1,"result":{"a":1}})");
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->kind, Message::Kind::kResult);
  EXPECT_EQ(result->body.find("a")->as_integer(), 1);
  const auto error =
      mcp::read_message(R"({"jsonrpc":"2.0","id":"x","error":{"code":-32602,"message":"bad"}})");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind, Message::Kind::kError);
  EXPECT_EQ(mcp::server_error(error->body).code, ErrorCode::kInvalidArgument);
  const auto request = mcp::read_message(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->kind, Message::Kind::kRequest);
  EXPECT_TRUE(request->body.is_object());
  const auto told = mcp::read_message(R"({"jsonrpc":"2.0","method":"x","params":[1]})");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->kind, Message::Kind::kNotification);
}

TEST(McpMessage, WhatIsNoMessageIsAnError) {
  for (const char* text :
       {"", "hello", "[]", "1", "{}", R"({"jsonrpc":"1.0","id":1,"result":{}})",
        R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})",
        R"({"jsonrpc":"2.0","id":1,"result":7})", R"({"jsonrpc":"2.0","result":{}})",
        R"({"jsonrpc":"2.0","id":{},"method":"x"})", R"({"jsonrpc":"2.0","id":1,"method":7})"}) {
    const auto read = mcp::read_message(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_FALSE(read.error().message.empty());
  }
  std::string deep = R"({"jsonrpc":"2.0","id":1,"result":{"a":)";
  for (int i = 0; i < 100; ++i) deep += "[";
  EXPECT_FALSE(mcp::read_message(deep).has_value());
}

TEST(McpMessage, TextOfAServerIsShortAndOnOneLine) {
  EXPECT_EQ(mcp::server_text("a\x1b[2J\nb\xff"), "a [2J b\xef\xbf\xbd");
  EXPECT_LE(mcp::server_text(std::string(100'000, 'x')).size(), 502U);
}

TEST(McpMessage, LinesAreCutHoweverTheyCome) {
  mcp::MessageLines lines;
  ASSERT_TRUE(lines.feed("on").has_value());
  EXPECT_FALSE(lines.next());
  ASSERT_TRUE(lines.feed("e\n\n \r\ntwo\nth").has_value());
  EXPECT_EQ(*lines.next(), "one");
  EXPECT_EQ(*lines.next(), "two");
  EXPECT_FALSE(lines.next());
  ASSERT_TRUE(lines.feed("ree\n").has_value());
  EXPECT_EQ(*lines.next(), "three");
  EXPECT_FALSE(lines.feed(std::string(mcp::kMaxMessageBytes + 1, 'x')).has_value());
}

TEST(McpMessage, AnAnswerOfACallIsTextStructureAndWhatElseThereIs) {
  const auto json = parse_json(
      R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},
          {"type":"image","mimeType":"image/png","data":"AAAA"},
          {"type":"resource","resource":{"uri":"file:///x","text":"c"}},
          {"type":"resource_link","uri":"file:///y"}],"structuredContent":{"n":1}})");
  const auto read = mcp::read_call_result(*json);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->find("text")->as_string(), "a\nb\nc");
  EXPECT_EQ(read->find("structured")->find("n")->as_integer(), 1);
  const JsonArray& others = read->find("others")->as_array();
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[0].find("base64_bytes")->as_integer(), 4);
  EXPECT_EQ(others[1].find("uri")->as_string(), "file:///y");
  EXPECT_FALSE(mcp::read_call_result(*parse_json("{}")).has_value());
  EXPECT_FALSE(mcp::read_call_result(*parse_json(R"({"content":7})")).has_value());
  EXPECT_FALSE(mcp::read_call_result(*parse_json(R"({"content":[],"resultType":"input_required"})"))
                   .has_value());
  const auto failed = mcp::read_call_result(
      *parse_json(R"({"content":[{"type":"text","text":"no"}],"isError":true})"));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().message, "the tool failed: no");
}

TEST(ServerTools, AHashSeesEveryPartAndADifferenceNamesIt) {
  const auto tool = [](std::string text) { return *ServerTool::from_json(*parse_json(text)); };
  const ServerTool before =
      tool(R"({"name":"a","description":"d","inputSchema":{"type":"object","x":1}})");
  // The order of members is no change.
  EXPECT_EQ(hash_of_tools({before}),
            hash_of_tools(
                {tool(R"({"inputSchema":{"x":1,"type":"object"},"description":"d","name":"a"})")}));
  for (
      const char* changed :
      {R"({"name":"a","description":"e","inputSchema":{"type":"object","x":1}})",
       R"({"name":"a","title":"t","description":"d","inputSchema":{"type":"object","x":1}})",
       R"({"name":"a","description":"d","inputSchema":{"type":"object","x":2}})",
       R"({"name":"a","description":"d","inputSchema":{"type":"object","x":1},"outputSchema":{}})",
       R"({"name":"a","description":"d","inputSchema":{"type":"object","x":1},"annotations":{"readOnlyHint":true}})",
       R"({"name":"b","description":"d","inputSchema":{"type":"object","x":1}})"}) {
    EXPECT_NE(hash_of_tools({before}), hash_of_tools({tool(changed)})) << changed;
    EXPECT_FALSE(difference_of_tools({before}, {tool(changed)}).empty()) << changed;
  }
  EXPECT_TRUE(difference_of_tools({before}, {before}).empty());
}

TEST(ServerTools, WhatOfASchemaIsNotKnownIsLeftOut) {
  std::vector<std::string> left_out;
  const Json schema = checkable_schema(
      *parse_json(
          R"({"type":"object","if":{},"properties":{"a":{"type":"string","contentEncoding":"base64"}},
                      "not":{"propertyNames":{}},"anyOf":[{"required":["a"]}]})"),
      &left_out);
  EXPECT_EQ(left_out, (std::vector<std::string>{"if", "contentEncoding", "propertyNames", "not"}));
  EXPECT_EQ(
      schema.dump(),
      R"({"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]}]})");
  EXPECT_EQ(checkable_schema(*parse_json(R"({"type":"nonsense"})")).dump(), R"({"type":"object"})");
}

}  // namespace
}  // namespace anima::tools::mcp_message_test
