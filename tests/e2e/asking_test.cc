// A question in plain words from every door: the same answer, and not one byte of the knowledge
// changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "anima/memory.h"
#include "base/files/file.h"
#include "support/command.h"

namespace anima::asking_test {
namespace {

constexpr std::string_view kFleet =
    "subject,predicate,object\n"
    "heron,type,Ship\ngannet,type,Ship\npuffin,type,Ship\nOslo,type,Port\nBergen,type,Port\n"
    "heron,sails_to,Oslo\ngannet,sails_to,Bergen\npuffin,sails_to,Oslo\n"
    "heron,captained_by,Mira Dahl\ngannet,captained_by,Tom Reed\npuffin,captained_by,Mira Dahl\n"
    "heron,length_m,120\ngannet,length_m,95\npuffin,length_m,60\n";

class Asking : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::system(("chmod 755 " + folder_.path()).c_str()), 0);
    test::init_space(folder_);
    put(folder_.file("fleet.csv"), kFleet);
    ASSERT_EQ(anima("import " + folder_.file("fleet.csv")).code, 0);
  }
  void put(const std::string& path, std::string_view text) {
    ASSERT_TRUE(replace_file(system_files(), path, text)) << path;
  }
  test::Ran anima(const std::string& arguments, const std::string& input = {}) {
    put(folder_.file("input"), input);
    return test::run_command("HOME=" + folder_.path() + " ANIMA_SPACE=" + space_ + " " +
                             ANIMA_BINARY_DIR + "/anima " + arguments + " <" +
                             folder_.file("input") + " 2>&1");
  }
  std::string knowledge() { return anima("export | sort").out; }

  TemporaryDirectory folder_{"anima-asking"};
  std::string space_ = folder_.file("space");
};

TEST_F(Asking, EveryDoorGivesTheSameAnswer) {
  const std::string before = knowledge();
  for (const char* arguments :
       {"ask 'Which ships sail to Oslo?'", "run 'Which ships sail to Oslo?'"}) {
    const test::Ran ran = anima(arguments);
    EXPECT_EQ(ran.code, 0) << ran.out;
    EXPECT_NE(ran.out.find("heron; puffin"), std::string::npos) << ran.out;
  }
  const test::Ran talk =
      anima("chat", "Who captains the gannet?\nand the heron?\nWhich ships sail to Oslo?\n");
  EXPECT_NE(talk.out.find("Tom Reed"), std::string::npos) << talk.out;
  EXPECT_NE(talk.out.find("Mira Dahl"), std::string::npos) << talk.out;
  EXPECT_NE(talk.out.find("heron; puffin"), std::string::npos) << talk.out;
  const test::Ran mcp = anima(
      "mcp --readonly",
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
      R"("capabilities":{},"clientInfo":{"name":"t","version":"1"}}})"
      "\n"
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":)"
      R"({"question":"Who captains the gannet?","session":"a"}}})"
      "\n"
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask","arguments":)"
      R"({"question":"and the heron?","session":"a"}}})"
      "\n"
      R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"ask","arguments":{}}})"
      "\n");
  EXPECT_NE(mcp.out.find(R"("rows":[["Tom Reed"]])"), std::string::npos) << mcp.out;
  EXPECT_NE(mcp.out.find(R"("rows":[["Mira Dahl"]])"), std::string::npos) << mcp.out;
  EXPECT_NE(mcp.out.find("`question` is missing"), std::string::npos) << mcp.out;
  EXPECT_EQ(knowledge(), before);
}

TEST_F(Asking, TheLibraryAnswersToo) {
  const auto memory = Memory::open(space_).value();
  const QuestionAnswer answer = memory.ask("Which ships sail to Oslo?").value();
  EXPECT_EQ(answer.status, QuestionStatus::kAnswered);
  EXPECT_EQ(answer.details.find("rows")->dump(), R"([["heron"],["puffin"]])");
  ASSERT_TRUE(memory.ask("Who captains the gannet?", {.session = "a"}));
  const QuestionAnswer next = memory.ask("and the heron?", {.session = "a"}).value();
  ASSERT_EQ(next.rows.size(), 1u);
  EXPECT_EQ(next.rows[0].text(0), "Mira Dahl");
  EXPECT_FALSE(memory.ask("Which ships sail?", {.now = "soon"}));
}

TEST_F(Asking, AWordThatNobodyKnowsIsNamed) {
  for (const char* verb : {"ask", "run"}) {
    const test::Ran ran = anima(std::string(verb) + " 'What is the tonnage of heron?'");
    EXPECT_EQ(ran.code, 6) << ran.out;
    EXPECT_NE(ran.out.find("tonnage"), std::string::npos) << ran.out;
  }
  const test::Ran talk = anima("chat", "What is the tonnage of heron?\n");
  EXPECT_NE(talk.out.find("tonnage"), std::string::npos) << talk.out;
}

TEST_F(Asking, AnsweringKeepsNothing) {
  const std::uint64_t before = Memory::open(space_).value().newest_entry().value();
  for (int i = 0; i < 3; ++i) {
    (void)anima("ask 'Which ships sail to Oslo?'");
    (void)anima("run 'How many ships are there?'");
  }
  EXPECT_EQ(Memory::open(space_).value().newest_entry().value(), before);
}

// A thousand questions, in another order each time and with restarts: the same answers as in a
// fresh space, the same knowledge, and a log that has not grown.
TEST_F(Asking, AThousandQuestionsLeaveNothingBehind) {
  const std::vector<std::string> questions = {"Which ships sail to Oslo?",
                                              "Who captains the gannet?",
                                              "the longest ship",
                                              "How many ships does Mira Dahl captain?",
                                              "Which ship does not sail to Oslo?",
                                              "list the ports",
                                              "ships longer than 90",
                                              "average length of the ships",
                                              "Does heron sail to Bergen?",
                                              "what is the tonnage of heron",
                                              "ships per port",
                                              "who is captain of gannet"};
  std::map<std::string, std::string> fresh;
  for (const std::string& question : questions) {
    fresh[question] = anima("ask --json '" + question + "'").json().find("answer")->as_string();
  }
  const std::string before = knowledge();
  const std::uint64_t entries = Memory::open(space_).value().newest_entry().value();
  std::uint64_t by_chat = 0;
  std::mt19937 random(11);
  for (int restart = 0; restart < 10; ++restart) {
    std::string lines, spoken;
    std::vector<std::string> asked;
    for (int i = 0; i < 48; ++i) {
      asked.push_back(questions[random() % questions.size()]);
      lines += Json::object({{"question", asked.back()}}).dump() + "\n";
      spoken += asked.back() + "\n";
    }
    const std::string answers = anima("ask --jsonl -", lines).out;
    // A line of a chat is on the log before it is answered; nothing else here writes.
    const std::uint64_t quiet = Memory::open(space_).value().newest_entry().value();
    const std::string talk = anima("chat", spoken).out;
    by_chat += Memory::open(space_).value().newest_entry().value() - quiet;
    for (const std::string& question : asked) {
      const std::string& expected = fresh[question];
      EXPECT_NE(talk.find(expected), std::string::npos) << question << "\n" << expected;
    }
    EXPECT_EQ(std::count(answers.begin(), answers.end(), '\n'), 48);
    for (int i = 0; i < 4; ++i) {
      const std::string& question = questions[random() % questions.size()];
      EXPECT_NE(anima("run '" + question + "'").out.find(fresh[question]), std::string::npos)
          << question;
    }
  }
  EXPECT_EQ(knowledge(), before);
  EXPECT_EQ(Memory::open(space_).value().newest_entry().value(), entries + by_chat);
}

}  // namespace
}  // namespace anima::asking_test
