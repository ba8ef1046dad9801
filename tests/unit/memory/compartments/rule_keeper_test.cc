// Rules kept from call to call: each call is answered from its own snapshot and time, and says what
// rules that are run anew would say.
#include "memory/compartments/rule_keeper.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

Result<store::Triple> tell(store::Transaction& transaction, const std::string& s,
                           const std::string& p, const std::string& o) {
  store::SymbolWriter symbols(transaction, {});
  ANIMA_ASSIGN(const store::Triple link, symbols.link(s, p, o));
  ANIMA_TRY(transaction.assert_link(link, {}).map([](store::EntityId) {}));
  return link;
}

constexpr std::string_view kReaches =
    "Decl road(X, Y).\n"
    "reaches(X, Y) :- road(X, Y).\nreaches(X, Z) :- road(X, Y), reaches(Y, Z).\n"
    "dead_end(Y) :- road(_, Y), !leaves(Y).\nleaves(X) :- road(X, _).\n";

class RuleKeeperTest : public ::testing::Test {
 protected:
  void load(const std::string& id, std::string_view rules) {
    ASSERT_TRUE(system_files().make_directories(folder_.file(id)).has_value());
    const auto write = [&](const std::string& name, std::string_view text) {
      ASSERT_TRUE(replace_file(system_files(), folder_.file(id + "/" + name), text).has_value());
    };
    write("compartment.toml",
          "id = \"" + id + "\"\nname = \"R\"\nkind = \"Skill\"\nrules_file = \"r.mg\"\n");
    write("r.mg", rules);
    ASSERT_TRUE(manager_.discover().has_value());
    ASSERT_TRUE(manager_.load(id, {}).has_value());
  }
  void road(const std::string& from, const std::string& to) {
    ASSERT_TRUE(space_
                    ->write({},
                            [&](store::Transaction& transaction) {
                              return tell(transaction, from, "road", to).map([](store::Triple) {});
                            })
                    .has_value());
  }
  std::vector<std::string> facts(const Reasoner& reasoner, std::string_view query) {
    const auto rows = reasoner.ask(query);
    EXPECT_TRUE(rows.has_value()) << rows.error().describe();
    std::vector<std::string> out;
    if (rows) {
      for (const RuleRow& row : *rows) out.push_back(row.fact);
    }
    return out;
  }
  const Reasoner& at(const store::Snapshot& snapshot, std::int64_t seconds = 0) {
    const auto reasoner = keeper_.at(snapshot, Timestamp{seconds * 1'000'000});
    EXPECT_TRUE(reasoner.has_value()) << reasoner.error().describe();
    return **reasoner;
  }

  TemporaryDirectory folder_;
  std::shared_ptr<store::Space> space_ = *store::Space::in_memory();
  CompartmentManager manager_{*space_, system_files(), folder_.path()};
  RuleKeeper keeper_{*space_, manager_};
};

TEST_F(RuleKeeperTest, WithoutRulesThereIsNothingToAsk) {
  const auto none = keeper_.at(space_->snapshot().value(), {});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
}

TEST_F(RuleKeeperTest, AnswersFromTheGivenSnapshotAndNoLaterOne) {
  load("roads", kReaches);
  road("a", "b");
  const store::Snapshot early = space_->snapshot().value();
  road("b", "c");
  EXPECT_EQ(facts(at(early), "reaches(X, Y)"), std::vector<std::string>{R"(reaches("a","b"))"});
  EXPECT_EQ(facts(at(space_->snapshot().value()), "reaches(\"a\", Y)").size(), 2U);
}

TEST_F(RuleKeeperTest, NewRulesAreRun) {
  load("roads", kReaches);
  road("a", "b");
  EXPECT_EQ(at(space_->snapshot().value()).derived(), 3U);  // reaches, leaves, dead_end
  load("more", "linked(X, Y) :- road(Y, X).\n");
  EXPECT_EQ(facts(at(space_->snapshot().value()), "linked(X, Y)").size(), 1U);
  ASSERT_TRUE(manager_.unload("more", {}).has_value());
  EXPECT_EQ(at(space_->snapshot().value()).derived(), 3U);
}

TEST_F(RuleKeeperTest, RulesThatAskForTheTimeAreToldTheTimeOfTheCall) {
  load("clock",
       "Decl road(X, Y).\ntick(T) :- road(_, _), T = fn:time:to_unix_nanos(fn:time:now()).\n");
  road("a", "b");
  const store::Snapshot snapshot = space_->snapshot().value();
  EXPECT_EQ(facts(at(snapshot, 1000), "tick(T)"), std::vector<std::string>{"tick(1000000000000)"});
  EXPECT_EQ(facts(at(snapshot, 1000), "tick(T)"), std::vector<std::string>{"tick(1000000000000)"});
  EXPECT_EQ(facts(at(snapshot, 2000), "tick(T)"), std::vector<std::string>{"tick(2000000000000)"});
}

// What is kept, and what a branch would do to it, against rules that are run for this state alone.
TEST_F(RuleKeeperTest, SaysWhatRulesThatAreRunAnewSay) {
  load("roads", kReaches);
  SeededRandom random(11);
  const auto town = [&] { return "town " + std::to_string(random.below(12)); };
  for (int turn = 0; turn < 60; ++turn) {
    road(town(), town());
    const store::Snapshot snapshot = space_->snapshot().value();
    const auto fresh = Reasoner::create(snapshot, manager_.rules());
    ASSERT_TRUE(fresh.has_value());
    const Reasoner& kept = at(snapshot);
    for (const char* query : {"reaches(X, Y)", "dead_end(X)", "leaves(X)"}) {
      ASSERT_EQ(facts(kept, query), facts(**fresh, query)) << turn;
    }
    EXPECT_EQ(kept.derived(), (*fresh)->derived());
    const auto branch = space_->what_if(snapshot);
    std::vector<store::Triple> links;
    for (int i = 0; i < 3; ++i) {
      const auto link = tell(branch->transaction(), town(), "road",
                             turn % 2 == 0 ? town() : "new town " + std::to_string(i));
      ASSERT_TRUE(link.has_value());
      links.push_back(*link);
    }
    const auto told = keeper_.effects(snapshot, {}, branch->view(), links, {"road"});
    const auto compared = rule_effects(snapshot, branch->view(), manager_.rules());
    ASSERT_TRUE(told.has_value() && compared.has_value());
    EXPECT_EQ(told->gained, compared->gained) << turn;
    EXPECT_EQ(told->lost, compared->lost) << turn;
    EXPECT_EQ(told->gained_total, compared->gained_total);
    EXPECT_EQ(told->lost_total, compared->lost_total);
    EXPECT_TRUE(keeper_.effects(snapshot, {}, branch->view(), links, {"likes"})->none());
  }
}

}  // namespace
}  // namespace anima::memory
