// Made tools as a person meets them: from a template to its use in a goal and its removal; a model
// that proposes five bad versions, and the sixth.
#include <gtest/gtest.h>

#include <memory>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "support/called_model.h"
#include "support/command.h"
#include "support/needs_sandbox.h"
#include "tools/sandbox/sandbox.h"

namespace anima::forge_e2e_test {
namespace {

class MadeTools : public ::testing::Test {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
    test::init_space(folder_);
    ASSERT_TRUE(system_files().make_directories(folder_.file("config/anima")));
  }

  test::Ran anima(const std::string& arguments) const {
    return test::run_command(
        "HOME=" + folder_.path() + " XDG_CONFIG_HOME=" + folder_.file("config") +
        " XDG_STATE_HOME=" + folder_.file("state") + " ANIMA_SPACE=" + folder_.file("space") + " " +
        ANIMA_BINARY_DIR + "/anima " + arguments + " 2>&1 </dev/null");
  }
  static bool says(const test::Ran& ran, std::string_view text) {
    return ran.out.find(text) != std::string::npos;
  }

  TemporaryDirectory folder_{"anima-made"};
};

constexpr const char* kCsvSum =
    R"(tool generate --need '{"name":"csv_sum","purpose":"the sum of a column of a CSV table"}')";

TEST_F(MadeTools, FromANeedToAGoalAndAway) {
  test::Ran ran = anima(kCsvSum);
  ASSERT_EQ(ran.code, 0) << ran.out;
  EXPECT_TRUE(
      says(ran, "csv_sum: made (version 1, stability 100, by template csv_aggregate (sum))"))
      << ran.out;
  EXPECT_TRUE(says(anima("tool list"), "csv_sum"));
  ran = anima(
      R"(tool run csv_sum '{"input":"city,amount\nOslo,2\nBergen,3.5\n","args":["amount"]}' --json)");
  ASSERT_EQ(ran.code, 0) << ran.out;
  EXPECT_EQ(ran.json().find("result")->find("text")->as_string(), "5.5");
  ran = anima(R"(tool run csv_sum '{"input":"city,amount\nOslo,x\n","args":["amount"]}')");
  EXPECT_NE(ran.code, 0);
  EXPECT_TRUE(says(ran, "'x' is no number")) << ran.out;

  ASSERT_EQ(
      anima(
          R"(tool run file:write '{"path":"sales.csv","content":"city,amount\nOslo,7\nBergen,6\n"}')")
          .code,
      0);
  ran = anima("run 'csv_sum of amount in ./sales.csv'");
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_TRUE(says(ran, "csv_sum: 13")) << ran.out;

  ran = anima("tool log csv_sum");
  ASSERT_EQ(ran.code, 0) << ran.out;
  for (const char* line :
       {"proposal 1 by template csv_aggregate (sum): safe", "6 of 6 runs of its examples held",
        "registered as version 1, stability 100", "ran", "ran and failed"})
    EXPECT_TRUE(says(ran, line)) << line << "\n" << ran.out;

  ran = anima(kCsvSum);
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_TRUE(says(ran, "there is a made tool of this name")) << ran.out;
  ran = anima(std::string(kCsvSum) + " --again");
  EXPECT_TRUE(says(ran, "stagnation")) << ran.out;

  ASSERT_EQ(anima("tool remove csv_sum").code, 0);
  EXPECT_FALSE(says(anima("tool list"), "csv_sum"));
  EXPECT_EQ(anima("tool run csv_sum '{}'").code, 6);
  EXPECT_TRUE(says(anima("tool log csv_sum"), "removed (version 1)"));
}

// Whoever changes what all tools are made with only makes the next one slower.
TEST_F(MadeTools, WhatToolsShareIsUsedOnlyAsItWasMade) {
  ASSERT_EQ(anima(kCsvSum).code, 0);
  const std::string shared = folder_.file(".cache/anima/forge");
  const auto parts = system_files().list(shared);
  ASSERT_TRUE(parts.has_value()) << parts.error().describe();
  ASSERT_EQ(parts->size(), 2U);
  std::vector<std::string> changed;
  for (const DirectoryEntry& each : *parts) {
    const std::string path = join_path(shared, each.name);
    changed.push_back(*read_file(system_files(), path) + "x");
    ASSERT_TRUE(replace_file(system_files(), path, changed.back(), 0600));
  }
  const test::Ran ran = anima(
      R"(tool generate --need '{"name":"text_words","purpose":"counts the words of a text"}')");
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_EQ(anima(R"(tool run text_words '{"input":"one two three"}')").code, 0);
  for (std::size_t i = 0; i < changed.size(); ++i)
    EXPECT_NE(*read_file(system_files(), join_path(shared, (*parts)[i].name)), changed[i]);
}

TEST_F(MadeTools, AnImpasseMakesANeed) {
  const std::string goal = R"(run 'count the words of the text "one two three"')";
  test::Ran ran = anima(goal);
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_TRUE(says(ran, "A tool for this can be made: text_words.")) << ran.out;
  EXPECT_TRUE(says(ran, R"(anima tool generate --need '{"name":"text_words",)")) << ran.out;
  EXPECT_FALSE(says(anima("tool list"), "text_words"));
  EXPECT_FALSE(says(anima(goal + " --set forge.on_impasse=off"), "can be made"));
  EXPECT_FALSE(says(anima(goal + " --set forge.mode=production"), "can be made"));
  ran = anima(goal + " --set forge.on_impasse=make");
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_TRUE(says(ran, "text_words: 3")) << ran.out;
  EXPECT_TRUE(says(anima("tool log text_words"), "registered as version 1")) << ran.out;
}

// What is made on the way changes neither the one document, nor the exit code, nor what is kept.
TEST_F(MadeTools, AnImpasseKeepsTheContractOfARun) {
  const std::string goal =
      R"(run --set forge.on_impasse=make --goal 'count the words of the text "one two three"')";
  const test::Ran kept = anima(goal + " --keep words --json </dev/null 2>/dev/null #");
  EXPECT_EQ(kept.code, 0) << kept.out;
  const Json result = kept.json();
  ASSERT_NE(result.find("made"), nullptr) << kept.out;
  EXPECT_EQ(result.find("goals")->as_array().size(), 2U) << "the one that lacked it, and the next";
  EXPECT_EQ(anima("replay words").code, 0);
  EXPECT_EQ(anima("replay words-made").code, 0);
  EXPECT_EQ(anima("tool remove text_words").code, 0);
  const test::Ran two = anima(goal + " --goal 'brew a cup of coffee'");
  EXPECT_EQ(two.code, 1) << "nothing serves the coffee: " << two.out;
}

TEST_F(MadeTools, RefusedNeeds) {
  EXPECT_EQ(anima(R"(tool generate --need '{"name":"../x"}')").code, 1);
  EXPECT_EQ(anima(R"(tool generate --need '{"name":"csv_sum","confidence":0.5}')").code, 3);
  EXPECT_EQ(anima(R"(tool generate --need '{"name":"coffee","purpose":"brew a cup"}')").code, 6);
  EXPECT_EQ(
      anima(R"(tool generate --need '{"name":"cleaner","purpose":"rm -rf a folder of text"}')")
          .code,
      3);
  EXPECT_EQ(anima(std::string(kCsvSum) + " --set forge.mode=production").code, 3);
  EXPECT_EQ(anima("tool log nothing").code, 6);
}

// R8: runs that went well and those that were tried, of the tool's own story.
TEST_F(MadeTools, R8_RunsAndAttemptsAreCounted) {
  ASSERT_EQ(anima(kCsvSum).code, 0);
  const std::string run = R"(tool run csv_sum '{"args":["amount"],"input":"amount\n)";
  EXPECT_EQ(anima(run + R"(2"}')").code, 0);
  EXPECT_EQ(anima(run + R"(3"}')").code, 0);
  EXPECT_NE(anima(run + R"(x"}')").code, 0);
  const Json story = anima("tool log csv_sum --json").json();
  EXPECT_EQ(story.find("execute_count")->as_integer(), 2);
  EXPECT_EQ(story.find("attempts")->as_integer(), 3);
}

TEST_F(MadeTools, WithoutTheInspectorItSaysAtOnceWhatToBuild) {
  const std::string alone = folder_.file("anima");
  ASSERT_EQ(test::run_command("ln " ANIMA_BINARY_DIR "/anima " + alone +
                              " 2>/dev/null || cp " ANIMA_BINARY_DIR "/anima " + alone)
                .code,
            0);
  const test::Ran ran =
      test::run_command("HOME=" + folder_.path() + " ANIMA_SPACE=" + folder_.file("space") + " " +
                        alone + " " + kCsvSum + " 2>&1 </dev/null");
  EXPECT_EQ(ran.code, 6) << ran.out;
  EXPECT_TRUE(says(ran, "the program anima-inspect, which checks what is made, is not there"));
  EXPECT_TRUE(says(ran, "--target anima-inspect")) << ran.out;
  EXPECT_FALSE(says(ran, "stagnation"));
  EXPECT_FALSE(says(ran, "refused")) << ran.out;
}

std::string version(const std::string& head, const std::string& body) {
  return "Here it is:\n```cpp\n#include <string>\n#include \"tool_api.hpp\"\n" + head +
         "tool::Result run(const tool::Input& input, tool::Cancel c) {\n  " + body +
         "\n  (void)c;\n  return {tool::lower(input.input), {}};\n}\n```\nIts examples:\n```json\n"
         "[{\"input\": \"LOUD\", \"output\": \"loud\"}]\n```\n";
}

TEST_F(MadeTools, TheSixthVersionOfAModelIsTaken) {
  test::ModelServer server;
  for (const std::string& text :
       {version("#include <sys/socket.h>\n", ""), version("", "auto f = std::system; f(\"ls\");"),
        version("", "for (;;) {}"), version("#include \"/etc/passwd\"\n", ""),
        version("#include <thread>\n", "std::jthread t([]() {});"), version("", "")})
    server.answer(test::json_answer(test::chat_reply(text)));
  ASSERT_TRUE(
      replace_file(system_files(), folder_.file("key"), std::string(test::kTestKey) + "\n", 0600));
  ASSERT_TRUE(replace_file(system_files(), folder_.file("config/anima/config.toml"),
                           "[llm.local]\nprovider = \"openai\"\nmodel = \"scripted-1\"\nurl = \"" +
                               server.url() + "\"\nkey_file = \"" + folder_.file("key") +
                               "\"\nattempts = 1\n"));
  const test::Ran ran = anima(
      R"(tool generate --llm local --attempts 6 --need '{"name":"lower_case","purpose":"lower case of a text"}')");
  ASSERT_EQ(ran.code, 0) << ran.out;
  for (const char* line :
       {"[forbidden_import] includes a header that is not allowed: sys/socket.h (at line 3)",
        "[exec] starts a program: system (at line 4)",
        "[dangerous_call] reaches the machine or does not end: unbounded loop (at line 4)",
        "[forbidden_import] includes a header that is not allowed: /etc/passwd (at line 3)",
        "[goroutine_leak] starts a thread that nobody can stop: std::jthread (at line 5)",
        "lower_case: made (version 1, stability 90, by model local)"})
    EXPECT_TRUE(says(ran, line)) << line << "\n" << ran.out;
  // What is told to the model is its own source and what was found in it.
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 6U);
  EXPECT_NE(requests[1].body.find("forbidden_import"), std::string::npos);
  EXPECT_EQ(requests[4].body.find("root:x:"), std::string::npos);
  const test::Ran used = anima(R"(tool run lower_case '{"input":"LOUD"}' --json)");
  EXPECT_EQ(used.json().find("result")->find("text")->as_string(), "loud");
}

}  // namespace
}  // namespace anima::forge_e2e_test
