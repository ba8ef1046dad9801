// Recall by fact: a remembered text is shown with what of it holds no longer, whoever noted that
// when, and behind what took its place.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "support/command.h"

namespace anima::recalled_facts_test {
namespace {

class RecalledFacts : public testing::Test {
 protected:
  void SetUp() override { begin(); }
  // In a space of its own.
  void begin() {
    folder_ = std::make_unique<TemporaryDirectory>("anima-recalled");
    test::init_space(*folder_);
  }
  test::Ran anima(const std::string& arguments) {
    return test::run_command("HOME=" + folder_->path() +
                             " USER=Ada ANIMA_SPACE=" + folder_->file("space") + " " +
                             ANIMA_BINARY_DIR + "/anima " + arguments + " 2>&1 </dev/null");
  }
  std::string say(const std::string& text) { return anima("message \"" + text + "\"").out; }
  std::string remember(const std::string& text) {
    return anima("remember --json \"" + text + "\"").json().find("id")->as_string();
  }
  // The recalled text, and what its items say of themselves.
  std::string recalled(const std::string& question) {
    recalled_ = anima("recall --json '" + question + "'").json();
    return recalled_.find("text")->as_string();
  }
  // "over" of the recalled item that the text begins; null: it has none, or is not there.
  const Json* over(const std::string& id) {
    for (const Json& item : recalled_.find("items")->as_array())
      if (item.find("id")->as_string() == id) return item.find("over");
    return nullptr;
  }
  static std::string facts(const Json* over) {
    std::string all = over == nullptr ? "" : over->find("whole")->as_bool() ? "whole" : "part";
    if (over == nullptr) return all;
    for (const Json& one : over->find("facts")->as_array())
      all += "; " + one.find("fact")->as_string();
    return all;
  }
  static bool says(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
  static void expect_before(const std::string& text, std::string_view one, std::string_view other) {
    const std::size_t at = text.find(one), behind = text.find(other);
    ASSERT_NE(at, text.npos) << one << "\n" << text;
    ASSERT_NE(behind, text.npos) << other << "\n" << text;
    EXPECT_LT(at, behind) << text;
  }

  std::unique_ptr<TemporaryDirectory> folder_;
  Json recalled_;
};

// Of what a text told the part that was replaced is named, and what replaced it stands before it.
TEST_F(RecalledFacts, APartThatWasReplacedIsNamedBehindWhatReplacedIt) {
  struct Case {
    std::string told, since, question, fact;
  };
  const std::vector<Case> cases = {
      {"I live in Oslo and my phone number is 333.", "My phone number is 444.",
       "What is my phone number?", "Ada phone 333"},
      {"I live in Oslo and my phone number is 333.", "I moved to Bergen.", "Where do I live?",
       "Ada lives_in Oslo"},
      {"I work at Initech. I like jazz.", "I don't like jazz.", "What about jazz?",
       "Ada likes jazz"},
      {"I work at Initech and I live in Oslo.", "I left Initech.", "Initech work",
       "Ada works_at Initech"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.told + " / " + one.since);
    begin();
    const std::string first = remember(one.told), second = remember(one.since);
    const std::string text = recalled(one.question);
    expect_before(text, "| " + one.since, "| " + one.told);
    EXPECT_TRUE(says(text, "no longer so: \"" + one.fact + "\"")) << text;
    EXPECT_EQ(facts(over(first)), "part; " + one.fact);
    EXPECT_EQ(over(second), nullptr);
    const auto& by = over(first)->find("facts")->as_array().front().find("by")->as_array();
    ASSERT_EQ(by.size(), 1U);
    EXPECT_EQ(by.front().as_string(), second);
  }
}

// What ended is no longer so, and what told the end is; `ask` says so where it quotes the two.
TEST_F(RecalledFacts, WhatEndedIsNoLongerSo) {
  for (const auto& [told, end, question, quoted] : std::vector<std::array<std::string, 4>>{
           {"My phone number is 333.", "My phone number is no longer 333.",
            "What is my phone number?", "What is my phone number?"},
           {"I work at Initech.", "I left Initech.", "Initech", ""}}) {
    SCOPED_TRACE(end);
    const std::string first = remember(told), second = remember(end);
    expect_before(recalled(question), "| " + end, "| " + told);
    EXPECT_TRUE(facts(over(first)).starts_with("whole")) << recalled_.dump();
    EXPECT_EQ(over(second), nullptr) << recalled_.dump();
    if (quoted.empty()) continue;
    const std::string answer = anima("ask '" + quoted + "'").out;
    const std::string_view bare = std::string_view(told).substr(0, told.size() - 1);
    expect_before(answer, end.substr(0, end.size() - 1), bare);
    EXPECT_TRUE(says(answer, std::string(bare) + ". (That is no longer so.)")) << answer;
  }
}

// What holds again is no longer ended.
TEST_F(RecalledFacts, AnEndThatHoldsNoMoreIsOver) {
  const std::string first = remember("My phone number is 333.");
  const std::string end = remember("My phone number is no longer 333.");
  remember("My phone is 333.");
  recalled("What is my phone number?");
  EXPECT_EQ(over(first), nullptr) << recalled_.dump();
  EXPECT_EQ(facts(over(end)), "whole; no longer Ada phone 333");
}

TEST_F(RecalledFacts, AnUpdatedTextLeavesWithItsFact) {
  const std::string id = remember("I live in Oslo.");
  const Json updated = anima("memory update --json " + id + " 'I live in Kiel.'").json();
  const std::string kiel = updated.find("id")->as_string();
  remember("I moved to Bergen.");
  expect_before(recalled("Where do I live?"), "| I moved to Bergen", "| I live in Kiel");
  EXPECT_EQ(facts(over(kiel)), "whole; Ada lives_in Kiel");
}

// What an answer noted is of the text that it answers, however late, until it is undone.
TEST_F(RecalledFacts, AnAnswerBelongsToTheTextThatItAnswers) {
  for (const bool late : {false, true}) {
    SCOPED_TRACE(late);
    begin();
    say("I work for Free.");
    if (late) {
      for (int line = 0; line < 12; ++line) say("search moon " + std::to_string(line));
      const Json open = anima("memory review --json").json();
      const auto& questions = open.find("questions")->as_array();
      ASSERT_EQ(questions.size(), 1U);
      anima("memory review " + questions.front().find("id")->as_string() + " yes");
    } else {
      say("yes");
    }
    say("I started at Globex.");
    const std::string text = recalled("Where do I work?");
    expect_before(text, "| I started at Globex", "| I work for Free");
    EXPECT_TRUE(says(text, "no longer so")) << text;
  }
}

// Of a text that was replaced twice, the newest stands first; told again, it holds again.
TEST_F(RecalledFacts, AChainEndsAtWhatHolds) {
  const std::string oslo = remember("I live in Oslo and my phone number is 111.");
  const std::string kiel = remember("I live in Kiel and my phone number is 222.");
  const std::string bergen = remember("I live in Bergen and my phone number is 333.");
  const std::string text = recalled("Where do I live?");
  expect_before(text, "| I live in Bergen", "| I live in Kiel");
  expect_before(text, "| I live in Kiel", "| I live in Oslo");
  EXPECT_EQ(over(bergen), nullptr);
  EXPECT_TRUE(facts(over(oslo)).starts_with("whole")) << recalled_.dump();
  remember("I live in Oslo and my phone number is 111.");
  recalled("Where do I live?");
  EXPECT_EQ(over(oslo), nullptr) << recalled_.dump();
  EXPECT_TRUE(facts(over(bergen)).starts_with("whole")) << recalled_.dump();
}

// Forgetting a text gives back what it had replaced, and nothing that was forgotten before.
TEST_F(RecalledFacts, AForgottenTextGivesBackWhatItReplaced) {
  const auto phone = [&] {
    return anima("ask --json 'What is my phone?'").json().find("rows")->dump();
  };
  const std::string one = remember("My phone number is 111.");
  const std::string two = remember("My phone number is 222.");
  remember("My phone number is 222.");
  const std::string three = remember("My phone number is 333.");
  ASSERT_EQ(phone(), R"([["Ada","333"]])");
  anima("memory forget " + two);
  EXPECT_EQ(phone(), R"([["Ada","333"]])");
  anima("memory forget " + three);
  EXPECT_EQ(phone(), R"([["Ada","111"]])");
  anima("memory forget " + one);
  EXPECT_EQ(phone(), "[]");
  anima("undo last");
  EXPECT_EQ(phone(), R"([["Ada","111"]])");
}

// What Ann said before she was merged into Anna is Anna's, also once there is another Ann.
TEST_F(RecalledFacts, ANameThatWasMergedAndMadeAnewIsOfTwo) {
  const auto person = [](const std::string& name) {
    return "{type: \"Person\", name: \"" + name + "\"}";
  };
  const std::string id =
      anima("remember --json --speaker Ann \"I live in Oslo.\"").json().find("id")->as_string();
  anima("remember \"Anna Berg likes tea.\"");
  ASSERT_EQ(anima("kip 'MERGE CONCEPT ?o INTO ?k WHERE { ?o " + person("Ann") + " ?k " +
                  person("Anna Berg") + " }'")
                .code,
            0);
  recalled("Where does Anna Berg live?");
  EXPECT_EQ(over(id), nullptr);
  ASSERT_EQ(anima("kip 'UPSERT { CONCEPT { " + person("Ann") + " } }'").code, 0);
  EXPECT_TRUE(says(recalled("Where does Anna Berg live?"), "I live in Oslo"));
  EXPECT_EQ(over(id), nullptr) << facts(over(id));
  for (const bool anna : {true, false}) {
    const std::string speaker = anna ? " --speaker \"Anna Berg\"" : " --speaker Ann";
    const std::string text =
        anima("recall --json \"Where do I live?\"" + speaker).json().find("text")->as_string();
    const std::string answer = anima("ask \"Where do I live?\"" + speaker).out;
    EXPECT_EQ(says(text, "Oslo"), anna) << text;
    EXPECT_EQ(says(answer, "Oslo"), anna) << answer;
  }
}

}  // namespace
}  // namespace anima::recalled_facts_test
