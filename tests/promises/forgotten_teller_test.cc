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
  bool stays_as_a_thing = false;  // a place, an organisation
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
  if (both.stays_as_a_thing) return;
  EXPECT_EQ(anima("export").out.find(both.gone), std::string::npos);
  EXPECT_NE(test::run_command("grep -rqaF '" + std::string(both.gone) + "' " + folder.path()).code,
            0);
}

TEST(ForgottenTeller, TakesAlongWhatHeTold) {
  expect_taken_along({"Cara Lind's phone number is 555-0141.",
                      "Cara Lind's phone number is 555-0142.", "What is Cara Lind's phone number?",
                      "555-0141", "555-0142"});
  expect_taken_along({"Cara Lind lives in Oslo.", "Cara Lind lives in Ljubljana.",
                      "Where does Cara Lind live?", "Oslo", "Ljubljana", true});
  expect_taken_along({"Cara Lind works at Initech.", "Cara Lind works at Globexia.",
                      "Where does Cara Lind work?", "Initech", "Globexia", true});
  expect_taken_along({"Cara Lind's email is cara@web.de.", "Cara Lind's email is lind@posteo.de.",
                      "What is Cara Lind's email?", "cara@web.de", "lind@posteo.de"});
}

}  // namespace
}  // namespace anima
