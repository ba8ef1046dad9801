// anima ask as a user meets it: exit codes, the members of each answer, and the lines of --jsonl.
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "support/command.h"

namespace anima::ask_verb_test {
namespace {

class AskVerb : public ::testing::Test {
 protected:
  test::Ran anima(const std::string& arguments) const {
    return test::run_anima(folder_, arguments);
  }
  void SetUp() override {
    test::init_space(folder_);
    ASSERT_EQ(anima(R"(kip 'UPSERT {
      CONCEPT { {type: "$ConceptType", name: "Service"} }
      CONCEPT { {type: "$ConceptType", name: "Host"} }
      CONCEPT { {type: "$PropositionType", name: "runs_on"} } }')")
                  .code,
              0);
    ASSERT_EQ(anima(R"(kip 'UPSERT {
      CONCEPT { {type: "Host", name: "borea"} }
      CONCEPT { {type: "Host", name: "dune"} }
      CONCEPT { {type: "Service", name: "orders-db"} SET ATTRIBUTES {port: 5432}
                SET PROPOSITIONS { ("runs_on", {type: "Host", name: "borea"}) } }
      CONCEPT { {type: "Service", name: "orders-api"} SET ATTRIBUTES {port: 8080} }
      CONCEPT { {type: "Service", name: "backup-job"} } }')")
                  .code,
              0);
  }
  // The answers to these lines, one a line.
  std::vector<Json> lines(const std::string& text, int code) const {
    const std::string file = folder_.file("questions.jsonl");
    std::ofstream(file) << text;
    const test::Ran ran = anima("ask --jsonl " + file);
    EXPECT_EQ(ran.code, code) << ran.out;
    std::vector<Json> answers;
    for (const std::string_view line : split(ran.out, '\n')) {
      if (trim(line).empty()) continue;
      auto json = parse_json(line);
      EXPECT_TRUE(json) << line;
      if (json) answers.push_back(std::move(*json));
    }
    return answers;
  }
  static std::string text(const Json& answer, const char* member) {
    return answer.find(member)->as_string();
  }

  TemporaryDirectory folder_{"anima-ask"};
};

TEST_F(AskVerb, Q1EachStatusHasItsExitAndAllMembers) {
  struct Case {
    const char *question, *status;
    int code;
  };
  for (const Case& one :
       {Case{"port of orders-db", "answered", 0}, Case{"port of backup-job", "empty", 0},
        Case{"port of orders", "ambiguous", 6}, Case{"colour of orders-db", "not_understood", 6}}) {
    const test::Ran ran = anima(std::string("ask --json '") + one.question + "'");
    EXPECT_EQ(ran.code, one.code) << ran.out;
    const Json answer = ran.json();
    EXPECT_EQ(text(answer, "status"), one.status) << ran.out;
    for (const char* member : {"status", "query", "language", "columns", "rows", "answer",
                               "reading", "unknown", "near", "readings", "reason", "proof", "next"})
      EXPECT_NE(answer.find(member), nullptr) << member;
    EXPECT_EQ(anima(std::string("ask '") + one.question + "'").code, one.code);
  }
  EXPECT_EQ(anima("ask").code, 2);
}

// "owns" is said nowhere in the file: it comes from `owner`; Ship comes from the title of the key.
TEST_F(AskVerb, AFileOfAStrangerIsAskedByTheVerbsOfItsColumns) {
  std::ofstream(folder_.file("s.csv")) << "ship,built,owner\nAurora,2001,Acme\nBora,1999,Zeta\n";
  ASSERT_EQ(anima("load " + folder_.file("s.csv") + " --yes").code, 0);
  for (const auto& [question, answer] : std::vector<std::pair<std::string, std::string>>{
           {"Who owns Aurora?", "Acme"},
           {"Who is Bora owned by?", "Zeta"},
           {"Which ships does Acme own?", "Aurora"},
           {"Which ship is owned by Zeta?", "Bora"},
           {"Which ship was built in 2001?", "Aurora"}}) {
    const test::Ran ran = anima("ask '" + question + "'");
    EXPECT_EQ(ran.code, 0) << question;
    EXPECT_NE(ran.out.find(answer), std::string::npos) << question << "\n" << ran.out;
  }
}

TEST_F(AskVerb, Q1LinesKeepTheirOrderAndIds) {
  const auto answers = lines(R"({"id":"b","question":"port of orders-db"}
{"id":7,"question":"colour of orders-db"}

{"id":"a","question":"list the hosts"}
)",
                             0);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(text(answers[0], "id"), "b");
  EXPECT_EQ(text(answers[1], "id"), "7");
  EXPECT_EQ(text(answers[1], "status"), "not_understood");
  EXPECT_EQ(text(answers[2], "id"), "a");
  EXPECT_EQ(answers[2].find("rows")->as_array().size(), 2u);
}

TEST_F(AskVerb, Q1ABadLineIsToldAndTheOthersAreAnswered) {
  for (const char* bad :
       {"port of orders-db", R"({"id":"x"})", R"({"question":5})", "[]", "\"port\""}) {
    const auto answers =
        lines("{\"id\":\"1\",\"question\":\"port of orders-db\"}\n" + std::string(bad) +
                  "\n{\"id\":\"2\",\"question\":\"list the hosts\"}\n",
              2);
    ASSERT_EQ(answers.size(), 2u) << bad;
    EXPECT_EQ(text(answers[0], "id"), "1");
    EXPECT_EQ(text(answers[1], "id"), "2");
  }
}

TEST_F(AskVerb, Q34SessionsDoNotSeeEachOther) {
  const auto answers = lines(R"({"id":"1","session":"one","question":"Where does orders-db run?"}
{"id":"2","session":"two","question":"port of orders-api"}
{"id":"3","session":"one","question":"What is its port?"}
{"id":"4","session":"three","question":"What is its port?"}
{"id":"5","question":"What is its port?"}
{"id":"6","session":"two","question":"And of orders-db?"}
)",
                             0);
  ASSERT_EQ(answers.size(), 6u);
  EXPECT_EQ(answers[2].find("rows")->dump(), R"([["orders-db",5432]])");
  EXPECT_EQ(text(answers[3], "status"), "not_understood");
  EXPECT_EQ(text(answers[4], "status"), "not_understood");
  EXPECT_EQ(answers[5].find("rows")->dump(), R"([["orders-db",5432]])");
}

TEST_F(AskVerb, Q36NothingIsWritten) {
  const std::string before = anima("history orders-db --json").out;
  for (const char* question :
       {"delete orders-db", "set the port of orders-db to 80", "list the hosts"})
    anima(std::string("ask '") + question + "'");
  EXPECT_EQ(anima("history orders-db --json").out, before);
}

}  // namespace
}  // namespace anima::ask_verb_test
