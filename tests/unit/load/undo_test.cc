// Loads of one file that are undone in any order leave what the loads that are left would have.
#include <cstdlib>
#include <random>
#include <set>

#include "memory/provenance.h"
#include "store/statements.h"
#include "store/symbols.h"
#include "unit/load/load_fixture.h"

namespace anima::load {
namespace {

class LoadUndo : public LoadFixture {
 protected:
  store::Sequence load_people(const std::string& text) {
    const auto before = sequence();
    load_file(text);
    EXPECT_LT(before, sequence());
    return store::Sequence{sequence()};
  }
  void load_file(const std::string& text) {
    LoadSettings settings;
    settings.wishes.type = "Person";
    settings.wishes.key = {"name"};
    settings.wishes.links = {{"host", "Host", "runs_on"}, {"tags", "Tag", "has_tag"}};
    load({{"people.csv", text}}, settings);
  }
  bool undo(store::Sequence entry) {
    const auto undone =
        space_->undo({"tester", "undo", store::Trust::kOperator, store::Sequence::kNone}, entry,
                     entry, false, false);
    return undone.has_value();
  }
  std::string state() {
    const store::Snapshot now = space_->snapshot().value().knowledge();
    std::set<std::string> lines;
    for (const auto kind : {store::PredicateClass::kLink, store::PredicateClass::kAttribute}) {
      store::Pattern pattern;
      pattern.predicate_class = kind;
      store::each_statement(now, pattern, [&](const store::Triple& row) {
        const std::string name(now.name(row.subject));
        if (name != "Ann" && name != "Ben") return;
        lines.insert(name + " " + store::predicate_label(now, row.predicate) + " " +
                     store::term_label(now, row.object));
      });
    }
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }
  void SetUp() override { begin(); }
  void begin() {
    store::SpaceOptions options;
    options.undo.keeps = memory::counts_provenance;
    space_ = store::Space::in_memory(options).value();
    engine_ = kip::Engine::open(space_).value();
  }
};

std::string people(const std::string& phone, const std::string& host, const std::string& tags) {
  return "name,phone,host,tags\nAnn," + phone + "," + host + "," + tags + "\nBen,555-1,h0,x;y\n";
}

TEST_F(LoadUndo, TheSecondOfThreeIsAsIfItHadNeverBeen) {
  load_people(people("555-01", "h1", "a;b"));
  const auto second = load_people(people("555-02", "h2", "a;c"));
  const auto third = load_people(people("555-03", "h3", "a;d"));
  const std::string with_all = state();
  ASSERT_TRUE(undo(second));
  EXPECT_EQ(state(), with_all);
  // Without the third, too, the first has its words again.
  ASSERT_TRUE(undo(third));
  EXPECT_NE(state().find("phone 555-01"), std::string::npos) << state();
  const std::string first = state();
  ASSERT_TRUE(undo(store::Sequence{sequence()}));
  EXPECT_EQ(state(), with_all);
  ASSERT_TRUE(undo(store::Sequence{sequence()}));
  EXPECT_EQ(state(), first);
}

TEST_F(LoadUndo, WhatTheThirdDoesNotMentionStaysAway) {
  load_people(people("555-01", "h1", "a;b"));
  const auto second = load_people(people("", "", "a;b"));
  load_people(people("", "", "a;c"));
  const std::string with_all = state();
  ASSERT_TRUE(undo(second));
  EXPECT_EQ(state(), with_all);
}

// Each load has values of its own, for what stands already is stated by the first alone.
TEST_F(LoadUndo, InAnyOrder) {
  const unsigned seeds = std::getenv("ANIMA_TEST_FULL") != nullptr ? 300 : 20;
  for (unsigned seed = 0; seed < seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    begin();
    std::mt19937 random(seed);
    const auto pick = [&](std::size_t below) {
      return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
    };
    struct Done {
      std::string text;
      store::Sequence entry;
      std::vector<store::Sequence> undos = {};
    };
    std::vector<Done> done;
    std::string said;
    const auto load_next = [&] {
      const std::string number = std::to_string(done.size());
      const std::string text =
          people(pick(4) == 0 ? "" : "555-0" + number, pick(4) == 0 ? "" : "h" + number,
                 pick(4) == 0 ? "" : "t" + number + ";u" + number);
      const auto before = sequence();
      load_file(text);
      if (sequence() == before) return;
      done.push_back({text, store::Sequence{sequence()}});
      said += "\nload " + text.substr(text.find('\n'), 30);
    };
    load_next();
    for (int step = 0; step < 8 && !HasFailure(); ++step) {
      if (done.size() < 5 && pick(2) == 0) {
        load_next();
      } else if (done.size() > 1) {
        Done& one = done[1 + pick(done.size() - 1)];
        const store::Sequence entry = one.undos.empty() ? one.entry : one.undos.back();
        if (!undo(entry)) continue;
        one.undos.push_back(store::Sequence{sequence()});
        said += "\nundo " + std::to_string(&one - done.data());
      }
      const std::string is = state();
      const auto space = space_;
      const auto engine = engine_;
      begin();
      for (const Done& one : done)
        if (one.undos.size() % 2 == 0) load_file(one.text);
      EXPECT_EQ(is, state()) << said;
      space_ = space;
      engine_ = engine;
    }
  }
}

}  // namespace
}  // namespace anima::load
