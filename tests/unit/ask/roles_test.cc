// Roles of rows: whom several roles are named for, whose a time is, and what a number below 0 says.
// The conformance cases of data/ask_roles.json ask the same of files; here is what is asked back.
#include <gtest/gtest.h>

#include "support/question_domains.h"

namespace anima::ask::roles_test {
namespace {

using testing::Domain;
using testing::expect_asked;
using testing::expect_rows;

Domain ferries() {
  Domain domain = testing::empty_domain();
  domain.options.now = parse_timestamp("2026-11-30T12:00:00Z").value();
  domain.write(R"kip(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Sailing"} }
    CONCEPT { {type: "$ConceptType", name: "Sailor"} }
    CONCEPT { {type: "$PropositionType", name: "captain"} }
    CONCEPT { {type: "$PropositionType", name: "mate"} }
    CONCEPT ?a { {type: "Sailor", name: "Ada Lund"} SET ATTRIBUTES {hired: "2019-04-01", home: "Bergen"} }
    CONCEPT ?b { {type: "Sailor", name: "Bo Vik"} SET ATTRIBUTES {hired: "2025-02-01", home: "Oslo"} }
    CONCEPT ?c { {type: "Sailor", name: "Cam Aas"} SET ATTRIBUTES {hired: "2024-06-15", home: "Bergen"} }
    CONCEPT { {type: "Sailing", name: "S1"} SET ATTRIBUTES {sailed: "2025-06-01", leaves: "9:30", delay_min: 5}
      SET PROPOSITIONS { ("captain", ?a) ("mate", ?b) } }
    CONCEPT { {type: "Sailing", name: "S2"} SET ATTRIBUTES {sailed: "2024-06-02", leaves: "08:15", delay_min: -3}
      SET PROPOSITIONS { ("captain", ?b) ("mate", ?a) } }
    CONCEPT { {type: "Sailing", name: "S3"} SET ATTRIBUTES {sailed: "2023-06-03", leaves: "17:00"}
      SET PROPOSITIONS { ("captain", ?c) ("mate", ?b) } }
  })kip");
  return domain;
}

TEST(Roles, ANameBelongsToEachOfThem) {
  Domain domain = ferries();
  expect_rows(domain,
              {{"sailings with Ada Lund as captain or mate", R"([["S1"],["S2"]])"},
               {"sailings with the captain or mate Cam Aas", R"([["S3"]])"},
               {"sailings with Bo Vik as captain and mate", "[]"},
               {"sailings without Ada Lund as captain or mate", R"([["S3"]])"},
               {"Who is captain or mate of S3?", R"([["Bo Vik"],["Cam Aas"]])"},
               {"Who are the captain and the mate of S1?", R"([["Ada Lund"],["Bo Vik"]])"}});
  // "A mate" beside "as captain" may be any, and so may the captain beside "the mate Cam Aas".
  expect_asked(domain, {"sailings with Ada Lund as captain or a mate",
                        "sailings with a captain or the mate Ada Lund"});
}

TEST(Roles, SoDoesWhoDidSeveralThings) {
  Domain domain = testing::empty_domain();
  domain.write(R"kip(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Loan"} }
    CONCEPT { {type: "$ConceptType", name: "Clerk"} }
    CONCEPT { {type: "$PropositionType", name: "approved_by"} }
    CONCEPT { {type: "$PropositionType", name: "checked_by"} }
    CONCEPT ?a { {type: "Clerk", name: "Ada"} }
    CONCEPT ?b { {type: "Clerk", name: "Ben"} }
    CONCEPT { {type: "Loan", name: "L1"} SET PROPOSITIONS { ("approved_by", ?a) ("checked_by", ?b) } }
    CONCEPT { {type: "Loan", name: "L2"} SET PROPOSITIONS { ("approved_by", ?b) ("checked_by", ?b) } }
    CONCEPT { {type: "Loan", name: "L3"} SET PROPOSITIONS { ("approved_by", ?b) ("checked_by", ?a) } }
  })kip");
  expect_rows(domain, {{"loans approved or checked by Ada", R"([["L1"],["L3"]])"},
                       {"loans that were approved or checked by Ada", R"([["L1"],["L3"]])"},
                       {"Which loans are checked and approved by Ben?", R"([["L2"]])"}});
}

TEST(Roles, TheirTimeMayBeThatOfTheRow) {
  Domain domain = ferries();
  expect_asked(domain, {"Who was captain in 2025?", "captains in 2024"});
  expect_rows(domain, {{"Who was captain in 2023?", R"([["Cam Aas"]])"},
                       {"captains hired in 2025", R"([["Bo Vik"]])"},
                       {"sailings with a captain in 2023", R"([["S3"]])"},
                       {"sailings per captain in 2025", R"([["Ada Lund",1]])"}});
}

TEST(Roles, WhatIsBelowZeroIsNoDelay) {
  Domain domain = ferries();
  expect_asked(domain, {"Which sailings had a delay?", "sailings with a delay",
                        "Which sailings had no delay?", "sailings without delay"});
  expect_rows(domain, {{"sailings with a delay above 0", R"([["S1"]])"}});
}

TEST(Roles, ATimeOfDayNamesItsColumn) {
  Domain domain = ferries();
  expect_rows(domain, {{"sailings before 09:00", R"([["S2"]])"},
                       {"sailings that leave after 9:00", R"([["S1"],["S3"]])"},
                       {"How many sailings leave between 08:00 and 10:00?", "[[2]]"},
                       {"sailings after 17:00", "[]"}});
  EXPECT_EQ(domain.ask("sailings that leave after 9").status, AnswerStatus::kNotUnderstood);
}

TEST(Roles, ManyAreCountedBeforeTheQuery) {
  Domain domain = testing::empty_domain();
  domain.write(R"kip(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Ship"} }
    CONCEPT { {type: "$ConceptType", name: "Port"} }
    CONCEPT { {type: "$PropositionType", name: "port"} }
    CONCEPT ?a { {type: "Port", name: "Bari"} }
    CONCEPT ?b { {type: "Port", name: "Koper"} }
    CONCEPT { {type: "Ship", name: "N1"} SET PROPOSITIONS { ("port", ?a) } }
    CONCEPT { {type: "Ship", name: "N2"} SET PROPOSITIONS { ("port", ?a) } }
    CONCEPT { {type: "Ship", name: "N3"} SET PROPOSITIONS { ("port", ?a) } }
    CONCEPT { {type: "Ship", name: "N4"} SET PROPOSITIONS { ("port", ?b) } }
  })kip");
  expect_rows(domain, {{"Which ports have exactly 3 ships?", R"([["Bari"]])"},
                       {"How many ports have exactly 3 ships?", "[[1]]"},
                       {"How many ports have fewer than 3 ships?", "[[1]]"},
                       {"How many ports have at least 4 ships?", "[[0]]"}});
}

}  // namespace
}  // namespace anima::ask::roles_test
