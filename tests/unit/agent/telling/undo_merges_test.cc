// Merges that are undone: one within another, one that is done again, and what was done before one.
#include <gtest/gtest.h>

#include "unit/agent/telling/speaker.h"

namespace anima::agent::undo_merges_test {
namespace {

using told_test::Speaker;

TEST(UndoMerges, OneWithinAnotherRefuses) {
  Speaker speaker;
  speaker.say_on(0, "Bob Lind likes jazz.");
  speaker.say_on(0, "Bob Lind lives in Oslo.");
  speaker.say_on(0, "Ann Hill likes tea.");
  speaker.say_on(0, "Cleo Roy likes rum.");
  speaker.merge("Bob Lind", "Ann Hill");
  const store::Sequence inner = speaker.newest();
  speaker.merge("Ann Hill", "Cleo Roy");
  const store::Sequence outer = speaker.newest();
  EXPECT_FALSE(speaker.undo(inner, inner));
  EXPECT_TRUE(speaker.undo(outer, outer));
  EXPECT_TRUE(speaker.undo(inner, inner)) << speaker.why_not();
  EXPECT_EQ(
      speaker.holds_now(),
      "Ann Hill likes tea; Bob Lind likes jazz; Bob Lind lives_in Oslo; Cleo Roy likes rum; ");
}

TEST(UndoMerges, OneThatIsDoneAgainHasItsValues) {
  Speaker speaker;
  speaker.say_on(0, "Ann Hill lives in Oslo.");
  speaker.say_on(0, "Eva Berg's phone number is 555-0141.");
  speaker.merge("Eva Berg", "Ann Hill");
  const std::string merged = speaker.state();
  store::Sequence last = speaker.newest();
  ASSERT_TRUE(speaker.undo(last, last));
  last = speaker.newest();
  ASSERT_TRUE(speaker.undo(last, last)) << speaker.why_not();
  EXPECT_EQ(speaker.state(), merged);
}

TEST(UndoMerges, AValueThatWasReplacedBeforeRefuses) {
  Speaker speaker;
  speaker.say_on(0, "Ann Hill likes tea.");
  speaker.say_on(0, "Eva Berg likes rum.");
  speaker.state("Eva Berg", "seen", "first");
  speaker.state("Eva Berg", "seen", "second");
  const store::Sequence replaced = speaker.newest();
  speaker.merge("Eva Berg", "Ann Hill");
  const store::Sequence merge = speaker.newest();
  EXPECT_FALSE(speaker.undo(replaced, replaced));
  EXPECT_TRUE(speaker.undo(merge, merge));
  EXPECT_TRUE(speaker.undo(replaced, replaced));
  EXPECT_NE(speaker.state().find("Eva Berg seen first"), std::string::npos) << speaker.state();
}

// That an undo took the name away earlier counts for nothing.
TEST(UndoMerges, ATextIsInNoOthersWayWhereTheFirstWasUndone) {
  Speaker speaker;
  speaker.say_on(0, "Ann Hill lives in Kiel.");
  speaker.undo_last();
  const store::Sequence before = speaker.newest();
  speaker.say_on(0, "Ann Hill likes jazz.");
  const store::Sequence told = speaker.newest();
  speaker.say_on(0, "Ann Hill lives in Oslo.");
  EXPECT_TRUE(speaker.undo(store::Sequence{static_cast<std::uint64_t>(before) + 1}, told))
      << speaker.why_not();
  EXPECT_EQ(speaker.holds_now(), "Ann Hill lives_in Oslo; ");
}

}  // namespace
}  // namespace anima::agent::undo_merges_test
