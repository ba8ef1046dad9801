// The verbs of what is named after a doer: "conductor" is asked for by "conducts" and "conducted".
#include <gtest/gtest.h>

#include "ask/lexicon/pack.h"
#include "support/question_domains.h"

namespace anima::ask::deeds_test {
namespace {

using testing::Domain;
using testing::rows_match;

Domain music() {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Orchestra"} }
    CONCEPT { {type: "$ConceptType", name: "Organ"} }
    CONCEPT { {type: "$ConceptType", name: "Piece"} }
    CONCEPT { {type: "$ConceptType", name: "Player"} }
    CONCEPT { {type: "$PropositionType", name: "tuner"} }
    CONCEPT { {type: "$PropositionType", name: "teacher"} } })");
  domain.write(R"(UPSERT {
    CONCEPT { {type: "Orchestra", name: "Lyra"} SET ATTRIBUTES {conductor: "Ana Voss", seats: 40} }
    CONCEPT { {type: "Orchestra", name: "Nova"} SET ATTRIBUTES {conductor: "Ben Oduya", seats: 62} }
    CONCEPT { {type: "Orchestra", name: "Aria"} SET ATTRIBUTES {conductor: "Ana Voss", seats: 25} }
    CONCEPT { {type: "Orchestra", name: "Echo"} SET ATTRIBUTES {seats: 31} }
    CONCEPT { {type: "Piece", name: "Tides"} SET ATTRIBUTES {author: "Mira Stahl", piece_winner: "Gold", sung_by: "Lena Roth"} }
    CONCEPT { {type: "Piece", name: "Embers"} SET ATTRIBUTES {author: "Ivo Kern", sung_by: "Otto Falk"} }
    CONCEPT { {type: "Player", name: "Kit"} }
    CONCEPT { {type: "Player", name: "Wen"} SET PROPOSITIONS { ("teacher", {type: "Player", name: "Kit"}) } }
    CONCEPT { {type: "Organ", name: "Great Organ"} SET ATTRIBUTES {supplier: "Harmonia", builder_name: "Ruiz", power: "strong"}
              SET PROPOSITIONS { ("tuner", {type: "Player", name: "Wen"}) } } })");
  return domain;
}

class Deeds : public ::testing::Test {
 protected:
  void expect(const std::string& question, std::string_view rows) {
    const Answer answer = domain_.ask(question);
    EXPECT_EQ(to_string(answer.status), "answered") << question << "\n" << answer.to_json().dump();
    EXPECT_TRUE(rows_match(parse_json(rows).value(), answer.rows, false))
        << question << "\n"
        << answer.to_json().dump();
  }

  Domain domain_ = music();
};

TEST_F(Deeds, WhoDoesItIsTheValue) {
  expect("Who conducts the Lyra?", R"([["Ana Voss"]])");
  expect("Who conducted the Nova?", R"([["Ben Oduya"]])");
  expect("Who is the Lyra conducted by?", R"([["Ana Voss"]])");
  expect("By whom is the Nova conducted?", R"([["Ben Oduya"]])");
  expect("Who has conducted the Lyra?", R"([["Ana Voss"]])");
}

TEST_F(Deeds, WhatIsDoneByWhom) {
  expect("Which orchestras does Ana Voss conduct?", R"([["Lyra"],["Aria"]])");
  expect("Which orchestras are conducted by Ana Voss?", R"([["Lyra"],["Aria"]])");
  expect("What does Ben Oduya conduct?", R"([["Nova"]])");
  expect("List the orchestras that Ana Voss conducts", R"([["Lyra"],["Aria"]])");
  expect("How many orchestras does Ana Voss conduct?", "[[2]]");
  expect("How many seats does the orchestra conducted by Ben Oduya have?", "[[62]]");
  expect("Which orchestras are conducted by nobody?", R"([["Echo"]])");
  expect("Does Ana Voss conduct the Nova?", "[[false]]");
  expect("Is the Lyra conducted by Ana Voss?", "[[true]]");
}

// What stands behind the second verb is said of both, and the first one is no "by anybody".
TEST_F(Deeds, TwoVerbsShareTheDoer) {
  domain_.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Job"} }
    CONCEPT { {type: "Job", name: "J1"} SET ATTRIBUTES {driver: "Gus", loaded_by: "Hal", started: "2026-01-05", ended: "2026-03-02"} }
    CONCEPT { {type: "Job", name: "J2"} SET ATTRIBUTES {driver: "Hal", loaded_by: "Gus", started: "2026-03-10"} }
    CONCEPT { {type: "Job", name: "J3"} SET ATTRIBUTES {driver: "Gus", loaded_by: "Gus", started: "2026-04-10"} }
    CONCEPT { {type: "Job", name: "J4"} SET ATTRIBUTES {driver: "Jo", started: "2026-01-12"} } })");
  expect("Which jobs were driven and loaded by Gus?", R"([["J3"]])");
  expect("Which jobs were loaded and driven by Gus?", R"([["J3"]])");
  expect("Which jobs were driven or loaded by Gus?", R"([["J1"],["J2"],["J3"]])");
  expect("Which jobs were neither driven nor loaded by Gus?", R"([["J4"]])");
  expect("Which jobs were driven but not loaded by Gus?", R"([["J1"]])");
  expect("Which jobs were not driven but loaded by Gus?", R"([["J2"]])");
  expect("Which jobs were driven or not loaded by Gus?", R"([["J1"],["J3"],["J4"]])");
  expect("How many jobs were driven and loaded by Gus?", "[[1]]");
  expect("Was J2 driven and loaded by Gus?", "[[false]]");
  expect("Which jobs did Gus drive but not load?", R"([["J1"]])");
  expect("Which jobs were started or ended in March 2026?", R"([["J1"],["J2"]])");
  expect("Was J3 started or ended in March 2026?", "[[false]]");
  expect("Which jobs were driven by Gus and loaded by Hal?", R"([["J1"]])");
  expect("Which jobs were driven and loaded?", R"([["J1"],["J2"],["J3"]])");
}

// What "not" is said of is clear before "but" and before another "not".
TEST_F(Deeds, NotBeforeTwoVerbsIsReadWhereItIsClear) {
  domain_.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Job"} }
    CONCEPT { {type: "Job", name: "J1"} SET ATTRIBUTES {driver: "Gus", loaded_by: "Hal"} }
    CONCEPT { {type: "Job", name: "J2"} SET ATTRIBUTES {driver: "Hal", loaded_by: "Gus"} }
    CONCEPT { {type: "Job", name: "J3"} SET ATTRIBUTES {driver: "Gus", loaded_by: "Gus"} } })");
  expect("Which jobs were not driven and not loaded by Hal?", R"([["J3"]])");
  for (const char* question : {"Which jobs were not driven and loaded by Gus?",
                               "Which jobs were not driven or not loaded and driven by Gus?"})
    EXPECT_NE(to_string(domain_.ask(question).status), "answered") << question;
}

TEST_F(Deeds, FormsOfTheLanguage) {
  expect("Who supplied the Great Organ?", R"([["Harmonia"]])");  // supplier, supply
  expect("Who built the Great Organ?", R"([["Ruiz"]])");         // builder_name, build
  expect("Who wrote Tides?", R"([["Mira Stahl"]])");             // author: a pair of the pack
  expect("Which piece was written by Ivo Kern?", R"([["Embers"]])");
  expect("What won Tides?", R"([["Gold"]])");                   // piece_winner of a Piece
  expect("Who is the singer of Tides?", R"([["Lena Roth"]])");  // sung_by
  expect("Who sang Embers?", R"([["Otto Falk"]])");
  expect("Which pieces does Lena Roth sing?", R"([["Tides"]])");
}

// A link named after the doer leads to the doer.
TEST_F(Deeds, LinksAreTurnedRound) {
  expect("Who tunes the Great Organ?", R"([["Wen"]])");
  expect("What does Wen tune?", R"([["Great Organ"]])");
  expect("Who teaches Wen?", R"([["Kit"]])");
  expect("Who taught Wen?", R"([["Kit"]])");
  expect("Who does Kit teach?", R"([["Wen"]])");
  expect("Who is taught by Kit?", R"([["Wen"]])");
}

TEST_F(Deeds, OtherWordsStayUnknown) {
  for (const char* question :
       {"Who composes the Lyra?", "Who seats the Lyra?", "Who conducts Berlin?"})
    EXPECT_NE(to_string(domain_.ask(question).status), "answered") << question;
}

TEST(Doers, BothDirections) {
  const auto pack = Pack::load("en").value();
  const auto has = [](const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  for (const auto& [doer, verb] :
       std::vector<std::pair<std::string, std::string>>{{"owner", "owns"},
                                                        {"manager", "managed"},
                                                        {"driver", "drove"},
                                                        {"leader", "led"},
                                                        {"carrier", "carries"},
                                                        {"operator", "operates"},
                                                        {"runner", "ran"},
                                                        {"publisher", "publishes"},
                                                        {"processor", "processes"},
                                                        {"author", "written"}})
    EXPECT_TRUE(has(pack->deeds(doer), pack->stem(verb))) << doer;
  EXPECT_TRUE(has(pack->doers(pack->stem("supply")), "supplier"));
  EXPECT_TRUE(has(pack->doers(pack->stem("ran")), "runner"));
  EXPECT_TRUE(pack->deeds("port").empty());
}

}  // namespace
}  // namespace anima::ask::deeds_test
