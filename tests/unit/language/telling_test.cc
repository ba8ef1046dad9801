// What of a text is read as telling something (language/frames/telling.h): all of its sentences, or
// none.
#include "language/frames/telling.h"

#include <gtest/gtest.h>

namespace anima::language::telling_test {
namespace {

Telling read(std::string_view text, const OtherReader& other = {}) {
  return read_telling(text, {parse_timestamp("2026-06-15T12:00:00Z").value()}, other);
}

SentenceAct act_of(std::string_view text) {
  const Telling telling = read(text);
  return telling.sentences.size() == 1 ? telling.sentences.front().act : SentenceAct::kNothing;
}

TEST(Telling, EachSentenceIsRead) {
  const Telling telling = read("Hi! I work at Initech.\nIch wohne in Oslo.");
  ASSERT_EQ(telling.sentences.size(), 3u);
  EXPECT_EQ(telling.sentences[0].act, SentenceAct::kGreets);
  EXPECT_EQ(telling.sentences[1].frames.front().relation->name, "works_at");
  EXPECT_EQ(telling.sentences[2].frames.front().relation->name, "lives_in");
  EXPECT_TRUE(telling.left().empty());
  EXPECT_TRUE(telling.teaches());
  EXPECT_TRUE(telling.teaches_openly());
  EXPECT_TRUE(telling.sentences[1].of_speaker);
  EXPECT_TRUE(read("Hi!").only_greets());
  EXPECT_FALSE(read("Hi!").teaches());
  EXPECT_FALSE(read("Hi, Ada!").only_greets());
}

TEST(Telling, EachSentenceHasAnAct) {
  EXPECT_EQ(act_of("I live in Oslo."), SentenceAct::kStates);
  EXPECT_EQ(act_of("Actually I live in Oslo."), SentenceAct::kCorrects);
  EXPECT_EQ(act_of("I left Initech."), SentenceAct::kEnds);
  EXPECT_EQ(act_of("Just kidding."), SentenceAct::kTakesBack);
  EXPECT_EQ(act_of("Do I live in Oslo?"), SentenceAct::kAsks);
  EXPECT_EQ(act_of("¿Vivo en Oslo"), SentenceAct::kAsks);
  EXPECT_EQ(act_of("It rains."), SentenceAct::kNotRead);
  EXPECT_EQ(act_of("Hello."), SentenceAct::kGreets);
}

TEST(Telling, OneSentenceThatIsNotReadLeavesNothing) {
  for (const std::string_view text :
       {"Suppose this is true. I live in Oslo.", "Ben told me a story: I live in Oslo.",
        "This is what Ben said:\nI live in Oslo.", "Say after me: \"Yes.\" I live in Oslo.",
        "I live in Oslo. Just kidding.", "I live in Oslo. That is a lie!",
        "That is a lie. I live in Oslo.", "Apparently so. I live in Oslo.",
        "I am lying. I live in Oslo.", "I live in Oslo. I doubt it.",
        "I live in Oslo. Or so I heard.", "I dreamt this. I live in Oslo.",
        "I live in Oslo. True or false?", "I live in Oslo. Where can I swim?",
        "I live in Oslo. My cat is sick!", "```\nI live in Oslo.\n```",
        "Stell dir vor, es wäre so, wenn ich könnte. Ich wohne in Oslo."}) {
    const Telling telling = read(text);
    EXPECT_FALSE(telling.teaches()) << text;
    EXPECT_FALSE(telling.left().empty()) << text;
  }
}

TEST(Telling, ALongTextIsNoSaying) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "I live in Oslo. ";
  EXPECT_TRUE(read(text).too_long);
  EXPECT_FALSE(read(text).teaches());
}

// The other reader is asked for what tells nothing in open words, and the rule is the same.
TEST(Telling, AnotherReaderKnowsOtherWords) {
  const OtherReader other = [](std::string_view sentence) {
    OtherRead read;
    if (sentence == "wiki runs on dune.") read.act = SentenceAct::kStates;
    if (sentence == "Sorry!") {
      read.act = SentenceAct::kNothing;
      read.leads = true;
    }
    if (sentence == "Sorry! It is 333.") read.act = SentenceAct::kCorrects;
    return read;
  };
  const Telling mixed = read("wiki runs on dune. I live in Oslo.", other);
  EXPECT_TRUE(mixed.teaches());
  EXPECT_FALSE(mixed.teaches_openly());
  EXPECT_FALSE(read("wiki runs on dune. I doubt it.", other).teaches());
  const Telling lead = read("Sorry! It is 333.", other);
  ASSERT_EQ(lead.sentences.size(), 1u);
  EXPECT_EQ(lead.sentences.front().text, "Sorry! It is 333.");
  EXPECT_EQ(lead.sentences.front().act, SentenceAct::kCorrects);
  EXPECT_EQ(read("Sorry!", other).sentences.front().act, SentenceAct::kNothing);
}

}  // namespace
}  // namespace anima::language::telling_test
