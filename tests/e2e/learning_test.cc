// A fresh space learns what is said in plain words, and it is asked back: by ask, KIP, why; undo
// takes a whole line back; a move ends where somebody lived; what is not clear is asked back.
#include <gtest/gtest.h>

#include <string>

#include "base/files/file.h"
#include "support/command.h"

namespace anima::learning_test {
namespace {

class Learning : public testing::Test {
 protected:
  void SetUp() override { test::init_space(folder_); }
  test::Ran anima(const std::string& arguments, const std::string& input = {}) {
    EXPECT_TRUE(replace_file(system_files(), folder_.file("input"), input));
    return test::run_command("USER=Ada HOME=" + folder_.path() +
                             " ANIMA_SPACE=" + folder_.file("space") + " " + ANIMA_BINARY_DIR +
                             "/anima " + arguments + " <" + folder_.file("input") + " 2>&1");
  }
  test::Ran say(const std::string& words) { return anima("message \"" + words + "\""); }
  std::string rows(const std::string& question) {
    return anima("ask --json \"" + question + "\"").json().find("rows")->dump();
  }

  TemporaryDirectory folder_{"anima-learning"};
};

bool says(const test::Ran& ran, std::string_view part) {
  return ran.out.find(part) != std::string::npos;
}

TEST_F(Learning, AFreshSpaceLearnsWhereSomebodyWorksAndLives) {
  const test::Ran told = say("I work at Initech and I live in Oslo.");
  EXPECT_TRUE(says(told, "Ada works_at Initech; Ada lives_in Oslo")) << told.out;
  EXPECT_EQ(rows("Where do I work?"), R"([["Initech"]])");
  EXPECT_EQ(rows("Where does Ada live?"), R"([["Oslo"]])");
  EXPECT_EQ(rows("Who works at Initech?"), R"([["Ada"]])");
  const test::Ran kip =
      anima("kip 'FIND(?o.name) WHERE { ({type: \"Person\", name: \"Ada\"}, \"works_at\", ?o) }'");
  EXPECT_TRUE(says(kip, "Initech")) << kip.out;
  const test::Ran why = anima("why Ada works_at Initech");
  EXPECT_TRUE(says(why, "I work at Initech and I live in Oslo.")) << why.out;
  const test::Ran undone = anima("undo last");
  EXPECT_EQ(undone.code, 0) << undone.out;
  EXPECT_NE(rows("Where do I work?"), R"([["Initech"]])");
  EXPECT_NE(rows("Where does Ada live?"), R"([["Oslo"]])");
}

TEST_F(Learning, AMoveEndsWhereSomebodyLived) {
  say("I live in Oslo.");
  const test::Ran moved = say("I moved to Bergen.");
  EXPECT_TRUE(says(moved, "Ada lives_in: Bergen, was Oslo")) << moved.out;
  EXPECT_EQ(rows("Where do I live?"), R"([["Bergen"]])");
  const test::Ran ended = anima(
      "kip 'FIND(?l.metadata.valid_to) WHERE { ?l ({type: \"Person\", name: \"Ada\"}, "
      "\"lives_in\", {type: \"Place\", name: \"Oslo\"}) }'");
  EXPECT_TRUE(says(ended, "20")) << ended.out;
  const test::Ran recalled = anima("memory context \"Where does Ada live?\"");
  EXPECT_TRUE(says(recalled, "Ada lives_in Bergen")) << recalled.out;
}

TEST_F(Learning, ACorrectionTakesThePlaceOfWhatItCorrects) {
  say("I work at Initech.");
  const test::Ran corrected = say("Actually I work at Globex.");
  EXPECT_TRUE(says(corrected, "Ada works_at: Globex, was Initech")) << corrected.out;
  EXPECT_EQ(rows("Where do I work?"), R"([["Globex"]])");
  const test::Ran again = say("I work at Initech.");  // its words are known by now
  EXPECT_TRUE(says(again, "was Globex")) << again.out;
  EXPECT_EQ(rows("Where do I work?"), R"([["Initech"]])");
  say("I no longer work at Initech.");
  EXPECT_NE(rows("Where do I work?"), R"([["Initech"]])");
}

TEST_F(Learning, WhatStandsBesideASentenceThatIsNotReadIsNoFact) {
  say("I live in Oslo.");
  say("I like jazz.");
  say("I don't like jazz.");
  for (const char* line : {"I am lying. I live in Rome.", "I dreamt this. I live in Rome.",
                           "I live in Rome. I doubt it.", "I live in Rome. True or false?"}) {
    const test::Ran told = say(line);
    EXPECT_EQ(rows("Where do I live?"), R"([["Oslo"]])") << line << ": " << told.out;
  }
  say("Hi! I moved to Bergen.");
  EXPECT_EQ(rows("Where do I live?"), R"([["Bergen"]])");
}

TEST_F(Learning, InAConversationPeopleAreWhoWasNamed) {
  const test::Ran talk = anima("chat",
                               "My brother Tom works at Globex.\nHe lives in Bergen.\n"
                               "My brother is allergic to peanuts.\n"
                               "where does Tom live?\nwhat is Tom allergic to?\n");
  EXPECT_TRUE(says(talk, "Ada sibling_of Tom; Tom works_at Globex")) << talk.out;
  EXPECT_TRUE(says(talk, "Tom lives_in Bergen")) << talk.out;
  EXPECT_TRUE(says(talk, "Tom allergic_to peanuts")) << talk.out;
  EXPECT_EQ(rows("where does Tom live?"), R"([["Bergen"]])") << talk.out;
}

TEST_F(Learning, WhatIsNotClearIsAskedBack) {
  say("Bob Smith works at Initech.");
  const test::Ran partial = say("Bob lives in Oslo.");
  EXPECT_TRUE(says(partial, "Who is \"Bob\": Bob Smith?")) << partial.out;
  EXPECT_NE(rows("Where does Bob Smith live?"), R"([["Oslo"]])");
  const test::Ran clash = say("remember that I work for Bob Smith.");
  EXPECT_TRUE(says(clash, "Bob Smith (Person)")) << clash.out;
  const test::Ran whose = say("remember that my sister lives in Kiel.");
  EXPECT_TRUE(says(whose, "Who is \"my sister\"?")) << whose.out;
}

TEST_F(Learning, WhatIsNoPlainStatementIsKeptAsATextAlone) {
  for (const std::string text : {"I might work at Initech.", "I used to live in Oslo.",
                                 "Bob says I work at Initech.", "I work at a bank."}) {
    const test::Ran told = say("remember that " + text);
    EXPECT_TRUE(says(told, "Remembered as a text")) << told.out;
  }
  const test::Ran left = say("remember that I work at a bank.");
  EXPECT_TRUE(says(left, "a bank\"")) << left.out;
  EXPECT_NE(rows("Where do I work?"), R"([["Initech"]])");
}

TEST_F(Learning, InGermanToo) {
  const test::Ran told = say("Ich arbeite bei Siemens und wohne in Oslo.");
  EXPECT_TRUE(says(told, "Ada works_at Siemens; Ada lives_in Oslo")) << told.out;
  const test::Ran moved = say("Ich bin letzte Woche nach Bergen gezogen.");
  EXPECT_TRUE(says(moved, "Ada lives_in: Bergen, was Oslo")) << moved.out;
  EXPECT_EQ(rows("Where do I live?"), R"([["Bergen"]])");
}

// Each message is a program of its own.
TEST_F(Learning, AYesToWhatIsAskedBackNotesWhatWasProposed) {
  const test::Ran asked = say("I work for Free.");
  EXPECT_TRUE(says(asked, "\"Free\" is a common word: is it a name here?")) << asked.out;
  EXPECT_NE(rows("Where do I work?"), R"([["Free"]])");
  const test::Ran yes = say("yes");
  EXPECT_TRUE(says(yes, "noted as a fact: Ada works_at Free")) << yes.out;
  EXPECT_EQ(rows("Where do I work?"), R"([["Free"]])");
  EXPECT_FALSE(says(say("yes"), "noted"));
  const test::Ran german = say("Ich arbeite bei Bedarf.");
  EXPECT_TRUE(says(german, "Is \"Bedarf\" a name?")) << german.out;
  const test::Ran no = say("nein");
  EXPECT_TRUE(says(no, "Nothing was noted")) << no.out;
  EXPECT_EQ(rows("Where do I work?"), R"([["Free"]])");
  EXPECT_TRUE(says(anima("memory review"), "Nothing is asked"));
  // Something else was done since: the yes is to nobody knows what.
  say("I work for Nothing.");
  say("I like jazz.");
  EXPECT_FALSE(says(say("yes"), "noted"));
  EXPECT_EQ(rows("Where do I work?"), R"([["Free"]])");
}

TEST_F(Learning, WhatNobodyAnsweredIsReviewed) {
  const Json asked = anima("remember --json \"I work for Free.\"").json();
  ASSERT_NE(asked.find("question"), nullptr) << asked.dump();
  EXPECT_EQ(asked.find("proposes")->as_string(), "Ada works_at Free");
  EXPECT_EQ(asked.find("choices")->dump(), R"(["yes","no"])");
  const std::string id = asked.find("question")->as_string();
  anima("remember \"Bob Smith works at Globex.\"");
  anima("remember \"Bob lives in Oslo.\"");
  const Json listed = anima("memory review --json").json();
  ASSERT_EQ(listed.find("questions")->as_array().size(), 2u) << listed.dump();
  const Json& bob = listed.find("questions")->as_array().front();
  EXPECT_EQ(bob.find("words")->as_string(), "Bob lives in Oslo.");
  EXPECT_EQ(bob.find("choices")->dump(), R"(["yes","no","another"])");
  const test::Ran list = anima("memory review");
  EXPECT_TRUE(says(list, id + "  I work for Free.")) << list.out;
  EXPECT_EQ(anima("memory review " + id + " perhaps").code, 1);
  EXPECT_EQ(anima("memory review ask_nobody yes").code, 6);
  const test::Ran yes = anima("memory review " + id + " yes");
  EXPECT_TRUE(says(yes, "states     Ada works_at Free")) << yes.out;
  EXPECT_EQ(rows("Where do I work?"), R"([["Free"]])");
  const test::Ran why = anima("why Ada works_at Free");
  EXPECT_TRUE(says(why, "I work for Free.")) << why.out;
  // One act, with the question open again.
  EXPECT_EQ(anima("undo last").code, 0);
  EXPECT_NE(rows("Where do I work?"), R"([["Free"]])");
  EXPECT_TRUE(says(anima("memory review"), "I work for Free."));
  const test::Ran another = anima("memory review " + bob.find("id")->as_string() + " another");
  EXPECT_TRUE(says(another, "states     Bob lives_in Oslo")) << another.out;
  EXPECT_TRUE(says(anima("memory review " + id + " no"), "nothing was noted"));
  EXPECT_TRUE(says(anima("memory review"), "Nothing is asked"));
}

// A question goes with its memory, and is forgotten with the name in it.
TEST_F(Learning, AQuestionGoesWithWhatItIsAbout) {
  const Json kept = anima("remember --json \"I work for Free.\"").json();
  EXPECT_EQ(anima("memory forget " + kept.find("id")->as_string()).code, 0);
  EXPECT_TRUE(says(anima("memory review"), "Nothing is asked"));
  anima("remember \"Untrue Zorbel Quux lives in Rome.\"");
  EXPECT_TRUE(says(anima("memory review"), "Zorbel"));
  const test::Ran gone = anima("forget \"Untrue Zorbel Quux\" --mentions --confirm");
  const test::Ran left = anima("memory review");
  EXPECT_EQ(left.code, 0) << left.out;
  EXPECT_FALSE(says(left, "Zorbel")) << gone.out << left.out;
}

TEST_F(Learning, WhatAnExportLeavesOpenIsReviewed) {
  EXPECT_TRUE(replace_file(system_files(), folder_.file("talk.txt"),
                           "08.05.23, 09:01 - Ben: I work for Free.\n"
                           "08.05.23, 09:02 - Ben: I live in Oslo.\n"));
  const test::Ran read =
      anima("memory ingest " + folder_.file("talk.txt") + " --me Ben --trust operator");
  EXPECT_TRUE(says(read, "learnt: Ada lives_in Oslo")) << read.out;
  EXPECT_TRUE(says(read, "asked: 1; anima memory review")) << read.out;
  const Json listed = anima("memory review --json").json();
  ASSERT_EQ(listed.find("questions")->as_array().size(), 1u) << listed.dump();
  const Json& asked = listed.find("questions")->as_array().front();
  EXPECT_EQ(asked.find("said")->as_string().substr(0, 10), "2023-05-08");
  say("I work at Initech.");
  const test::Ran late = anima("memory review " + asked.find("id")->as_string() + " yes");
  EXPECT_TRUE(says(late, "does not count any more")) << late.out;  // a yes would note nothing
  EXPECT_TRUE(says(anima("memory review"), "Nothing is asked"));
  EXPECT_EQ(rows("Where do I work?"), R"([["Initech"]])");
}

TEST_F(Learning, WhatSeveralTellOfThemselvesIsKeptAsAText) {
  for (const std::string text :
       {"We work at Initech.", "Our office is in Rome.", "Call me later."}) {
    const test::Ran told = say(text);
    EXPECT_TRUE(says(told, "Remembered as a text")) << told.out;
    EXPECT_TRUE(says(anima("memory search \"" + text + "\""), text.substr(0, 8))) << text;
  }
}

// An update holds from the time of the text that it takes the place of.
TEST_F(Learning, AnUpdateChangesNothingThatWasToldSince) {
  const Json first = anima("remember --json \"I live in Oslo.\"").json();
  anima("remember \"I moved to Bergen.\"");
  const test::Ran updated =
      anima("memory update " + first.find("id")->as_string() + " \"I live in Kiel.\"");
  EXPECT_TRUE(says(updated, "Ada lives_in Kiel")) << updated.out;
  EXPECT_EQ(rows("Where do I live?"), R"([["Bergen"]])");
  const test::Ran times = anima(
      "kip 'FIND(?l.metadata.valid_from, ?l.metadata.valid_to) WHERE { ?l ({type: \"Person\", "
      "name: \"Ada\"}, \"lives_in\", {type: \"Place\", name: \"Kiel\"}) }'");
  EXPECT_FALSE(says(times, "null")) << times.out;
  const Json phone = anima("remember --json \"My phone number is 555-0199.\"").json();
  anima("remember \"My phone number is 555-0200.\"");
  anima("memory update " + phone.find("id")->as_string() + " \"My phone number is 555-0201.\"");
  EXPECT_EQ(rows("What is my phone?"), R"([["Ada","555-0200"]])");
}

TEST_F(Learning, ValuesAreKeptAndReplaced) {
  say("My phone number is 555-0199.");
  const test::Ran newer = say("My phone number is 555-0200.");
  EXPECT_TRUE(says(newer, "555-0200, was 555-0199")) << newer.out;
  EXPECT_EQ(rows("What is my phone?"), R"([["Ada","555-0200"]])");
}

// The older of two exports is read behind the newer one, and changes nothing that is known since.
TEST_F(Learning, WhatTheUserSaidInAnExportIsLearntWithItsTime) {
  const auto read = [&](const std::string& name, const std::string& text) {
    EXPECT_TRUE(replace_file(system_files(), folder_.file(name), text));
    return anima("memory ingest " + folder_.file(name) + " --me Ben --trust operator");
  };
  const test::Ran newer = read("new.txt",
                               "08.05.23, 09:00 - Ada: I live in Paris.\n"
                               "08.05.23, 09:01 - Ben: I live in Oslo and I work at Initech.\n"
                               "02.06.24, 18:00 - Ben: I moved to Bergen.\n");
  EXPECT_TRUE(says(newer, "learnt: Ada lives_in Oslo; Ada works_at Initech")) << newer.out;
  EXPECT_TRUE(says(newer, "Ada lives_in: Bergen, was Oslo")) << newer.out;
  const test::Ran older = read("old.txt", "08.05.20, 09:01 - Ben: I live in Kiel.\n");
  EXPECT_FALSE(says(older, "learnt")) << older.out;
  EXPECT_EQ(rows("Where do I live?"), R"([["Bergen"]])");
  EXPECT_EQ(rows("Where did Ada live in 2023?"), R"([["Oslo"]])");
}

}  // namespace
}  // namespace anima::learning_test
