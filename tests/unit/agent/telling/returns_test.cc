// Who comes back to what has ended keeps the time that he had there before
// (tests/cases/telling/returns.txt), also when the return is taken back or undone.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "agent/telling/told_facts.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "memory/contradiction.h"
#include "store/holds.h"

namespace anima::agent::returns_test {
namespace {

std::string day(const std::optional<Timestamp>& time) {
  return time ? format_timestamp(*time).substr(0, 10) : "..";
}

class Speaker {
 public:
  // `memory`: the id of the memory that keeps it; empty: none does.
  Told say(const std::string& text, const std::string& memory = {}) {
    clock_.advance(kMicrosecondsPerDay);
    const memory::NewMemory item = item_of(text);
    last_.begin_line(item.created_by, item.source);
    memory::StoredMemory stored;
    stored.id = memory;
    if (!memory.empty()) keep_memory(memory);
    auto told = facts_.keep(item, memory.empty() ? nullptr : &stored, "Ada");
    EXPECT_TRUE(told) << text << ": " << told.error().describe();
    // "Acme Corp", which no list knows: a name.
    if (told && !told->proposes.empty()) return say("yes");
    return told ? *std::move(told) : Told();
  }

  // What holds now began later: it stays, and what was said held before it, or held twice.
  void say_of_before(const std::string& text, const std::string& memory = {}) {
    Told asked = say(text, memory);
    for (int more = 0; more < 3 && !asked.choices.empty(); ++more)
      asked = say(asked.choices.back());
  }

  void speak_as(store::Trust trust) { trust_ = trust; }

  void forget(const std::string& memory) {
    const auto gone = facts_.take_back(item_of("forget it"), memory);
    EXPECT_TRUE(gone) << gone.error().describe();
  }

  // A text that takes the place of one that was said on that day.
  Told say_instead(const std::string& text, int day) {
    memory::NewMemory item = item_of(text);
    item.said_at = Timestamp{first_.microseconds + day * kMicrosecondsPerDay};
    auto told = facts_.keep(item, nullptr, "Ada");
    EXPECT_TRUE(told) << text << ": " << told.error().describe();
    return told ? *std::move(told) : Told();
  }

  // "Oslo 2010-01-01/2015-01-01 2020-01-01/..; Rome .."
  std::string times() {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    std::map<std::string, std::string> times;
    for (const store::Triple& link : links(now)) {
      std::string& text = times[std::string(now.name(link.object.as_entity()))];
      const auto proposition = now.find_proposition(link);
      for (const store::Period& one : store::periods_of(now, *proposition))
        text += " " + day(one.from) + "/" + day(one.to);
    }
    std::string all;
    for (const auto& [name, text] : times) all += (all.empty() ? "" : "; ") + name + text;
    return all;
  }

  std::string holds_in(int year) {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    const auto from = parse_timestamp(std::to_string(year) + "-06-01").value();
    std::string names;
    for (const store::Triple& link : links(now)) {
      for (const Timestamp until :
           {Timestamp{from.microseconds + 1}, Timestamp{from.microseconds + kMicrosecondsPerDay}}) {
        const auto held = store::holders(now, link.subject, link.predicate, from, until);
        if (std::ranges::find(held, link.object) == held.end()) continue;
        const std::string name(now.name(link.object.as_entity()));
        if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
      }
    }
    return names;
  }

  std::size_t contradictions() {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    return memory::Contradictions(now).all().size();
  }

  void undo_last() {
    const store::Sequence last = space_->snapshot().value().sequence();
    ASSERT_TRUE(space_->undo({"Ada", "undo", store::Trust::kOperator, store::Sequence::kNone}, last,
                             last, false, false));
  }

 private:
  memory::NewMemory item_of(const std::string& text) const {
    memory::NewMemory item;
    item.content = text;
    item.created_by = "Ada";
    item.source = session_source("chat");
    item.trust = trust_;
    return item;
  }

  void keep_memory(const std::string& id) {
    ASSERT_TRUE(space_->write(
        {"Ada", "chat", store::Trust::kOperator, store::Sequence::kNone},
        [&](store::Transaction& transaction) -> Status {
          store::AssertOptions place;
          place.graph = transaction.graph(memory::kMemoryGraph);
          ANIMA_ASSIGN(const store::EntityId type,
                       transaction.upsert_type(memory::kItemType, place));
          return transaction.upsert_concept(type, id, place).map([](store::EntityId) {});
        }));
  }

  static std::vector<store::Triple> links(const store::Snapshot& now) {
    std::vector<store::Triple> found;
    for (const char* relation : {"lives_in", "works_at"}) {
      const auto predicate = now.find_predicate(relation);
      if (!predicate) continue;
      store::Pattern pattern;
      pattern.predicate = store::Predicate::link(*predicate);
      store::Cursor cursor = now.scan(pattern);
      std::vector<store::Triple> rows(50);
      rows.resize(cursor.next(rows));
      found.insert(found.end(), rows.begin(), rows.end());
    }
    return found;
  }

  const Timestamp first_ = parse_timestamp("2026-06-15T12:00:00Z").value();
  ManualClock clock_{first_};
  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
  LastFacts last_;
  store::Trust trust_ = store::Trust::kOperator;
  ToldFacts facts_{space_, system_files(), clock_, last_};
};

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
            "Bergen 2018-01-01/..; Kiel 2026-06-16/2026-06-16");
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
