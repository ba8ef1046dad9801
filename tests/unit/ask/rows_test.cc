// Rows and what they lead to: whose a value is, whom "who" means, and what an empty cell says. The
// conformance cases of data/ask_rows.json ask the same of files; here is what the answers say.
#include <gtest/gtest.h>

#include "support/question_domains.h"

namespace anima::ask::rows_test {
namespace {

using testing::Domain;
using testing::expect_asked;
using testing::expect_rows;
using testing::text_of;

Domain clinic() {
  Domain domain = testing::empty_domain();
  domain.options.now = parse_timestamp("2026-11-30T12:00:00Z").value();
  domain.write(R"kip(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Visit"} }
    CONCEPT { {type: "$ConceptType", name: "Doctor"} }
    CONCEPT { {type: "$ConceptType", name: "Patient"} }
    CONCEPT { {type: "$PropositionType", name: "doctor"} }
    CONCEPT { {type: "$PropositionType", name: "referred_by"} }
    CONCEPT { {type: "$PropositionType", name: "patient"} }
    CONCEPT ?b { {type: "Doctor", name: "Bo Lind"} SET ATTRIBUTES {city: "Graz"} }
    CONCEPT ?e { {type: "Doctor", name: "Eda Kurt"} SET ATTRIBUTES {city: "Linz"} }
    CONCEPT ?a { {type: "Patient", name: "Ada Moor"} SET ATTRIBUTES {city: "Linz", born: "1980-02-03"} }
    CONCEPT ?f { {type: "Patient", name: "Ben Fox"} SET ATTRIBUTES {city: "Graz", born: "1975-07-21"} }
    CONCEPT { {type: "Visit", name: "V1"} SET ATTRIBUTES {admitted: "2026-10-05", at: "9:30", city: "Graz", insured: true}
      SET PROPOSITIONS { ("patient", ?a) ("doctor", ?b) ("referred_by", ?e) } }
    CONCEPT { {type: "Visit", name: "V2"} SET ATTRIBUTES {admitted: "2026-10-05", at: "08:15", city: "Linz", insured: false}
      SET PROPOSITIONS { ("patient", ?f) ("doctor", ?e) ("referred_by", ?b) } }
    CONCEPT { {type: "Visit", name: "V3"} SET ATTRIBUTES {admitted: "2026-11-02", at: "10:00", city: "Linz"}
      SET PROPOSITIONS { ("patient", ?a) ("doctor", ?b) } }
  })kip");
  return domain;
}

TEST(Rows, ANameSaysWithNoWordInWhichColumnItStands) {
  Domain domain = clinic();
  expect_asked(domain, {"visits of Bo Lind", "Bo Lind's visits", "visits by Bo Lind",
                        "How many visits does Bo Lind have?"});
  expect_rows(domain, {{"visits per doctor", R"([["Bo Lind",2],["Eda Kurt",1]])"},
                       {"visits of the doctor Bo Lind", R"([["V1"],["V3"]])"},
                       {"visits referred by Bo Lind", R"([["V2"]])"},
                       {"Who is the doctor of V2?", R"([["Eda Kurt"]])"}});
}

// Whether it is said of the groups or of what is counted, it counts.
TEST(Rows, WhatStandsBehindAGroupIsNotPassedOver) {
  Domain domain = clinic();
  expect_rows(domain,
              {{"visits in Linz per doctor", R"([["Bo Lind",1],["Eda Kurt",1]])"},
               {"visits per patient in October 2026", R"([["Ada Moor",1],["Ben Fox",1]])"}});
  for (const char* question :
       {"visits per doctor in Graz", "visits per patient born before 1978",
        "visits per doctor except Bo Lind", "How many visits per patient not in Graz?",
        "for each doctor in Linz, the number of visits"}) {
    const Answer answer = domain.ask(question);
    EXPECT_LT(answer.rows.size(), 2u) << question << "\n" << answer.text;
  }
}

TEST(Rows, WhoAsksForPersons) {
  Domain domain = clinic();
  expect_asked(domain, {"Who was admitted last month?", "Who was admitted in November 2026?"});
  expect_rows(domain, {{"patients admitted last month", R"([["Ada Moor"],["Ben Fox"]])"},
                       {"What was admitted in November 2026?", R"([["V3"]])"},
                       {"Who was born in 1975?", R"([["Ben Fox"]])"}});
}

TEST(Rows, CodesAreNoPersons) {
  Domain domain = testing::empty_domain();
  domain.write(R"kip(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Parcel"} }
    CONCEPT { {type: "Parcel", name: "P1"} SET ATTRIBUTES {shipped: "2025-10-05", weight: 3} }
  })kip");
  const Answer answer = domain.ask("Who was shipped in 2025?");
  EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << answer.text;
  EXPECT_NE(answer.text.find("nothing says that a Parcel is a person"), std::string::npos)
      << answer.text;
  EXPECT_EQ(text_of(domain.ask("What was shipped in 2025?").rows), R"([["P1"]])");
}

TEST(Rows, AnEmptyCellIsNeitherYesNorNo) {
  Domain domain = clinic();
  const Answer answer = domain.ask("visits that are not insured");
  EXPECT_EQ(answer.text, "V2 (1 more without a value of insured.)");
  expect_rows(domain, {{"visits that are insured", R"([["V1"]])"},
                       {"How many visits are not insured?", "[[1]]"}});
}

TEST(Rows, TheRowsOwnColumnIsMeant) {
  Domain domain = clinic();
  expect_rows(domain, {{"visits of Ada Moor in Graz", R"([["V1"]])"},
                       {"visits of Ada Moor in 2026", R"([["V1"],["V3"]])"},
                       {"visits admitted in Linz in 2026", R"([["V2"],["V3"]])"},
                       {"visits of patients in Graz", R"([["V2"]])"},
                       {"visits of patients born in 1975", R"([["V2"]])"}});
}

TEST(Rows, ATimeOfTheDayOrdersThoseOfOneDay) {
  Domain domain = clinic();
  EXPECT_EQ(domain.ask("the first visit").text, "V2: 2026-10-05 (admitted)");
  EXPECT_EQ(domain.ask("visits before V1").status, AnswerStatus::kNotUnderstood);
  expect_rows(domain, {{"visits before V3", R"([["V1"],["V2"]])"}});
}

TEST(Rows, WhatSeveralAreCalledIsAskedAbout) {
  Domain domain = testing::empty_domain();
  domain.write(R"kip(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Car"} }
    CONCEPT { {type: "$ConceptType", name: "Book"} }
    CONCEPT { {type: "Car", name: "G1"} SET ATTRIBUTES {model: "Fiat 500", electric: false, price: 14} }
    CONCEPT { {type: "Car", name: "L2"} SET ATTRIBUTES {model: "Fiat 500", electric: true, price: 21} }
    CONCEPT { {type: "Car", name: "W3"} SET ATTRIBUTES {model: "Zoe", electric: true, price: 18} }
    CONCEPT { {type: "Book", name: "1984"} SET ATTRIBUTES {pages: 328} }
    CONCEPT { {type: "Book", name: "Dune"} SET ATTRIBUTES {pages: 612} }
    CONCEPT { {type: "Book", name: "Ulysses"} SET ATTRIBUTES {pages: 3000} }
  })kip");
  for (const char* question : {"Is the Fiat 500 electric?", "cars cheaper than the Fiat 500"}) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << question << "\n" << answer.text;
    EXPECT_NE(answer.text.find("2 are called so (G1, L2)"), std::string::npos) << answer.text;
  }
  expect_asked(domain, {"books longer than 1984"});
  expect_rows(domain, {{"Is the Zoe electric?", "[[true]]"},
                       {"cars cheaper than the Zoe", R"([["G1"]])"},
                       {"books with more pages than 1984", R"([["Dune"],["Ulysses"]])"},
                       {"books longer than 600 pages", R"([["Dune"],["Ulysses"]])"}});
}

}  // namespace
}  // namespace anima::ask::rows_test
