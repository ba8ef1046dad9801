// Agent::run with a language model, as a program of somebody else would use it.
#include <gtest/gtest.h>

#include "anima/agent.h"
#include "base/files/file.h"
#include "support/model_server.h"

namespace anima::agent_model_test {
namespace {

TEST(AgentWithAModel, TheLoopAsksItAndItsCallsAreGoverned) {
  const TemporaryDirectory folder("anima-agent-model");
  test::ModelServer server;
  AgentOptions options{.create = true};
  options.model = LanguageModel{.url = server.url(), .model = "scripted-1"};
  auto agent = Agent::open(folder.file("space"), options);
  ASSERT_TRUE(agent) << agent.error().describe();
  server.answer(test::json_answer(test::chat_reply("Fog on a fjord.")));
  const auto haiku = agent->run("compose a haiku");
  ASSERT_TRUE(haiku) << haiku.error().describe();
  EXPECT_EQ(haiku->outcome, Outcome::kAnswered) << haiku->text;
  EXPECT_EQ(haiku->text, "Fog on a fjord.");
  EXPECT_EQ(server.count(), 1U);
  ASSERT_TRUE(system_files().make_directories(folder.file("space/work")));
  ASSERT_TRUE(replace_file(system_files(), folder.file("space/work/old.txt"), "x"));
  server.otherwise([](const test::ServerRequest&) {
    const Json call = Json::object(
        {{"id", "call_1"},
         {"type", "function"},
         {"function",
          Json::object({{"name", "file_delete"}, {"arguments", R"({"path":"old.txt"})"}})}});
    return test::json_answer(Json::object(
        {{"choices", Json::array({Json::object(
                         {{"finish_reason", "tool_calls"},
                          {"message", Json::object({{"content", nullptr},
                                                    {"tool_calls", Json::array({call})}})}})})}}));
  });
  const auto waiting = agent->run("tidy the attic");
  ASSERT_TRUE(waiting) << waiting.error().describe();
  EXPECT_EQ(waiting->outcome, Outcome::kWaiting) << waiting->text;
  EXPECT_EQ(waiting->approval_ids.size(), 1U);
  EXPECT_TRUE(file_exists(system_files(), folder.file("space/work/old.txt")));
}

TEST(AgentWithAModel, SaysWhichSettingIsWrong) {
  const TemporaryDirectory folder("anima-agent-model");
  AgentOptions options{.create = true};
  options.model = LanguageModel{.url = "http://far.example/v1", .model = "m"};
  const auto agent = Agent::open(folder.file("space"), options);
  ASSERT_FALSE(agent);
  EXPECT_NE(agent.error().describe().find("https"), std::string::npos) << agent.error().describe();
}

}  // namespace
}  // namespace anima::agent_model_test
