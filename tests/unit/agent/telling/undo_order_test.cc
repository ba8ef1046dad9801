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

// What somebody did: a text that is told, a value that KIP states, or another command of KIP.
struct Deed {
  std::string text;                  // told
  std::string thing = {}, key = {};  // stated, where there is no text
  store::Trust trust = store::Trust::kOperator;
  std::optional<std::size_t> forgets = {};  // the memory of this one
  std::string author = {};
  bool is_kip = false, is_merge = false;
  std::optional<std::size_t> updates = {};  // the memory of this one, whose words they replace
};

Deed told_by(const std::string& author, store::Trust trust, const std::string& text) {
  Deed deed{text, {}, {}, trust};
  deed.author = author;
  return deed;
}

std::string memory_of(std::size_t deed) { return "M" + std::to_string(deed); }

// False: a text taught nothing.
bool perform(Speaker& speaker, const Deed& deed, std::size_t number) {
  Told told;
  told.stated = deed.text;
  const int day = static_cast<int>(number);
  const bool trusted = deed.trust == store::Trust::kOperator;
  speaker.speak_as(!deed.author.empty() ? deed.author : trusted ? "Ada" : "Eve", deed.trust);
  if (deed.is_kip) {
    speaker.set_day(day);
    speaker.ask_kip(deed.text);
  } else if (deed.updates) {
    speaker.set_day(day);
    told = speaker.update(memory_of(*deed.updates), deed.text, static_cast<int>(*deed.updates),
                          memory_of(number));
  } else if (deed.forgets) {
    speaker.set_day(day);
    speaker.forget(memory_of(*deed.forgets));
  } else if (deed.key.empty()) {
    told = speaker.say_on(day, deed.text, memory_of(number));
  } else {
    speaker.set_day(day);
    speaker.state(deed.thing, deed.key, deed.text);
  }
  speaker.speak_as("Ada", store::Trust::kOperator);
  return !told.stated.empty() || !told.corrected.empty();
}

// That there is a thing or a relation is the word of any text that names it.
std::string without_firsts(const std::string& state, bool things) {
  static const std::regex kFirst(R"(^(.* (name|type|functional) .*?)( \([-0-9]+\))+$)");
  std::string all;
  for (const std::string_view line : split(state, '\n')) {
    const std::string text(line);
    if (things && std::regex_match(text, kFirst)) continue;
    // What was said differently when two were made one: `anima contradictions` lists what of it
    // still is.
    if (text.find(" merge_conflicts ") != text.npos) continue;
    all += std::regex_replace(text, kFirst, "$1") + "\n";
  }
  return all;
}

struct Done {
  Deed deed;
  store::Sequence first, last;
  bool taught = true;
  std::vector<store::Sequence> undos;  // each of which takes back the one before, or the deed
  bool stands() const { return undos.size() % 2 == 0; }
};

// What is done beside what is in the pool.
struct Kinds {
  bool forgets = false, updates = false;
  std::vector<std::string> introduction = {};  // told before, and never undone
  // What is not told any more once two things were made one.
  std::string merged = {};
  bool things = false;  // that there are things is compared, too, and all is done that counts
};

class Walk {
 public:
  Walk(std::span<const Deed> pool, const Kinds& kinds, unsigned seed)
      : pool_(pool), kinds_(kinds), random_(seed) {
    introduce(speaker_);
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      const std::size_t kind = pick(4 + (kinds_.forgets ? 1u : 0u) + (kinds_.updates ? 1u : 0u));
      if (done_.empty() || kind < 2) {
        do_one();
      } else if (kind == 5 || (kind == 4 && !kinds_.forgets)) {
        update_one();
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
  void introduce(Speaker& speaker) const {
    for (const std::string& text : kinds_.introduction) speaker.say_on(0, text);
  }
  std::size_t pick(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  void do_one() {
    const Deed& next = pool_[pick(pool_.size())];
    // What stands is not written when it is stated again: then there is nothing to undo.
    const bool again = std::ranges::any_of(done_, [&](const Done& one) {
      const bool same = one.deed.key == next.key && one.deed.text == next.text;
      return same && (!next.key.empty() || next.is_merge);
    });
    const bool merged =
        std::ranges::any_of(done_, [](const Done& one) { return one.deed.is_merge; });
    const bool is_of_merged =
        !kinds_.merged.empty() && next.text.find(kinds_.merged) != next.text.npos;
    if (again || (merged && is_of_merged)) return;
    perform_one(next);
  }
  // A text that is remembered.
  std::optional<std::size_t> some_text() {
    std::vector<std::size_t> told;
    for (std::size_t i = 0; i < done_.size(); ++i) {
      const Deed& deed = done_[i].deed;
      if (done_[i].stands() && deed.key.empty() && !deed.is_kip && !deed.forgets && !is_gone(i))
        told.push_back(i);
    }
    return told.empty() ? std::nullopt : std::optional(told[pick(told.size())]);
  }
  void forget_one() {
    Deed deed;
    deed.forgets = some_text();
    if (!deed.forgets) return;
    deed.text = "forget " + std::to_string(*deed.forgets);
    perform_one(deed);
  }
  void update_one() {
    const auto text = some_text();
    const Deed& instead = pool_[pick(pool_.size())];
    if (!text || done_[*text].deed.updates || instead.is_kip || !instead.key.empty()) return;
    Deed deed = instead;
    deed.updates = text;
    deed.author = done_[*text].deed.author;
    deed.trust = done_[*text].deed.trust;
    perform_one(deed);
  }
  // It was forgotten, or other words are in its place.
  bool is_gone(std::size_t deed) const {
    return std::ranges::any_of(done_, [&](const Done& one) {
      return one.stands() && (one.deed.forgets == deed || one.deed.updates == deed);
    });
  }
  void perform_one(const Deed& deed) {
    Done one;
    one.deed = deed;
    const auto before = static_cast<std::uint64_t>(speaker_.newest());
    one.taught = perform(speaker_, one.deed, done_.size()) || deed.updates;
    one.first = store::Sequence{before + 1};
    one.last = speaker_.newest();
    if (deed.is_kip && one.last < one.first) return;  // there was nothing to change
    said_ += "\n  " + std::to_string(done_.size()) + " " + one.deed.key + " " + one.deed.author +
             " " + one.deed.text;
    if (one.deed.updates) said_ += " (in the place of " + std::to_string(*one.deed.updates) + ")";
    if (one.deed.trust != store::Trust::kOperator) said_ += " (not trusted)";
    done_.push_back(std::move(one));
  }
  // What was told may come back with its thing, also where that was deleted since (docs/undo.md).
  bool brings_deleted(std::size_t deed) const {
    if (!done_[deed].deed.key.empty()) return false;
    return std::any_of(done_.begin() + static_cast<std::ptrdiff_t>(deed) + 1, done_.end(),
                       [](const Done& one) { return one.deed.text.starts_with("DELETE CONCEPT"); });
  }
  void undo_one() {
    const std::size_t which = pick(done_.size());
    Done& one = done_[which];
    if (one.last < one.first || brings_deleted(which)) return;
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
  // Forgetting a text leaves the things that it named. Other words in its place are of a later day.
  std::string compared(const std::string& state) const {
    static const std::regex kDay(R"(\([-0-9]+\))");
    const bool firsts = (kinds_.forgets || kinds_.updates) && !kinds_.things;
    const std::string all = without_firsts(state, firsts);
    return kinds_.updates ? std::regex_replace(all, kDay, "()") : all;
  }
  void compare() {
    Speaker fresh;
    introduce(fresh);
    for (std::size_t i = 0; i < done_.size(); ++i) {
      const Done& one = done_[i];
      if (!one.stands() || !one.taught) continue;
      if (!kinds_.things && (one.deed.forgets || is_gone(i))) continue;
      Deed deed = done_[i].deed;
      if (deed.updates && !kinds_.things) {
        fresh.set_day(static_cast<int>(i));
        fresh.speak_as(deed.author.empty() ? "Ada" : deed.author, deed.trust);
        fresh.say_instead(deed.text, static_cast<int>(*deed.updates));
        fresh.speak_as("Ada", store::Trust::kOperator);
      } else {
        perform(fresh, deed, i);
      }
    }
    EXPECT_EQ(compared(speaker_.state()), compared(fresh.state())) << said_;
  }

  const std::span<const Deed> pool_;
  const Kinds& kinds_;
  std::mt19937 random_;
  Speaker speaker_;
  std::vector<Done> done_;
  std::string said_;
  int refused_ = 0;
};

void walk(std::span<const Deed> pool, const Kinds& kinds = {}) {
  const unsigned seeds = std::getenv("ANIMA_TEST_FULL") != nullptr ? 3000 : 60;
  int refused = 0;
  for (unsigned seed = 0; seed < seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Walk one(pool, kinds, seed);
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
  walk(pool, {.forgets = true});
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

// People who are trusted alike contradict each other, and move nothing of each other's.
TEST(UndoOrder, OfSeveralPeople) {
  constexpr auto kOwner = store::Trust::kOperator, kLess = store::Trust::kStandard;
  const std::vector<Deed> pool{told_by("Ada", kOwner, "Ann lives in Oslo."),
                               told_by("Ben", kOwner, "Ann lives in Oslo."),
                               told_by("Ada", kOwner, "Ann lives in Rome."),
                               told_by("Ben", kOwner, "Ann lives in Rome."),
                               told_by("Ben", kOwner, "Ann moved to Bergen in 2015."),
                               told_by("Ada", kOwner, "Ann no longer lives in Rome."),
                               told_by("Cid", kLess, "Ann lives in Rome."),
                               told_by("Cid", kLess, "Ann moved to Kiel in 2012."),
                               told_by("Dan", kLess, "Ann lives in Kiel."),
                               told_by("Ben", kOwner, "Ann's phone number is 555-0141."),
                               told_by("Cid", kLess, "Ann's phone number is 555-0142."),
                               told_by("Ada", kOwner, "Ann's phone number is 555-0143.")};
  const std::vector<std::string> introduction = {"Ann likes tea.", "Tom lives in Oslo.",
                                                 "Tom lives in Rome.", "Tom lives in Kiel.",
                                                 "Tom lives in Bergen."};
  walk(pool, {.introduction = introduction});
  walk(pool, {.forgets = true, .introduction = introduction});
}

// Other words in the place of a text count as told at its time, whatever was told since.
TEST(UndoOrder, OfUpdates) {
  const std::vector<Deed> pool{{"Ann lives in Oslo."},
                               {"Ann lives in Rome."},
                               {"Ann's phone number is 555-0141."},
                               {"Ann's phone number is 555-0142."},
                               {"Ann's phone number is 555-0143."},
                               {"Ann's email is eins@web.de."},
                               {"Ann's email is zwei@web.de."}};
  walk(pool, {.forgets = true, .updates = true, .introduction = {"Ann likes tea."}});
}

// That there is a thing is the word of whoever named it, also where his text was forgotten since,
// or got other words, or what it said was deleted.
TEST(UndoOrder, OfThingsThatSeveralName) {
  const auto kip = [](const std::string& text) {
    Deed deed{text};
    deed.is_kip = true;
    return deed;
  };
  const std::vector<Deed> pool{
      {"Ann lives in Oslo."},
      {"Ben lives in Oslo."},
      {"Ann works at Initech."},
      {"Ben works at Initech."},
      {"Ann's phone number is 555-0141."},
      {"Ben's phone number is 555-0142."},
      kip("DELETE PROPOSITIONS ?l WHERE { ?l ({type: \"Person\", name: \"Ben\"}, \"lives_in\", "
          "{type: \"Place\", name: \"Oslo\"}) }")};
  walk(pool, {.forgets = true, .things = true});
  walk(pool, {.forgets = true, .updates = true, .things = true});
}

// What KIP deletes takes along what was told of it before.
TEST(UndoOrder, OfWhatIsDeleted) {
  const auto kip = [](const std::string& text) {
    Deed deed{text};
    deed.is_kip = true;
    return deed;
  };
  const std::string ann = "{type: \"Person\", name: \"Ann\"}";
  const std::vector<Deed> pool{
      {"Ann lives in Oslo."},
      {"Ann lives in Rome."},
      {"Ann lives in Kiel."},
      {"Ann's phone number is 555-0141."},
      {"Ann's phone number is 555-0142."},
      kip("DELETE ATTRIBUTES {\"phone\"} FROM ?p WHERE { ?p " + ann + " }"),
      kip("DELETE PROPOSITIONS ?l WHERE { ?l (" + ann +
          ", \"lives_in\", {type: \"Place\", name: \"Rome\"}) }")};
  const std::vector<std::string> introduction = {"Ann likes tea.", "Tom lives in Oslo.",
                                                 "Tom lives in Rome.", "Tom lives in Kiel."};
  walk(pool, {.introduction = introduction});
  walk(pool, {.forgets = true, .introduction = introduction});
}

// What is gone with its thing comes back with nothing but that.
TEST(UndoOrder, OfThingsThatAreDeleted) {
  const auto kip = [](const std::string& text) {
    Deed deed{text};
    deed.is_kip = true;
    return deed;
  };
  const std::string ann = "{type: \"Person\", name: \"Ann\"}";
  const std::vector<Deed> pool{
      {"Ann lives in Oslo."},
      {"Ann's phone number is 555-0141."},
      {"555-0144", "Ann", "phone"},
      {"zwei@web.de", "Ann", "email"},
      kip("DELETE ATTRIBUTES {\"email\"} FROM ?p WHERE { ?p " + ann + " }"),
      kip("DELETE PROPOSITIONS ?l WHERE { ?l (" + ann +
          ", \"lives_in\", {type: \"Place\", name: \"Oslo\"}) }"),
      kip("DELETE CONCEPT ?p DETACH WHERE { ?p " + ann + " }")};
  walk(pool, {.introduction = {"Ann likes tea.", "Tom lives in Oslo."}});
}

// Two things that are made one are as if all had been told of that one.
TEST(UndoOrder, OfMerges) {
  constexpr auto kOwner = store::Trust::kOperator, kLess = store::Trust::kStandard;
  Deed merge{
      "MERGE CONCEPT ?o INTO ?k WHERE { ?o {type: \"Person\", name: \"Eva Berg\"} "
      "?k {type: \"Person\", name: \"Ann Hill\"} }"};
  merge.is_kip = merge.is_merge = true;
  const std::vector<Deed> pool{told_by("Ada", kOwner, "Ann Hill lives in Oslo."),
                               told_by("Ada", kOwner, "Eva Berg lives in Rome."),
                               told_by("Ben", kOwner, "Eva Berg lives in Oslo."),
                               told_by("Cid", kLess, "Ann Hill lives in Kiel."),
                               told_by("Ada", kOwner, "Ann Hill moved to Bergen in 2015."),
                               told_by("Ada", kOwner, "Ann Hill's phone number is 555-0141."),
                               told_by("Ada", kOwner, "Eva Berg's phone number is 555-0142."),
                               told_by("Cid", kLess, "Eva Berg's phone number is 555-0143."),
                               told_by("Ada", kOwner, "Ann Hill's phone number is 555-0144."),
                               merge,
                               merge};
  const std::vector<std::string> introduction = {"Ann Hill likes tea.", "Eva Berg likes jazz.",
                                                 "Tom lives in Oslo.",  "Tom lives in Rome.",
                                                 "Tom lives in Kiel.",  "Tom lives in Bergen."};
  walk(pool, {.introduction = introduction, .merged = "Eva Berg"});
  walk(pool, {.forgets = true, .introduction = introduction, .merged = "Eva Berg"});
}

}  // namespace
}  // namespace anima::agent::undo_order_test
