// What a question says of a value fits what the attribute is, or the question is refused with the
// reason, or asked back: units, codes, times of day, names that several things have.
#include <gtest/gtest.h>

#include "support/question_domains.h"

namespace anima::ask::fitting_test {
namespace {

using testing::Domain;

std::string text_of(const std::vector<JsonArray>& rows) {
  JsonArray all;
  for (const JsonArray& row : rows) all.push_back(row);
  return Json(std::move(all)).dump();
}

Domain films() {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Film"} }
    CONCEPT { {type: "Film", name: "Ant"} SET ATTRIBUTES {length_s: 200, price_eur: 72, votes: 72, size_mb: 2020, rate: "5%"} }
    CONCEPT { {type: "Film", name: "Bee"} SET ATTRIBUTES {length_s: 240, price_eur: 10.5, votes: 100, size_mb: 100, rate: "19%"} }
    CONCEPT { {type: "Film", name: "Cat"} SET ATTRIBUTES {length_s: 300, price_eur: 80, votes: 90000, size_mb: 4000, rate: "7 %"} }
  })");
  return domain;
}

TEST(Fitting, AUnitIsConverted) {
  Domain domain = films();
  for (const auto& [question, rows] : std::vector<std::pair<std::string, std::string>>{
           {"films longer than 4 minutes", R"([["Cat"]])"},
           {"films longer than 240 seconds", R"([["Cat"]])"},
           {"films shorter than 0.06 hours", R"([["Ant"]])"},
           {"films with a length between 4 and 5 minutes", R"([["Bee"],["Cat"]])"},
           {"films with a length of 4 minutes", R"([["Bee"]])"},
           {"films with a price under 11 EUR", R"([["Bee"]])"},
           {"films with a price under €11", R"([["Bee"]])"},
           {"films with a price < 11", R"([["Bee"]])"},
           {"films with a price >= 72", R"([["Ant"],["Cat"]])"},
           {"films with a size over 3 GB", R"([["Cat"]])"},
           {"films with a rate over 6%", R"([["Bee"],["Cat"]])"},
           {"films with a rate of 5%", R"([["Ant"]])"}}) {
    EXPECT_EQ(text_of(domain.ask(question).rows), rows) << question << "\n"
                                                        << domain.ask(question).text;
  }
}

TEST(Fitting, AUnitThatTheAttributeHasNotIsRefused) {
  Domain domain = films();
  for (const auto& [question, why] : std::vector<std::pair<std::string, std::string>>{
           {"films with a price under 11 USD", "price_eur is in eur, and the question says usd"},
           {"films with a price under $11", "price_eur is in eur, and the question says $"},
           {"films longer than 4 km", "length_s is in s, and the question says km"},
           {"films with votes over 80 EUR", "nothing says in what votes is counted"},
           {"films with votes over 80%", "nothing says in what votes is counted"}}) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << question << "\n" << answer.text;
    EXPECT_EQ(answer.reason, "no_fit") << question;
    EXPECT_NE(answer.text.find(why), std::string::npos) << answer.text;
  }
}

TEST(Fitting, ANumberThatMayBeAnotherIsAskedBackWhereThatMatters) {
  Domain domain = films();
  const Answer point = domain.ask("films with votes over 72.000");
  EXPECT_EQ(point.status, AnswerStatus::kAmbiguous) << point.text;
  EXPECT_EQ(point.readings.size(), 2u);
  EXPECT_EQ(domain.ask("films with votes of 72.000").status, AnswerStatus::kAmbiguous);
  EXPECT_EQ(domain.ask("films with a size over 2 GB").text,
            "That can be read in 2 ways: Film [size_mb > 2000]; Film [size_mb > 2048].");
  EXPECT_EQ(text_of(domain.ask("films with a size over 72.000").rows), "[]");
}

TEST(Fitting, ANumberBehindOverIsNoYear) {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Invoice"} }
    CONCEPT { {type: "Invoice", name: "A"} SET ATTRIBUTES {issued: "2000-01-05", price: 2500} }
  })");
  for (const char* question : {"invoices over 2000", "invoices above 2000", "invoices under 2000"})
    EXPECT_EQ(domain.ask(question).status, AnswerStatus::kNotUnderstood) << question;
  EXPECT_EQ(text_of(domain.ask("invoices from 2000").rows), R"([["A"]])");
  EXPECT_EQ(text_of(domain.ask("invoices with a price over 2000").rows), R"([["A"]])");
}

TEST(Fitting, CodesThatLookLikeNumbersHaveNoOrder) {
  Domain domain = testing::empty_domain();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Host"} }
    CONCEPT { {type: "Host", name: "a"} SET ATTRIBUTES {version: "12.1", people: "1.234"} }
    CONCEPT { {type: "Host", name: "b"} SET ATTRIBUTES {version: "12.10", people: "72.000"} }
    CONCEPT { {type: "Host", name: "c"} SET ATTRIBUTES {version: "11.9", people: "3.500"} }
  })");
  EXPECT_EQ(text_of(domain.ask("hosts with version 12.1").rows), R"([["a"]])");
  EXPECT_EQ(text_of(domain.ask("hosts with version 12.10").rows), R"([["b"]])");
  for (const char* question : {"hosts with a version above 12", "hosts with a people over 50"}) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << question;
    EXPECT_NE(answer.text.find("has codes like"), std::string::npos) << answer.text;
  }
}

Domain meetings() {
  Domain domain = testing::empty_domain();
  domain.options.now = parse_timestamp("2026-11-30T12:00:00Z").value();
  domain.write(R"(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Meeting"} }
    CONCEPT { {type: "$ConceptType", name: "Task"} }
    CONCEPT { {type: "Meeting", name: "m1"} SET ATTRIBUTES {starts: "2026-11-30T08:30:00Z"} }
    CONCEPT { {type: "Meeting", name: "m2"} SET ATTRIBUTES {starts: "2026-11-30T10:00:00Z"} }
    CONCEPT { {type: "Meeting", name: "m3"} SET ATTRIBUTES {starts: "2026-11-30T15:00:00Z"} }
    CONCEPT { {type: "Meeting", name: "m4"} SET ATTRIBUTES {starts: "2026-11-27T15:00:00Z"} }
    CONCEPT { {type: "Meeting", name: "m5"} SET ATTRIBUTES {starts: "2026-12-04T15:00:00Z"} }
    CONCEPT { {type: "Task", name: "t1"} SET ATTRIBUTES {due: "2026-11-27", backup: "2026-06-01"} }
    CONCEPT { {type: "Task", name: "t2"} SET ATTRIBUTES {due: "2026-12-04", backup: "2026-02-01"} }
    CONCEPT { {type: "Task", name: "t3"} SET ATTRIBUTES {due: "2026-12-05"} }
  })");
  return domain;
}

TEST(Fitting, HoursAreToldFromTimesOfDay) {
  Domain domain = meetings();
  for (const auto& [question, rows] : std::vector<std::pair<std::string, std::string>>{
           {"meetings this morning", R"([["m1"],["m2"]])"},
           {"meetings in the last 2 hours", R"([["m2"]])"},
           {"meetings this afternoon", R"([["m3"]])"},
           {"meetings today", R"([["m1"],["m2"],["m3"]])"},
           {"meetings this Friday", R"([["m5"]])"},
           {"meetings last Friday", R"([["m4"]])"}})
    EXPECT_EQ(text_of(domain.ask(question).rows), rows) << question;
  for (const char* question : {"tasks due this morning", "tasks due in the last 2 hours"}) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << question;
    EXPECT_NE(answer.text.find("due has days and no times of day"), std::string::npos)
        << answer.text;
  }
}

TEST(Fitting, AWeekdayThatMayBeTwoIsAskedBack) {
  Domain domain = meetings();
  EXPECT_EQ(domain.ask("meetings on Friday").status, AnswerStatus::kAmbiguous);
  EXPECT_EQ(text_of(domain.ask("Which meetings were on Friday?").rows), R"([["m4"]])");
  EXPECT_EQ(domain.ask("tasks by Friday").status, AnswerStatus::kAmbiguous);
  EXPECT_EQ(text_of(domain.ask("tasks due by 2026-12-04").rows), R"([["t1"],["t2"]])");
}

TEST(Fitting, TwoTimesOfOneAttributeAreRefused) {
  Domain domain = meetings();
  const Answer answer = domain.ask("tasks due last week of May 2025");
  EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << answer.text;
  EXPECT_NE(answer.text.find("two times at once"), std::string::npos) << answer.text;
}

TEST(Fitting, WhatHasNoneSinceThenIsFound) {
  Domain domain = meetings();
  EXPECT_EQ(text_of(domain.ask("tasks with no backup since May 2026").rows), R"([["t2"],["t3"]])");
}

Domain staff() {
  Domain domain = testing::empty_domain();
  domain.write(R"kip(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Person"} }
    CONCEPT { {type: "$PropositionType", name: "manager"} }
    CONCEPT { {type: "$ConceptType", name: "Host"} }
    CONCEPT { {type: "$PropositionType", name: "owner"} }
    CONCEPT ?a { {type: "Person", name: "Ana"} SET ATTRIBUTES {pay: 9} }
    CONCEPT ?k { {type: "Person", name: "Kai"} SET ATTRIBUTES {pay: 6} SET PROPOSITIONS { ("manager", ?a) } }
    CONCEPT ?t { {type: "Person", name: "Tom Smith"} SET ATTRIBUTES {pay: 6} SET PROPOSITIONS { ("manager", ?k) } }
    CONCEPT { {type: "Person", name: "Tom Smith (4)"} SET ATTRIBUTES {pay: 5, phone: 114} SET PROPOSITIONS { ("manager", ?k) } }
    CONCEPT { {type: "Host", name: "web01"} SET PROPOSITIONS { ("owner", ?a) } }
    CONCEPT { {type: "Host", name: "web02"} SET PROPOSITIONS { ("owner", ?k) } }
    CONCEPT { {type: "Host", name: "db01"} SET PROPOSITIONS { ("owner", ?a) } }
  })kip");
  return domain;
}

TEST(Fitting, ThingsThatShareANameAreAskedAbout) {
  Domain domain = staff();
  for (const char* question : {"What is the phone of Tom Smith?", "What is Tom Smith's pay?",
                               "Does Tom Smith have a phone?"}) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(answer.status, AnswerStatus::kAmbiguous) << question << "\n" << answer.text;
    EXPECT_NE(answer.text.find("Tom Smith (4)"), std::string::npos) << answer.text;
  }
  EXPECT_EQ(text_of(domain.ask("Who is the manager of Tom Smith?").rows), R"([["Kai"]])");
  EXPECT_EQ(text_of(domain.ask("pay of Tom Smith (4)").rows), R"_([["Tom Smith (4)",5]])_");
}

TEST(Fitting, ARoleIsNotTurnedRound) {
  Domain domain = staff();
  for (const auto& [question, rows] : std::vector<std::pair<std::string, std::string>>{
           {"Which people are managers?", R"([["Ana"],["Kai"]])"},
           {"Is Kai managed?", "[[true]]"},
           {"Is Ana managed?", "[[false]]"},
           {"Is Ana managing Kai?", "[[true]]"},
           {"Is Kai managed by Ana?", "[[true]]"},
           {"Is Kai a manager?", "[[true]]"},
           {"Who manages Kai?", R"([["Ana"]])"}})
    EXPECT_EQ(text_of(domain.ask(question).rows), rows) << question;
}

TEST(Fitting, WhereNobodyOwnsBothTheOwnerOfEachIsTold) {
  Domain domain = staff();
  EXPECT_EQ(text_of(domain.ask("Who owns web01 and web02?").rows),
            R"([["web01","Ana"],["web02","Kai"]])");
  EXPECT_EQ(text_of(domain.ask("Who owns web01 and db01?").rows), R"([["Ana"]])");
}

TEST(Fitting, WhatIsAskedOfTwoHoldsOfBoth) {
  Domain domain = staff();
  for (const auto& [question, rows] : std::vector<std::pair<std::string, std::string>>{
           {"Is web01 and web02 owned by Ana?", "[[false]]"},
           {"Are web01 and db01 owned by Ana?", "[[true]]"},
           {"Are web01 or web02 owned by Ana?", "[[true]]"},
           {"Does Ana own web01 and web02?", "[[false]]"}})
    EXPECT_EQ(text_of(domain.ask(question).rows), rows) << question;
}

TEST(Fitting, EveryoneIsNotSomebody) {
  Domain domain = staff();
  for (const char* question : {"Does Ana manage everyone?", "Does everyone have a manager?",
                               "Does everybody have a phone?", "Who manages everyone?"}) {
    const Answer answer = domain.ask(question);
    const std::string rows = text_of(answer.rows);
    EXPECT_TRUE(answer.status != AnswerStatus::kAnswered || rows == "[[false]]" || rows == "[]")
        << question << "\n"
        << rows;
  }
}

TEST(Fitting, BothAreMeantByBoth) {
  Domain domain = staff();
  for (const char* question :
       {"Is Kai managed by both Ana and Tom Smith (4)?", "Who is managed by both Ana and Kai?"}) {
    const Answer answer = domain.ask(question);
    const std::string rows = text_of(answer.rows);
    EXPECT_TRUE(answer.status != AnswerStatus::kAnswered || rows == "[[false]]" || rows == "[]")
        << question << "\n"
        << rows;
  }
}

TEST(Fitting, OneValueIsNotTwo) {
  Domain domain = testing::empty_domain();
  domain.write(R"kip(UPSERT {
    CONCEPT { {type: "$ConceptType", name: "Person"} }
    CONCEPT { {type: "Person", name: "Ada"} SET ATTRIBUTES {city: "Berlin"} }
    CONCEPT { {type: "Person", name: "Bob"} SET ATTRIBUTES {city: "Munich"} }
  })kip");
  for (const char* question :
       {"How many people are in Berlin and Munich?", "Which people are in Berlin and Munich?"})
    EXPECT_NE(domain.ask(question).status, AnswerStatus::kAnswered) << question;
  EXPECT_EQ(text_of(domain.ask("How many people are in Berlin or Munich?").rows), "[[2]]");
}

TEST(Fitting, NothingIsComparedWithTwo) {
  Domain domain = staff();
  for (const char* question : {"Which people have a higher pay than Kai and Ana?",
                               "Which people have a higher pay than Ana and Kai?",
                               "Which people have a higher pay than Kai and Tom Smith (4)?"})
    EXPECT_NE(domain.ask(question).status, AnswerStatus::kAnswered) << question;
  EXPECT_EQ(text_of(domain.ask("Which people have a higher pay than Kai?").rows), R"([["Ana"]])");
}

TEST(Fitting, WhatSharesTheLastPlaceIsShown) {
  Domain domain = staff();
  const Answer answer = domain.ask("the top 2 people by pay");
  EXPECT_EQ(text_of(answer.rows), R"([["Ana",9],["Kai",6],["Tom Smith",6]])");
  EXPECT_NE(answer.text.find("You asked about 2, there are 3."), std::string::npos) << answer.text;
}

TEST(Fitting, ANameIsFoundAsItIsWritten) {
  Domain domain = staff();
  for (const char* question : {"pay of Tom Smitth", "pay of Kaii", "Who owns web 01?"}) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(answer.status, AnswerStatus::kNotUnderstood) << question << "\n" << answer.text;
  }
}

}  // namespace
}  // namespace anima::ask::fitting_test
