// Who comes back to what has ended keeps the time that he had there before
// (tests/cases/telling/returns.txt), also when the return is taken back or undone.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "unit/agent/telling/speaker.h"

namespace anima::agent::returns_test {
namespace {

using told_test::Speaker;

TEST(Returns, KeepEachTimeThatWasBefore) {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/cases/telling/returns.txt");
  std::size_t cases = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t arrow = line.find(" => ");
    if (line.empty() || line.front() == '#' || arrow == line.npos) continue;
    SCOPED_TRACE(line);
    ++cases;
    Speaker ada;
    std::string rest = replace_all(line.substr(0, arrow), " / ", "\n");
    for (const std::string_view text : split(rest, '\n')) ada.say(std::string(text));
    const auto wanted = split(std::string_view(line).substr(arrow + 4), '|');
    EXPECT_EQ(ada.times(), trim(wanted.front()));
    EXPECT_EQ(ada.contradictions(), 0u);
    for (std::size_t i = 1; i < wanted.size(); ++i) {
      const std::string one(trim(wanted[i]));
      EXPECT_EQ(ada.holds_in(std::stoi(one)), trim(one.substr(4))) << one;
    }
  }
  EXPECT_GE(cases, 12u);
}

// Nobody knows which of two times is right: it is asked, and the answer leaves no hole.
TEST(Returns, AnotherBeginOfTheSameIsAsked) {
  for (const bool later : {true, false}) {
    Speaker ada;
    ada.say("I moved to Oslo in 2010.");
    ada.say("I moved to Rome in 2015.");
    const std::string before = ada.times();
    const Told asked = ada.say("I moved to Rome in 2018.");
    EXPECT_EQ(asked.stated, "");
    EXPECT_EQ(ada.times(), before);
    ada.say(later ? "2018" : "2015");
    EXPECT_EQ(ada.times(), later ? "Oslo 2010-01-01/2018-01-01; Rome 2018-01-01/.." : before);
    EXPECT_EQ(ada.contradictions(), 0u);
  }
}

TEST(Returns, ABeginThatIsNamedLaterMovesTheEndOfWhatWasBefore) {
  Speaker ada;
  ada.say("I live in Oslo.");
  ada.say("I live in Rome.");
  ada.say("I moved to Rome in 2018.");
  EXPECT_EQ(ada.times(), "Oslo ../2018-01-01; Rome 2018-01-01/..");
}

TEST(Returns, TwoPlacesInOneTextAreAsked) {
  Speaker ada;
  ada.say("I live in Kiel.");
  const Told asked = ada.say("I live in Oslo and I live in Rome.");
  EXPECT_EQ(asked.stated, "");
  EXPECT_EQ(asked.choices, (std::vector<std::string>{"no", "Oslo", "Rome"}));
  EXPECT_EQ(ada.times(), "Kiel ../..");
  ada.say("Rome");
  EXPECT_EQ(ada.times(), "Kiel ../2026-06-17; Rome ../..");
  EXPECT_EQ(ada.say("My phone number is 555-0199 and my phone number is 555-0200.").stated, "");
  // One after the other is no contradiction.
  Speaker ben;
  ben.say("I moved to Rome in 2015 and I moved to Oslo in 2010.");
  EXPECT_EQ(ben.times(), "Oslo 2010-01-01/2015-01-01; Rome 2015-01-01/..");
}

// What was told since the text stays, whatever year the new words name.
TEST(Returns, AnUpdateOfAnOlderTextEndsNothingThatWasToldSince) {
  const auto told_since = [](const std::string& since, const std::string& instead) {
    Speaker ada;
    ada.say("I am 34 years old.");
    ada.say(since);
    ada.say_instead(instead, 1);
    EXPECT_EQ(ada.contradictions(), 0u);
    return ada.times();
  };
  EXPECT_EQ(told_since("I moved to Bergen in 2018.", "I moved to Oslo in 2012."),
            "Bergen 2018-01-01/..; Oslo 2012-01-01/2018-01-01");
  EXPECT_EQ(told_since("I moved to Bergen in 2018.", "I have lived in Kiel since 2019."),
            "Bergen 2018-01-01/..");
  EXPECT_TRUE(told_since("I live in Bergen.", "I have lived in Kiel since 2019.")
                  .starts_with("Bergen ../..; Kiel 2019-01-01/20"));
  EXPECT_EQ(told_since("I moved to Bergen in 2018.", "I live in Kiel."),
            "Bergen 2018-01-01/..; Kiel ../2018-01-01");
}

// Where nobody says since when it holds, it did not hold before what was told to have ended.
TEST(Returns, WhatIsToldBehindAnEndBeganAfterIt) {
  Speaker ada;
  for (const char* text :
       {"I live in Oslo.", "I moved to Bergen in 2015.", "I moved to Paris in 2024.",
        "I no longer live in Paris.", "I live in Kiel."})
    ada.say(text);
  EXPECT_EQ(ada.holds_in(2012), "Oslo");
  EXPECT_EQ(ada.holds_in(2018), "Bergen");
  EXPECT_EQ(ada.holds_on(8), "Kiel");
  Speaker ben;
  for (const char* text : {"I work at Initech.", "I left Initech in 2022.", "I work at Globex."})
    ben.say(text);
  EXPECT_EQ(ben.holds_in(2020), "Initech");
  EXPECT_EQ(ben.holds_on(5), "Globex");
  ben.say("I started at Globex in 2023.");
  EXPECT_EQ(ben.times(), "Globex 2023-01-01/..; Initech ../2022-01-01");
}

// What is said of an update is what it changes now, not at the time of the first text.
TEST(Returns, AnUpdateCorrectsWhatHoldsNow) {
  Speaker ada;
  ada.say_on(1, "I like tea.", "M1");
  ada.say_on(3, "I live in Rome.", "M3");
  EXPECT_EQ(ada.update("M1", "I live in Kiel.", 1, "M1b").corrected, "");
  EXPECT_EQ(ada.holds_on(4), "Rome");
}

using Moves = std::vector<std::pair<int, std::string>>;

std::string words_of(const std::pair<int, std::string>& move) {
  return "I moved to " + move.second + " in " + std::to_string(move.first) + ".";
}

// Who holds in each year: of moves in their order of time.
std::string by_years(const Moves& moves) {
  std::string all;
  for (int year = 2009; year < 2028; ++year) {
    std::string who;
    for (const auto& [begin, place] : moves)
      if (begin <= year) who = place;
    all += std::to_string(year) + " " + who + "\n";
  }
  return all;
}

std::string by_years(Speaker& speaker) {
  std::string all;
  for (int year = 2009; year < 2028; ++year)
    all += std::to_string(year) + " " + speaker.holds_in(year) + "\n";
  return all;
}

// In whatever order moves are told, also of who comes back: no moment has two, and none in between
// has nobody. What is taken back leaves what the others tell.
TEST(Returns, MovesThatAreToldOutOfOrderLeaveNoHole) {
  for (const Moves& moves :
       {Moves{{2010, "Oslo"}, {2013, "Rome"}, {2016, "Kiel"}, {2019, "Bergen"}},
        Moves{{2010, "Oslo"}, {2013, "Rome"}, {2016, "Oslo"}, {2019, "Kiel"}},
        Moves{{2010, "Oslo"}, {2013, "Rome"}, {2016, "Kiel"}, {2019, "Oslo"}},
        Moves{{2010, "Oslo"}, {2013, "Rome"}, {2016, "Oslo"}, {2019, "Rome"}}}) {
    std::vector<std::size_t> order = {0, 1, 2, 3};
    do {
      std::string told;
      for (const std::size_t at : order) told += words_of(moves[at]) + " ";
      for (std::size_t gone = 0; gone <= moves.size(); ++gone) {
        SCOPED_TRACE(told + (gone < moves.size() ? "forgotten: " + words_of(moves[gone]) : ""));
        Speaker ada;
        for (const std::size_t at : order)
          ada.say_of_before(words_of(moves[at]), "M" + std::to_string(at));
        Moves stay = moves;
        if (gone < moves.size()) {
          ada.forget("M" + std::to_string(gone));
          stay.erase(stay.begin() + static_cast<std::ptrdiff_t>(gone));
        }
        EXPECT_EQ(by_years(ada), by_years(stay)) << ada.times();
        EXPECT_EQ(ada.contradictions(), 0u);
      }
    } while (std::ranges::next_permutation(order).found);
  }
}

// The words of one who is forgotten, among others: what is left is what the others tell.
TEST(Returns, WhatIsForgottenWasNeverTold) {
  const std::vector<std::pair<std::vector<std::string>, std::size_t>> told = {
      {{"I have worked at Initech since 2010.", "I left Initech in 2015.",
        "I started at Globex in 2020."},
       1},
      {{"I have worked at Initech since 2015.", "I work at Initech."}, 0},
      {{"I moved to Rome in 2018.", "I moved to Rome in 2015.", "I no longer live in Rome."}, 0},
      {{"I moved to Oslo in 2009.", "I moved to Berlin in 2019.",
        "I have lived in Oslo since 2009.", "I moved to Oslo in 2023."},
       0}};
  for (const auto& [texts, gone] : told) {
    Speaker ada, ben;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      ada.say_of_before(texts[i], "M" + std::to_string(i));
      if (i != gone) ben.say_of_before(texts[i], "M" + std::to_string(i));
    }
    SCOPED_TRACE(texts[gone] + ": " + ada.times());
    ada.forget("M" + std::to_string(gone));
    EXPECT_EQ(by_years(ada), by_years(ben)) << ada.times() << "\n" << ben.times();
    EXPECT_EQ(ada.contradictions(), 0u);
  }
}

// --- what is never told, by a model of its own

enum class Says { kMoved, kLives, kLeft, kLeftIn };
struct Text {
  Says says = Says::kLives;
  std::string place;
  int year = 0;
  int day = 0;  // on which it is told
};

std::string words_of(const Text& text) {
  switch (text.says) {
    case Says::kMoved:
      return "I moved to " + text.place + " in " + std::to_string(text.year) + ".";
    case Says::kLives:
      return "I live in " + text.place + ".";
    case Says::kLeft:
      return "I no longer live in " + text.place + ".";
    case Says::kLeftIn:
      return "I moved away from " + text.place + " in " + std::to_string(text.year) + ".";
  }
  return {};
}

// Who holds at each of some moments, painted text by text: the years from 2008 to 2025, then the
// evenings of the days. A home that was told without a begin is painted from its day on, where it
// takes the place of another, and over all that nobody told of, where it does not.
class Painted {
 public:
  static constexpr int kYears = 18, kFirst = 2008;
  explicit Painted(int days) : who_(static_cast<std::size_t>(kYears + days)) {}
  void paint(const Text& text) {
    const std::size_t now = static_cast<std::size_t>(kYears + text.day);
    const std::size_t at = text.year == 0 ? now : static_cast<std::size_t>(text.year - kFirst);
    switch (text.says) {
      case Says::kMoved:
        return begin(text.place, at, true);
      case Says::kLives:
        if (who_[now] != text.place) begin(text.place, now, !who_[now].empty());
        return;
      case Says::kLeft:
      case Says::kLeftIn:
        for (std::size_t i = at; i < who_.size() && who_[i] == text.place && !begins_.contains(i);
             ++i)
          who_[i].clear();
        return;
    }
  }
  const std::vector<std::string>& who() const { return who_; }

 private:
  void begin(const std::string& place, std::size_t at, bool known) {
    if (known) begins_.insert(at);
    for (std::size_t i = at; i < who_.size() && (i == at || !begins_.contains(i)); ++i)
      who_[i] = place;
    for (std::size_t i = 0; !known && i < at; ++i)
      if (who_[i].empty()) who_[i] = place;
  }
  std::vector<std::string> who_;
  std::set<std::size_t> begins_;
};

// In the order of telling, and where each of them is forgotten or gets other words.
void tell_all(Speaker& ada, const std::vector<Text>& texts) {
  for (const Text& one : texts) ada.say_on(one.day, words_of(one), "M" + std::to_string(one.day));
}

// Who holds on the evening of the last day.
std::string painted(const std::vector<Text>& texts) {
  Painted model(6);
  for (const Text& one : texts) model.paint(one);
  return model.who().back();
}

std::string told_words(const std::vector<Text>& texts) {
  std::string all;
  for (const Text& one : texts) all += words_of(one) + " ";
  return all;
}

// The texts in each order in which they can be told, one a day.
std::vector<std::vector<Text>> in_each_order(const std::vector<Text>& set) {
  std::vector<std::size_t> order(set.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<Text>> all;
  do {
    std::vector<Text>& texts = all.emplace_back();
    for (const std::size_t at : order) {
      texts.push_back(set[at]);
      texts.back().day = static_cast<int>(texts.size());
    }
  } while (std::ranges::next_permutation(order).found);
  return all;
}

std::vector<Text> without(std::vector<Text> texts, std::size_t gone) {
  texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(gone));
  return texts;
}

// With and without times, ends and other words: each order of four texts, and each of them
// forgotten or updated, is as if it had never been told, or told so.
TEST(Returns, WhatGoesWasNeverToldInAnyOrder) {
  const std::vector<std::vector<Text>> tellings = {{{Says::kLives, "Paris"},
                                                    {Says::kLeft, "Paris"},
                                                    {Says::kLives, "Rome"},
                                                    {Says::kLives, "Paris"}},
                                                   {{Says::kMoved, "Oslo", 2010},
                                                    {Says::kLeft, "Oslo"},
                                                    {Says::kLives, "Rome"},
                                                    {Says::kMoved, "Kiel", 2015}},
                                                   {{Says::kMoved, "Oslo", 2010},
                                                    {Says::kLeftIn, "Oslo", 2013},
                                                    {Says::kMoved, "Rome", 2016},
                                                    {Says::kLives, "Kiel"}},
                                                   {{Says::kLives, "Oslo"},
                                                    {Says::kLives, "Rome"},
                                                    {Says::kLives, "Oslo"},
                                                    {Says::kLeft, "Oslo"}}};
  std::size_t compared = 0;
  for (const std::vector<Text>& set : tellings) {
    for (const std::vector<Text>& texts : in_each_order(set)) {
      for (std::size_t gone = 0; gone < texts.size(); ++gone) {
        Speaker ada, ben;
        tell_all(ada, texts);
        const std::vector<Text> stay = without(texts, gone);
        tell_all(ben, stay);
        const std::string before = ada.times();
        ada.forget("M" + std::to_string(texts[gone].day));
        SCOPED_TRACE(told_words(texts) + "forgotten: " + words_of(texts[gone]) + " " + before);
        EXPECT_EQ(ada.holds_when(6), ben.holds_when(6)) << ada.times() << "\n" << ben.times();
        EXPECT_EQ(ada.holds_on(5), painted(stay)) << ada.times();
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 4u * 24u * 4u);
}

// With other words in its place a text counts as told at its time, so. What the words then ask is
// not compared.
TEST(Returns, WhatGetsOtherWordsWasToldSo) {
  const std::vector<Text> set = {{Says::kMoved, "Oslo", 2010},
                                 {Says::kLeftIn, "Oslo", 2013},
                                 {Says::kMoved, "Rome", 2016},
                                 {Says::kLives, "Kiel"},
                                 {Says::kLeft, "Rome"}};
  const std::map<std::string, Text> instead = {{"Oslo2010", {Says::kMoved, "Oslo", 2011}},
                                               {"Oslo2013", {Says::kLeftIn, "Oslo", 2014}},
                                               {"Rome2016", {Says::kLives, "Rome"}},
                                               {"Kiel0", {Says::kLives, "Paris"}},
                                               {"Rome0", {Says::kLeft, "Kiel"}}};
  std::size_t compared = 0;
  std::vector<std::vector<Text>> all = in_each_order(set);
  for (std::vector<Text>& texts : all) {
    for (Text& one : texts) {
      Speaker ada, ben;
      tell_all(ada, texts);
      const Text was = one;
      one = instead.at(was.place + std::to_string(was.year));
      one.day = was.day;
      bool asks = false;
      for (const Text& each : texts)
        asks = !ben.say_on(each.day, words_of(each)).asks.empty() || asks;
      const std::string name = "M" + std::to_string(was.day);
      ada.say_on(6, "I am 34 years old.");
      asks = !ada.update(name, words_of(one), was.day, name + "b").asks.empty() || asks;
      SCOPED_TRACE(told_words(texts) + "in the place of: " + words_of(was));
      if (!asks) {
        EXPECT_EQ(ada.holds_when(8), ben.holds_when(8)) << ada.times() << "\n" << ben.times();
      }
      compared += asks ? 0 : 1;
      one = was;
    }
  }
  EXPECT_GE(compared, 140u);
}

// Walks of texts about homes, work and likes, of which some are forgotten, updated, taken back or
// undone: what is left is what somebody knows who was only told the rest.
class Walk {
 public:
  explicit Walk(unsigned seed) : random_(seed) {}
  void run() {
    const int texts = 6 + pick(7);
    for (int i = 0; i < texts; ++i) step();
    Speaker ben;
    for (const auto& [name, told] : told_) {
      const Told heard = ben.say_on(told.day, told.words, name);
      is_asked_ = is_asked_ || asks_otherwise(heard, told.asked);
    }
    if (is_asked_) return;
    SCOPED_TRACE(log_);
    EXPECT_EQ(ada_.holds_when(day_ + 2), ben.holds_when(day_ + 2)) << ada_.times() << "\n"
                                                                   << ben.times();
  }
  bool is_compared() const { return !is_asked_; }

 private:
  struct One {
    int day = 0;
    std::string words;
    bool asked = false;  // it taught nothing
    std::string about = {};
  };
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  static bool teaches(const Told& told) { return !told.stated.empty() || !told.corrected.empty(); }
  static bool asks_otherwise(const Told& told, bool asked) { return teaches(told) == asked; }

  std::string words() {
    const std::string home = std::vector<std::string>{"Oslo", "Rome", "Kiel", "Paris"}[pick4()];
    const std::string work =
        std::vector<std::string>{"Initech", "Globex", "Siemens", "Bosch"}[pick4()];
    const std::string thing = pick(2) == 0 ? "jazz" : "hiking";
    const std::string year = std::to_string(2009 + pick(12));
    switch (pick(10)) {
      case 0:
        return "I live in " + home + ".";
      case 1:
        return "I moved to " + home + " in " + year + ".";
      case 2:
        return "I no longer live in " + home + ".";
      case 3:
        return "I moved to " + home + ".";
      case 4:
        return "I work at " + work + ".";
      case 5:
        return "I have worked at " + work + " since " + year + ".";
      case 6:
        return "I left " + work + " in " + year + ".";
      case 7:
        return "I left " + work + ".";
      case 8:
        return "I like " + thing + ".";
      default:
        return "I don't like " + thing + ".";
    }
  }
  std::size_t pick4() { return static_cast<std::size_t>(pick(4)); }

  void step() {
    ++day_;
    const int what = pick(10);
    if (what < 7 || told_.empty()) {
      tell();
    } else if (what == 7) {
      const auto at = std::next(told_.begin(), pick(static_cast<int>(told_.size())));
      log_ += "[forget " + at->second.words + "] ";
      ada_.forget(at->first);
      told_.erase(at);
    } else if (what == 8) {
      const auto at = std::next(told_.begin(), pick(static_cast<int>(told_.size())));
      const One now{at->second.day, words()};
      log_ += "[" + at->second.words + " is now: " + now.words + "] ";
      const std::string name = at->first;
      told_.erase(at);
      const std::string new_name = name + "b";
      const Told told = ada_.update(name, now.words, now.day, new_name);
      is_asked_ = is_asked_ || !told.asks.empty();
      told_[new_name] = now;
      told_[new_name].asked = !teaches(told);
    } else {
      tell();
      if (told_.empty()) return;
      const auto last =
          std::ranges::find(told_, day_, [](const auto& one) { return one.second.day; });
      // Behind what was known before it denies that, too.
      const bool known = last != told_.end() && std::ranges::any_of(told_, [&](const auto& one) {
                           return &one != &*last && one.second.about == last->second.about;
                         });
      if (last == told_.end() || last->second.asked || known) return;
      log_ += "[that's wrong] ";
      const Told told = ada_.say_on(day_, "That's wrong.");
      is_asked_ = is_asked_ || !told.asks.empty();
      ada_.forget_memory(last->first);
      told_.erase(last);
    }
  }
  void tell() {
    One one{day_, words()};
    for (const char* name : {"Oslo", "Rome", "Kiel", "Paris", "Initech", "Globex", "Siemens",
                             "Bosch", "jazz", "hiking"})
      if (one.words.find(name) != std::string::npos) one.about = name;
    log_ += one.words + " ";
    const std::string name = "M" + std::string(day_ < 10 ? "0" : "") + std::to_string(day_);
    one.asked = !teaches(ada_.say_on(day_, one.words, name));
    told_[name] = one;
  }

  std::mt19937 random_;
  Speaker ada_;
  std::map<std::string, One> told_;
  int day_ = 0;
  bool is_asked_ = false;
  std::string log_;
};

TEST(Returns, AWalkLeavesWhatItsRestTells) {
  std::size_t compared = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Walk walk(seed);
    walk.run();
    compared += walk.is_compared() ? 1 : 0;
  }
  EXPECT_GE(compared, 150u);
}

// Somebody's own word of lower trust, as of a file that was read as his, moves nothing of his.
TEST(Returns, WhatWasToldWithLessTrustEndsNothing) {
  Speaker ada;
  ada.speak_as(store::Trust::kHostile);
  ada.say("I have lived in Rome since 2025.");
  ada.speak_as(store::Trust::kOperator);
  ada.say("I have lived in Paris since 2020.");
  EXPECT_EQ(ada.holds_in(2026), "Paris");
  ada.say_of_before("I moved to Rome in 2018.");
  EXPECT_EQ(ada.holds_in(2019), "Rome");
  EXPECT_EQ(ada.holds_in(2026), "Paris");
}

// Names that others brought, so that what is undone is not the first to tell of them.
void tell_names(Speaker& ada) {
  for (const char* text : {"I am 34 years old.", "Tom lives in Oslo.", "Ida lives in Rome.",
                           "Eva lives in Kiel.", "Max lives in Paris."})
    ada.say_on(0, text);
}

// An act in the middle goes as if it had never been told, or is refused where others depend on it;
// taking the undo back brings all of it back.
TEST(Returns, WhatIsUndoneInTheMiddleWasNeverTold) {
  const std::vector<std::vector<Text>> tellings = {{{Says::kMoved, "Oslo", 2010},
                                                    {Says::kLives, "Oslo"},
                                                    {Says::kMoved, "Rome", 2015},
                                                    {Says::kLeft, "Rome"}},
                                                   {{Says::kMoved, "Oslo", 2010},
                                                    {Says::kMoved, "Rome", 2015},
                                                    {Says::kMoved, "Kiel", 2012},
                                                    {Says::kLeftIn, "Rome", 2018}},
                                                   {{Says::kLives, "Oslo"},
                                                    {Says::kMoved, "Rome", 2016},
                                                    {Says::kLives, "Rome"},
                                                    {Says::kLives, "Oslo"}}};
  std::size_t compared = 0, refused = 0;
  for (const std::vector<Text>& set : tellings) {
    for (const std::vector<Text>& texts : in_each_order(set)) {
      for (std::size_t gone = 0; gone < texts.size(); ++gone) {
        Speaker ada, ben;
        tell_names(ada);
        tell_names(ben);
        const std::vector<Text> stay = without(texts, gone);
        std::pair<std::uint64_t, std::uint64_t> entries;
        for (const Text& one : texts) {
          const auto before = static_cast<std::uint64_t>(ada.newest());
          ada.say_on(one.day, words_of(one));
          if (one.day == texts[gone].day)
            entries = {before + 1, static_cast<std::uint64_t>(ada.newest())};
        }
        for (const Text& one : stay) ben.say_on(one.day, words_of(one));
        const std::string before = ada.times();
        SCOPED_TRACE(told_words(texts) + "undone: " + words_of(texts[gone]) + " " + before);
        if (entries.second < entries.first) continue;  // it changed nothing
        if (!ada.undo(store::Sequence{entries.first}, store::Sequence{entries.second})) {
          EXPECT_EQ(ada.times(), before);
          ++refused;
          continue;
        }
        ++compared;
        EXPECT_EQ(ada.holds_when(6), ben.holds_when(6)) << ada.times() << "\n" << ben.times();
        EXPECT_TRUE(ada.undo(ada.newest(), ada.newest()));
        EXPECT_EQ(ada.times(), before);
      }
    }
  }
  RecordProperty("refused", static_cast<int>(refused));
  EXPECT_GE(compared, 100u);
}

// What was told before there were records of each text is known as before, and what is told beside
// it now is laid out as if it had them.
TEST(Returns, WhatAnOlderProgramWroteStays) {
  const std::vector<std::vector<std::string>> before = {
      {"I live in Oslo.", "I moved to Rome in 2015.", "I started at Initech in 2019."},
      {"I moved to Oslo in 2010.", "I moved to Rome in 2015.", "I moved back to Oslo in 2020."},
      {"I moved to Oslo in 2010.", "I no longer live in Oslo.", "I like jazz."},
      {"I have worked at Initech since 2010.", "I left Initech in 2015.", "I live in Rome."},
      {"I like jazz.", "I don't like jazz.", "I live in Oslo.", "I live in Rome."}};
  const std::vector<std::string> since = {
      "I moved to Kiel in 2024.", "I moved to Kiel in 2012.",     "I no longer live in Rome.",
      "I live in Oslo.",          "I started at Globex in 2012.", "I like jazz."};
  for (const std::vector<std::string>& texts : before) {
    for (const std::string& now : since) {
      Speaker ada, ben;
      int day = 0;
      for (const std::string& text : texts) {
        ++day;
        ada.say_on(day, text, "M" + std::to_string(day));
        ben.say_on(day, text, "M" + std::to_string(day));
      }
      const std::string known = ada.holds_when(9);
      ada.lose_records();
      EXPECT_EQ(ada.holds_when(9), known);
      SCOPED_TRACE(texts.front() + " .. " + now + " " + ada.times());
      ada.say_on(++day, now, "M9");
      ben.say_on(day, now, "M9");
      EXPECT_EQ(ada.holds_when(9), ben.holds_when(9)) << ada.times() << "\n" << ben.times();
      EXPECT_EQ(ada.contradictions(), 0u);
      ada.forget("M9");
      EXPECT_EQ(ada.holds_when(9), known) << ada.times();
    }
  }
}

TEST(Returns, UndoneAreAsBefore) {
  Speaker ada;
  ada.say("I moved to Oslo in 2010.");
  ada.say("I moved to Rome in 2015.");
  const std::string before = ada.times();
  ada.say("I moved back to Oslo in 2020.");
  EXPECT_NE(ada.times(), before);
  ada.undo_last();
  EXPECT_EQ(ada.times(), before);
}

}  // namespace
}  // namespace anima::agent::returns_test
