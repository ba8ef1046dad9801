// anima chat as a person and a script meet it: a pipe, JSON, events, consent, the end of the input.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "support/command.h"

namespace anima::chat_test {
namespace {

class ChatVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::system(("chmod 755 " + folder_.path()).c_str()), 0);
    test::init_space(folder_);
  }
  // The exit code; the output in out_.
  int chat(const std::string& input, const std::string& arguments = {}) {
    EXPECT_TRUE(replace_file(system_files(), folder_.file("input"), input).has_value());
    return anima(
        "chat --knowledge " + std::string(ANIMA_SOURCE_DIR) + "/examples/astronomy " + arguments,
        folder_.file("input"));
  }
  int anima(const std::string& arguments, const std::string& input = "/dev/null") {
    const std::string command = "HOME=" + folder_.path() + " ANIMA_SPACE=" + folder_.file("space") +
                                " " + ANIMA_BINARY_DIR + "/anima " + arguments + " <" + input +
                                " 2>&1";
    test::Ran ran = test::run_command(command);
    out_ = std::move(ran.out);
    return ran.code;
  }
  std::vector<Json> lines() const {
    std::vector<Json> list;
    for (const std::string_view line : split(out_, '\n')) {
      if (line.empty()) continue;
      const auto json = parse_json(line);
      EXPECT_TRUE(json.has_value()) << line;
      if (json) list.push_back(*json);
    }
    return list;
  }
  bool said(std::string_view text) const { return out_.find(text) != std::string::npos; }

  TemporaryDirectory folder_{"anima-chat"};
  std::string out_;
};

TEST_F(ChatVerb, TasksQuestionsAndWhatIsNotKnown) {
  ASSERT_EQ(chat("write \"milk\" to list.txt\nread list.txt\ntell me about Mars\n"
                 "What is a quark?\n/help\n/fly\n\n"),
            0)
      << out_;
  EXPECT_TRUE(said("Wrote list.txt.\nmilk\n")) << out_;
  EXPECT_TRUE(said("Mars orbits Sun.")) << out_;
  EXPECT_TRUE(said("I do not know the word: quark.")) << out_;
  EXPECT_TRUE(said("for example: read FILE")) << out_;
  EXPECT_TRUE(said("there is no command /fly")) << out_;
  EXPECT_EQ(anima("replay last"), 0) << out_;
}

TEST_F(ChatVerb, ConsentIsAskedForAtThePrompt) {
  ASSERT_EQ(chat("write \"milk\" to list.txt\ndelete list.txt\ny\nread list.txt\n"), 0);
  EXPECT_TRUE(said("tool       file:delete")) << out_;
  EXPECT_TRUE(said("Deleted list.txt.")) << out_;
  EXPECT_TRUE(said("No such file")) << out_;
}

TEST_F(ChatVerb, AfterConsentALineGoesOnWhereItWaited) {
  ASSERT_EQ(chat("write \"milk\" to list.txt, then delete list.txt, then list files\ny\n"), 0);
  EXPECT_TRUE(said("entries")) << out_;
  ASSERT_EQ(anima("audit log --action tool_executed --json"), 0);
  EXPECT_EQ(parse_json(out_)->find("entries")->as_array().size(), 3u) << out_;
  ASSERT_EQ(anima("plan list --json"), 0);
  EXPECT_TRUE(parse_json(out_)->find("plans")->as_array().empty()) << out_;
}

TEST_F(ChatVerb, WithoutAYesItIsNotDoneAndTheNextLineIsSaid) {
  ASSERT_EQ(
      chat("write \"milk\" to list.txt\ndelete list.txt\nread list.txt\ndelete list.txt\nn\n"), 0);
  EXPECT_TRUE(said("Not done.\nmilk\n")) << out_;
  EXPECT_FALSE(said("Deleted")) << out_;
  ASSERT_EQ(chat("delete list.txt\n"), 0);  // the input ends
  EXPECT_TRUE(said("Not done.")) << out_;
  ASSERT_EQ(anima("approve list --json"), 0);
  EXPECT_TRUE(parse_json(out_)->find("approvals")->as_array().empty()) << out_;
}

TEST_F(ChatVerb, EachTurnIsALineOfJson) {
  ASSERT_EQ(chat("tell me about Mars\nWhat is a quark?\nread none.txt\n", "--json"), 0);
  const std::vector<Json> turns = lines();
  ASSERT_EQ(turns.size(), 3U) << out_;
  EXPECT_EQ(turns[0].find("kind")->as_string(), "findings");
  EXPECT_GT(turns[0].find("cycles")->as_integer(), 0);
  EXPECT_EQ(turns[1].find("kind")->as_string(), "unknown");
  EXPECT_EQ(turns[1].find("missing")->as_array()[0].as_string(), "quark");
  EXPECT_EQ(turns[2].find("kind")->as_string(), "reply");
  EXPECT_EQ(turns[2].find("reply")->find("outcome")->as_string(), "failed");
}

TEST_F(ChatVerb, EventsAndCyclesAreToldAsTheyHappen) {
  ASSERT_EQ(chat("tell me about Mars\n", "--events"), 0);
  std::vector<std::string> types;
  for (const Json& json : lines()) types.push_back(json.find("type")->as_string());
  ASSERT_GT(types.size(), 3U) << out_;
  EXPECT_EQ(types.front(), "event");
  EXPECT_NE(std::find(types.begin(), types.end(), "cycle"), types.end());
  EXPECT_EQ(types.back(), "turn");
}

TEST_F(ChatVerb, TheEndOfTheInputAndQuitEndIt) {
  EXPECT_EQ(chat(""), 0);
  EXPECT_EQ(chat("/quit\nread a.txt\n"), 0);
  EXPECT_FALSE(said("a.txt")) << out_;
  EXPECT_EQ(anima("agent chat --max-cycles 0"), 2);
}

}  // namespace
}  // namespace anima::chat_test
