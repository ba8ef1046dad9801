// Questions about what held at a time, and about what changed since one.
#include <gtest/gtest.h>

#include <set>

#include "ask/ask.h"
#include "support/question_domains.h"

namespace anima::ask::held_time_test {
namespace {

using testing::Domain;

Domain mill() {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Mill"} }
    CONCEPT { {type: "$ConceptType", name: "Miller"} }
    CONCEPT { {type: "$PropositionType", name: "owner"} }
  })");
  domain.write(R"(UPSERT {
    CONCEPT ?a { {type: "Miller", name: "Ada Brook"} }
    CONCEPT ?b { {type: "Miller", name: "Ben Stone"} }
    CONCEPT ?c { {type: "Miller", name: "Cleo Hart"} }
    CONCEPT { {type: "Mill", name: "Old Mill"} SET PROPOSITIONS {
      ("owner", ?a) WITH METADATA {valid_from: "2024-01-01", valid_to: "2026-03-10"}
      ("owner", ?b) WITH METADATA {valid_from: "2026-03-10", valid_to: "2026-05-01"}
      ("owner", ?c) WITH METADATA {valid_from: "2026-05-01"} } }
  })");
  domain.options.now = parse_timestamp("2026-06-17T12:00:00Z").value();
  return domain;
}

// Another subject, other words: a sports club.
Domain club() {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Team"} }
    CONCEPT { {type: "$ConceptType", name: "Coach"} }
    CONCEPT { {type: "$PropositionType", name: "coaches"} }
  })");
  domain.write(R"(UPSERT {
    CONCEPT ?u { {type: "Team", name: "Under Twelve"} }
    CONCEPT ?w { {type: "Team", name: "First Women"} }
    CONCEPT { {type: "Coach", name: "Nora"} SET PROPOSITIONS {
      ("coaches", ?u) WITH METADATA {valid_from: "2025-08-01", valid_to: "2026-02-01"}
      ("coaches", ?w) WITH METADATA {valid_from: "2026-02-01"} } }
    CONCEPT { {type: "Coach", name: "Piet"} SET PROPOSITIONS {
      ("coaches", ?u) WITH METADATA {valid_from: "2026-02-01"} } }
  })");
  domain.options.now = parse_timestamp("2026-06-17T12:00:00Z").value();
  return domain;
}

void expect_names(Domain& domain, const std::string& question, const std::set<std::string>& names) {
  const Answer answer = domain.ask(question);
  EXPECT_EQ(to_string(answer.status), "answered") << question << "\n" << answer.to_json().dump();
  std::set<std::string> found;
  for (const JsonArray& row : answer.rows) found.insert(row[0].as_string());
  EXPECT_EQ(found, names) << question << "\n" << answer.to_json().dump();
}

TEST(HeldTime, TheOwnerInAMonth) {
  Domain domain = mill();
  expect_names(domain, "Who was the owner of Old Mill in February?", {"Ada Brook"});
  expect_names(domain, "Who was the owner of Old Mill in March?", {"Ada Brook", "Ben Stone"});
  expect_names(domain, "Who was the owner of the Old Mill in April 2026?", {"Ben Stone"});
  expect_names(domain, "In 2025, who was the owner of Old Mill?", {"Ada Brook"});
  expect_names(domain, "owner of Old Mill on 9 March 2026", {"Ada Brook"});
  expect_names(domain, "owner of Old Mill last month", {"Cleo Hart"});
  expect_names(domain, "Who was the owner of Old Mill in December?", {"Ada Brook"});
}

TEST(HeldTime, NowAndEver) {
  Domain domain = mill();
  expect_names(domain, "Who is the owner of Old Mill?", {"Cleo Hart"});
  expect_names(domain, "Who was the owner of Old Mill?", {"Ada Brook", "Ben Stone", "Cleo Hart"});
}

TEST(HeldTime, TheQueryCanBeRunByHand) {
  Domain domain = mill();
  const Answer answer = domain.ask("Who was the owner of Old Mill in April 2026?");
  const auto request = parse_json(answer.query);
  ASSERT_TRUE(request) << answer.query;
  kip::Caller caller;
  caller.readonly = true;
  const Json again = domain.engine->execute(*request, caller);
  EXPECT_NE(again.dump().find("Ben Stone"), std::string::npos) << again.dump();
  EXPECT_EQ(again.dump().find("Ada Brook"), std::string::npos) << again.dump();
}

TEST(HeldTime, AnotherDomain) {
  Domain domain = club();
  expect_names(domain, "Which team did Nora coach in November 2025?", {"Under Twelve"});
  expect_names(domain, "Who coached Under Twelve in January?", {"Nora"});
  expect_names(domain, "Who coaches Under Twelve?", {"Piet"});
  expect_names(domain, "which teams did Nora coach last year", {"Under Twelve"});
}

// Where each of them lived, one city at a time.
Domain moves() {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "City"} }
    CONCEPT { {type: "$ConceptType", name: "Tenant"} }
    CONCEPT { {type: "$PropositionType", name: "lives_in"} SET ATTRIBUTES {functional: true} }
  })");
  domain.write(R"(UPSERT {
    CONCEPT ?o { {type: "City", name: "Oslo"} }
    CONCEPT ?p { {type: "City", name: "Paris"} }
    CONCEPT ?r { {type: "City", name: "Rome"} }
    CONCEPT { {type: "Tenant", name: "Ada"} SET PROPOSITIONS {
      ("lives_in", ?p) WITH METADATA {valid_from: "2015-01-01", valid_to: "2019-06-01"}
      ("lives_in", ?o) WITH METADATA {valid_from: "2019-06-01", valid_to: "2021-01-01"}
      ("lives_in", ?r) WITH METADATA {valid_from: "2021-01-01"} } }
    CONCEPT { {type: "Tenant", name: "Ben"} SET PROPOSITIONS {
      ("lives_in", ?o) WITH METADATA {valid_from: "2012-01-01", valid_to: "2014-01-01"} } }
    CONCEPT { {type: "Tenant", name: "Cleo"} SET PROPOSITIONS { ("lives_in", ?o) } }
  })");
  domain.options.now = parse_timestamp("2026-06-17T12:00:00Z").value();
  return domain;
}

TEST(HeldTime, OfOneAtATimeAllThatATimeMeets) {
  Domain domain = moves();
  expect_names(domain, "Where did Ada live in 2019?", {"Oslo", "Paris"});
  expect_names(domain, "Where did Ada live in 2020?", {"Oslo"});
  expect_names(domain, "Where did Ada live in May 2019?", {"Paris"});
  expect_names(domain, "Where did Ada live before 2018?", {"Paris"});
  expect_names(domain, "Where does Ada live?", {"Rome"});
  expect_names(domain, "Where did Ada live?", {"Oslo", "Paris", "Rome"});
  const Answer answer = domain.ask("Where did Ada live in 2019?");
  EXPECT_EQ(answer.text, "Oslo (2019-06-01 to 2021-01-01); Paris (2015-01-01 to 2019-06-01)");
  EXPECT_TRUE(answer.contradictions.empty()) << answer.to_json().dump();
  EXPECT_NE(answer.proof.dump().find("\"valid_from\":\"2019-06-01\""), std::string::npos)
      << answer.proof.dump();
}

TEST(HeldTime, AVerbInThePastFindsWhatHasEnded) {
  Domain domain = moves();
  expect_names(domain, "Who lived in Oslo in 2019?", {"Ada", "Cleo"});
  expect_names(domain, "Who lived in Oslo in 2013?", {"Ben", "Cleo"});
  expect_names(domain, "Who lived in Oslo?", {"Ada", "Ben", "Cleo"});
  expect_names(domain, "Which tenants lived in Oslo?", {"Ada", "Ben", "Cleo"});
  expect_names(domain, "Who lives in Oslo?", {"Cleo"});
  const Answer rome = domain.ask("Who lived in Rome?");
  EXPECT_EQ(rome.text, "Ada (since 2021-01-01)");
}

TEST(HeldTime, AParticipleIsNoPast) {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Boat"} }
    CONCEPT { {type: "$ConceptType", name: "Skipper"} }
    CONCEPT { {type: "$PropositionType", name: "owned_by"} }
  })");
  domain.write(R"(UPSERT {
    CONCEPT ?u { {type: "Skipper", name: "Una"} }
    CONCEPT ?v { {type: "Skipper", name: "Vic"} }
    CONCEPT { {type: "Boat", name: "Gull"} SET PROPOSITIONS {
      ("owned_by", ?u) WITH METADATA {valid_to: "2020-01-01"}
      ("owned_by", ?v) WITH METADATA {valid_from: "2020-01-01"} } } })");
  expect_names(domain, "Who is Gull owned by?", {"Vic"});
  expect_names(domain, "boats owned by Vic", {"Gull"});
  EXPECT_EQ(to_string(domain.ask("boats owned by Una").status), "empty");
  expect_names(domain, "Who owned Gull?", {"Una", "Vic"});
  expect_names(domain, "Who owns Gull?", {"Vic"});
}

TEST(HeldTime, WhatChangedSinceADay) {
  Domain domain = mill();
  const Timestamp today = domain.space->snapshot()->entry(domain.steps[0]).time;
  domain.options.now = today;
  const Answer answer = domain.ask("What changed since yesterday?");
  EXPECT_EQ(to_string(answer.status), "answered") << answer.to_json().dump();
  EXPECT_NE(answer.to_json().dump().find("Old Mill owner Ada Brook"), std::string::npos)
      << answer.to_json().dump();
  EXPECT_EQ(to_string(domain.ask("what changed since Monday").status), "answered");
}

TEST(HeldTime, UpkeepIsOneLineBehindTheNews) {
  Domain domain = mill();
  domain.options.now = domain.space->snapshot()->entry(domain.steps[0]).time;
  ASSERT_TRUE(
      domain.engine
          ->execute("UPSERT { CONCEPT { {type: \"Person\", name: \"$system\"} SET ATTRIBUTES "
                    "{maintenance_log: [\"cycle 1\"], last_sleep_cycle: \"today\"} } CONCEPT { "
                    "{type: \"Person\", name: \"Ada Brook\"} SET PROPOSITIONS { "
                    "(\"belongs_to_domain\", {type: \"Domain\", name: \"Unsorted\"}) } } }",
                    Json::object())
          .find("result") != nullptr);
  const Answer answer = domain.ask("What changed since yesterday?");
  ASSERT_GT(answer.rows.size(), 1u);
  for (const JsonArray& row : answer.rows) {
    EXPECT_EQ(row[1].as_string().find("$system"), std::string::npos) << row[1].dump();
    EXPECT_EQ(row[1].as_string().find("belongs_to_domain"), std::string::npos) << row[1].dump();
  }
  EXPECT_EQ(answer.rows.back()[0].as_string(), "upkeep");
  EXPECT_NE(answer.rows.back()[1].as_string().find("statements came"), std::string::npos);
}

TEST(HeldTime, TheSchemaIsNoNews) {
  Domain domain = mill();
  domain.options.now = domain.space->snapshot()->entry(domain.steps[0]).time;
  for (const JsonArray& row : domain.ask("What changed since yesterday?").rows) {
    const std::string& line = row[1].as_string();
    EXPECT_EQ(line.find("CoreSchema"), std::string::npos) << line;
    EXPECT_EQ(line.find("$ConceptType"), std::string::npos) << line;
    EXPECT_EQ(line.find("is named"), std::string::npos) << line;
  }
  Domain empty = testing::empty_domain();
  empty.options.now = parse_timestamp("2099-01-02T12:00:00Z").value();
  const Answer nothing = empty.ask("What changed since yesterday?");
  EXPECT_TRUE(nothing.rows.empty());
  EXPECT_EQ(nothing.reading, "* (2099-01-01..)");
}

}  // namespace
}  // namespace anima::ask::held_time_test
