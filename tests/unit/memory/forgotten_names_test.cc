// Names in sentences, in several scripts: found whole, and nothing else found.
#include "memory/detail/forgotten_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string>
#include <vector>

#include "base/crypto.h"
#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "language/text/words.h"

namespace anima::memory::detail::forgotten_names_test {
namespace {

bool names(const std::string& name, const std::string& text) {
  return ForgottenNames({name}).in(text);
}

bool has_word_letters(const std::string& text) {
  return std::ranges::any_of(language::WordReader().read(text),
                             [](const language::Token& token) { return !token.digits; });
}

TEST(ForgottenNames, FindsANameWhateverItsCaseAccentsAndNormalForm) {
  EXPECT_TRUE(names("Alice Zorbel", "we met ALICE ZORBEL there"));
  EXPECT_TRUE(names("José Núñez", "Jose Nunez called"));
  EXPECT_TRUE(names("Jose Nunez", "José Núñez called"));
  EXPECT_TRUE(names("Jos\u00e9", "Jose\u0301 called")) << "decomposed";
  EXPECT_TRUE(names("Alice Zorbel", "alice.zorbel@example.org"));
  EXPECT_TRUE(names("Alice Zorbel", "notes_on_alice_zorbel.txt"));
}

TEST(ForgottenNames, FindsPossessives) {
  for (const char* text :
       {"Alice Zorbel's car", "Alice Zorbel\u2019s car", "Das ist Alice Zorbels Auto"})
    EXPECT_TRUE(names("Alice Zorbel", text)) << text;
  EXPECT_TRUE(names("James", "James' car"));
}

TEST(ForgottenNames, FindsNamesInTextWithoutSpaces) {
  EXPECT_TRUE(names("王小明", "昨天王小明来了。"));
  EXPECT_TRUE(names("山田太郎", "昨日、山田太郎さんに会った。"));
  EXPECT_TRUE(names("สมชาย", "เมื่อวานสมชายมา"));
  EXPECT_FALSE(names("王小明", "王小红来了"));
  EXPECT_FALSE(names("王", "国王来了")) << "one character is part of other words";
}

TEST(ForgottenNames, FindsNothingElse) {
  EXPECT_FALSE(names("Ann", "the Annex"));
  EXPECT_FALSE(names("Alice Zorbel", "Alice and Zorbel"));
  EXPECT_FALSE(names("Alice Zorbel", "Zorbel"));
}

TEST(ForgottenNames, FindsInflectedFormsButNotWhatAnotherThingIsCalled) {
  EXPECT_TRUE(names("Aino", "Ainon auto on punainen, ja se on vanha"));
  EXPECT_TRUE(names("Aino Virtanen", "Aino Virtasen auto on punainen, ja se on vanha"));
  EXPECT_TRUE(names("Анна", "я видел Анну вчера"));
  const ForgottenNames ann({"Ann"}, {"Anna"});
  EXPECT_FALSE(ann.in("Anna called"));
  EXPECT_FALSE(ann.in("Anna's car"));
  EXPECT_TRUE(ann.in("Ann called"));
  EXPECT_TRUE(ann.in("Ann called Anna"));
}

// Names that fold alike, begin alike, or contain one another.
TEST(ForgottenNames, LeavesWhatIsTheNameOfAnother) {
  struct Pair {
    const char *forgotten, *other;
  };
  for (const Pair& pair :
       {Pair{"Paul", "Paula Berg"}, Pair{"Petr", "Petra Novák"}, Pair{"Ben", "Ben Berger"},
        Pair{"Jose", "José"}, Pair{"José", "Jose"}, Pair{"Müller", "Mueller"},
        Pair{"Mueller", "Müller"}, Pair{"王小", "王小明"}, Pair{"Mia", "Mia-Sophie"},
        Pair{"Jürgen", "Jurgen"}}) {
    const std::string forgotten = pair.forgotten, other = pair.other;
    const ForgottenNames finder({forgotten}, {other});
    EXPECT_FALSE(finder.in(other)) << other;
    EXPECT_FALSE(finder.in("met " + other + " twice")) << other;
    EXPECT_TRUE(finder.in(forgotten)) << forgotten;
    EXPECT_TRUE(finder.in(forgotten + ", and " + other)) << other;
    EXPECT_EQ(finder.without(forgotten + ", " + other), "[forgotten], " + other);
    EXPECT_NE(ForgottenNames({forgotten}).judge(other), Naming::kNot)
        << "where nobody is called so";
  }
}

TEST(ForgottenNames, FindsComposedAndDecomposedLettersAlike) {
  for (const char* name :
       {"Jürgen Zorb", "Mäkinen", "Köhler", "Åse", "Zoë Núñez", "Фёдор", "Їжак"}) {
    const std::string composed = to_nfc(name), decomposed = to_nfd(name);
    ASSERT_NE(composed, decomposed);
    EXPECT_TRUE(names(composed, "met " + decomposed + " there")) << name;
    EXPECT_TRUE(names(decomposed, "met " + composed + " there")) << name;
    EXPECT_TRUE(names(decomposed, "met " + decomposed + " there")) << name;
    EXPECT_EQ(ForgottenNames({composed}).without(decomposed + "!"), "[forgotten]!");
  }
  EXPECT_TRUE(names(to_nfd("Müller"), "met Mueller"));
  EXPECT_TRUE(names("Mueller", to_nfd("met Müller")));
}

TEST(ForgottenNames, FindsValuesWithoutALetterAsTheyAreWritten) {
  EXPECT_TRUE(names("0170-55512", "call 0170-55512 now"));
  EXPECT_FALSE(names("0170-55512", "call 0170 or 55512"));
  EXPECT_TRUE(names("128", "room 128"));
  EXPECT_FALSE(names("128", "room 1128"));
  EXPECT_TRUE(ForgottenNames({"128"}).in_payload(R"({"room":128})"));
}

TEST(ForgottenNames, FindsWhatIsWrittenWithEscapes) {
  const ForgottenNames names({"Zoé Müller"});
  for (const char* text :
       {"http://x/Zo%C3%A9%20M%C3%BCller/photo", "?q=Zo%c3%a9+M%c3%bcller",
        "by Zo&eacute; M&uuml;ller", "by Zo&#233;&nbsp;M&#xFC;ller", "Zo\\u00e9 M\\u00fcller",
        "Zo%25C3%25A9%2520M%25C3%25BCller", "zoe-muller.csv", "zoé_müller"}) {
    EXPECT_TRUE(names.in(text)) << text;
  }
  EXPECT_EQ(names.without("see http://x/Zo%C3%A9%20M%C3%BCller/photo, 100% of it"),
            "see http://x/[forgotten]/photo, 100% of it");
  EXPECT_EQ(names.without("by Zo&eacute; M&uuml;ller &amp; Co"), "by [forgotten] &amp; Co");
  for (const char* text : {"100% Zoé, 20% Anna", "M&uuml;ller &amp; Zo", "Zo%C3%A9 and M%C3%BCl"})
    EXPECT_FALSE(names.in(text)) << text;
}

// Of other signs, other things: whatever is written around them, and however it is escaped.
const std::vector<std::string>& signed_names() {
  static const std::vector<std::string> kNames = {
      "C",          "C++",        "C#",          "F",        "F#",           "A*",
      "A",          ".NET",       "Net",         "G++",      "Notepad++",    "Notepad",
      "Q#",         "Q",          "Disney+",     "AT&T",     "Node.js",      "v1.11",
      "v11.1",      "Python 3",   "Python 3.11", "O'Brien",  "Ke$ha",        "M*A*S*H",
      "R&D",        "B-52",       "7-Zip",       "Ada Berg", "Mia Vantor",   "J. R. Smith",
      "Zoé Müller", "José Núñez", "王小明",      "田中太郎", "Анна Петрова", "Ελένη Βλάχου",
      "Veli-Matti", "Room 1.1",   "Room 11",     "Anna2",    "0170-55512",   "3:4",
      "4:3",        "50%",        "+49 170 5"};
  return kNames;
}

std::string percent_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 && byte < 0x80;
    escaped += plain ? std::string(1, c) : "%" + to_upper(to_hex(std::string_view(&c, 1)));
  }
  return escaped;
}

std::vector<std::string> texts_with(const std::string& name) {
  std::string entities;
  for (const char32_t c : to_utf32(name))
    entities += "&#" + std::to_string(static_cast<std::uint32_t>(c)) + ";";
  std::vector<std::string> texts = {name,
                                    "met " + name + " there",
                                    "see (" + name + ").",
                                    "\"" + name + "\" came",
                                    "“" + name + "”",
                                    "met " + name + ", then",
                                    "<b>" + name + "</b> came",
                                    "<td>" + name + "</td><td>x</td>",
                                    "[" + name + "](x) came",
                                    "[x](" + replace_all(name, " ", "%20") + ")",
                                    "q=" + percent_escaped(name) + " here",
                                    "by " + entities + " here",
                                    Json(name).dump()};
  // Of one letter, that is in doubt.
  if (name.size() == 1) std::erase(texts, "q=" + name + " here");
  // "**A***" is A, or A*.
  if (!name.ends_with('*')) texts.push_back("**" + name + "** came");
  if (has_word_letters(name)) texts.push_back(name + "'s car");
  return texts;
}

TEST(ForgottenNames, TellsNamesApartByTheirSigns) {
  for (const std::string& name : signed_names()) {
    const ForgottenNames finder({name});
    for (const std::string& text : texts_with(name))
      EXPECT_TRUE(finder.in(text)) << name << " in " << text;
    for (const std::string& other : signed_names()) {
      if (other == name) continue;
      for (const std::string& text : texts_with(other))
        EXPECT_FALSE(finder.in(text)) << name << " in " << text;
    }
  }
}

TEST(ForgottenNames, ListsWhatSignsLeaveOpen) {
  const ForgottenNames c({"C"}), berg({"Ada Berg"});
  for (const char* text : {"plan C+ now", "#C", "at C&A"}) {
    EXPECT_EQ(c.judge(text), Naming::kInDoubt) << text;
    EXPECT_EQ(c.without(text), text);
  }
  EXPECT_EQ(c.judge("plan C+ or C"), Naming::kNames);
  EXPECT_EQ(berg.judge("Berg, Ada, Tom"), Naming::kInDoubt);
  EXPECT_EQ(berg.without("by Berg, Ada; 1990"), "by [forgotten]; 1990");
  EXPECT_EQ(berg.judge_value(R"(["x", {"by": "Berg, Ada, Tom"}])"), Naming::kInDoubt);
  EXPECT_EQ(berg.judge_payload(R"({"a": "Berg, Ada, Tom", "b": "Ada Berg"})"), Naming::kNames);
  EXPECT_EQ(berg.judge("Tom"), Naming::kNot);
}

TEST(ForgottenNames, CutsMarkedUpNamesOutOfTheOriginal) {
  const ForgottenNames finder({"Ada Berg"});
  EXPECT_EQ(finder.without("met **Ada** Berg."), "met **[forgotten].");
  EXPECT_EQ(finder.without("met Ada<br>Berg² there"), "met [forgotten]² there");
  EXPECT_EQ(finder.without("Ada&ensp;Berg &amp; Tom"), "[forgotten] &amp; Tom");
  EXPECT_EQ(finder.without("<a href='/Ada%20Berg'>she</a>"), "<a href='/[forgotten]'>she</a>");
  EXPECT_EQ(finder.without("C:\\users\\ada berg\\nada berg"),
            "C:\\users\\[forgotten]\\n[forgotten]");
  EXPECT_EQ(ForgottenNames({"nina"}).without("C:\\nina"), "C:\\[forgotten]");
  EXPECT_EQ(ForgottenNames({"C++"}).without("C%2B%2B or C"), "[forgotten] or C");
}

TEST(ForgottenNames, ListsAGenitiveThatStandsAlone) {
  const ForgottenNames mia({"Mia Vantor"});
  EXPECT_EQ(mia.judge("Mia Vantors"), Naming::kInDoubt) << "nothing says in which language";
  EXPECT_TRUE(mia.in("Das ist Mia Vantors Auto"));
  const ForgottenNames beside({"Mia Vantor"}, {"Mia Vantors"});
  EXPECT_FALSE(beside.in("Mia Vantors"));
  EXPECT_TRUE(beside.in("Mia Vantor"));
}

// Anima's own words in its records are nobody's name; in a text they are.
TEST(ForgottenNames, LeavesWordsOfTheProgram) {
  const ForgottenNames finder({"Operator", "Terminal"});
  EXPECT_FALSE(finder.in_payload(R"({"by":"operator","channel":"terminal","n":[1]})"));
  EXPECT_TRUE(finder.in_payload(R"({"by":"operator","text":"ask the operator"})"));
  EXPECT_TRUE(finder.in_payload(R"({"by":"operator Jim"})"));
  EXPECT_TRUE(finder.in_payload(R"({"arguments":{"by":"operator"}})"));
}

TEST(ForgottenNames, ReadsANameAsItReadsATextOfIt) {
  EXPECT_TRUE(ForgottenNames({"C:\\new"}).in("see C:\\new there"));
  EXPECT_TRUE(ForgottenNames({"Zoé&nbsp;Berg"}).in("Zoé Berg"));
  EXPECT_TRUE(ForgottenNames({"Berg²"}).in("Berg² there"));
  EXPECT_FALSE(ForgottenNames({"Berg²"}).in("Berg there"));
}

TEST(ForgottenNames, FindsNamesOfSignsAloneBetweenBlanks) {
  const ForgottenNames plus({"++"});
  EXPECT_TRUE(plus.in("++"));
  EXPECT_TRUE(plus.in("rated ++ twice"));
  EXPECT_FALSE(plus.in("C++"));
  EXPECT_FALSE(plus.in("+++"));
}

TEST(ForgottenNames, FindsTheKeysOfAValue) {
  const ForgottenNames names({"Mia Zorbel"});
  EXPECT_EQ(Naming::kNames, names.judge_value(R"({"mia_zorbel":5})"));
  EXPECT_TRUE(names.in_payload(R"({"arguments":{"mia_zorbel":5}})"));
  EXPECT_NE(Naming::kNames, names.judge_value(R"({"mia":5})"));
}

TEST(ForgottenNames, LeavesWhatEvidenceIsReadBy) {
  const ForgottenNames finder({"operator", "granted", "by", "guardian", "reason"});
  const Json record = parse_json(R"({"event":"granted","trust":"operator","agent":"guardian",
      "by":"operator","reason":"granted by the operator","arguments":{"trust":"operator"},
      "evidence":{"labels":[{"argument":"x","trust":"operator"}]}})")
                          .value();
  const Json expected = parse_json(R"({"event":"granted","trust":"operator","agent":"guardian",
      "by":"[forgotten]","reason":"[forgotten] [forgotten] the [forgotten]",
      "arguments":{"trust":"[forgotten]"},
      "evidence":{"labels":[{"argument":"x","trust":"operator"}]}})")
                            .value();
  EXPECT_EQ(finder.evidence_without(record).dump(), expected.dump());
}

TEST(ForgottenNames, TakesEachNameOutOfATextAndOfJson) {
  const ForgottenNames finder({"Alice Zorbel", "王小明"});
  EXPECT_EQ(finder.without("Alice Zorbel's and alice zorbel; 王小明和王小明"),
            "[forgotten] and [forgotten]; [forgotten]和[forgotten]");
  EXPECT_EQ(finder.evidence_without(*parse_json(R"({"who":"Alice\nZorbel","n":[1,"no"]})")).dump(),
            R"({"who":"[forgotten]","n":[1,"no"]})");
  EXPECT_TRUE(finder.in_payload(R"({"who":"Alice\nZorbel"})"));
}

// tests/cases/forgetting/spots.txt
struct Spot {
  std::string line, name, text;
  std::vector<std::string> others;
  Naming naming = Naming::kNot;
};

std::vector<Spot> read_spots() {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/cases/forgetting/spots.txt");
  std::vector<Spot> spots;
  for (std::string line; std::getline(file, line);) {
    const std::size_t parts = line.find(" :: "), arrow = line.rfind(" => ");
    if (line.empty() || line.front() == '#' || parts == line.npos || arrow == line.npos) continue;
    Spot spot;
    spot.line = line;
    for (const std::string_view one : split(std::string_view(line).substr(0, parts), '|')) {
      (spot.name.empty() ? spot.name : spot.others.emplace_back()) = std::string(trim(one));
    }
    for (std::size_t at = parts + 4; at < arrow; ++at) {
      const bool escape = line[at] == '\\' && at + 1 < arrow;
      if (escape) ++at;
      spot.text += !escape ? line[at] : line[at] == 'n' ? '\n' : line[at] == 't' ? '\t' : line[at];
    }
    const char naming = line[arrow + 4];
    spot.naming = naming == '+' ? Naming::kNames : naming == '?' ? Naming::kInDoubt : Naming::kNot;
    spots.push_back(std::move(spot));
  }
  return spots;
}

TEST(ForgottenNames, SpotsWhereANameMayBeOrSomethingElse) {
  const std::vector<Spot> spots = read_spots();
  ASSERT_GE(spots.size(), 150U);
  for (const Spot& spot : spots) {
    const ForgottenNames finder({spot.name}, spot.others);
    EXPECT_EQ(static_cast<int>(finder.judge(spot.text)), static_cast<int>(spot.naming))
        << spot.line;
  }
}

}  // namespace
}  // namespace anima::memory::detail::forgotten_names_test
