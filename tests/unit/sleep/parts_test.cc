// The parts of sleep that decide: names that are alike, what a text says that lasts, weeks.
#include <gtest/gtest.h>

#include "sleep/evidence/lasting.h"
#include "sleep/evidence/similarity.h"
#include "sleep/evidence/week.h"

namespace anima::sleep::detail::parts_test {
namespace {

NameMatch match(std::string_view a, std::string_view b) {
  return match_names(name_form(a), name_form(b));
}

TEST(SleepNames, TheSameNameUpToCaseAndWhiteSpace) {
  for (const auto& [a, b] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Ada Lovelace", "ada lovelace"},
           {"Ada Lovelace", " Ada\u00a0  Lovelace"},
           {"Jos\u00e9", "Jose\u0301"},
           {"CITY HALL", "City Hall"},
           {"Jean-Luc Morel", "jean-luc morel"},
       })
    EXPECT_EQ(match(a, b), NameMatch::kSame) << a << " / " << b;
}

TEST(SleepNames, CaseThatMayTellTwoThingsApart) {
  for (const auto& [a, b] : std::initializer_list<std::pair<const char*, const char*>>{
           {"1 mW", "1 MW"},
           {"Polish", "polish"},
           {"GO", "Go"},
           {"us", "US"},
           {"e-mail", "E-Mail"},
           {"AIDS relief", "aids relief"},
           {"eBay store", "ebay store"},
           {"US Open final", "us open final"},
           {"Hall 7 North", "hall 7 north"},
       })
    EXPECT_EQ(match(a, b), NameMatch::kCased) << a << " / " << b;
}

TEST(SleepNames, OnlyAlikeInMarksAccentsOrOrder) {
  for (const auto& [a, b] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Ada Lovelace", "Lovelace, Ada"},
           {"PostgreSQL", "Postgre SQL"},
           {"Café Müller", "cafe muller"},
           {"C", "C++"},
           {"v1.11", "v11.1"},
           {"Score 3:4", "Score 4:3"},
           {"Berlin to Paris", "Paris to Berlin"},
           {"Masse", "Maße"},
       })
    EXPECT_EQ(match(a, b), NameMatch::kAlike) << a << " / " << b;
}

TEST(SleepNames, NearlyTheSame) {
  EXPECT_EQ(match("Jonathan Meyer", "Jonathan Meier"), NameMatch::kNear);
  EXPECT_EQ(match("J. Smith", "John Smith"), NameMatch::kNear);
  EXPECT_EQ(match("Kubernetes", "Kubernets"), NameMatch::kNear);
}

TEST(SleepNames, DifferentThings) {
  for (const auto& [a, b] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Room 101", "Room 102"},
           {"Version 2", "Version 3"},
           {"Anna", "Anne"},  // too short for a slip of the pen
           {"John Smith", "John Snow"},
           {"", "..."},
       })
    EXPECT_EQ(match(a, b), NameMatch::kNone) << a << " / " << b;
}

bool fit(std::string_view a, std::string_view b) {
  EXPECT_EQ(names_fit(name_form(a), name_form(b)), names_fit(name_form(b), name_form(a)));
  return names_fit(name_form(a), name_form(b));
}

TEST(SleepNames, FitUnderOneAddress) {
  for (const auto& [a, b] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Mario Rossi", "M. Rossi"},
           {"Mario Rossi", "mario  ROSSI"},
           {"José Núñez", "Jose Nunez"},
           {"Ada Maria Berg", "Ada Berg"},
           {"A. Maria Berg", "Ada Berg"},
           {"J.R.R. Tolmien", "John Ronald Reuel Tolmien"},
           {"Jean-Luc Morel", "Jean Luc Morel"},
           {"Пётр Волков", "П. Волков"},
           {"Юрий Гагарин", "Yuri Gagarin"},
           {"Y. Gagarin", "Юрий Гагарин"},
           {"Ю. Гагарин", "Yuri Gagarin"},
           {"Hopper, Grace", "Grace Hopper"},
           {"Zoë Müller", "Zoe Mueller"},
           {"王小明", "Wang Xiaoming"},
           {"王小明", "Xiaoming Wang"},
           {"Carl Meier", "Karl Meier"},
       })
    EXPECT_TRUE(fit(a, b)) << a << " / " << b;
}

TEST(SleepNames, DoNotFitWhereAWholeWordDiffers) {
  for (const auto& [a, b] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Mario Rossi", "Maria Rossi"},
           {"T. Berg", "U. Berg"},
           {"Mr. Berg", "Mrs. Berg"},
           {"Team A", "Team B"},
           {"Team A", "Team Alpha"},
           {"Team C", "Team C++"},
           {"Office 1.11", "Office 11.1"},
           {"Room 2 Key", "Room Key"},
           {"Ada Berg", "Berg"},
           {"Ada Berg", "Борис Годунов"},
           {"A. B.", "Ada Berg"},
           {"Юлия Орлова", "Yuri Orlov"},
           {"王小明", "Wang Xiaoli"},
           {"王小明", "Xiaoming"},
           {"김민서", "Kim Minsu"},
           {"Hopper, Grace, Ada", "Ada Hopper Grace"},
           {"Team C", "Team K"},
           {"", "Ada"},
           {"", ""},
       })
    EXPECT_FALSE(fit(a, b)) << a << " / " << b;
}

std::string said(std::string_view text) {
  std::string all;
  for (const LastingStatement& it : lasting_statements(text))
    all += "(" + it.subject + " | " + it.predicate + " | " + it.object + ")";
  return all;
}

TEST(SleepLasting, StatementsAreFound) {
  EXPECT_EQ(said("Ada prefers green tea."), "(Ada | prefers | green tea)");
  EXPECT_EQ(said("We met. The Harbour Office is owned by Ben Ode, since March. Bye!"),
            "(Harbour Office | owned_by | Ben Ode)");
  EXPECT_EQ(said("Ben Ode now owns the Harbour Office."), "(Harbour Office | owned_by | Ben Ode)");
  EXPECT_EQ(said("Ada now works at Initech because it pays."), "(Ada | works_at | Initech)");
  EXPECT_EQ(said("I like long walks"), "(I | likes | long walks)");
  EXPECT_EQ(said("Ada arbeitet jetzt bei der Hafenbehörde."), "(Ada | works_at | Hafenbehörde)");
}

TEST(SleepLasting, WhatIsNotStatedIsNoFact) {
  EXPECT_EQ(said("Does Ada like tea?"), "");
  EXPECT_EQ(said("Ada does not like tea."), "");
  EXPECT_EQ(said("If Ada likes tea, buy some."), "");
  EXPECT_EQ(said("Ben said Ada likes tea."), "");
  EXPECT_EQ(said("Ada would like tea."), "");
  EXPECT_EQ(said("Ada no longer works at Initech."), "");
  EXPECT_EQ(said(""), "");
  EXPECT_EQ(said("likes"), "");
  EXPECT_EQ(said("Ada likes"), "");
}

TEST(SleepLasting, WhatIsTakenBackIsNoFact) {
  for (const char* behind :
       {"That is a lie.", "That's not true.", "Just kidding!", "It was only a joke.", "Wrong.",
        "I made that up.", "No, it isn't.", "Scratch that.", "Nope", "Das ist gelogen.",
        "Nein, tut sie nicht.", "Stimmt nicht.", "Es broma.", "C'est faux.", "假的。", "不是"}) {
    EXPECT_EQ(said(std::string("Ada works at Initech. ") + behind), "") << behind;
    EXPECT_EQ(said(std::string("Ada works at Initech. She has a cat. ") + behind), "") << behind;
    EXPECT_EQ(said(std::string("Ada: Ada works at Initech\nBen: ") + behind), "") << behind;
  }
  EXPECT_EQ(said("Ada works at Initech, just kidding."), "");
  EXPECT_EQ(said("That is a lie. Ada works at Initech."), "(Ada | works_at | Initech)");
  EXPECT_EQ(said("Ada works at Initech. Is that a joke?"), "(Ada | works_at | Initech)");
  EXPECT_EQ(said("Ada works at Initech. She likes no tea on a Monday morning."),
            "(Ada | works_at | Initech)");
  EXPECT_EQ(said("Ada works at Initech. Ben lives in Bonn."),
            "(Ada | works_at | Initech)(Ben | lives_in | Bonn)");
}

std::string week(std::string_view date) { return iso_week(*parse_timestamp(date)); }

// Dates and weeks of ISO 8601's own examples.
TEST(SleepWeeks, AreThoseOfTheStandard) {
  EXPECT_EQ(week("1995-01-01"), "1994-W52");
  EXPECT_EQ(week("1996-12-31"), "1997-W01");
  EXPECT_EQ(week("2020-12-31"), "2020-W53");
  EXPECT_EQ(week("2021-01-03"), "2020-W53");
  EXPECT_EQ(week("2021-01-04"), "2021-W01");
  EXPECT_EQ(week("1969-12-31"), "1970-W01");
  EXPECT_EQ(quarter(*parse_timestamp("2020-12-31")), "2020-Q4");
  EXPECT_EQ(quarter(*parse_timestamp("2025-04-01")), "2025-Q2");
}

}  // namespace
}  // namespace anima::sleep::detail::parts_test
