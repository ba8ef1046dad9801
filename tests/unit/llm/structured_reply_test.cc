#include "llm/structured_reply.h"

#include <gtest/gtest.h>

#include <string>

#include "support/called_model.h"

namespace anima::llm::structured_reply_test {
namespace {

using test::CalledModel;
using test::chat_reply;
using test::json_answer;

Request question() {
  Request request;
  request.messages.push_back(user_message("How warm is it in Bern?"));
  request.output = OutputSchema{
      "weather", *parse_json(R"({"type":"object","properties":{"degrees":{"type":"integer"}},)"
                             R"("required":["degrees"],"additionalProperties":false})")};
  return request;
}

TEST(StructuredReply, IsReadAndChecked) {
  CalledModel called;
  called.server.answer(json_answer(chat_reply(R"({"degrees": 12})")));
  const auto reply = complete_structured(called.model(), question());
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(reply->value.find("degrees")->as_integer(), 12);
  EXPECT_TRUE(reply->repaired.empty());
  const Json format = *called.server.requests()[0].json().find("response_format");
  EXPECT_EQ(format.find("type")->as_string(), "json_schema");
  EXPECT_TRUE(format.find("json_schema")->find("strict")->as_bool());
}

TEST(StructuredReply, IsRepairedOnce) {
  CalledModel called;
  called.server.answer(json_answer(chat_reply(R"({"degrees": "twelve"})")));
  called.server.answer(json_answer(chat_reply("```json\n{\"degrees\": 12}\n```")));
  const auto reply = complete_structured(called.model(), question());
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(reply->value.find("degrees")->as_integer(), 12);
  EXPECT_EQ(reply->repaired, "$.degrees: must be an integer, not a string");
  EXPECT_EQ(reply->reply.usage.input_tokens, 24);
  const std::string second = called.server.requests()[1].body;
  EXPECT_NE(second.find("twelve"), std::string::npos);
  EXPECT_NE(second.find("must be an integer"), std::string::npos);
}

TEST(StructuredReply, FailsWithWhatIsWrong) {
  CalledModel called;
  called.server.answer(json_answer(chat_reply("It is warm.")));
  called.server.answer(json_answer(chat_reply(R"({"degrees": 1, "more": 2})")));
  const auto reply = complete_structured(called.model(), question());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kSyntax);
  EXPECT_NE(reply.error().describe().find("$.more: is not allowed"), std::string::npos);
  EXPECT_EQ(called.server.count(), 2U);
  Request bad = question();
  bad.output->schema.set("if", true);
  EXPECT_EQ(complete_structured(called.model(), bad).error().code, ErrorCode::kInvalidArgument);
}

test::ServerAnswer tool_call() {
  return json_answer(*parse_json(
      R"({"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant",)"
      R"("content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":)"
      R"("thermometer","arguments":"{}"}}]}}],"usage":{"prompt_tokens":1,)"
      R"("completion_tokens":1}})"));
}

TEST(StructuredReply, IsNoCallOfAToolThatNobodyOffered) {
  CalledModel called;
  called.server.answer(tool_call());
  const auto reply = complete_structured(called.model(), question());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kSyntax);
  EXPECT_NE(reply.error().describe().find("calls a tool"), std::string::npos);
  EXPECT_EQ(called.server.count(), 1U);

  CalledModel with_tool;
  with_tool.server.answer(tool_call());
  Request request = question();
  request.tools.push_back({"thermometer", "reads it", Json::object({{"type", "object"}})});
  const auto calls = complete_structured(with_tool.model(), request);
  ASSERT_TRUE(calls) << calls.error().describe();
  EXPECT_EQ(calls->reply.stop, StopReason::kToolCalls);
  EXPECT_TRUE(calls->value.is_null());
}

TEST(StructuredReply, IsTheCallOfAToolWhereTheProviderWantsThat) {
  CalledModel called(Provider::kAnthropic);
  called.server.answer(json_answer(*parse_json(
      R"({"stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"weather",)"
      R"("input":{"degrees":12}}],"usage":{"input_tokens":1,"output_tokens":1}})")));
  const auto reply = complete_structured(called.model(), question());
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(reply->value.dump(), R"({"degrees":12})");
  EXPECT_EQ(called.server.requests()[0].json().find("tool_choice")->dump(),
            R"({"type":"tool","name":"weather"})");
}

TEST(StructuredReply, IsAskedForInWordsWhereTheServerKnowsNoSchema) {
  CalledModel called;
  called.config.json_output = JsonOutput::kWords;
  called.server.answer(json_answer(chat_reply(R"({"degrees": 12})")));
  ASSERT_TRUE(complete_structured(called.model(), question()));
  const Json sent = called.server.requests()[0].json();
  EXPECT_EQ(sent.find("response_format"), nullptr);
  EXPECT_NE(sent.find("messages")->dump().find("JSON schema"), std::string::npos);
}

}  // namespace
}  // namespace anima::llm::structured_reply_test
