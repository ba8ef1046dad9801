// Queries of what is trusted, and paths along what holds.
#include <gtest/gtest.h>

#include "kip/engine.h"

namespace anima::kip::min_trust_test {
namespace {

class MinTrust : public ::testing::Test {
 protected:
  void SetUp() override {
    tell(R"(UPSERT { CONCEPT { {type: "$ConceptType", name: "Clerk"} }
              CONCEPT { {type: "$PropositionType", name: "reports_to"} SET ATTRIBUTES {functional: true} }
              CONCEPT { {type: "$PropositionType", name: "knows"} } })",
         store::Trust::kOperator);
    tell(R"(UPSERT { CONCEPT { {type: "Clerk", name: "Dov"} }
              CONCEPT { {type: "Clerk", name: "Ada"} SET ATTRIBUTES {desk: 1}
                SET PROPOSITIONS { ("reports_to", {type: "Clerk", name: "Dov"}) } }
              CONCEPT { {type: "Clerk", name: "Bea"}
                SET PROPOSITIONS { ("reports_to", {type: "Clerk", name: "Ada"}) } } })",
         store::Trust::kOperator);
    tell(R"(UPSERT { CONCEPT { {type: "Clerk", name: "Mallory"} SET ATTRIBUTES {desk: 9} }
              CONCEPT { {type: "Clerk", name: "Ada"} SET PROPOSITIONS {
                ("reports_to", {type: "Clerk", name: "Mallory"}) ("knows", {type: "Clerk", name: "Mallory"}) } }
              CONCEPT { {type: "Clerk", name: "Bea"} SET ATTRIBUTES {desk: 8} } })",
         store::Trust::kUntrusted);
  }

  Json run(const std::string& command, store::Trust trust, const char* least = nullptr) {
    Json request = Json::object({{"command", command}});
    if (least != nullptr) request.set("min_trust", least);
    Caller caller;
    caller.origin.trust = trust;
    return engine_->execute(request, caller);
  }
  void tell(const std::string& command, store::Trust trust) {
    const Json answer = run(command, trust);
    ASSERT_FALSE(has_error(answer)) << answer.dump();
  }
  std::string ask(const std::string& command, const char* least = nullptr) {
    const Json answer = run(command, store::Trust::kOperator, least);
    const Json* result = answer.find("result");
    return result != nullptr ? result->dump() : answer.dump();
  }

  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
  std::shared_ptr<Engine> engine_ = Engine::open(space_).value();
};

TEST_F(MinTrust, APathOfAFunctionalPredicateGoesAlongWhatHolds) {
  EXPECT_EQ(
      ask(R"(FIND(?x.name) WHERE { ({type: "Clerk", name: "Bea"}, "reports_to"{1,}, ?x) } ORDER BY ?x.name ASC)"),
      R"(["Ada","Dov"])");
  EXPECT_EQ(
      ask(R"(FIND(?x.name) WHERE { (?x, "reports_to"{1,}, {type: "Clerk", name: "Dov"}) } ORDER BY ?x.name ASC)"),
      R"(["Ada","Bea"])");
  EXPECT_EQ(
      ask(R"(FIND(?x.name) WHERE { (?x, "reports_to"{1,3}, {type: "Clerk", name: "Mallory"}) })"),
      "[]");
}

TEST_F(MinTrust, ReadsWhatIsTrusted) {
  const std::string clerks = R"(FIND(?x.name) WHERE { ?x {type: "Clerk"} } ORDER BY ?x.name ASC)";
  EXPECT_EQ(ask(clerks), R"(["Ada","Bea","Dov","Mallory"])");
  EXPECT_EQ(ask(clerks, "standard"), R"(["Ada","Bea","Dov"])");
  EXPECT_EQ(ask(R"(FIND(SUM(?x.attributes.desk)) WHERE { ?x {type: "Clerk"} })", "standard"), "1");
  EXPECT_EQ(ask(R"(FIND(?y.name) WHERE { (?x, "knows", ?y) })", "standard"), "[]");
  EXPECT_EQ(ask(clerks, "untrusted"), ask(clerks));
}

TEST_F(MinTrust, IsForReadingAndNamesALevel) {
  EXPECT_TRUE(has_error(run(R"(UPSERT { CONCEPT { {type: "Clerk", name: "New"} } })",
                            store::Trust::kOperator, "standard")));
  EXPECT_TRUE(
      has_error(run(R"(FIND(?x) WHERE { ?x {type: "Clerk"} })", store::Trust::kOperator, "much")));
}

// Nobody who is trusted less declares what the owner's predicate has room for.
TEST_F(MinTrust, ADefinitionIsOfWhoDefines) {
  tell(
      R"(UPSERT { CONCEPT { {type: "Clerk", name: "Ada"} SET PROPOSITIONS { ("knows", {type: "Clerk", name: "Bea"}) ("knows", {type: "Clerk", name: "Dov"}) } } })",
      store::Trust::kOperator);
  tell(
      R"(UPSERT { CONCEPT { {type: "$PropositionType", name: "knows"} SET ATTRIBUTES {functional: true} } })",
      store::Trust::kUntrusted);
  EXPECT_EQ(ask(R"(FIND(COUNT(?y)) WHERE { ({type: "Clerk", name: "Ada"}, "knows", ?y) })"), "3");
}

}  // namespace
}  // namespace anima::kip::min_trust_test
