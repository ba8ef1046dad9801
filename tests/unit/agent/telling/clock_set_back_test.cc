// A clock that is set back: what is told later comes after what was told before, for the time of
// the log never goes back.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <regex>
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

// Somebody who tells, corrects, ends, forgets and undoes; the steps follow from the seed alone.
class Walk {
 public:
  explicit Walk(std::uint32_t seed) : random_(seed) {}

  void step(Speaker& ada, unsigned what) {
    const store::Sequence before = ada.newest();
    switch (what % 8) {
      case 0:
        if (!memories_.empty()) {
          ada.forget(memories_.back());
          memories_.pop_back();
        }
        break;
      case 1:
        if (first_ != store::Sequence::kNone) ada.undo(first_, last_);
        first_ = store::Sequence::kNone;
        return;
      default: {
        const std::string memory = "m" + std::to_string(++told_);
        const std::string& text = kTexts[what / 8 % kTexts.size()];
        said_.push_back(text);
        Told told = ada.say_now(text, memory);
        for (int more = 0; more < 3 && !told.choices.empty(); ++more)
          told = ada.say_now(told.choices.back(), {});
        memories_.push_back(memory);
      }
    }
    first_ = store::Sequence{static_cast<std::uint64_t>(before) + 1};
    last_ = ada.newest();
    if (last_ == before) first_ = store::Sequence::kNone;
  }

  std::string told() const { return join(said_, " / "); }
  unsigned next() { return static_cast<unsigned>(random_()); }

 private:
  inline static const std::vector<std::string> kTexts = {
      "I live in Oslo.",
      "I live in Bergen.",
      "no, I live in Rome",
      "I no longer live in Bergen.",
      "I work at Initech.",
      "I no longer work at Initech.",
      "I work at Globex.",
      "I like tea.",
      "I no longer like tea.",
      "My phone is 333.",
      "no, 444",
      "I am 34 years old.",
      "Ben lives in Oslo.",
      "Ben no longer lives in Oslo.",
      "I moved to Rome.",
  };
  std::mt19937 random_;
  std::vector<std::string> memories_, said_;
  int told_ = 0;
  store::Sequence first_ = store::Sequence::kNone, last_ = store::Sequence::kNone;
};

// The days on which something began or ended differ between the two.
std::string without_days(const std::string& text) {
  static const std::regex kDay("[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+Z)?");
  return std::regex_replace(text, kDay, "DAY");
}

std::string known(Speaker& ada) {
  static const std::vector<std::string> kAttributes = {"phone", "age"};
  std::string all = ada.holds_now() + "| " + ada.values(kAttributes) + "| " +
                    std::to_string(ada.contradictions()) + " contradictions\n";
  for (const char* question : {"Where do I live?", "Where do I work?", "What is my phone?",
                               "Where does Ben live?", "What do I like?"})
    all += ada.answer(question) + "\n";
  return without_days(all);
}

TEST(ClockSetBack, AnswersAreThoseOfAClockThatGoesOn) {
  constexpr std::int64_t kHour = 3'600 * kMicrosecondsPerSecond;
  const std::int64_t jumps[] = {-kHour, -kMicrosecondsPerDay, -3'653 * kMicrosecondsPerDay};
  const unsigned seeds = std::getenv("ANIMA_TEST_FULL") != nullptr ? 400 : 40;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Speaker steady, jumping;
    Walk first(seed), second(seed);
    for (int step = 0; step < 12; ++step) {
      const unsigned what = first.next(), jump = first.next();
      second.next();
      second.next();
      steady.turn_clock(kHour);
      jumping.turn_clock(jump % 3 == 0 ? kHour : jumps[jump / 3 % 3]);
      first.step(steady, what);
      second.step(jumping, what);
      ASSERT_EQ(known(jumping), known(steady))
          << "seed " << seed << ", step " << step << ": " << first.told() << "\n"
          << jumping.times() << "\n"
          << steady.times();
    }
  }
}

}  // namespace
}  // namespace anima::agent::clock_set_back_test
