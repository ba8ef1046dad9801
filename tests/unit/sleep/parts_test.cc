// The parts of sleep that decide: names that are alike, what a text says that lasts, weeks.
#include <gtest/gtest.h>

#include "sleep/evidence/lasting.h"
#include "sleep/evidence/mailbox.h"
#include "sleep/evidence/name_fit.h"
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

NameFit fit(std::string_view a, std::string_view b) {
  EXPECT_EQ(names_fit(name_form(a), name_form(b)), names_fit(name_form(b), name_form(a)));
  return names_fit(name_form(a), name_form(b));
}

TEST(SleepNames, FitUnderOneAddress) {
  struct Case {
    const char *a, *b;
    NameFit fit;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"Mario Rossi", "M. Rossi", NameFit::kShortened},
           {"Mario Rossi", "mario  ROSSI", NameFit::kSpelled},
           {"José Núñez", "Jose Nunez", NameFit::kPlain},
           {"A. Maria Berg", "Ada Maria Berg", NameFit::kShortened},
           {"J.R.R. Tolmien", "John Ronald Reuel Tolmien", NameFit::kShortened},
           {"Jean-Luc Morel", "Jean Luc Morel", NameFit::kSpelled},
           {"Пётр Волков", "П. Волков", NameFit::kShortened},
           {"Пётр Волков", "Петр Волков", NameFit::kPlain},
           {"Юрий Гагарин", "Yuri Gagarin", NameFit::kSpelled},
           {"Y. Gagarin", "Юрий Гагарин", NameFit::kShortened},
           {"Ю. Гагарин", "Yuri Gagarin", NameFit::kShortened},
           {"Hopper, Grace", "Grace Hopper", NameFit::kPlain},
           {"Dr. Grace Hopper", "Grace Hopper", NameFit::kPlain},
           {"Prof. Dr. Anna Weber", "anna weber", NameFit::kPlain},
           {"Zoë Müller", "Zoe Mueller", NameFit::kPlain},
           {"王小明", "Wang Xiaoming", NameFit::kSpelled},
           {"王小明", "Xiaoming Wang", NameFit::kSpelled},
       })
    EXPECT_EQ(fit(one.a, one.b), one.fit) << one.a << " / " << one.b;
}

TEST(SleepNames, DoNotFitWhereAWholeWordDiffersOrLacks) {
  for (const auto& [a, b] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Mario Rossi", "Maria Rossi"},
           {"T. Berg", "U. Berg"},
           {"Mr. Berg", "Mrs. Berg"},
           {"Mrs. John Berg", "John Berg"},
           {"Dr. Berg", "Berg"},
           {"Dr. Andrea Rossi", "Dra. Andrea Rossi"},
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
           {"Tom Junior Fox", "Tom Fox"},
           {"Tom Fox Jr.", "Tom Fox"},
           {"Ada Maria Berg", "Ada Berg"},
           {"Ina M. Holt", "Ina Holt"},
           {"Policy not final", "Policy final"},
           {"Marcus Reece", "Markus Reeke"},
           {"Carl Meier", "Karl Meier"},
           {"Müller", "Mùller"},
           {"Андрей Носов", "Андреи Носов"},
           {"", "Ada"},
           {"", ""},
       })
    EXPECT_EQ(fit(a, b), NameFit::kNone) << a << " / " << b;
}

bool is_of(std::string_view address, std::string_view name) {
  return is_mailbox_of(address, name_form(name));
}

TEST(SleepMailboxes, SayWhoseTheyAreByTheNameAlone) {
  for (const auto& [address, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"ada.lovelace@x.org", "Ada Lovelace"},
           {"ada_lovelace2@x.org", "Ada Lovelace"},
           {"adalovelace+news@x.org", "Ada Lovelace"},
           {"a.lovelace@x.org", "Ada Lovelace"},
           {"alovelace@x.org", "Ada Lovelace"},
           {"lovelacea@x.org", "Ada Lovelace"},
           {"lovelace.ada@x.org", "Ada Lovelace"},
           {"ada.l@x.org", "Ada Lovelace"},
           {"ada@lovelace.org", "Ada Lovelace"},
           {"ada.lovelace@x.org", "Dr. Ada Lovelace"},
           {"ada.lovelace@x.org", "Lovelace, Ada"},
           {"ada.berg@x.org", "Ada Maria Berg"},
           {"amberg@x.org", "Ada Maria Berg"},
           {"jean-luc.morel@x.org", "Jean-Luc Morel"},
           {"jl.morel@x.org", "Jean-Luc Morel"},
           {"rory.obrien@x.org", "Rory O'Brien"},
           {"zoe.mueller@x.org", "Zoë Müller"},
           {"jose.nunez@x.org", "José Núñez"},
           {"lukasz.wojcik@x.org", "Łukasz Wójcik"},
           {"ayse.yildiz@x.org", "Ayşe Yıldız"},
           {"yuri.gagarin@x.org", "Юрий Гагарин"},
           {"y.gagarin@x.org", "Юрий Гагарин"},
           {"юрий.гагарин@x.org", "Юрий Гагарин"},
           {"wang.xiaoming@x.org", "王小明"},
           {"xiaoming.wang@x.org", "王小明"},
           {"xiaoming.wang@x.org", "Wang Xiaoming"},
           {"minsu.kim@x.org", "김민수"},
           {"kimminsu@x.org", "김민수"},
       })
    EXPECT_TRUE(is_of(address, name)) << address << " / " << name;
  for (const auto& [address, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"info@lovelace.org", "Ada Lovelace"},
           {"buero@x.org", "Ada Lovelace"},
           {"lovelace@x.org", "Ada Lovelace"},
           {"ada@x.org", "Ada Lovelace"},
           {"al@x.org", "Ada Lovelace"},
           {"a.l@x.org", "Ada Lovelace"},
           {"family.lovelace@x.org", "Ada Lovelace"},
           {"lovelace.family@x.org", "Ada Lovelace"},
           {"ada.lovelace.office@x.org", "Ada Lovelace"},
           {"ada.und.tom.lovelace@x.org", "Ada Lovelace"},
           {"ada2lovelace@x.org", "Ada Lovelace"},
           {"maria@x.org", "Mari Adams"},
           {"ada.lovelace@x.org", "Ada"},
           {"grace.lovelace@x.org", "Ada Lovelace"},
           {"g.lovelace@x.org", "Ada Lovelace"},
           {"yuri.orlov@x.org", "Юлия Орлова"},
           {"xiaoli.wang@x.org", "王小明"},
           {"xiaoming@x.org", "王小明"},
           {"@x.org", "Ada Lovelace"},
           {"", ""},
       })
    EXPECT_FALSE(is_of(address, name)) << address << " / " << name;
}

TEST(SleepMailboxes, OfBothMustWriteOutWhatOneNameShortens) {
  const auto of_both = [](std::string_view address, std::string_view a, std::string_view b) {
    const bool answer = is_mailbox_of_both(address, name_form(a), name_form(b));
    EXPECT_EQ(answer, is_mailbox_of_both(address, name_form(b), name_form(a))) << address;
    return answer;
  };
  EXPECT_TRUE(of_both("jane.smith@x.org", "Jane Smith", "J. Smith"));
  EXPECT_FALSE(of_both("jsmith@x.org", "Jane Smith", "J. Smith"));
  EXPECT_FALSE(of_both("j.smith@x.org", "Jane Smith", "J. Smith"));
  EXPECT_FALSE(of_both("smith@x.org", "Jane Smith", "J. Smith"));
  EXPECT_FALSE(of_both("john.smith@x.org", "Jane Smith", "J. Smith"));
  EXPECT_TRUE(of_both("mario.rossini@x.org", "Mario R.", "Mario Rossini"));
  EXPECT_FALSE(of_both("mario.r@x.org", "Mario R.", "Mario Rossini"));
  EXPECT_TRUE(of_both("john.tolmien@x.org", "J.R.R. Tolmien", "John Ronald Reuel Tolmien"));
  EXPECT_TRUE(of_both("p.volkov@x.org", "Пётр Волков", "Петр Волков"));
  EXPECT_FALSE(of_both("familia@x.org", "María Peña", "Maria Pena"));
  EXPECT_TRUE(of_both("maria.pena@x.org", "María Peña", "Maria Pena"));
}

std::string said(std::string_view text) {
  std::string all;
  for (const LastingStatement& it : lasting_statements(text))
    all += "(" + it.subject + " | " + it.predicate + " | " + it.object + ")";
  return all;
}

TEST(SleepLasting, StatementsAreFound) {
  EXPECT_EQ(said("Ada prefers green tea."), "(Ada | prefers | green tea)");
  EXPECT_EQ(said("Ben Ode now owns the Harbour Office."), "(Ben Ode | owns | Harbour Office)");
  EXPECT_EQ(said("Ada now works at Initech."), "(Ada | works_at | Initech)");
  EXPECT_EQ(said("I like long walks"), "(I | likes | long walks)");
  EXPECT_EQ(said("Ada arbeitet jetzt bei Siemens."), "(Ada | works_at | Siemens)");
  EXPECT_EQ(said("Ich wohne in Kiel."), "(I | lives_in | Kiel)");
  EXPECT_EQ(said("Hello! Ada works at Initech. Ben lives in Bonn."),
            "(Ada | works_at | Initech)(Ben | lives_in | Bonn)");
}

TEST(SleepLasting, WhatIsNotStatedIsNoFact) {
  for (const char* text :
       {"Does Ada like tea?", "Ada does not work at Initech.", "If Ada likes tea, buy some.",
        "Ben said Ada likes tea.", "Ada would like tea.", "Ada no longer works at Initech.",
        "Ada presumably works at Initech.", "Ada works at presumably Initech.",
        "Untrue: Ada works at Initech.", "\"Ada works at Initech.", "", "likes", "Ada likes",
        "Ada works at Initech, just kidding.", "Actually Ada works at Initech.",
        "Ada works at Initech and Ada left Globex."})
    EXPECT_EQ(said(text), "") << text;
}

// The rule of telling.h: what stands beside a sentence that is not read is no fact.
TEST(SleepLasting, WhatStandsBesideASentenceThatIsNotReadIsNoFact) {
  for (const char* behind : {"That is a lie.",
                             "That's not true.",
                             "Just kidding!",
                             "It was only a joke.",
                             "Wrong.",
                             "I made that up.",
                             "No, it isn't.",
                             "Scratch that.",
                             "Nope",
                             "Das ist gelogen.",
                             "Nein, tut sie nicht.",
                             "Stimmt nicht.",
                             "Es broma.",
                             "C'est faux.",
                             "假的。",
                             "不是",
                             "I am lying.",
                             "I doubt it.",
                             "True or false?",
                             "Liar!",
                             "JK",
                             "April fool!",
                             "I think that is a lie.",
                             "No, really!",
                             "She has a vivid imagination.",
                             "It rains."}) {
    EXPECT_EQ(said(std::string("Ada works at Initech. ") + behind), "") << behind;
    EXPECT_EQ(said(std::string(behind) + " Ada works at Initech."), "") << behind;
    EXPECT_EQ(said(std::string("Ada: Ada works at Initech\nBen: ") + behind), "") << behind;
  }
}

// What a model proposes is judged sentence by sentence.
TEST(SleepLasting, WhatATextTakesBackIsToldFromWhatItDoesNot) {
  EXPECT_EQ(not_taken_back("Ada moved. That is a lie. Ben came."), " Ben came.");
  EXPECT_EQ(not_taken_back("Ada moved. That is not a lie."), "Ada moved. That is not a lie.");
  EXPECT_TRUE(is_stated("Ada moved to Kiel in March."));
  EXPECT_FALSE(is_stated("Did Ada move?"));
  EXPECT_FALSE(is_stated("Ben said that Ada moved."));
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
