// Facts as people write them, and why they hold.
#include "memory/fact_proof.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "memory/compartments/fact_words.h"
#include "support/links.h"

namespace anima::memory {
namespace {

class FactProofTest : public testing::Test {
 protected:
  FactProofTest() {
    test::link(*space_,
               {{"Bob", "manages", "Alice"}, {"Ada Lovelace", "works_with", "Charles Babbage"}});
    reasoner_ = Reasoner::create(space_->snapshot().value(),
                                 {{"c", "r.mg", "leads(X, Y) :- manages(X, Y).\n"}})
                    .value();
  }
  std::string fact_of(std::string_view sentence) {
    const auto patterns = sentence_patterns(sentence, *reasoner_);
    if (!patterns) return std::string(to_string(patterns.error().code));
    const auto facts = matching_facts(*patterns, *reasoner_);
    return facts ? facts->front() : std::string(to_string(facts.error().code));
  }

  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
  std::unique_ptr<Reasoner> reasoner_;
};

TEST_F(FactProofTest, ASentenceIsReadWithoutQuotes) {
  EXPECT_EQ(fact_of("Bob manages Alice"), R"(manages("Bob","Alice"))");
  EXPECT_EQ(fact_of("Bob manages Alice."), R"(manages("Bob","Alice"))");
  EXPECT_EQ(fact_of("Bob manages"), R"(manages("Bob","Alice"))");
  EXPECT_EQ(fact_of("Ada Lovelace works with Charles Babbage"),
            R"(works_with("Ada Lovelace","Charles Babbage"))");
  EXPECT_EQ(fact_of(R"("Ada Lovelace" works_with "Charles Babbage")"),
            R"(works_with("Ada Lovelace","Charles Babbage"))");
  EXPECT_EQ(fact_of(R"(leads("Bob", X))"), R"(leads("Bob","Alice"))");
  EXPECT_EQ(fact_of("Alice manages Bob"), "not_found");
  EXPECT_EQ(fact_of("Alice"), "invalid_argument");
  EXPECT_EQ(fact_of(""), "invalid_argument");
  std::string long_one;
  for (int i = 0; i < 500; ++i) long_one += "word ";
  EXPECT_EQ(fact_of(long_one), "invalid_argument");
}

// Of a value, too, what holds is shown first, whatever is first by its letters.
TEST_F(FactProofTest, OfSeveralValuesTheOneThatHoldsIsProved) {
  const auto tell = [&](const char* phone, store::Trust trust) {
    const store::Origin origin{"tester", "test", trust, store::Sequence::kNone};
    ASSERT_TRUE(space_->write(origin, [&](store::Transaction& transaction) -> Status {
      const auto bob = transaction.live().concepts_labelled("Bob");
      ANIMA_ASSIGN(const store::Term value, transaction.term(store::Value::string(phone).view()));
      return transaction.add_attribute(bob.front(), "phone", value);
    }));
  };
  tell("555-0142", store::Trust::kOperator);
  tell("555-0141", store::Trust::kHostile);
  const auto now = space_->snapshot().value();
  const auto reasoner = Reasoner::create(now, {}).value();
  const auto patterns = sentence_patterns("Bob phone", *reasoner);
  ASSERT_TRUE(patterns) << patterns.error().describe();
  const auto proof = prove_first(*space_, now, *reasoner, *patterns);
  ASSERT_TRUE(proof) << proof.error().describe();
  EXPECT_EQ(proof->fact, R"(attribute("Bob","phone","555-0142"))");
}

TEST_F(FactProofTest, AProofNamesTheRuleAndWhoStatedTheFactUnderIt) {
  ProvenanceLedger ledger(*space_);
  const auto explained =
      prove_fact(ledger, space_->snapshot().value(), *reasoner_, R"(leads("Bob","Alice"))");
  ASSERT_TRUE(explained) << explained.error().describe();
  const std::vector<std::string> lines = explained->text_lines(60);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].substr(0, 35), R"(leads("Bob","Alice")  (rule at c/r.)");
  EXPECT_EQ(lines[1], R"(  manages("Bob","Alice"))");
  EXPECT_EQ(lines[2].substr(0, 10), "    entry ");
  EXPECT_EQ(explained->text_lines(1).back(), "(2 lines more: anima why)");
  const Json json = explained->to_json();
  const JsonArray& proof = json.find("proof")->as_array();
  ASSERT_EQ(proof.size(), 2u);
  EXPECT_EQ(proof[0].find("asserted"), nullptr);
  EXPECT_EQ(proof[1].find("asserted")->as_array().size(), 1u);
}

}  // namespace
}  // namespace anima::memory
