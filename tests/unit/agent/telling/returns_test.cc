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
  Told say(const std::string& text) {
    clock_.advance(kMicrosecondsPerDay);
    memory::NewMemory item;
    item.content = text;
    item.created_by = "Ada";
    item.source = session_source("chat");
    item.trust = store::Trust::kOperator;
    last_.begin_line(item.created_by, item.source);
    auto told = facts_.keep(item, nullptr, "Ada");
    EXPECT_TRUE(told) << text << ": " << told.error().describe();
    // "Acme Corp", which no list knows: a name.
    if (told && !told->question.empty()) return say("yes");
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

  ManualClock clock_{parse_timestamp("2026-06-15T12:00:00Z").value()};
  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
  LastFacts last_;
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
