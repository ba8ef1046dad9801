// Rules that were loaded go on when what one of them names is empty, or is not there at all.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "datalog/space_rules.h"
#include "store/space.h"

namespace anima::datalog::rules_set_aside_test {
namespace {

using store::EntityId;
using Texts = std::vector<std::string>;

class RulesSetAside : public ::testing::Test {
 protected:
  // runs_on(gitea, cirrus), runs_on(wiki, cirrus)
  void SetUp() override {
    ASSERT_TRUE(space_->write({}, [&](store::Transaction& t) -> Status {
      ANIMA_ASSIGN(const EntityId type, t.upsert_type("Service"));
      ANIMA_ASSIGN(const EntityId runs_on, t.upsert_predicate("runs_on"));
      ANIMA_ASSIGN(const EntityId host, t.upsert_concept(type, "cirrus"));
      for (const char* name : {"gitea", "wiki"}) {
        ANIMA_ASSIGN(const EntityId service, t.upsert_concept(type, name));
        ANIMA_TRY(link(t, service, runs_on, host));
      }
      return {};
    }));
  }
  static Status link(store::Transaction& t, EntityId s, EntityId p, EntityId o) {
    return t.assert_link({s, store::Predicate::link(p), store::Term::entity(o)}).map([](EntityId) {
    });
  }
  void define(const char* predicate) {
    ASSERT_TRUE(space_->write({}, [&](store::Transaction& t) {
      return t.upsert_predicate(predicate).map([](EntityId) {});
    }));
  }
  Result<std::unique_ptr<SpaceRules>> rules(Names names = Names::kAsLoaded) const {
    return SpaceRules::create(space_->snapshot().value(), {{"pack/rules.mg", kRules, names}});
  }

  static constexpr const char* kRules =
      "goes_down_with(X, H) :- runs_on(X, H).\n"
      "goes_down_with(X, H) :- depends_on(X, Y), goes_down_with(Y, H).\n"
      "shared(H) :- runs_on(X, H), runs_on(Y, H), X != Y.\n"
      "alone(H) :- runs_on(_, H), !shared(H).\n"
      "safe(X) :- runs_on(X, _), !goes_down_with(X, \"cirrus\").\n";
  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
};

TEST_F(RulesSetAside, ARelationWithoutALinkIsEmpty) {
  define("depends_on");
  const auto made = rules(Names::kNew);
  ASSERT_TRUE(made) << made.error().describe();
  const auto state = (*made)->state();
  EXPECT_TRUE(state->unbuilt.empty());
  EXPECT_EQ(state->ask("goes_down_with(X, \"cirrus\")").value(),
            (Texts{"goes_down_with(\"gitea\",\"cirrus\")", "goes_down_with(\"wiki\",\"cirrus\")"}));
  EXPECT_EQ(state->ask("depends_on(X, Y)").value(), Texts{});
}

TEST_F(RulesSetAside, WhatNamesNothingIsSetAsideWithWhatNeedsIt) {
  const auto made = rules();
  ASSERT_TRUE(made) << made.error().describe();
  const auto state = (*made)->state();
  EXPECT_EQ(state->ask("shared(H)").value(), Texts{"shared(\"cirrus\")"});
  EXPECT_EQ(state->ask("alone(H)").value(), Texts{});
  // What is left of goes_down_with() is not all of it, and its absence proves nothing.
  for (const char* query : {"goes_down_with(X, Y)", "safe(X)"}) {
    const auto asked = state->ask(query);
    ASSERT_FALSE(asked) << query;
    EXPECT_NE(asked.error().message.find("depends_on"), std::string::npos)
        << asked.error().describe();
    EXPECT_EQ(asked.error().where, "pack/rules.mg:2:25");
  }
}

TEST_F(RulesSetAside, ARuleThatIsWrittenNowIsAnError) {
  const auto made = rules(Names::kNew);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("there is no predicate depends_on"), std::string::npos);
}

TEST_F(RulesSetAside, ItComesBackWithTheRelation) {
  const auto made = rules();
  ASSERT_TRUE(made) << made.error().describe();
  ASSERT_TRUE(space_->write({}, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const EntityId type, t.upsert_type("Service"));
    ANIMA_ASSIGN(const EntityId depends_on, t.upsert_predicate("depends_on"));
    ANIMA_ASSIGN(const EntityId blog, t.upsert_concept(type, "blog"));
    ANIMA_ASSIGN(const EntityId wiki, t.upsert_concept(type, "wiki"));
    return link(t, blog, depends_on, wiki);
  }));
  const auto done = (*made)->refresh(*space_);
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ((*made)->state()->ask("goes_down_with(\"blog\", H)").value(),
            Texts{"goes_down_with(\"blog\",\"cirrus\")"});
}

TEST_F(RulesSetAside, TheLastLinkGoesAndTheRulesStay) {
  EntityId depends_on{}, wiki{}, gitea{};
  ASSERT_TRUE(space_->write({}, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const EntityId type, t.upsert_type("Service"));
    ANIMA_ASSIGN(depends_on, t.upsert_predicate("depends_on"));
    ANIMA_ASSIGN(wiki, t.upsert_concept(type, "wiki"));
    ANIMA_ASSIGN(gitea, t.upsert_concept(type, "gitea"));
    return link(t, wiki, depends_on, gitea);
  }));
  ASSERT_TRUE(space_->write({}, [&](store::Transaction& t) {
    return t.retract_link({wiki, store::Predicate::link(depends_on), store::Term::entity(gitea)},
                          store::GraphId::kDefault);
  }));
  const auto made = rules();
  ASSERT_TRUE(made) << made.error().describe();
  EXPECT_TRUE((*made)->state()->unbuilt.empty());
  EXPECT_EQ((*made)->state()->ask("goes_down_with(X, \"cirrus\")").value().size(), 2U);
}

}  // namespace
}  // namespace anima::datalog::rules_set_aside_test
