// A conversation that goes on in another process: each `anima message` is one, and what the line
// before it told or asked back is known to the next.
#include <gtest/gtest.h>

#include <string>

#include "base/files/file.h"
#include "support/command.h"

namespace anima::conversation_test {
namespace {

class TalkByMessages : public testing::Test {
 protected:
  void SetUp() override { test::init_space(folder_); }
  test::Ran anima(const std::string& arguments) {
    return test::run_command("HOME=" + folder_.path() +
                             " USER=Ada ANIMA_SPACE=" + folder_.file("space") + " " +
                             ANIMA_BINARY_DIR + "/anima " + arguments + " 2>&1 </dev/null");
  }
  std::string say(const std::string& text) { return anima("message \"" + text + "\"").out; }
  std::string rows(const std::string& question) {
    return anima("ask --json \"" + question + "\"").json().find("rows")->dump();
  }
  static bool says(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryDirectory folder_{"anima-conversation"};
};

TEST_F(TalkByMessages, TakesBackWhatTheLineBeforeTold) {
  for (const std::string back : {"Forget that.", "That's wrong.", "Undo that."}) {
    ASSERT_TRUE(says(say("I live in Oslo."), "Ada lives_in Oslo")) << back;
    ASSERT_EQ(rows("Where do I live?"), R"([["Oslo"]])");
    const std::string told = say(back);
    EXPECT_TRUE(says(told, "no longer Oslo")) << back << ": " << told;
    EXPECT_EQ(rows("Where do I live?"), "[]") << back;
    EXPECT_FALSE(says(anima("recall Oslo").out, "I live in Oslo")) << back;
  }
}

TEST_F(TalkByMessages, ANumberIsAnAnswer) {
  for (const std::string answer : {"2", "2015", "the second"}) {
    ASSERT_TRUE(says(say("Lena Brandt moved to Rome in 2015."), "Rome")) << answer;
    const std::string asked = say("Lena Brandt moved to Rome in 2018.");
    ASSERT_TRUE(says(asked, "since when is right?")) << asked;
    EXPECT_FALSE(says(say(answer), "What is meant")) << answer;
    EXPECT_TRUE(says(anima("memory review").out, "Nothing is asked")) << answer;
  }
}

// What is read elsewhere meanwhile is no line of the conversation.
TEST_F(TalkByMessages, AReadingInBetweenChangesNothing) {
  say("I live in Oslo.");
  anima("ask 'Where do I live?'");
  anima("recall 'Where do I live?'");
  anima("search Oslo");
  EXPECT_TRUE(says(say("Forget that."), "no longer Oslo"));
  EXPECT_EQ(rows("Where do I live?"), "[]");
}

TEST_F(TalkByMessages, OfWhatIsOlderItAsksAndUnderstandsTheAnswer) {
  say("I live in Oslo.");
  say("search moon");
  const std::string asked = say("Forget that.");
  EXPECT_TRUE(says(asked, "Ada lives_in Oslo")) << asked;
  ASSERT_EQ(rows("Where do I live?"), R"([["Oslo"]])");
  const std::string answered = say("yes");
  EXPECT_TRUE(says(answered, "no longer Oslo")) << answered;
  EXPECT_EQ(rows("Where do I live?"), "[]");
  // One question, one answer.
  EXPECT_FALSE(says(say("yes"), "Oslo"));
}

TEST_F(TalkByMessages, AnAnswerChoosesWhatIsMeant) {
  say("I work at Initech and I live in Oslo.");
  const std::string asked = say("That's wrong.");
  EXPECT_TRUE(says(asked, "Initech") && says(asked, "Oslo")) << asked;
  anima("recall Oslo");
  const std::string answered = say("Oslo");
  EXPECT_TRUE(says(answered, "no longer Oslo")) << answered;
  EXPECT_EQ(rows("Where do I live?"), "[]");
  EXPECT_EQ(rows("Where do I work?"), R"([["Initech"]])");
}

TEST_F(TalkByMessages, AYesKeepsWhatWasAskedAboutInTheWordsOfTheSpace) {
  anima(
      "kip 'UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Person\"} } } "
      "UPSERT { CONCEPT { {type: \"Person\", name: \"Mara\"} SET ATTRIBUTES {phone: \"111\"} } }'");
  const std::string asked = say("Mara's phone is broken.");
  ASSERT_TRUE(says(asked, "Shall I keep")) << asked;
  EXPECT_EQ(rows("What is Mara's phone?"), R"([["Mara","111"]])");
  const std::string answered = say("yes");
  EXPECT_TRUE(says(answered, "broken, was 111")) << answered;
  EXPECT_EQ(rows("What is Mara's phone?"), R"([["Mara","broken"]])");
  anima("undo last");
  EXPECT_EQ(rows("What is Mara's phone?"), R"([["Mara","111"]])");
}

TEST_F(TalkByMessages, WhatIsLeftOpenIsReviewedAndNeverWrittenOverWhatIsKnownSince) {
  anima(
      "kip 'UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Person\"} } } "
      "UPSERT { CONCEPT { {type: \"Person\", name: \"Mara\"} SET ATTRIBUTES {phone: \"111\"} } }'");
  say("Mara's phone is broken.");
  const Json open = anima("memory review --json").json();
  const auto& questions = open.find("questions")->as_array();
  ASSERT_EQ(questions.size(), 1U);
  say("Mara's phone is 222.");
  EXPECT_FALSE(says(say("yes"), "broken, was")) << "a line came in between";
  anima("memory review " + questions.front().find("id")->as_string() + " yes");
  EXPECT_EQ(rows("What is Mara's phone?"), R"([["Mara","222"]])");
}

TEST_F(TalkByMessages, WhatIsNoLongerSoEnds) {
  say("My phone number is 555-0199.");
  ASSERT_EQ(rows("What is my phone?"), R"([["Ada","555-0199"]])");
  EXPECT_TRUE(says(say("My phone number is no longer 555-0200."), "not known"));
  ASSERT_EQ(rows("What is my phone?"), R"([["Ada","555-0199"]])");
  const std::string ended = say("My phone number is no longer 555-0199.");
  EXPECT_TRUE(says(ended, "no longer 555-0199")) << ended;
  EXPECT_EQ(rows("What is my phone?"), "[]");
  anima("undo last");
  EXPECT_EQ(rows("What is my phone?"), R"([["Ada","555-0199"]])");
}

// "No, ..": the same of somebody else, so that it is not so of the first.
TEST_F(TalkByMessages, ACorrectionMayBeOfSomebodyElse) {
  anima(
      "kip 'UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Person\"} } } "
      "UPSERT { CONCEPT { {type: \"Person\", name: \"Mara\"} SET ATTRIBUTES {phone: \"111\"} } "
      "CONCEPT { {type: \"Person\", name: \"Bob\"} } }'");
  say("Mara's phone is 333.");
  const std::string corrected = say("No, Bob's phone is 333.");
  EXPECT_EQ(rows("What is Bob's phone?"), R"([["Bob","333"]])") << corrected;
  EXPECT_EQ(rows("What is Mara's phone?"), R"([["Mara","111"]])") << corrected;
}

// What a later text replaced is recalled behind that, and says so.
TEST_F(TalkByMessages, RecallTellsWhatHoldsBeforeWhatDid) {
  say("I live in Oslo.");
  say("I moved to Bergen.");
  const Json recalled = anima("recall --json 'Where do I live?'").json();
  const std::string text = recalled.find("text")->as_string();
  const std::size_t now = text.find("I moved to Bergen"), then = text.find("I live in Oslo");
  ASSERT_NE(now, text.npos) << text;
  EXPECT_TRUE(then == text.npos || now < then) << text;
  EXPECT_TRUE(then == text.npos || says(text, "no longer so")) << text;
}

// Each conversation has its own line before this one.
TEST_F(TalkByMessages, AnotherConversationInBetweenChangesNothing) {
  const auto say_in = [&](const std::string& session, const std::string& text) {
    return anima("message --session " + session + " \"" + text + "\"").out;
  };
  say_in("a", "I work for Free.");
  say_in("b", "I live in Oslo.");
  say_in("b", "search moon");
  EXPECT_TRUE(says(say_in("a", "yes"), "works_at Free"));
  say_in("a", "I like jazz.");
  say_in("b", "search moon");
  EXPECT_TRUE(says(say_in("a", "That's wrong."), "no longer jazz"));
  EXPECT_TRUE(says(say_in("b", "That's wrong."), "lives_in Oslo")) << "asked: a line came between";
}

// The question is older than what was told since: its answer is, too.
TEST_F(TalkByMessages, AnAnswerTakesThePlaceOfNothingThatWasToldSinceTheQuestion) {
  const std::string asked = anima("message --session one \"I work for Free.\"").out;
  ASSERT_TRUE(says(asked, "No fact was changed")) << asked;
  anima("message --session two \"I work at Initech.\"");
  const std::string late = anima("message --session one yes").out;
  const std::string works = anima("ask \"Where do I work?\"").out;
  EXPECT_TRUE(works.starts_with("Initech")) << asked << late << works;
}

// Who answers what nobody understands is asked again, and answers in the next line.
TEST_F(TalkByMessages, WhatAnswersNothingIsAskedAgain) {
  say("I work for Free.");
  for (const std::string none : {"hm what", "3", "Globex."}) {
    const std::string again = say(none);
    EXPECT_TRUE(says(again, "is it a name here?")) << none << ": " << again;
  }
  EXPECT_TRUE(says(say("yes"), "works_at Free"));
  say("I live in Oslo and I live in Rome.");
  EXPECT_TRUE(says(say("Kiel"), "Oslo or Rome"));
  EXPECT_TRUE(says(say("Rome"), "lives_in Rome"));
  EXPECT_FALSE(says(say("hm what"), "Oslo or Rome"));
}

// All that a message told may be meant, whether one sentence told it or several.
TEST_F(TalkByMessages, OfTwoFactsInOneMessageItAsksWhich) {
  say("I work at Initech. I like jazz.");
  const std::string asked = say("That's wrong.");
  EXPECT_TRUE(says(asked, "Initech") && says(asked, "jazz")) << asked;
  EXPECT_EQ(rows("Where do I work?"), R"([["Initech"]])");
  const std::string answered = say("Initech");
  EXPECT_TRUE(says(answered, "no longer Initech")) << answered;
  EXPECT_FALSE(says(anima("recall Initech").out, "I work at Initech"));
  EXPECT_EQ(rows("Where do I work?"), "[]");
  EXPECT_TRUE(says(anima("recall jazz").out, "I like jazz"));
  // One told, one ended.
  say("My phone number is 111.");
  say("My phone number is no longer 111. I live in Oslo.");
  const std::string both = say("That's wrong.");
  EXPECT_TRUE(says(both, "111") && says(both, "Oslo")) << both;
  say("111");
  EXPECT_EQ(rows("What is my phone?"), R"([["Ada","111"]])");
  EXPECT_EQ(rows("Where do I live?"), R"([["Oslo"]])");
}

TEST_F(TalkByMessages, InAnotherConversationAYesAnswersNothing) {
  say("I work for Free.");
  const std::string other = anima("message --session other yes").out;
  EXPECT_FALSE(says(other, "works_at Free")) << other;
}

TEST_F(TalkByMessages, TakingBackADislikeLetsTheLikeHoldAgain) {
  say("I like jazz.");
  say("I don't like jazz.");
  EXPECT_EQ(rows("What do I like?"), "[]");
  say("That's wrong.");
  EXPECT_EQ(rows("What do I like?"), R"([["jazz"]])");
}

TEST_F(TalkByMessages, WhatHasEndedStillBeganAndItsHistorySaysBoth) {
  say("I moved to Rome in 2015.");
  say("I moved to Bergen in 2020.");
  EXPECT_EQ(rows("When did I move to Rome?"), R"([["2015-01-01"]])");
  const std::string history = anima("history Ada").out;
  EXPECT_TRUE(says(history, R"(+ Ada lives_in Rome @valid_from "2015-01-01)")) << history;
  EXPECT_TRUE(says(history, R"(+ Ada lives_in Rome @valid_to "2020-01-01)")) << history;
}

TEST_F(TalkByMessages, WhatIsAskedAboutSomebodyGoesWithHim) {
  say("Lena Brandt lives in Oslo.");
  say("hm what");
  ASSERT_TRUE(says(say("That's wrong."), "Which is meant"));
  ASSERT_TRUE(says(anima("memory review").out, "Lena Brandt"));
  EXPECT_EQ(anima("forget 'Lena Brandt' --confirm").code, 0);
  EXPECT_TRUE(says(anima("memory review").out, "Nothing is asked"));
}

}  // namespace
}  // namespace anima::conversation_test
