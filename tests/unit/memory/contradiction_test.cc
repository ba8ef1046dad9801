// Contradictions by declaration: the newest by observation time is effective, both stay, with the
// reason; what is not declared never retires anything.
#include "memory/contradiction.h"

#include <gtest/gtest.h>

#include "store/space.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

class ContradictionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.clock = clock_;
    space_ = *store::Space::in_memory(options);
  }
  // Asserts a link, with `observed_at` when given.
  void tell(const char* s, const char* p, const char* o, const std::string& observed = {}) {
    const auto written = space_->write({}, [&](store::Transaction& transaction) -> Status {
      store::SymbolWriter symbols(transaction, {});
      ANIMA_ASSIGN(const store::Triple link, symbols.link(s, p, o));
      ANIMA_ASSIGN(const auto proposition, transaction.assert_link(link, {}));
      if (observed.empty()) return {};
      const store::Value value = store::Value::string(observed);
      ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
      return transaction.set_metadata(proposition, "observed_at", std::span(&term, 1), {});
    });
    ASSERT_TRUE(written.has_value()) << written.error().describe();
  }
  void declare(const char* relation, const char* key, const store::Value& value) {
    const auto written = space_->write({}, [&](store::Transaction& transaction) -> Status {
      ANIMA_ASSIGN(const auto predicate, transaction.upsert_predicate(relation, {}));
      ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
      return transaction.set_attribute(predicate, key, std::span(&term, 1), {});
    });
    ASSERT_TRUE(written.has_value()) << written.error().describe();
  }
  store::Triple triple(const char* s, const char* p, const char* o) {
    const store::Snapshot view = space_->snapshot().value();
    return {*store::find_symbol(view, s), store::Predicate::link(*store::find_relation(view, p)),
            store::Term::entity(*store::find_symbol(view, o))};
  }
  std::string superseded(const char* s, const char* p, const char* o) {
    const store::Snapshot view = space_->snapshot().value();
    return Contradictions(view).superseded(triple(s, p, o));
  }

  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(Timestamp{1'700'000'000'000'000}, 1'000'000);
  std::shared_ptr<store::Space> space_;
};

TEST_F(ContradictionTest, NothingDeclaredNothingRetires) {
  tell("Germany", "capital", "Bonn");
  tell("Germany", "capital", "Berlin");
  const store::Snapshot view = space_->snapshot().value();
  EXPECT_FALSE(Contradictions(view).declared());
  EXPECT_EQ(superseded("Germany", "capital", "Bonn"), "");
}

TEST_F(ContradictionTest, FunctionalNewestIsEffectiveAndBothStay) {
  declare("capital", "functional", store::Value::boolean(true));
  tell("Germany", "capital", "Bonn");
  tell("Germany", "capital", "Berlin");
  tell("Germany", "borders", "France");
  tell("Germany", "borders", "Poland");
  tell("France", "capital", "Paris");
  EXPECT_NE(superseded("Germany", "capital", "Bonn").find("capital is functional"),
            std::string::npos);
  EXPECT_NE(superseded("Germany", "capital", "Bonn").find("\"Berlin\" was observed last"),
            std::string::npos);
  EXPECT_EQ(superseded("Germany", "capital", "Berlin"), "");
  EXPECT_EQ(superseded("Germany", "borders", "France"), "");
  EXPECT_EQ(superseded("France", "capital", "Paris"), "");
  EXPECT_TRUE(space_->snapshot().value().contains(triple("Germany", "capital", "Bonn")));
  const store::Snapshot view = space_->snapshot().value();
  ASSERT_EQ(Contradictions(view).all().size(), 1U);
  EXPECT_EQ(Contradictions(view).all().front().effective, triple("Germany", "capital", "Berlin"));
}

// What was observed earlier but told later does not win.
TEST_F(ContradictionTest, ObservationTimeGoesBeforeTheOrderOfTelling) {
  declare("capital", "functional", store::Value::boolean(true));
  tell("Germany", "capital", "Berlin", "1999-07-01T00:00:00Z");
  tell("Germany", "capital", "Bonn", "1949-05-23T00:00:00Z");
  EXPECT_EQ(superseded("Germany", "capital", "Berlin"), "");
  EXPECT_NE(superseded("Germany", "capital", "Bonn"), "");
}

// A statement that is told again is effective again.
TEST_F(ContradictionTest, ToldAgainIsEffectiveAgain) {
  declare("capital", "functional", store::Value::boolean(true));
  tell("Germany", "capital", "Berlin", "1871-01-01T00:00:00Z");
  tell("Germany", "capital", "Bonn", "1949-05-23T00:00:00Z");
  tell("Germany", "capital", "Berlin", "1999-07-01T00:00:00Z");
  EXPECT_EQ(superseded("Germany", "capital", "Berlin"), "");
}

TEST_F(ContradictionTest, DisjointPredicates) {
  declare("likes", "disjoint_with", store::Value::string("dislikes"));
  tell("Ada", "likes", "tea");
  tell("Ada", "dislikes", "tea");
  tell("Ada", "likes", "coffee");
  tell("Bob", "likes", "tea");
  // The declared predicate must know the other one by name when it is read, not when it is written.
  EXPECT_NE(superseded("Ada", "likes", "tea").find("are disjoint"), std::string::npos);
  EXPECT_EQ(superseded("Ada", "dislikes", "tea"), "");
  EXPECT_EQ(superseded("Ada", "likes", "coffee"), "");
  EXPECT_EQ(superseded("Bob", "likes", "tea"), "");
}

}  // namespace
}  // namespace anima::memory
