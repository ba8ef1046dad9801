// anima chat --llm, run --llm, replay, agent memory and agent context, through the program: with a
// model that is a real HTTP server.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/called_model.h"
#include "support/cli_run.h"

namespace anima::cli::model_loop_test {
namespace {

test::ServerAnswer says(std::string_view text) { return test::json_answer(test::chat_reply(text)); }

class ModelLoop : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(system_files().make_directories(folder_.file("config/anima")));
    ASSERT_TRUE(replace_file(system_files(), folder_.file("key"),
                             std::string(test::kTestKey) + "\n", 0600));
    ASSERT_TRUE(replace_file(
        system_files(), folder_.file("config/anima/config.toml"),
        "[llm.local]\nprovider = \"openai\"\nmodel = \"scripted-1\"\nurl = \"" + server_.url() +
            "\"\nkey_file = \"" + folder_.file("key") + "\"\nattempts = 1\n"));
    ASSERT_EQ(run({"init"}).code, 0);
  }
  void TearDown() override {
    EXPECT_EQ(written_.find(test::kTestKey), std::string::npos) << written_;
  }
  test::CliRun run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--space", folder_.file("space")});
    test::CliRun run = test::run_cli(arguments, environment_);
    written_ += run.out + run.err;
    return run;
  }
  Json json(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const test::CliRun answer = run(std::move(arguments));
    const auto parsed = parse_json(answer.out);
    EXPECT_TRUE(parsed) << answer.out << answer.err;
    return parsed ? *parsed : Json();
  }

  TemporaryDirectory folder_;
  test::ModelServer server_;
  Environment environment_{{"HOME", folder_.path()},
                           {"XDG_CONFIG_HOME", folder_.file("config")},
                           {"XDG_STATE_HOME", folder_.file("state")}};
  std::string written_;
};

TEST_F(ModelLoop, CoreMemoryIsShownAndEdited) {
  EXPECT_NE(run({"agent", "memory"}).out.find("persona: empty"), std::string::npos);
  EXPECT_EQ(run({"agent", "memory", "add", "rules", "Answer in German."}).code, 0);
  EXPECT_EQ(run({"agent", "memory", "set", "human", "Ada, a geologist."}).code, 0);
  const auto rules = run({"agent", "memory", "show", "rules"});
  EXPECT_NE(rules.out.find("Answer in German."), std::string::npos) << rules.out;
  EXPECT_NE(rules.out.find("operator"), std::string::npos) << rules.out;
  const Json blocks = json({"agent", "memory"});
  EXPECT_EQ(blocks.as_array().size(), 4U);
  EXPECT_EQ(run({"undo", "last"}).code, 0);
  EXPECT_NE(run({"agent", "memory", "show", "human"}).out.find("empty"), std::string::npos);
  EXPECT_EQ(run({"agent", "memory", "clear", "rules"}).code, 0);
  EXPECT_EQ(run({"agent", "memory", "set", "diary", "x"}).code, 2);
  EXPECT_EQ(run({"agent", "memory", "set", "human"}).code, 2);
  EXPECT_EQ(run({"agent", "memory", "set", "task", std::string(5000, 'x')}).code, 1);
  const Json context = json({"agent", "context", "Please go on", "--llm", "local"});
  EXPECT_EQ(context.find("parts")->as_array()[0].find("section")->as_string(), "instructions");
}

TEST_F(ModelLoop, ARunAsksTheModelAndIsReplayed) {
  server_.answer(says("Fog on a fjord."));
  const auto done = run({"run", "--llm", "local", "compose a haiku"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "Fog on a fjord.\n");
  const std::size_t asked = server_.count();
  const auto replay = run({"replay", "last"});
  EXPECT_EQ(replay.code, 0) << replay.out << replay.err;
  EXPECT_NE(replay.out.find("bit for bit the same"), std::string::npos) << replay.out;
  EXPECT_EQ(server_.count(), asked);
  EXPECT_EQ(run({"run", "--llm", "nobody", "compose a haiku"}).code, 6);
}

}  // namespace
}  // namespace anima::cli::model_loop_test
