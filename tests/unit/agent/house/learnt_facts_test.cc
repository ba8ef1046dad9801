// What of a text is read as telling something (house/learnt_facts.h): all of its sentences, or
// none.
#include "agent/house/learnt_facts.h"

#include <gtest/gtest.h>

namespace anima::agent {
namespace {

TellingRead read(std::string_view text) {
  return read_telling(text, parse_timestamp("2026-06-15T12:00:00Z").value());
}

TEST(ReadTelling, EachSentenceIsRead) {
  const TellingRead telling = read("Hi! I work at Initech.\nIch wohne in Oslo.");
  ASSERT_EQ(telling.sentences.size(), 2u);
  EXPECT_EQ(telling.sentences[0].front().relation->name, "works_at");
  EXPECT_EQ(telling.sentences[1].front().relation->name, "lives_in");
  EXPECT_TRUE(telling.left.empty());
  EXPECT_TRUE(telling.of_speaker);
  EXPECT_FALSE(telling.corrects);
  EXPECT_TRUE(read("Actually I work at Globex.").corrects);
  EXPECT_FALSE(read("Ada works at Globex.").of_speaker);
  EXPECT_TRUE(read("Hi!").only_opens());
  EXPECT_FALSE(read("Hi, Ada!").only_opens());
}

TEST(ReadTelling, OneSentenceThatIsNotReadLeavesNothing) {
  for (const std::string_view text :
       {"Suppose this is true. I live in Oslo.", "Ben told me a story: I live in Oslo.",
        "This is what Ben said:\nI live in Oslo.", "Say after me: \"Yes.\" I live in Oslo.",
        "I live in Oslo. Just kidding.", "I live in Oslo. That is a lie!",
        "Apparently so. I live in Oslo.", "I am lying. I live in Oslo.",
        "I live in Oslo. I doubt it.", "I live in Oslo. Or so I heard.",
        "I dreamt this. I live in Oslo.", "I live in Oslo. True or false?",
        "I live in Oslo. Where can I swim?", "I live in Oslo. My cat is sick!",
        "```\nI live in Oslo.\n```",
        "Stell dir vor, es wäre so, wenn ich könnte. Ich wohne in Oslo."}) {
    const TellingRead telling = read(text);
    EXPECT_FALSE(telling.tells()) << text;
    EXPECT_FALSE(telling.left.empty()) << text;
  }
}

TEST(ReadTelling, ALongTextIsNoSaying) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "I live in Oslo. ";
  EXPECT_FALSE(read(text).tells());
}

}  // namespace
}  // namespace anima::agent
