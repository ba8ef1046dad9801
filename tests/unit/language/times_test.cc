// Times as people write them, against a table that is computed from the calendar
// (data/make_times.py), one of words of time that are none where they stand
// (data/times_in_place.jsonl), one of numbers and events beside times (data/times_of_events.jsonl),
// and what the tables do not say.
#include "language/times/times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/json/json.h"
#include "base/packs.h"
#include "language/times/time_words.h"

namespace anima::language::times_test {
namespace {

constexpr std::size_t kRows = 400;
constexpr std::size_t kLeastRight = 390;
const char* const kWednesday = "2024-03-13T10:00:00Z";

std::string two(std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

// As the table writes it; of several times in a text all, each with its words.
std::string meaning_of(const TimeReading& time, bool with_minutes) {
  const TimeInterval* sure = time.sure();
  if (sure == nullptr) return "doubt";
  const DayRange days = sure->days();
  if (sure->open_from) return "../" + format_day(days.from - 1);
  if (sure->open_until) return format_day(days.from) + "/..";
  std::string text = format_day(days.from) + "/" + format_day(days.to);
  const std::int64_t minutes = sure->from / 60 - days.from * std::int64_t{24 * 60};
  if (with_minutes) text += " " + two(minutes / 60) + ":" + two(minutes % 60);
  return text;
}

std::vector<TimeReading> times_in(std::string_view text, std::string_view language,
                                  std::string_view said, Direction lean = Direction::kUnknown) {
  TimeContext context;
  context.now = parse_timestamp(said).value();
  context.offset_seconds = offset_of(said);
  context.lean = lean;
  return read_times(text, language, context);
}

std::string read(std::string_view text, std::string_view language = "en",
                 std::string_view said = kWednesday, bool with_minutes = false) {
  std::string all;
  for (const TimeReading& time : times_in(text, language, said))
    all += (all.empty() ? "" : ", ") + meaning_of(time, with_minutes);
  return all.empty() ? "none" : all;
}

TEST(Times, OfATextWhoseLanguageIsNotSureAreThoseOfTheOneThatReadsThem) {
  const auto unsure = [](std::string_view text) {
    TimeContext context;
    context.now = parse_timestamp(kWednesday).value();
    std::string all;
    for (const TimeReading& time : read_times_unsure(text, "en", context))
      all += (all.empty() ? "" : ", ") + meaning_of(time, false);
    return all.empty() ? "none" : all;
  };
  EXPECT_EQ(unsure("Ayer llovi\u00f3 mucho."), "2024-03-12/2024-03-12");
  EXPECT_EQ(unsure("La semana pasada compr\u00e9 un coche."), "2024-03-04/2024-03-10");
  EXPECT_EQ(unsure("Gestern kam mein Bruder."), "2024-03-12/2024-03-12");
  EXPECT_EQ(unsure("La r\u00e9union est le 4 mai 2026."), "2026-05-04/2026-05-04");
  EXPECT_EQ(unsure("Sold yesterday"), "2024-03-12/2024-03-12");
  EXPECT_EQ(unsure("I met Ben yesterday."), "2024-03-12/2024-03-12");
  EXPECT_EQ(unsure("Yesterday we met."), "2024-03-12/2024-03-12");
  EXPECT_EQ(unsure("I met Ben last week."), "2024-03-04/2024-03-10");
  EXPECT_EQ(unsure("Vi a Ben ayer."), "2024-03-12/2024-03-12");
  EXPECT_EQ(unsure("Lo vi ayer."), "2024-03-12/2024-03-12");
  EXPECT_EQ(unsure("Hace dos d\u00edas nev\u00f3."), "2024-03-11/2024-03-11");
  EXPECT_EQ(unsure("Estamos fuera a partir del lunes."), "2024-03-18/..");
  EXPECT_EQ(unsure("\u00bfD\u00f3nde nadamos ayer?"), "2024-03-12/2024-03-12");
  // A word of German that is "yesterday" in French.
  EXPECT_EQ(unsure("Hier regnet es oft."), "none");
}

// Thought to be Dutch, which has no words of time.
TEST(Times, AGuessThatReadsNoneIsNotSure) {
  TimeContext context;
  context.now = parse_timestamp(kWednesday).value();
  const auto times = read_times_guessed("I met Ben yesterday.", "nl", context);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(meaning_of(times[0], false), "2024-03-12/2024-03-12");
  EXPECT_TRUE(read_times_guessed("I met Ben.", "nl", context).empty());
}

TEST(Times, WhatReadersFoundWrong) {
  struct Row {
    const char *language, *text, *means;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"en", "We met the Monday before last.", "2024-03-04/2024-03-04"},
           {"en", "We met the Monday before last week.", "none"},
           {"en", "We leave Friday 13.", "none"},
           {"en", "We leave on Friday 13 September 2024.", "2024-09-13/2024-09-13"},
           {"en", "I wish it were Friday.", "none"},
           {"en", "Yesterday is a song.", "none"},
           {"en", "Yesterday was a good day.", "2024-03-12/2024-03-12"},
           {"en", "The shop is closed until Friday.", "../2024-03-15"},
           {"en", "We rented it until Friday.", "doubt"},
           {"fr", "Nous restons jusqu'\u00e0 vendredi.", "../2024-03-15"},
           {"fr", "La salle est lou\u00e9e jusqu'\u00e0 vendredi.", "doubt"},
           {"fr", "On se voit lundi en huit.", "2024-03-25/2024-03-25"},
           {"fr", "Hier est un mot.", "none"},
           {"de", "Heute vor zwei Jahren kam er.", "2022-03-13/2022-03-13"},
           {"de", "Er kam vor zwei Jahren.", "2022-01-01/2022-12-31"},
           {"de", "Wir sind vom 3.5. bis 7.5.2023 weg.", "2023-05-03/2023-05-07"},
           {"de", "Wir sind vom 3.5. bis zum 7.5.2023 weg.", "2023-05-03/2023-05-07"},
           {"de", "Wir sind vom 3. bis 7.5.2023 weg.", "2023-05-03/2023-05-07"},
           {"de", "Er kam am 24.12.", "none"},
           {"de", "Am 31. 12. kam er.", "none"},
           {"de", "Am 12. 3. 2024 kam er.", "none"},
           {"de", "Heute in acht Tagen ist es so weit.", "2024-03-20/2024-03-20"},
           {"de", "Frau Sonntag kommt.", "none"},
           {"de", "Am Sonntag kam sie.", "2024-03-10/2024-03-10"},
           {"de", "Das ist Schnee von gestern.", "none"},
           {"de", "Gestern ist ein Lied.", "none"},
           {"zh", "\u4ece\u5468\u4e00\u8d77", "2024-03-11/.."},
           {"zh", "\u4ece\u4e0b\u5468\u4e00\u8d77", "2024-03-18/.."},
           {"zh", "\u4ece\u660e\u5929\u8d77", "2024-03-14/.."},
           {"zh", "\u4e09\u6708\u524d", "none"},
           {"zh", "\u4e09\u4e2a\u6708\u524d", "2023-12-01/2023-12-31"},
           {"zh", "\u4e94\u6708\u82b1\u9152\u5e97", "none"},
           {"zh", "\u4ed6\u4e00\u5929\u540e\u5c31\u8d70\u4e86", "none"},
           {"zh", "\u4e09\u5929\u540e\u89c1", "2024-03-16/2024-03-16"}})
    EXPECT_EQ(read(row.text, row.language), row.means) << row.text;
}

TEST(Times, AWordThatIsAlsoADayNeedsMoreThanAnAnd) {
  EXPECT_EQ(read("He sat down and wed Mary."), "none");
  EXPECT_NE(read("We met on Tuesday and Wed"), read("We met on Tuesday"));
}

TEST(Times, TheTableIsReadAsTheCalendarSays) {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/unit/language/data/times.jsonl");
  std::size_t rows = 0, right = 0, silently_wrong = 0;
  for (std::string line; std::getline(file, line);) {
    const Json row = parse_json(line).value();
    const std::string& expected = row.find("means")->as_string();
    const bool minutes = expected.find(':') != std::string::npos;
    const std::string got = read(row.find("text")->as_string(), row.find("language")->as_string(),
                                 row.find("said")->as_string(), minutes);
    ++rows;
    if (got == expected) {
      ++right;
      continue;
    }
    const bool silent = got != "none" && got != "doubt";
    silently_wrong += silent ? 1 : 0;
    (silent ? std::cerr : std::cout) << line << "\n  got " << got << "\n";
  }
  EXPECT_GE(rows, kRows);
  EXPECT_GE(right * kRows, kLeastRight * rows) << right << " of " << rows;
  EXPECT_EQ(silently_wrong, 0u);
}

// By who knows the language, and by who does not. What is in doubt is kept by nobody.
TEST(Times, WordsOfTimeAreReadWhereTheyAreTimes) {
  TimeContext context;
  context.now = parse_timestamp(kWednesday).value();
  const auto sure = [](const std::vector<TimeReading>& times) {
    std::string all;
    for (const TimeReading& time : times) {
      if (time.sure() != nullptr) all += (all.empty() ? "" : ", ") + meaning_of(time, false);
    }
    return all.empty() ? "none" : all;
  };
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/unit/language/data/times_in_place.jsonl");
  std::size_t none = 0, some = 0;
  std::set<std::string> languages;
  for (std::string line; std::getline(file, line);) {
    const Json row = parse_json(line).value();
    const std::string &text = row.find("text")->as_string(),
                      &language = row.find("language")->as_string(),
                      &means = row.find("means")->as_string();
    ++(means == "none" ? none : some);
    if (means == "none") languages.insert(language);
    EXPECT_EQ(sure(read_times_guessed(text, language, context)), means) << line;
    const std::string unsure = sure(read_times_unsure(text, "en", context));
    EXPECT_TRUE(unsure == means || unsure == "none") << line << " " << unsure;
  }
  EXPECT_GE(none, 80u);
  EXPECT_GE(some, 40u);
  EXPECT_GE(languages.size(), 12u);
}

// A number is one phrase's alone ("in May two years ago"), and what depends on an event that is not
// known is no time ("the Monday after the wedding").
TEST(Times, OfEventsThatAreNotKnownAreNone) {
  constexpr std::size_t kMostMissing = 5;
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/unit/language/data/times_of_events.jsonl");
  std::size_t rows = 0, missing = 0;
  for (std::string line; std::getline(file, line);) {
    const Json row = parse_json(line).value();
    const std::string& expected = row.find("means")->as_string();
    const std::string got = read(row.find("text")->as_string(), row.find("language")->as_string());
    ++rows;
    if (got == expected) continue;
    EXPECT_TRUE(got == "none" || got == "doubt") << line << " got " << got;
    missing += expected == "none" ? 0 : 1;
  }
  EXPECT_GE(rows, 440u);
  EXPECT_LE(missing, kMostMissing);
}

TEST(Times, ThePackOfEachLanguageLoads) {
  std::size_t packs = 0;
  for (const std::string_view path : pack_files("packs/language/times/")) {
    const auto words = TimeWords::from_toml(*pack_file(path), std::string(path));
    EXPECT_TRUE(words) << path << ": " << (words ? "" : words.error().message);
    ++packs;
  }
  EXPECT_GE(packs, 7u);
}

TEST(Times, AMistakeInAPackIsSaidWithItsPlace) {
  const auto of = [](std::string_view text) {
    const auto words = TimeWords::from_toml(text, "x.toml");
    return words ? std::string() : words.error().where + " " + words.error().message;
  };
  constexpr std::string_view kHead = "language = \"en\"\nnumeric_order = \"unknown\"\n";
  EXPECT_NE(of(std::string(kHead) + "[months]\nbrumaire = [\"brumaire\"]\n").find("x.toml:4"),
            std::string::npos);
  EXPECT_NE(of(std::string(kHead) + "[patterns]\nago = [\"{n} {unit ago\"]\n").find("not closed"),
            std::string::npos);
  EXPECT_NE(of(std::string(kHead) + "[patterns]\nago = [\"{time}\"]\n").find("a time alone"),
            std::string::npos);
  EXPECT_NE(of(std::string(kHead) + "[durations]\nfortnight = \"two weeks\"\n").find("number"),
            std::string::npos);
  EXPECT_NE(of("language = \"tlh\"\nnumeric_order = \"unknown\"\n").find("numbers"),
            std::string::npos);
}

TEST(Times, TheWordsThatATimeTookAreTold) {
  const std::string_view text = "Who joined over the past 7 days, and who left on Friday at 3 pm?";
  const auto times = times_in(text, "en", kWednesday);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(text.substr(times[0].begin, times[0].end - times[0].begin), "over the past 7 days");
  EXPECT_EQ(text.substr(times[1].begin, times[1].end - times[1].begin), "on Friday at 3 pm");
}

TEST(Times, AClauseSaysWhetherAWeekdayWasOrWillBe) {
  EXPECT_EQ(read("On Monday we met, and on Friday we will meet again."),
            "2024-03-11/2024-03-11, 2024-03-15/2024-03-15");
  EXPECT_EQ(read("Which incidents will be opened on Friday?"), "2024-03-15/2024-03-15");
  EXPECT_EQ(read("Which incidents were opened on Friday?"), "2024-03-08/2024-03-08");
  EXPECT_EQ(read("incidents on Friday"), "doubt");
  EXPECT_EQ(
      meaning_of(times_in("incidents on Friday", "en", kWednesday, Direction::kPast).at(0), false),
      "2024-03-08/2024-03-08");
}

TEST(Times, TheReasonOfADoubtIsTold) {
  EXPECT_EQ(times_in("3/4/2024", "en", kWednesday).at(0).doubt, Doubt::kOrder);
  EXPECT_EQ(times_in("3/4/2024", "en", kWednesday).at(0).intervals.size(), 2u);
  EXPECT_EQ(times_in("the 15th: chess on Monday", "en", kWednesday).at(0).doubt, Doubt::kDirection);
  EXPECT_EQ(times_in("Monday, 15 March 2024", "en", kWednesday).at(0).doubt, Doubt::kContradiction);
}

TEST(Times, MomentsHaveTheOffsetOfWhoWroteThem) {
  EXPECT_EQ(read("at 2024-03-13T23:30:00-05:00 it fell", "en", "2024-03-14T10:00:00Z", true),
            "2024-03-14/2024-03-14 04:30");
  EXPECT_EQ(read("two hours ago", "en", "2024-03-13T00:30:00+02:00", true),
            "2024-03-12/2024-03-12 22:00");
}

TEST(Times, WithoutADayOnlyWhatNeedsNoneIsRead) {
  const TimeContext none;
  EXPECT_TRUE(read_times("yesterday", "en", none).empty());
  const auto month = read_times("in May", "en", none);
  ASSERT_EQ(month.size(), 1u);
  EXPECT_TRUE(month[0].intervals.empty());
  EXPECT_EQ(month[0].named.month, 5);
  EXPECT_EQ(read_times("1:56 pm on 8 May, 2023", "en", none).at(0).intervals.at(0).days().from,
            day_number({2023, 5, 8}));
}

TEST(Times, NumbersThatAreNoDatesAreLeftAlone) {
  for (const char* text :
       {"192.168.1.11", "v1.11.2023", "it costs $2019 or 2019 euros", "3/4 of them",
        "page 12, line 2024.5", "0049 1520 2024-1", "a/2024/05/07/b.txt", "id 20240313"})
    EXPECT_EQ(read(text), "none") << text;
}

TEST(Times, AnyBytesAreRead) {
  for (const char* text :
       {"\xff\xfe 3 days ago\xc3", "", "   ", "since since since", "from from to",
        "in in in in 999999999999999999999 days", "-", "0.0.0000"})
    times_in(text, "en", kWednesday);
}

}  // namespace
}  // namespace anima::language::times_test
