// What is not sure is asked back or refused with its reason: a word that is spelled like another, a
// name of which a part is known, a text that is compared with a number.
#include <gtest/gtest.h>

#include "support/question_domains.h"

namespace anima::ask {
namespace {

using testing::Domain;
using testing::text_of;

Domain cellar() {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Drink"} }
    CONCEPT { {type: "Drink", name: "Wine"} SET ATTRIBUTES {shelf: "left", price: 12, code: "7", size: "0.75"} }
    CONCEPT { {type: "Drink", name: "Café"} SET ATTRIBUTES {shelf: "right", price: 3, code: "100", size: "about 1"} }
    CONCEPT { {type: "Drink", name: "Juniper water"} SET ATTRIBUTES {shelf: "100", price: 5, code: "9"} }
  })");
  return domain;
}

Domain machines() {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Server"} }
    CONCEPT { {type: "Server", name: "web01"} SET ATTRIBUTES {port: 80} }
    CONCEPT { {type: "Server", name: "db-01"} SET ATTRIBUTES {port: 81} }
  })");
  return domain;
}

TEST(Doubt, AWordThatIsSpelledLikeAnotherIsAskedAbout) {
  Domain domain = cellar();
  for (const auto& [question, word, meant] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"What is the shelf of wife?", "wife", "Wine"},
           {"What is the prince of Wine?", "prince", "price"},
           {"price of juniper waiter", "waiter", "Juniper water"}}) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << question;
    EXPECT_EQ(answer.reason, "unknown_word") << question;
    EXPECT_EQ(answer.unknown, std::vector<std::string>{word}) << question;
    EXPECT_TRUE(answer.rows.empty()) << question;
    EXPECT_NE(answer.text.find("Did you mean \"" + meant + "\"?"), std::string::npos)
        << answer.text;
  }
}

TEST(Doubt, AYesAsksWhatWasMeant) {
  Domain domain = cellar();
  Conversation talk;
  domain.ask("What is the shelf of wife?", &talk);
  const Answer yes = domain.ask("Yes.", &talk);
  EXPECT_EQ(text_of(yes.rows), R"([["Wine","left"]])") << yes.to_json().dump();
  // Only the line behind the question answers it.
  domain.ask("What is the shelf of wife?", &talk);
  domain.ask("list the drinks", &talk);
  EXPECT_EQ(domain.ask("yes", &talk).status, AnswerStatus::kNotUnderstood);
}

TEST(Doubt, AnotherFormOfAWordIsThatWord) {
  Domain domain = cellar();
  EXPECT_EQ(text_of(domain.ask("shelf of cafe").rows), R"([["Café","right"]])");
  EXPECT_EQ(text_of(domain.ask("SHELF OF WINE").rows), R"([["Wine","left"]])");
  EXPECT_EQ(text_of(domain.ask("the prices of wine").rows), R"([["Wine",12]])");
}

TEST(Doubt, ANameWithAnotherNumberIsNoKnownWord) {
  Domain domain = machines();
  for (const char* name : {"web02", "db-02", "web2"}) {
    const Answer answer = domain.ask(std::string("What is the port of ") + name + "?");
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << name;
    EXPECT_EQ(answer.unknown, std::vector<std::string>{name}) << answer.to_json().dump();
    EXPECT_NE(answer.text.find(name), std::string::npos) << answer.text;
  }
  EXPECT_EQ(text_of(domain.ask("port of web01").rows), R"([["web01",80]])");
  EXPECT_EQ(text_of(domain.ask("port of db-01").rows), R"([["db-01",81]])");
}

TEST(Doubt, APartOfACodeIsNoName) {
  Domain domain = machines();
  for (const char* part : {"web", "db"}) {
    const Answer answer = domain.ask(std::string("port of ") + part);
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << answer.to_json().dump();
    EXPECT_EQ(answer.unknown, std::vector<std::string>{part});
  }
}

// A time is said of what has one, or the question is not answered.
TEST(Doubt, NoTimeIsLeftOut) {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Meeting"} }
    CONCEPT { {type: "$ConceptType", name: "Chair"} }
    CONCEPT { {type: "Meeting", name: "Alpha"} SET ATTRIBUTES {day: "2026-05-15", cost: 3} }
    CONCEPT { {type: "Meeting", name: "Delta"} SET ATTRIBUTES {day: "2026-05-22", cost: 4} }
    CONCEPT { {type: "Chair", name: "Stool"} SET ATTRIBUTES {legs: 3} }
  })");
  EXPECT_EQ(text_of(domain.ask("How many meetings last week?").rows), "[[1]]");
  EXPECT_EQ(text_of(domain.ask("total cost before 20 May 2026").rows), "[[3]]");
  EXPECT_EQ(text_of(domain.ask("average cost after 20 May 2026").rows), "[[4.0]]");
  EXPECT_EQ(text_of(domain.ask("meetings before 20 May 2026").rows), R"([["Alpha"]])");
  for (const char* question :
       {"how many chairs last week?", "chairs in 2019", "total legs in 2019"})
    EXPECT_EQ(domain.ask(question).status, AnswerStatus::kNotUnderstood) << question;
}

TEST(Doubt, AWordOfTheLanguageIsNoCode) {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Country"} }
    CONCEPT { {type: "Country", name: "Emirates"} SET ATTRIBUTES {code: "ARE", continent: "Asia"} }
    CONCEPT { {type: "Country", name: "India"} SET ATTRIBUTES {code: "IN", continent: "Asia"} }
  })");
  EXPECT_EQ(text_of(domain.ask("how many countries are in Asia?").rows), "[[2]]");
  EXPECT_EQ(text_of(domain.ask("which country has the code IN?").rows), R"([["India"]])");
}

TEST(Doubt, OfSeveralValuesEachIsFound) {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Person"} }
    CONCEPT { {type: "Person", name: "Ann"} SET ATTRIBUTES {language: ["Dutch", "French"], food: "rice, tea"} }
    CONCEPT { {type: "Person", name: "Bob"} SET ATTRIBUTES {language: ["Dutch"], food: "tea"} }
    CONCEPT { {type: "Person", name: "Cid"} SET ATTRIBUTES {language: ["French"], food: "rice"} }
  })");
  EXPECT_EQ(text_of(domain.ask("which people have the language French?").rows),
            R"([["Ann"],["Cid"]])");
  EXPECT_EQ(text_of(domain.ask("people without language French").rows), R"([["Bob"]])");
  EXPECT_EQ(text_of(domain.ask("people with food tea").rows), R"([["Ann"],["Bob"]])");
  EXPECT_EQ(domain.ask("how many people per language?").status, AnswerStatus::kNotUnderstood);
}

TEST(Doubt, TheBestOfEachGroupIsNoCountOfThem) {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Invoice"} }
    CONCEPT { {type: "Invoice", name: "A"} SET ATTRIBUTES {city: "Rome", amount: 1} }
    CONCEPT { {type: "Invoice", name: "B"} SET ATTRIBUTES {city: "Rome", amount: 5} }
    CONCEPT { {type: "Invoice", name: "C"} SET ATTRIBUTES {city: "Oslo", amount: 2} }
  })");
  EXPECT_EQ(text_of(domain.ask("largest invoice per city").rows),
            R"([["Oslo","C",2],["Rome","B",5]])");
  EXPECT_EQ(text_of(domain.ask("which city has the highest total amount?").rows),
            R"([["Rome",6]])");
  EXPECT_EQ(text_of(domain.ask("list the cities").rows), R"([["Oslo",1],["Rome",2]])");
  EXPECT_EQ(text_of(domain.ask("invoices over 1 amount").rows), R"([["B"],["C"]])");
  EXPECT_EQ(text_of(domain.ask("how many invoices are there in total?").rows), "[[3]]");
}

TEST(Doubt, TextsAreComparedWithANumberWhereAllOfThemAreNumbers) {
  Domain domain = cellar();
  EXPECT_EQ(text_of(domain.ask("drinks with a code over 8").rows),
            R"([["Café"],["Juniper water"]])");
  EXPECT_EQ(text_of(domain.ask("drinks with code below 8").rows), R"([["Wine"]])");
  EXPECT_EQ(text_of(domain.ask("drinks with a code between 8 and 50").rows),
            R"([["Juniper water"]])");
}

TEST(Doubt, WhatIsNoNumberIsComparedWithNone) {
  Domain domain = cellar();
  for (const char* question :
       {"drinks with a shelf over 100", "drinks with shelf under 100", "drinks over 100",
        "which drinks have a shelf above 100?", "drinks with a shelf higher than that of Wine"}) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << question << "\n"
                                                           << answer.to_json().dump();
  }
  const Answer answer = domain.ask("drinks with a size over 0.5");
  EXPECT_EQ(answer.reason, "no_fit") << answer.to_json().dump();
  EXPECT_NE(answer.text.find("size is text (\"about 1\")"), std::string::npos) << answer.text;
}

Domain purse() {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Expense"} }
    CONCEPT { {type: "Expense", name: "E1"} SET ATTRIBUTES {person: "Ines", amount: 12, peak_temp_c: 20, spent_on: "2026-03-01"} }
    CONCEPT { {type: "Expense", name: "E2"} SET ATTRIBUTES {person: "Jon", amount: 7, peak_temp_c: 21, spent_on: "2026-03-04"} }
    CONCEPT { {type: "Expense", name: "E3"} SET ATTRIBUTES {person: "Ines", amount: 30, peak_temp_c: 22, spent_on: "2026-04-02"} }
    CONCEPT { {type: "Expense", name: "Green bag"} SET ATTRIBUTES {person: "Mia", amount: 1, peak_temp_c: 23, spent_on: "2026-04-03"} }
  })");
  return domain;
}

TEST(Doubt, AShortFormOfAColumnIsAskedAbout) {
  Domain domain = purse();
  for (const char* question : {"What is the temperature of E2?", "What is the amt of E2?"}) {
    Conversation talk;
    const Answer answer = domain.ask(question, &talk);
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << question;
    EXPECT_TRUE(answer.rows.empty()) << question;
    EXPECT_NE(answer.text.find("Did you mean"), std::string::npos) << answer.text;
    EXPECT_EQ(domain.ask("yes", &talk).status, AnswerStatus::kAnswered) << answer.text;
  }
  EXPECT_EQ(domain.ask("What is the weather of E2?").text.find("Did you mean"), std::string::npos);
}

// Who stands in a row with an amount need not be who spent it.
TEST(Doubt, ASumOfWhoIsNotSaidToHaveMadeItIsOffered) {
  Domain domain = purse();
  for (const auto& [question, rows] : std::vector<std::pair<std::string, std::string>>{
           {"How much did Ines spend?", "[[42]]"},
           {"How much did Ines spend in March 2026?", "[[12]]"},
           {"How much did each person spend?", R"([["Ines",42],["Jon",7],["Mia",1]])"},
           {"Who spent the most?", R"([["Ines",42]])"},
           {"Who spent the most in March 2026?", R"([["Ines",12]])"},
           {"Who spent the least?", R"([["Mia",1]])"}}) {
    Conversation talk;
    const Answer answer = domain.ask(question, &talk);
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << question;
    EXPECT_TRUE(answer.rows.empty()) << question;
    EXPECT_EQ(text_of(domain.ask("yes", &talk).rows), rows) << question << "\n" << answer.text;
  }
}

TEST(Doubt, AWordThatIsOnlyAPartOfANameIsNamed) {
  Domain domain = purse();
  const Answer answer = domain.ask("Which expenses are green?");
  EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood);
  EXPECT_NE(answer.text.find("only a part of the name Green bag"), std::string::npos)
      << answer.text;
}

}  // namespace
}  // namespace anima::ask
