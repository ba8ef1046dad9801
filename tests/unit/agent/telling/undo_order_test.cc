// Acts that are undone in any order, and undos that are undone, leave what would be there if the
// acts that are left had been all that was ever done.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <regex>

#include "unit/agent/telling/speaker.h"

namespace anima::agent::undo_order_test {
namespace {

using told_test::Speaker;

// What somebody did: a text that is told, or a value that KIP states.
struct Deed {
  std::string text;                  // told
  std::string thing = {}, key = {};  // stated, where there is no text
  store::Trust trust = store::Trust::kOperator;
  std::optional<std::size_t> forgets = {};  // the memory of this one
};

std::string memory_of(std::size_t deed) { return "M" + std::to_string(deed); }

void perform(Speaker& speaker, const Deed& deed, std::size_t number) {
  const int day = static_cast<int>(number);
  const bool trusted = deed.trust == store::Trust::kOperator;
  speaker.speak_as(trusted ? "Ada" : "Eve", deed.trust);
  if (deed.forgets) {
    speaker.set_day(day);
    speaker.forget(memory_of(*deed.forgets));
  } else if (deed.key.empty()) {
    speaker.say_on(day, deed.text, memory_of(number));
  } else {
    speaker.set_day(day);
    speaker.state(deed.thing, deed.key, deed.text);
  }
  speaker.speak_as("Ada", store::Trust::kOperator);
}

// That there is a thing or a relation is the word of any text that names it.
std::string without_firsts(const std::string& state, bool things) {
  static const std::regex kFirst(R"(^(.* (name|type|functional) .*?)( \([-0-9]+\))+$)");
  std::string all;
  for (const std::string_view line : split(state, '\n')) {
    const std::string text(line);
    if (things && std::regex_match(text, kFirst)) continue;
    all += std::regex_replace(text, kFirst, "$1") + "\n";
  }
  return all;
}

struct Done {
  Deed deed;
  store::Sequence first, last;
  std::vector<store::Sequence> undos;  // each of which takes back the one before, or the deed
  bool stands() const { return undos.size() % 2 == 0; }
};

class Walk {
 public:
  Walk(std::span<const Deed> pool, bool forgets, unsigned seed)
      : pool_(pool), forgets_(forgets), random_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      const std::size_t kind = pick(forgets_ ? 5 : 4);
      if (done_.empty() || kind < 2) {
        do_one();
      } else if (kind == 4) {
        forget_one();
      } else {
        undo_one();
      }
      compare();
    }
  }
  int refused() const { return refused_; }

 private:
  std::size_t pick(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  void do_one() {
    const Deed& next = pool_[pick(pool_.size())];
    // What stands is not written when it is stated again: then there is nothing to undo.
    const bool again = std::ranges::any_of(done_, [&](const Done& one) {
      return !next.key.empty() && one.deed.key == next.key && one.deed.text == next.text;
    });
    if (again) return;
    perform_one(next);
  }
  // Of a text that is remembered.
  void forget_one() {
    std::vector<std::size_t> told;
    for (std::size_t i = 0; i < done_.size(); ++i)
      if (done_[i].stands() && done_[i].deed.key.empty() && !is_forgotten(i)) told.push_back(i);
    std::erase_if(told, [&](std::size_t i) { return done_[i].deed.forgets.has_value(); });
    if (told.empty()) return;
    Deed deed;
    deed.forgets = told[pick(told.size())];
    deed.text = "forget " + std::to_string(*deed.forgets);
    perform_one(deed);
  }
  bool is_forgotten(std::size_t deed) const {
    return std::ranges::any_of(
        done_, [&](const Done& one) { return one.stands() && one.deed.forgets == deed; });
  }
  void perform_one(const Deed& deed) {
    Done one{deed, {}, {}, {}};
    const auto before = static_cast<std::uint64_t>(speaker_.newest());
    perform(speaker_, one.deed, done_.size());
    one.first = store::Sequence{before + 1};
    one.last = speaker_.newest();
    said_ += "\n  " + one.deed.key + " " + one.deed.text;
    if (one.deed.trust != store::Trust::kOperator) said_ += " (not trusted)";
    done_.push_back(std::move(one));
  }
  void undo_one() {
    const std::size_t which = pick(done_.size());
    Done& one = done_[which];
    if (one.last < one.first) return;
    const store::Sequence before = speaker_.newest();
    const bool undone = one.undos.empty() ? speaker_.undo(one.first, one.last)
                                          : speaker_.undo(one.undos.back(), one.undos.back());
    if (!undone) {
      ++refused_;
      return;
    }
    ASSERT_LT(before, speaker_.newest());
    one.undos.push_back(speaker_.newest());
    said_ += "\n  undo " + std::to_string(which) + " (" + std::to_string(one.undos.size()) + ")";
  }
  // Forgetting a text leaves the things that it named.
  std::string compared(const std::string& state) const { return without_firsts(state, forgets_); }
  void compare() {
    Speaker fresh;
    for (std::size_t i = 0; i < done_.size(); ++i) {
      const bool counts = done_[i].stands() && !done_[i].deed.forgets && !is_forgotten(i);
      if (counts) perform(fresh, done_[i].deed, i);
    }
    EXPECT_EQ(compared(speaker_.state()), compared(fresh.state())) << said_;
  }

  const std::span<const Deed> pool_;
  const bool forgets_;
  std::mt19937 random_;
  Speaker speaker_;
  std::vector<Done> done_;
  std::string said_;
  int refused_ = 0;
};

void walk(std::span<const Deed> pool, bool forgets = false) {
  const unsigned seeds = std::getenv("ANIMA_TEST_FULL") != nullptr ? 3000 : 60;
  int refused = 0;
  for (unsigned seed = 0; seed < seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Walk one(pool, forgets, seed);
    one.run(14);
    refused += one.refused();
  }
  testing::Test::RecordProperty("refused", refused);
}

TEST(UndoOrder, OfValuesThatWereToldAndStated) {
  const std::vector<Deed> pool{
      {"Ann's phone number is 555-0141."}, {"Ann's phone number is 555-0142."},
      {"Ann's phone number is 555-0143."}, {"555-0144", "Ann", "phone"},
      {"Ann's email is eins@web.de."},     {"zwei@web.de", "Ann", "email"}};
  walk(pool);
}

TEST(UndoOrder, OfLinksAndValues) {
  const std::vector<Deed> pool{{"Ann lives in Oslo."},           {"Ann lives in Rome."},
                               {"Ann works at Initech."},        {"Ann works at Globex."},
                               {"Ann's email is eins@web.de."},  {"Ben lives in Oslo."},
                               {"Ann moved to Bergen in 2015."}, {"Ann likes tea."},
                               {"Ann does not like tea."}};
  walk(pool);
}

TEST(UndoOrder, OfWhatIsForgotten) {
  const std::vector<Deed> pool{{"Ann lives in Oslo."},
                               {"Ann lives in Rome."},
                               {"Ann's phone number is 555-0141."},
                               {"Ann's phone number is 555-0142."},
                               {"Ann's email is eins@web.de."},
                               {"Ann works at Initech."}};
  walk(pool, true);
}

TEST(UndoOrder, OfTwoTrusts) {
  const auto low = store::Trust::kUntrusted;
  const std::vector<Deed> pool{{"Ann lives in Oslo."},
                               {"Ann lives in Rome.", {}, {}, low},
                               {"Ann's phone number is 555-0141."},
                               {"Ann's phone number is 555-0142.", {}, {}, low},
                               {"555-0144", "Ann", "phone"},
                               {"Ann works at Initech.", {}, {}, low},
                               {"Ann works at Globex."}};
  walk(pool);
}

}  // namespace
}  // namespace anima::agent::undo_order_test
