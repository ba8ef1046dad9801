// What recall makes of words: terms and stems, dates, what a question asks for.
#include <gtest/gtest.h>

#include "memory/recall/detail/dates.h"
#include "memory/recall/detail/question.h"
#include "memory/recall/detail/terms.h"

namespace anima::memory::recall_words_test {
namespace {

using detail::add_votes;
using detail::asked_dates;
using detail::date_fit;
using detail::item_traits;
using detail::kHasName;
using detail::kHasTime;
using detail::kIsQuestion;
using detail::Language;
using detail::LanguageVotes;
using detail::NamedDate;
using detail::QuestionTraits;
using detail::split_terms;
using detail::TermReader;
using detail::TermRules;
using detail::TermWord;
using detail::told_days;

std::vector<std::string> stems(std::string_view text, Language language = Language::kEnglish,
                               TermRules rules = {}) {
  TermReader reader(rules);
  std::vector<std::string> list;
  for (const TermWord& word : split_terms(text)) {
    std::string stem = reader.stem(language, word);
    if (!stem.empty()) list.push_back(std::move(stem));
  }
  return list;
}

using List = std::vector<std::string>;

TEST(RecallTerms, WordsAreStemsWithoutStopWords) {
  EXPECT_EQ(stems("She's painted the two houses; Ben’s horses, too."),
            (List{"paint", "two", "hous", "ben", "hors"}));
  EXPECT_EQ(stems("She's painting", Language::kEnglish, {.stems = false, .drop_stop_words = false}),
            (List{"she", "s", "painting"}));
  EXPECT_EQ(stems("Die Häuser und die Übungen", Language::kGerman), (List{"haus", "ubung"}));
}

TEST(RecallTerms, IdeographsArePairsAndTheirRun) {
  EXPECT_EQ(stems("東京"), List{"東京"});
  EXPECT_EQ(stems("東京都"), (List{"東京都", "東京", "京都"}));
}

TEST(RecallTerms, NoBytesAreTooStrange) {
  EXPECT_EQ(stems("\xff\xfe a\xc3"), List{});
  EXPECT_EQ(stems(std::string(300, 'x')).front().size(), 64u);
}

TEST(RecallTerms, TheLanguageIsThatOfMostStopWords) {
  LanguageVotes votes;
  add_votes(split_terms("Wann hat das Boot den Hafen verlassen?"), votes);
  EXPECT_EQ(votes.most(), Language::kGerman);
  LanguageVotes none;
  add_votes(split_terms("Greifswald 17"), none);
  EXPECT_EQ(none.most(), std::nullopt);
}

Day day(const char* text) { return day_of(parse_timestamp(text).value()); }

std::optional<DayRange> first_range(std::string_view text, Language language = Language::kEnglish) {
  const auto dates = asked_dates(text, language, parse_timestamp("2023-05-10").value());
  return dates.empty() ? std::nullopt : dates.front().days;
}
DayRange days(const char* from, const char* to) { return {day(from), day(to)}; }

TEST(RecallDates, WhatAQuestionNamesIsFound) {
  EXPECT_EQ(first_range("on 7 May 2022"), days("2022-05-07", "2022-05-07"));
  EXPECT_EQ(first_range("it is 2022-05-07 now"), days("2022-05-07", "2022-05-07"));
  EXPECT_EQ(first_range("am 7.5.2022", Language::kGerman), days("2022-05-07", "2022-05-07"));
  EXPECT_EQ(first_range("in June"), days("2022-06-01", "2022-06-30"));  // the last one
  EXPECT_EQ(first_range("in 2021"), days("2021-01-01", "2021-12-31"));
  EXPECT_EQ(first_range("31 February 2022"), std::nullopt);
  EXPECT_EQ(first_range("it may rain"), std::nullopt);
  EXPECT_EQ(first_range("last week"), days("2023-05-01", "2023-05-07"));
  EXPECT_EQ(first_range("the day before yesterday"), days("2023-05-08", "2023-05-08"));
  EXPECT_EQ(first_range("vor zwei Tagen", Language::kGerman), days("2023-05-08", "2023-05-08"));
}

TEST(RecallDates, DaysAreThoseOfTheAskersClock) {
  const Timestamp night = parse_timestamp("2023-05-09T22:30:00Z").value();
  const auto yesterday = [&](std::int64_t offset) {
    return asked_dates("yesterday", Language::kEnglish, night, offset).at(0).days;
  };
  EXPECT_EQ(yesterday(0), days("2023-05-08", "2023-05-08"));
  EXPECT_EQ(yesterday(7200), days("2023-05-09", "2023-05-09"));  // it is 00:30 on the 10th there
}

TEST(RecallDates, WhatHoldsSinceAMonthBeganInIt) {
  const auto dates = asked_dates("Which club does she have since March?", Language::kEnglish,
                                 parse_timestamp("2023-05-10").value());
  ASSERT_EQ(dates.size(), 1u);
  EXPECT_EQ(dates[0].month, 3);
  EXPECT_EQ(dates[0].days, (DayRange{day("2023-03-01"), INT32_MAX}));
}

TEST(RecallDates, OfAnEndThatIsNotMeantNothingIsNamed) {
  const auto one = [](const char* text) {
    const auto dates = asked_dates(text, Language::kEnglish, parse_timestamp("2024-03-13").value());
    EXPECT_EQ(dates.size(), 1u) << text;
    return dates.empty() ? NamedDate() : dates[0];
  };
  const DayRange fifth = days("2023-10-05", "2023-10-05"),
                 fourth = days("2023-10-04", "2023-10-04");
  const NamedDate before = one("What did we do before October 5?");
  EXPECT_DOUBLE_EQ(date_fit(before, fifth), 0);
  EXPECT_DOUBLE_EQ(date_fit(before, fourth), 1);
  const NamedDate after = one("What did we do after October 5?");
  EXPECT_DOUBLE_EQ(date_fit(after, fifth), 0);
  EXPECT_DOUBLE_EQ(date_fit(after, days("2023-10-06", "2023-10-06")), 1);
  const NamedDate between = one("What did we do between 3 and 5 November?");
  EXPECT_DOUBLE_EQ(date_fit(between, days("2023-11-04", "2023-11-04")), 1);
  EXPECT_DOUBLE_EQ(date_fit(between, days("2023-11-20", "2023-11-20")), 0);
  EXPECT_FALSE(asked_dates("\u00bfD\u00f3nde nadamos ayer?", Language::kPortuguese,
                           parse_timestamp("2024-03-13").value())
                   .empty());
}

TEST(RecallDates, WhatIsInDoubtRanksByEachReading) {
  const auto dates =
      asked_dates("on 3/4/2022", Language::kEnglish, parse_timestamp("2023-05-10").value());
  ASSERT_EQ(dates.size(), 2u);
  EXPECT_EQ(dates[0].days, days("2022-04-03", "2022-04-03"));
  EXPECT_EQ(dates[1].days, days("2022-03-04", "2022-03-04"));
}

TEST(RecallDates, WithoutADayOfItsOwnATextNamesNothingRelative) {
  EXPECT_TRUE(told_days("yesterday", Language::kEnglish, true, std::nullopt).empty());
  EXPECT_EQ(told_days("on 7 May 2022", Language::kEnglish, true, std::nullopt).size(), 1u);
  // English, of which nobody is sure, reads the year of it alone.
  const auto days =
      told_days("Escribí el 5 de febrero de 2024.", Language::kEnglish, false, std::nullopt);
  ASSERT_EQ(days.size(), 1u);
  EXPECT_EQ(days[0].from, days[0].to);
}

TEST(RecallDates, TheFitIsThatOfTheStudy) {
  const DayRange said = days("2023-05-08", "2023-05-08");
  EXPECT_DOUBLE_EQ(date_fit({.month = 5}, said), 1);
  EXPECT_DOUBLE_EQ(date_fit({.year = 2023}, said), 0.3);
  EXPECT_DOUBLE_EQ(date_fit({.year = 2023, .month = 5}, said), 1.3);
  EXPECT_DOUBLE_EQ(date_fit({.year = 2023, .month = 5, .day = 8}, said), 2);
  EXPECT_DOUBLE_EQ(date_fit({.year = 2022, .month = 5, .day = 8}, said), 0);
  EXPECT_DOUBLE_EQ(date_fit({.days = days("2023-05-01", "2023-05-31")}, said), 1);
}

QuestionTraits traits(std::string_view text, Language language = Language::kEnglish) {
  return read_question(text, split_terms(text), language, std::nullopt);
}

TEST(RecallQuestion, ItIsKnownWhatIsAskedFor) {
  EXPECT_TRUE(traits("Where does Ada live?").asks_name);
  EXPECT_TRUE(traits("What country is she from?").asks_name);
  EXPECT_FALSE(traits("What did she do?").asks_name);
  EXPECT_TRUE(traits("When did she leave?").asks_when);
  EXPECT_TRUE(traits("What year was it?").asks_when);
  EXPECT_TRUE(traits("Seit wann? Wie lange?", Language::kGerman).asks_when);
  EXPECT_TRUE(traits("What is my name?").first_person);
  EXPECT_FALSE(traits("What is her name?").first_person);
}

TEST(RecallQuestion, ItemsHaveNamesAndTimes) {
  const auto of = [](std::string_view text) {
    return item_traits(text, split_terms(text), Language::kEnglish);
  };
  EXPECT_EQ(of("We met in Paris."), kHasName);
  EXPECT_EQ(of("Paris it was, and I left."), 0);
  EXPECT_EQ(of("We met two weeks ago"), kHasTime);
  EXPECT_EQ(of("how are you? "), kIsQuestion);
}

}  // namespace
}  // namespace anima::memory::recall_words_test
