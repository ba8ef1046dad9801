// A clock that is set back: what is told later comes after what was told before, for the time of
// the log never goes back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/agent/telling/speaker.h"

namespace anima::agent::clock_set_back_test {
namespace {

using told_test::Speaker;

TEST(ClockSetBack, TheNewerWordHolds) {
  struct Case {
    std::vector<std::string> texts;  // each a day before the one ahead of it
    std::string holds;
  };
  const Case cases[] = {
      {{"I live in Oslo.", "I live in Bergen."}, "Bergen"},
      {{"I live in Oslo.", "I live in Bergen.", "no, I live in Rome"}, "Rome"},
      {{"I live in Oslo.", "I live in Bergen.", "I live in Oslo."}, "Oslo"},
      {{"I live in Oslo.", "I live in Bergen.", "I no longer live in Bergen."}, ""},
  };
  constexpr int kDay = 10;
  for (const Case& each : cases) {
    Speaker ada;
    int day = kDay;
    for (const std::string& text : each.texts) ada.say_on(day--, text);
    EXPECT_EQ(ada.holds_on(kDay), each.holds) << each.texts.back() << ": " << ada.times();
    EXPECT_EQ(ada.contradictions(), 0u);
  }
}

}  // namespace
}  // namespace anima::agent::clock_set_back_test
