// Links that hold for a time, and queries for what held then.
#include <gtest/gtest.h>

#include "kip/engine.h"

namespace anima::kip::valid_at_test {
namespace {

class ValidAt : public ::testing::Test {
 protected:
  void SetUp() override {
    tell(
        "UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"House\"} } CONCEPT { {type: "
        "\"$PropositionType\", name: \"owned_by\"} } CONCEPT { {type: \"$PropositionType\", name: "
        "\"knows\"} } }");
    tell(
        "UPSERT { CONCEPT ?a { {type: \"Person\", name: \"Ada\"} } CONCEPT ?b { {type: \"Person\", "
        "name: \"Ben\"} SET PROPOSITIONS { (\"knows\", ?a) } } CONCEPT { {type: \"House\", name: "
        "\"Mill\"} SET PROPOSITIONS { (\"owned_by\", ?a) WITH METADATA {valid_from: "
        "\"2025-01-01\", "
        "valid_to: \"2026-03-10T12:00:00+01:00\"} (\"owned_by\", ?b) WITH METADATA {valid_from: "
        "\"2026-03-10T11:00:00Z\"} } } }");
  }
  Json tell(std::string_view command) { return ask(command, Json()); }
  Json ask(std::string_view command, const Json& valid_at) {
    Json request = Json::object({{"command", command}});
    if (!valid_at.is_null()) request.set("valid_at", valid_at);
    Caller caller;
    caller.origin.trust = store::Trust::kStandard;
    const Json answer = engine_->execute(request, caller);
    const Json* result = answer.find("result");
    return result == nullptr ? answer : *result;
  }
  std::string owners(const char* time) {
    return ask("FIND(?p.name) WHERE { ({name: \"Mill\"}, \"owned_by\", ?p) } ORDER BY ?p.name ASC",
               time == nullptr ? Json() : Json(time))
        .dump();
  }

  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
  std::shared_ptr<Engine> engine_ = Engine::open(space_).value();
};

TEST_F(ValidAt, TheOwnerInMarch) {
  EXPECT_EQ(owners(nullptr), "[\"Ben\"]");  // by the clock
  EXPECT_EQ(owners("any"), "[\"Ada\",\"Ben\"]");
  EXPECT_EQ(owners("2024-12-31"), "[]");
  EXPECT_EQ(owners("2025-01-01"), "[\"Ada\"]");
  EXPECT_EQ(owners("2026-03-10T10:59:59Z"), "[\"Ada\"]");
  EXPECT_EQ(owners("2026-03-10T11:00:00Z"), "[\"Ben\"]");  // the end is not in it
  EXPECT_EQ(owners("2030-01-01"), "[\"Ben\"]");
}

TEST_F(ValidAt, WhatIsNoTimeIsRefusedWithWords) {
  for (const char* said : {"valid_to: \"soon\"", "valid_from: \"2026\"", "valid_to: 2026"}) {
    for (const std::string& command :
         {"UPSERT { CONCEPT { {type: \"House\", name: \"Mill\"} SET PROPOSITIONS { (\"owned_by\", "
          "{type: \"Person\", name: \"Ada\"}) WITH METADATA {" +
              std::string(said) + "} } } }",
          "UPSERT { CONCEPT { {type: \"House\", name: \"Barn\"} SET PROPOSITIONS { (\"owned_by\", "
          "{type: \"Person\", name: \"Ada\"}) WITH METADATA {" +
              std::string(said) + "} } } }",
          "UPDATE ?l SET METADATA {" + std::string(said) +
              "} WHERE { ?l ({name: \"Mill\"}, \"owned_by\", ?p) }"}) {
      const std::string answer = tell(command).dump();
      EXPECT_NE(answer.find("must be a time"), std::string::npos) << command << answer;
    }
  }
  EXPECT_EQ(owners(nullptr), "[\"Ben\"]");
}

// Of two that are one, each link keeps its times, and none ends what holds.
TEST_F(ValidAt, AMergeKeepsTheTimesOfBoth) {
  for (const auto& [twin, link] : {std::pair{"Adah",
                                             "valid_from: \"2010-01-01\", valid_to: "
                                             "\"2015-01-01\""},
                                   std::pair{"Benn", "valid_to: \"2012-01-01\""}}) {
    const std::string name = twin;
    const Json told = tell("UPSERT { CONCEPT ?t { {type: \"Person\", name: \"" + name +
                           "\"} } CONCEPT { {type: \"House\", name: \"Mill\"} SET PROPOSITIONS { "
                           "(\"owned_by\", ?t) WITH METADATA {" +
                           std::string(link) + "} } } }");
    const Json merged =
        tell("MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: \"Person\", name: \"" + name +
             "\"} ?b {type: \"Person\", name: \"" + name.substr(0, 3) + "\"} }");
    EXPECT_EQ(merged.dump().find("error"), std::string::npos) << merged.dump() << told.dump();
  }
  EXPECT_EQ(owners(nullptr), "[\"Ben\"]");
  EXPECT_EQ(owners("2013-01-01"), "[\"Ada\"]");
  EXPECT_EQ(owners("2020-01-01"), "[]");
  EXPECT_EQ(owners("2025-06-01"), "[\"Ada\"]");
  EXPECT_EQ(owners("2011-01-01"), "[\"Ada\",\"Ben\"]");
}

TEST_F(ValidAt, TheTimesBeforeAReturnCount) {
  const Json told = tell(
      "UPDATE ?l SET METADATA {held_before: \"2010-01-01/2015-01-01\"} WHERE { ?l ({name: "
      "\"Mill\"}, "
      "\"owned_by\", {name: \"Ben\"}) }");
  EXPECT_EQ(owners("2012-06-01"), "[\"Ben\"]") << told.dump();
  EXPECT_EQ(owners("2015-01-01"), "[]");
  EXPECT_EQ(owners("2025-06-01"), "[\"Ada\"]");
  EXPECT_EQ(owners(nullptr), "[\"Ben\"]");
}

TEST_F(ValidAt, InBlocksNamedLinksAndLinksAboutLinks) {
  EXPECT_EQ(
      ask("FIND(?p.name) WHERE { ?p {type: \"Person\"} NOT { (?h, \"owned_by\", ?p) } NOT { ?p "
          "{name: \"$self\"} } NOT { ?p {name: \"$system\"} } }",
          "2026-01-01")
          .dump(),
      "[\"Ben\"]");
  EXPECT_EQ(ask("FIND(?p.name, ?l.metadata.valid_from) WHERE { ?l (?h, \"owned_by\", ?p) (?p, "
                "\"knows\", ?q) }",
                "2027-01-01")
                .dump(),
            "[[\"Ben\"],[\"2026-03-10T11:00:00Z\"]]");
  EXPECT_EQ(
      ask("FIND(?p.name) WHERE { ({name: \"Mill\"}, \"owned_by\" | \"knows\", ?p) }", "2025-06-01")
          .dump(),
      "[\"Ada\"]");
  EXPECT_EQ(
      ask("FIND(COUNT(?q)) WHERE { OPTIONAL { (?h, \"owned_by\", ?q) } }", "2024-01-01").dump(),
      "0");
}

TEST_F(ValidAt, InAStretchOfTime) {
  const auto owners_in = [&](const char* from, const char* until) {
    Json request = Json::object(
        {{"command",
          "FIND(?p.name) WHERE { ({name: \"Mill\"}, \"owned_by\", ?p) } ORDER BY ?p.name ASC"},
         {"valid_at", from},
         {"valid_until", until}});
    const Json answer = engine_->execute(request, Caller{});
    const Json* result = answer.find("result");
    return result == nullptr ? std::string("error") : result->dump();
  };
  EXPECT_EQ(owners_in("2026-03-01", "2026-04-01"), "[\"Ada\",\"Ben\"]");
  EXPECT_EQ(owners_in("2026-02-01", "2026-03-01"), "[\"Ada\"]");
  EXPECT_EQ(owners_in("2024-01-01", "2025-01-01"), "[]");  // the end is not in it
  EXPECT_EQ(owners_in("2026-04-01", "2026-03-01"), "error");
}

TEST_F(ValidAt, WhatIsRefused) {
  EXPECT_NE(ask("FIND(?p) WHERE { ?p {type: \"Person\"} }", "soon").find("error"), nullptr);
}

TEST_F(ValidAt, APathGoesAlongWhatHoldsThen) {
  const auto reached = [&](const char* time) {
    return ask("FIND(?p.name) WHERE { ({name: \"Mill\"}, \"owned_by\"{1,}, ?p) }", time).dump();
  };
  EXPECT_EQ(reached("2026-01-01"), "[\"Ada\"]");
  EXPECT_EQ(reached("2027-01-01"), "[\"Ben\"]");
  EXPECT_EQ(reached("2020-01-01"), "[]");
}

}  // namespace
}  // namespace anima::kip::valid_at_test
