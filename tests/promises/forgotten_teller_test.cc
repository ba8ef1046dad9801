// Who is forgotten takes along what he told, whatever it is about; and what that had replaced or
// ended holds again.
#include <gtest/gtest.h>

#include <string>

#include "base/files/file.h"
#include "support/command.h"

namespace anima {
namespace {

struct TwoTellers {
  const char *first, *second, *question, *holds, *gone;
};

void expect_taken_along(const TwoTellers& both) {
  SCOPED_TRACE(both.second);
  TemporaryDirectory folder("anima-forgotten-teller");
  test::init_space(folder);
  const auto anima = [&](const std::string& words) {
    return test::run_anima(folder, words, "2>&1 </dev/null");
  };
  const auto tell = [&](const std::string& text, const std::string& who) {
    const test::Ran told = anima("remember \"" + text + "\" --speaker " + who);
    ASSERT_EQ(told.code, 0) << told.out;
  };
  tell(both.first, "Ann");
  tell(both.second, "Bob");
  const std::string question = "ask \"" + std::string(both.question) + "\"";
  EXPECT_NE(anima(question).out.find(both.gone), std::string::npos);
  const test::Ran forgotten = anima("forget Bob --confirm");
  ASSERT_EQ(forgotten.code, 0) << forgotten.out;
  const std::string answer = anima(question).out;
  EXPECT_NE(answer.find(both.holds), std::string::npos) << answer;
  EXPECT_EQ(answer.find(both.gone), std::string::npos) << answer;
  EXPECT_EQ(anima("export").out.find(both.gone), std::string::npos);
  EXPECT_NE(test::run_command("grep -rqaF '" + std::string(both.gone) + "' " + folder.path()).code,
            0);
}

TEST(ForgottenTeller, TakesAlongWhatHeTold) {
  expect_taken_along({"Cara Lind's phone number is 555-0141.",
                      "Cara Lind's phone number is 555-0142.", "What is Cara Lind's phone number?",
                      "555-0141", "555-0142"});
  expect_taken_along({"Cara Lind lives in Oslo.", "Cara Lind lives in Ljubljana.",
                      "Where does Cara Lind live?", "Oslo", "Ljubljana"});
  expect_taken_along({"Cara Lind works at Initech.", "Cara Lind works at Globexia.",
                      "Where does Cara Lind work?", "Initech", "Globexia"});
  expect_taken_along({"Cara Lind's email is cara@web.de.", "Cara Lind's email is lind@posteo.de.",
                      "What is Cara Lind's email?", "cara@web.de", "lind@posteo.de"});
}

// Whom and what he alone told of goes with him, in every byte; what somebody else said something
// of stays, also where that was withdrawn.
TEST(ForgottenTeller, TakesAlongWhomHeAloneToldOf) {
  TemporaryDirectory folder("anima-forgotten-teller");
  test::init_space(folder);
  const auto anima = [&](const std::string& words) {
    const test::Ran ran = test::run_anima(folder, words, "2>&1 </dev/null");
    EXPECT_EQ(ran.code, 0) << words << ran.out;
    return ran.out;
  };
  anima("remember \"My daughter Idalou is 7.\" --speaker Zorbel");
  anima("remember \"I work at Globexia and I live in Ljubljana.\" --speaker Zorbel");
  anima("remember \"My daughter Runa is 9.\" --speaker Zorbel");
  anima("remember \"Runa likes chess.\" --speaker Ann");
  anima("remember \"My son Tarek is 4.\" --speaker Zorbel");
  const std::string told = anima("remember \"Tarek likes tea.\" --speaker Ann");
  anima("memory forget " + told.substr(0, told.find(' ')));
  const std::string plan = anima("forget Zorbel --dry-run");
  EXPECT_NE(plan.find("Idalou"), std::string::npos) << plan;
  anima("forget Zorbel --confirm");
  for (const char* gone : {"Zorbel", "Idalou", "Globexia", "Ljubljana"})
    EXPECT_NE(test::run_command("grep -rqaF '" + std::string(gone) + "' " + folder.path()).code, 0)
        << gone;
  EXPECT_NE(anima("export").find("Runa"), std::string::npos);
  EXPECT_NE(anima("history Tarek").find("Tarek"), std::string::npos);
}

// When it held, as somebody else's text had it, goes with what he told.
TEST(ForgottenTeller, TakesAlongWhenItHeld) {
  TemporaryDirectory folder("anima-forgotten-teller");
  test::init_space(folder);
  const auto anima = [&](const std::string& words) {
    return test::run_anima(folder, words, "2>&1 </dev/null");
  };
  ASSERT_EQ(anima("remember \"Tom Berger lives in Ljubljana since 2010.\" --speaker Zorbel").code,
            0);
  ASSERT_EQ(anima("remember \"Tom Berger moved to Rome in 2019.\" --speaker Ann").code, 0);
  ASSERT_EQ(anima("forget Zorbel --confirm").code, 0);
  const std::string left = anima("export").out;
  EXPECT_EQ(left.find("superseded_by"), std::string::npos);
  EXPECT_EQ(left.find("valid_to"), std::string::npos);
  EXPECT_NE(anima("ask \"Where does Tom Berger live?\"").out.find("Rome"), std::string::npos);
}

// What he took back himself, or somebody else did, goes too: an undo would bring it back.
TEST(ForgottenTeller, TakesAlongWhatHadBeenWithdrawn) {
  for (const std::string how : {"undo last", "memory forget", "memory update"}) {
    SCOPED_TRACE(how);
    TemporaryDirectory folder("anima-forgotten-teller");
    test::init_space(folder);
    const auto anima = [&](const std::string& words) {
      return test::run_anima(folder, words, "2>&1 </dev/null");
    };
    ASSERT_EQ(anima("remember \"I live in Oslo.\" --speaker Ann").code, 0);
    ASSERT_EQ(anima("remember \"I like tea.\" --speaker Zorbel").code, 0);
    const test::Ran told = anima("remember \"Ann moved to Ljubljana in 2015.\" --speaker Zorbel");
    ASSERT_EQ(told.code, 0) << told.out;
    const std::string id = told.out.substr(0, told.out.find(' '));
    const test::Ran withdrawn = anima(
        how == "undo last"
            ? how
            : how + " " + id + (how == "memory update" ? " \"Ann moved to Bergen in 2015.\"" : ""));
    ASSERT_EQ(withdrawn.code, 0) << withdrawn.out;
    const test::Ran forgotten = anima("forget Zorbel --confirm");
    ASSERT_EQ(forgotten.code, 0) << forgotten.out;
    for (const char* gone : {"Zorbel", "moved to Ljubljana"})
      EXPECT_NE(test::run_command("grep -rqaF '" + std::string(gone) + "' " + folder.path()).code,
                0)
          << gone;
    for (int entry = 16; entry > 2; --entry) (void)anima("undo " + std::to_string(entry));
    const std::string answer = anima("ask \"Where does Ann live?\"").out;
    EXPECT_EQ(answer.find("Ljubljana"), std::string::npos) << answer;
    EXPECT_EQ(anima("memory show").out.find("Ljubljana"), std::string::npos);
  }
}

}  // namespace
}  // namespace anima
