// What is said to each provider and what is read from it, over a real connection.
#include "llm/model.h"

#include <gtest/gtest.h>

#include <string>

#include "support/called_model.h"

namespace anima::llm::model_test {
namespace {

using test::CalledModel;
using test::chat_reply;
using test::json_answer;
using test::stream_answer;

Json read(std::string_view text) {
  auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return json ? *json : Json();
}

ToolDefinition weather_tool() {
  return {"get_weather", "The weather of a place.",
          read(R"({"type":"object","properties":{"place":{"type":"string"}},)"
               R"("required":["place"],"additionalProperties":false})")};
}

// A conversation with every kind of part, in the middle of which a tool was called.
Request conversation() {
  Request request;
  request.messages.push_back(system_message("Be brief."));
  request.messages.push_back(user_message("Weather in Bern?"));
  ToolCall call{"call_1", "get_weather", Json::object({{"place", "Bern"}}), {}};
  request.messages.push_back({Role::kAssistant, {std::string("Let me look."), call}});
  request.messages.push_back(result_message({{"call_1", "12 degrees", false}}));
  request.tools.push_back(weather_tool());
  request.max_tokens = 100;
  return request;
}

TEST(ChatCompletions, SaysAndReads) {
  CalledModel called;
  called.server.answer(json_answer(chat_reply("Twelve degrees.")));
  const auto reply = called.model().complete(conversation());
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(text_of(reply->message), "Twelve degrees.");
  EXPECT_EQ(reply->stop, StopReason::kEnd);
  EXPECT_EQ(reply->usage.input_tokens, 12);
  EXPECT_EQ(reply->usage.output_tokens, 5);
  EXPECT_FALSE(reply->usage.estimated);
  EXPECT_EQ(reply->model, "scripted-1");

  const auto requests = called.server.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].path(), "/v1/chat/completions");
  EXPECT_EQ(requests[0].header("authorization"), std::string("Bearer ") + test::kTestKey);
  EXPECT_EQ(
      requests[0].json().dump(),
      R"({"model":"scripted-1","messages":[{"role":"system","content":"Be brief."},)"
      R"({"role":"user","content":"Weather in Bern?"},)"
      R"({"role":"assistant","content":"Let me look.","tool_calls":[{"id":"call_1",)"
      R"("type":"function","function":{"name":"get_weather","arguments":"{\"place\":\"Bern\"}"}}]},)"
      R"({"role":"tool","tool_call_id":"call_1","content":"12 degrees"}],"max_tokens":100,)"
      R"("tools":[{"type":"function","function":{"name":"get_weather",)"
      R"("description":"The weather of a place.","parameters":{"type":"object",)"
      R"("properties":{"place":{"type":"string"}},"required":["place"],)"
      R"("additionalProperties":false}}}],"tool_choice":"auto"})");
}

TEST(ChatCompletions, ReadsToolCallsPlainAndStreamed) {
  CalledModel called;
  called.server.answer(json_answer(read(
      R"({"choices":[{"finish_reason":"tool_calls","message":{"content":null,"tool_calls":[)"
      R"({"id":"c1","type":"function","function":{"name":"get_weather",)"
      R"("arguments":"{\"place\":\"Bern\"}"}},)"
      R"({"id":"c2","type":"function","function":{"name":"get_weather","arguments":"{oops"}}]}}]})")));
  const auto plain = called.ask("?");
  ASSERT_TRUE(plain) << plain.error().describe();
  EXPECT_EQ(plain->stop, StopReason::kToolCalls);
  const auto calls = calls_of(plain->message);
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].arguments.dump(), R"({"place":"Bern"})");
  EXPECT_EQ(calls[1].unreadable, "{oops");
  EXPECT_TRUE(plain->usage.estimated);

  called.server.answer(stream_answer(
      {R"(data: {"id":"x","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})",
       R"(data: {"choices":[{"index":0,"delta":{"content":"I look"}}]})",
       R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"get_weather","arguments":""}}]}}]})",
       R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"pla"}}]}}]})",
       R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"c2","function":{"name":"get_time","arguments":"{}"}}]}}]})",
       R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"ce\":\"Bern\"}"}}]}}]})",
       R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})",
       R"(data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}})",
       "data: [DONE]"}));
  std::string told;
  const auto streamed = called.ask_streamed("?", told);
  ASSERT_TRUE(streamed) << streamed.error().describe();
  EXPECT_EQ(told, "I look[call get_weather][call get_time]");
  ASSERT_EQ(calls_of(streamed->message).size(), 2U);
  EXPECT_EQ(calls_of(streamed->message)[0].arguments.dump(), R"({"place":"Bern"})");
  EXPECT_EQ(calls_of(streamed->message)[1].name, "get_time");
  EXPECT_EQ(text_of(streamed->message), "I look");
  EXPECT_EQ(streamed->usage.output_tokens, 4);
  EXPECT_TRUE(called.server.requests()[1].json().find("stream")->as_bool());
}

TEST(ChatCompletions, CallsWithoutAnIndexOrWithTheSameAreApart) {
  const auto calls_in = [](const std::vector<std::string>& pieces) {
    std::vector<std::string> events;
    for (const std::string& piece : pieces)
      events.push_back(R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[)" + piece + "]}}]}");
    events.emplace_back(
        R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})");
    events.emplace_back("data: [DONE]");
    CalledModel called;
    called.server.answer(stream_answer(events));
    std::string told, shown;
    const auto reply = called.ask_streamed("?", told);
    EXPECT_TRUE(reply);
    for (const ToolCall& call : calls_of(reply->message))
      shown += call.name + call.arguments.dump() + call.unreadable + ";";
    return shown;
  };
  const auto call = [](std::string_view id, std::string_view rest, std::string_view name,
                       std::string_view arguments) {
    return "{" + (id.empty() ? "" : R"("id":")" + std::string(id) + R"(",)") + std::string(rest) +
           R"("function":{)" + (name.empty() ? "" : R"("name":")" + std::string(name) + R"(",)") +
           R"("arguments":")" + std::string(arguments) + R"("}})";
  };
  EXPECT_EQ(calls_in({call("c1", "", "f", "{}"), call("c2", "", "g", "{}")}), "f{};g{};");
  EXPECT_EQ(
      calls_in({call("c1", R"("index":0,)", "f", "{}"), call("c2", R"("index":0,)", "f", "{}")}),
      "f{};f{};");
  EXPECT_EQ(calls_in({call("", "", "f", "{}"), call("", "", "f", "{}")}), "f{};f{};");
  EXPECT_EQ(calls_in({call("", "", "f", "{"), call("", "", "", "}"), call("", "", "g", "{}")}),
            "f{};g{};");
  EXPECT_EQ(
      calls_in({call("c1", R"("index":0,)", "f", "{"), call("c1", R"("index":0,)", "f", "}")}),
      "f{};");
  EXPECT_EQ(calls_in({call("c1", R"("index":0,)", "f", "{"), call("", R"("index":0,)", "", "}"),
                      call("c2", R"("index":1,)", "g", "{}")}),
            "f{};g{};");
}

TEST(ChatCompletions, ThoughtsAreNoPartOfTheAnswer) {
  CalledModel called;
  called.server.answer(json_answer(chat_reply("<think>secret plan</think>\n\nHello")));
  const auto reply = called.ask("?");
  ASSERT_TRUE(reply);
  EXPECT_EQ(text_of(reply->message), "Hello");
  std::vector<std::string> events;
  for (const std::string piece : {"<th", "ink>secret", " plan</thi", "nk>\\n", "\\nHel", "lo"})
    events.push_back(R"(data: {"choices":[{"index":0,"delta":{"content":")" + piece + R"("}}]})");
  events.emplace_back(R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})");
  events.emplace_back("data: [DONE]");
  called.server.answer(stream_answer(events));
  std::string told;
  const auto streamed = called.ask_streamed("?", told);
  ASSERT_TRUE(streamed);
  EXPECT_EQ(told, "Hello");
  EXPECT_EQ(text_of(streamed->message), "Hello");
}

TEST(Model, ANotFoundUrlIsToldWhereTheServerMayBe) {
  CalledModel called;
  called.config.url.resize(called.config.url.find("/v1"));
  called.server.answer(json_answer(Json("404 page not found"), 404));
  const auto reply = called.ask("?");
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().hint.find("/v1"), std::string::npos) << reply.error().describe();
}

TEST(Responses, SaysAndReads) {
  CalledModel called(Provider::kOpenAiResponses);
  called.server.answer(json_answer(read(
      R"({"id":"resp_1","model":"m-2","status":"completed","output":[)"
      R"({"type":"reasoning","id":"rs","encrypted_content":"xyz","summary":[]},)"
      R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"Twelve."}]},)"
      R"({"type":"function_call","call_id":"c9","name":"get_weather","arguments":"{\"place\":\"B\"}"}],)"
      R"("usage":{"input_tokens":9,"output_tokens":8,"input_tokens_details":{"cached_tokens":2},)"
      R"("output_tokens_details":{"reasoning_tokens":5}}})")));
  Request request = conversation();
  const auto reply = called.model().complete(request);
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(text_of(reply->message), "Twelve.");
  EXPECT_EQ(reply->stop, StopReason::kToolCalls);
  EXPECT_EQ(reply->usage.cached_tokens, 2);
  EXPECT_EQ(reply->usage.reasoning_tokens, 5);
  const auto sent = called.server.requests()[0];
  EXPECT_EQ(sent.path(), "/v1/responses");
  EXPECT_EQ(
      sent.json().find("input")->dump(),
      R"([{"role":"system","content":"Be brief."},{"role":"user","content":"Weather in Bern?"},)"
      R"({"role":"assistant","content":"Let me look."},{"type":"function_call",)"
      R"("call_id":"call_1","name":"get_weather","arguments":"{\"place\":\"Bern\"}"},)"
      R"({"type":"function_call_output","call_id":"call_1","output":"12 degrees"}])");
  EXPECT_FALSE(sent.json().find("store")->as_bool());

  // Its thinking goes back as it came.
  request.messages.push_back(reply->message);
  request.messages.push_back(result_message({{"c9", "rain", true}}));
  called.server.answer(stream_answer(
      {R"(data: {"type":"response.output_text.delta","delta":"It "})",
       R"(data: {"type":"response.output_text.delta","delta":"rains."})",
       R"(data: {"type":"response.completed","response":{"status":"completed","output":[)"
       R"({"type":"message","content":[{"type":"output_text","text":"It rains."}]}]}})"}));
  std::string told;
  CallOptions options;
  options.sink = [&](const StreamEvent& event) { told += event.text; };
  const auto again = called.model().complete(request, options);
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(told, "It rains.");
  EXPECT_EQ(text_of(again->message), told);
  const std::string input = called.server.requests()[1].json().find("input")->dump();
  EXPECT_NE(input.find(R"("encrypted_content":"xyz")"), std::string::npos);
  EXPECT_NE(input.find(R"("output":"error: rain")"), std::string::npos);
}

TEST(Anthropic, SaysAndReads) {
  CalledModel called(Provider::kAnthropic);
  called.server.answer(json_answer(read(
      R"({"id":"msg_1","model":"c-1","type":"message","role":"assistant","stop_reason":"tool_use",)"
      R"("content":[{"type":"thinking","thinking":"hm","signature":"s"},)"
      R"({"type":"text","text":"I look."},)"
      R"({"type":"tool_use","id":"t1","name":"get_weather","input":{"place":"Bern"}}],)"
      R"("usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":4}})")));
  const auto reply = called.model().complete(conversation());
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(text_of(reply->message), "I look.");
  EXPECT_EQ(reply->stop, StopReason::kToolCalls);
  EXPECT_EQ(reply->usage.input_tokens, 12);
  EXPECT_EQ(reply->usage.cached_tokens, 7);
  ASSERT_EQ(calls_of(reply->message).size(), 1U);
  const auto sent = called.server.requests()[0];
  EXPECT_EQ(sent.path(), "/v1/messages");
  EXPECT_EQ(sent.header("x-api-key"), test::kTestKey);
  EXPECT_EQ(sent.header("anthropic-version"), "2023-06-01");
  EXPECT_EQ(sent.json().find("system")->as_string(), "Be brief.");
  EXPECT_EQ(sent.json().find("messages")->dump(),
            R"([{"role":"user","content":[{"type":"text","text":"Weather in Bern?"}]},)"
            R"({"role":"assistant","content":[{"type":"text","text":"Let me look."},)"
            R"({"type":"tool_use","id":"call_1","name":"get_weather","input":{"place":"Bern"}}]},)"
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1",)"
            R"("content":"12 degrees"}]}])");
}

TEST(Anthropic, ReadsItsStream) {
  CalledModel called(Provider::kAnthropic);
  called.server.answer(stream_answer(
      {"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\","
       "\"model\":\"c\",\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}",
       "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
       "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
       "event: ping\ndata: {\"type\":\"ping\"}",
       "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
       "\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}",
       "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
       "\"delta\":{\"type\":\"text_delta\",\"text\":\" there\"}}",
       "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}",
       "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,"
       "\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"look\",\"input\":{}}}",
       "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,"
       "\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\"}}",
       "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,"
       "\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\" 1}\"}}",
       "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}",
       "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
       "\"tool_use\"},\"usage\":{\"output_tokens\":15}}",
       "event: message_stop\ndata: {\"type\":\"message_stop\"}"}));
  std::string told;
  const auto reply = called.ask_streamed("hi", told);
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(told, "Hello there[call look]");
  EXPECT_EQ(text_of(reply->message), "Hello there");
  ASSERT_EQ(calls_of(reply->message).size(), 1U);
  EXPECT_EQ(calls_of(reply->message)[0].arguments.dump(), R"({"a":1})");
  EXPECT_EQ(reply->usage.input_tokens, 25);
  EXPECT_EQ(reply->usage.output_tokens, 15);
  EXPECT_EQ(reply->stop, StopReason::kToolCalls);
}

TEST(Anthropic, MessagesTakeTurns) {
  CalledModel called(Provider::kAnthropic);
  called.server.answer(
      json_answer(read(R"({"content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn"})")));
  Request request;
  request.messages = {user_message("a"), user_message("b"), system_message("s1"),
                      system_message("s2")};
  ASSERT_TRUE(called.model().complete(request));
  const Json sent = called.server.requests()[0].json();
  EXPECT_EQ(sent.find("messages")->as_array().size(), 1U);
  EXPECT_EQ(sent.find("system")->as_string(), "s1\n\ns2");
}

TEST(Model, AServerThatDoesNotStreamIsReadAllTheSame) {
  CalledModel called;
  called.server.answer(json_answer(chat_reply("at once")));
  std::string told;
  const auto reply = called.ask_streamed("?", told);
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(told, "at once");
}

TEST(Model, TellsWhyAnAnswerEnds) {
  const auto stop_of = [](std::string_view reason) {
    CalledModel called;
    called.server.answer(
        json_answer(read(R"({"choices":[{"finish_reason":")" + std::string(reason) +
                         R"(","message":{"content":"x"}}]})")));
    const auto reply = called.ask("?");
    return reply ? reply->stop : StopReason::kOther;
  };
  EXPECT_EQ(stop_of("length"), StopReason::kLength);
  EXPECT_EQ(stop_of("content_filter"), StopReason::kRefused);
  EXPECT_EQ(stop_of("stop"), StopReason::kEnd);
}

TEST(Model, RefusesWhatNoProviderTakes) {
  CalledModel called;
  Request request;
  EXPECT_FALSE(called.model().complete(request));
  request.messages.push_back(result_message({{"nobody", "x", false}}));
  EXPECT_FALSE(called.model().complete(request));
  request.messages = {user_message("x")};
  request.tools.push_back({"http:fetch", "", Json::object()});
  EXPECT_FALSE(called.model().complete(request));
  EXPECT_EQ(called.server.count(), 0U);
}

}  // namespace
}  // namespace anima::llm::model_test
