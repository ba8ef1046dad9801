// Where texts contain names, in the forms that languages give them.
#include "language/names/occurrences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/random.h"

namespace anima::language::occurrences_test {
namespace {

struct Case {
  std::string_view name, text, found;  // found: what of the text is the name, with its ending
  NameForm form;
};

// In the order of the text.
std::vector<NameOccurrence> occurrences(std::string_view text, std::string_view name) {
  const std::string names[] = {std::string(name)};
  return NameFinder(names).find(PlainReading(text));
}

const std::vector<Case>& cases() {
  using enum NameForm;
  static const std::vector<Case> kCases = {
      {"Aino", "We met Aino today", "Aino", kSame},
      {"Aino", "we met AINO today", "AINO", kFolded},
      {"Aino", "Aino's bicycle", "Aino's", kPossessive},
      {"Aino", "Aino\xe2\x80\x99s bicycle", "Aino\xe2\x80\x99s", kPossessive},
      {"Hans", "That is Hans' bicycle", "Hans'", kPossessive},
      {"Aino", "Ainon pyörä", "Ainon", kInflected},
      {"Aino", "Kysy Ainolta!", "Ainolta", kInflected},
      {"Järvi", "Veli-Matti Järvellä on koira", "Järvellä", kInflected},
      {"Veli-Matti Järvi", "Tapasin Veli-Matti Järven eilen", "Veli-Matti Järven", kInflected},
      {"Virtanen", "Virtasen auto", "Virtasen", kInflected},
      {"Pekka", "Pekan koira", "Pekan", kInflected},
      {"Matti", "Matin koira", "Matin", kInflected},
      {"Veli-Matti", "mail veli_matti about it", "veli_matti", kJoined},
      {"Veli-Matti", "user velimatti left", "velimatti", kJoined},
      {"Veli-Matti", "class VeliMattiPage", "VeliMatti", kJoined},
      {"Ada Lovelace", "Ada  Lovelace wrote", "Ada  Lovelace", kFolded},
      {"Ada Lovelace", "Ada\u202fLovelace wrote", "Ada\u202fLovelace", kSame},
      {"Ada Lovelace", "Ada\u2003\u2009Lovelace wrote", "Ada\u2003\u2009Lovelace", kFolded},
      {"Ada Lovelace", "Ada\u2028Lovelace wrote", "Ada\u2028Lovelace", kSame},
      {"Ada Lovelace", "Ada\vLovelace wrote", "Ada\vLovelace", kFolded},
      {"Ada Lovelace", "Ada \u200f\u2066Lovelace", "Ada \u200f\u2066Lovelace", kSame},
      {"Ada\u202fLovelace", "Ada Lovelace wrote", "Ada Lovelace", kSame},
      {"Ada Lovelace", "ada.lovelace@example.org", "ada.lovelace", kJoined},
      {"José", "Jose came", "Jose", kFolded},
      {"Jose", "Jose\xcc\x81 came", "Jose\xcc\x81", kFolded},
      {"Müller", "Herr Mueller kam", "Mueller", kFolded},
      {"Mueller", "Herr Müller kam", "Müller", kFolded},
      {"Anna", "Annas Fahrrad", "Annas", kInflected},
      {"Анна", "Я видел Анну вчера", "Анну", kInflected},
      {"Иван Петров", "Письмо Ивана Петрова", "Ивана Петрова", kInflected},
      {"Дмитрий", "с Дмитрием", "Дмитрием", kInflected},
      {"Marek", "Dom Marka", "Marka", kInflected},
      {"Anna Nowak", "Pomogę Annie Nowak", "Annie Nowak", kInflected},
      {"Jana", "Viděl jsem Janu", "Janu", kInflected},
      {"Nováková", "u Novákové", "Novákové", kInflected},
      {"Ahmet", "Ahmet'in evi", "Ahmet'in", kPossessive},
      {"Ankara", "Ankara'da oturuyor", "Ankara'da", kPossessive},
      {"Anna", "Annával beszéltem", "Annával", kInflected},
      {"Maria", "casa Mariei", "Mariei", kInflected},
      {"Γιώργος", "το σπίτι του Γιώργου", "Γιώργου", kInflected},
      {"Olena", "Olena", "Olena", kSame},
      {"Олена", "Олені подобається", "Олені", kInflected},
      {"أحمد", "كتب احمد الرسالة", "احمد", kFolded},
      {"محمد", "ومحمد ذهب", "ومحمد", kInflected},
      {"דוד", "הלכתי לדוד אתמול", "לדוד", kInflected},
      {"田中", "田中さんは来ました", "田中", kUnbroken},
      {"田中太郎", "昨日、田中 太郎さんに会った", "田中 太郎", kUnbroken},
      {"田中 太郎", "昨日田中太郎に会った", "田中太郎", kUnbroken},
      {"李明", "我昨天见到李明了", "李明", kUnbroken},
      {"李明", "李明", "李明", kSame},
      {"민수", "민수는 학생이다", "민수", kUnbroken},
      {"สมชาย", "ฉันเห็นสมชายเมื่อวาน", "สมชาย", kUnbroken},
      {"テスト", "ﾃｽﾄサーバー", "ﾃｽﾄ", kUnbroken},
      {"O'Brien", "Ask O'Brien's sister", "O'Brien's", kPossessive},
      {"Anna", "l'auto d'Anna", "Anna", kSame},
      {"C3PO", "ask C3PO now", "C3PO", kSame},
  };
  return kCases;
}

TEST(NameOccurrences, OfTheTable) {
  for (const Case& each : cases()) {
    const auto found = occurrences(each.text, each.name);
    ASSERT_EQ(found.size(), 1u) << each.name << " in " << each.text;
    const PlainReading reading(each.text);
    const std::size_t begin = reading.written_begin(found[0].begin);
    EXPECT_EQ(each.text.substr(begin, reading.written_end(found[0].end) - begin), each.found);
    EXPECT_EQ(to_string(found[0].form), to_string(each.form)) << each.name << " in " << each.text;
  }
}

TEST(NameOccurrences, AreNoOtherNamesAndWords) {
  const std::vector<std::pair<std::string, std::string>> none = {
      {"Ann", "The annual report"},
      {"Art", "A partial start"},
      {"Mark", "market and remarks"},
      {"Li", "Lin and Lisa"},
      {"Aino", "ainoastaan"},
      {"Järvi", "järjestelmä"},
      {"Ada Lovelace", "Ada met Mr Lovelace"},
      {"Anna", "Hannah and Annabel"},
      {"Ada", ""},
      {"Ada Lovelace", "Ada. Then Lovelace"},
      {"12", "12 monkeys"},
      {"", "anything"}};
  for (const auto& [name, text] : none)
    EXPECT_TRUE(occurrences(text, name).empty()) << name << " in " << text;
}

TEST(NameOccurrences, TheOtherWordsOfATextSayWhoseEndingsCount) {
  EXPECT_TRUE(occurrences("This is the bike of Ainolta", "Aino").empty());
  EXPECT_FALSE(occurrences("Ainolta", "Aino").empty());
  EXPECT_FALSE(occurrences("Kysy Ainolta, hän on siellä", "Aino").empty());
  // "mia" is a word of Italian.
  EXPECT_EQ(occurrences("Mia Vantors", "Mia Vantor").size(), 1u);
  EXPECT_EQ(occurrences("Das ist Mia Vantors Auto", "Mia Vantor").size(), 1u);
}

TEST(NameOccurrences, TheLongestOfSeveralNames) {
  const std::vector<std::string> names = {"Anna", "Anna Smith", "Ben"};
  const auto found = NameFinder(names).find(PlainReading("Ben met Anna Smith, and Anna left"));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, 2u);
  EXPECT_EQ(found[1].name, 1u);
  EXPECT_EQ(found[2].name, 0u);
}

struct Signed {
  std::string_view name, text;
  char what;  // '+': found, '-': not found, '?': in doubt
};

char what_is_found(std::string_view name, std::string_view text) {
  const auto found = occurrences(text, name);
  if (found.empty()) return '-';
  const bool sure =
      std::ranges::any_of(found, [](const NameOccurrence& each) { return !each.in_doubt; });
  return sure ? '+' : '?';
}

TEST(NameOccurrences, HaveTheSignsOfTheName) {
  const std::vector<Signed> all = {
      // What stands at a word as a part of it.
      {"C", "written in C", '+'},
      {"C", "written in C.", '+'},
      {"C", "(C), then", '+'},
      {"C", "C's pointers", '+'},
      {"C", "**C** is old", '+'},
      {"C", "written in C++", '-'},
      {"C", "written in C++.", '-'},
      {"C", "C++11 is old", '-'},
      {"C", "written in C#", '-'},
      {"C", "C#, then", '-'},
      {"C", "C♯ and F♯", '-'},
      {"C", "Ｃ＋＋ is old", '-'},
      {"C", "C%2B%2B", '-'},
      {"C", "C&plus;&plus;", '-'},
      {"C", "a plan C+ then", '?'},
      {"C", "tagged #C", '?'},
      {"C", "@C said", '?'},
      {"C", "at C&A", '?'},
      {"C", "written in C--", '?'},
      {"C", "written in C ++", '?'},
      {"C", "at 20 °C", '?'},
      {"C#", "C#² and C++", '+'},
      {"Ada Berg", "Ada\\_Berg", '+'},
      {"C", "q=C&n=1", '?'},
      {"C", "[x](C)", '+'},
      {"Disney+", "q=Disney+&n=1", '?'},
      {"Disney+", "“Disney+”", '+'},
      {".NET", "q=%2ENET", '+'},
      {"C", "vitamin-C", '?'},
      {"C", "C²", '?'},
      {"C", "room C4", '-'},
      {"C++", "written in C++", '+'},
      {"C++", "written in c++, mostly", '+'},
      {"C++", "C++'s templates", '+'},
      {"C++", "C++11 is old", '+'},
      {"C++", "Ｃ＋＋ is old", '+'},
      {"C++", "C%2B%2B", '+'},
      {"C++", "written in C", '-'},
      {"C++", "written in C#", '-'},
      {"C++", "written in C+++", '-'},
      {"C#", "written in C#", '+'},
      {"C#", "C#: a language", '+'},
      {"C#", "C♯", '+'},
      {"C#", "written in C", '-'},
      {"C#", "written in C++", '-'},
      {"F#", "F# and C#", '+'},
      {"F", "F# and C#", '-'},
      {"A*", "search with A*", '+'},
      {"A*", "plan A", '-'},
      {"A*", "*plan A*", '?'},
      {"A", "search with A*", '-'},
      {"A", "*plan A*", '+'},
      {"C++ Builder", "the C++ Builder", '+'},
      {"C++ Builder", "the C++Builder", '+'},
      {"C++ Builder", "the C Builder", '-'},
      {"C Builder", "the C++ Builder", '-'},
      {".NET", "made with .NET", '+'},
      {".NET", "(.NET)", '+'},
      {".NET", "the net is down", '-'},
      {".NET", "example.net", '-'},
      {"net", "made with .NET", '-'},
      {"net", "the net is down", '+'},
      {"net", "well...net", '+'},
      {"v1.11", "from v1.11 on", '+'},
      {"v1.11", "from v1 11", '-'},
      {"Python 3", "with Python 3.", '+'},
      {"Python 3", "with Python 3.11", '-'},
      {"AT&T", "called AT&T", '+'},
      {"AT&T", "called AT & T", '+'},
      {"AT&T", "called AT T", '?'},
      {"AT&T", "called AT-T", '?'},
      // What the name alone has as a part of it.
      {"Yahoo!", "at Yahoo! today", '+'},
      {"Yahoo!", "at Yahoo today", '?'},
      {"Yahoo", "at Yahoo!", '+'},
      {"@ada", "ask @ada", '+'},
      {"@ada", "ask Ada", '?'},
      {"@ada", "tom@ada.org", '?'},
      // What quotes, joins, encloses, tags or punctuates.
      {"Ada", "name=Ada", '+'},
      {"Ada", "<Ada> wrote", '+'},
      {"Ada", "Ada&Bob", '+'},
      {"Ada", "(Ada)", '+'},
      {"Ada", "#Ada", '+'},
      {"Ada", "@Ada", '+'},
      {"Ada", "Ada.", '+'},
      {"Ada", "Ada!", '+'},
      {"Ada", "Ada/Bob", '+'},
      {"Ada", "LIKE '%Ada%'", '+'},
      {"Ada", "Ada+Bob", '+'},
      {"Ada", "page#Ada", '+'},
      {"Ada", "ada#bio", '+'},
      {"Ada", "Ada*, see below", '?'},
      {"Ada", "*see Ada* now", '+'},
      {"Ada Berg", "**Ada** Berg", '+'},
      {"Ada Berg", "_Ada_ Berg", '+'},
      {"Ada Berg", "Ada **Berg**", '+'},
      {"Ada Berg", "**Ada** **Berg**", '+'},
      {"Ada Berg", "\"Ada\" Berg", '+'},
      {"Ada Berg", "“Ada” Berg", '+'},
      {"Ada Berg", "„Ada“ Berg", '+'},
      {"Ada Berg", "[Ada] Berg", '+'},
      {"Ada Berg", "Ada (Berg)", '+'},
      {"Ada Berg", "Ada_Berg", '+'},
      {"Ada Berg", "Ada+Berg", '+'},
      {"Hans Berg", "Hans' Berg", '-'},
      {"Ada Berg", "met Ada. Berg came", '?'},
      {"A Berg", "met A. Berg", '+'},
      {"Dr Berg", "met Dr. Berg", '+'},
      {"Ada Berg", "Ada & Berg", '-'},
      {"Ada Berg", "Ada++ Berg", '-'},
  };
  for (const Signed& each : all)
    EXPECT_EQ(what_is_found(each.name, each.text), each.what) << each.name << " in " << each.text;
}

// A form that the language of the text does not settle is shown, and never taken.
TEST(NameOccurrences, FormsThatMayBeOtherWordsAreInDoubt) {
  const std::vector<Signed> all = {
      // Another person has the form for a name.
      {"Ivan", "Ivana je bila kod nas i smijala se.", '?'},
      {"Ivan Horvat", "Vidio sam Ivana Horvata kod nas.", '+'},
      {"Ivan Horvat", "Ivana Horvat je bila kod nas.", '?'},
      {"Petr", "Petra byla u nás a smála se.", '?'},
      {"Petr", "Byl jsem s Petrem v kině.", '+'},
      {"Aino", "Ainoa kirja on tämä.", '?'},
      // A word of the text.
      {"Will", "I will go to the cinema.", '?'},
      {"Will", "Then Will went to the cinema.", '+'},
      {"Will Smith", "i met will smith", '+'},
      {"Rose", "The prices rose in the summer.", '?'},
      {"Mark", "I have mark here", '?'},
      {"Ada", "i saw ada yesterday", '+'},
      // Marks that tell words apart.
      {"Lan", "Làn gió mát của mùa thu đã về", '?'},
      {"Lan", "Chị Lan đã về nhà của tôi", '+'},
      // Words of scripts without blanks.
      {"李明", "李明珠的书", '?'},
      {"李明", "李明的书", '+'},
      {"王小", "王小明来了", '?'},
      {"王小明", "昨天王小明来了", '+'},
      {"민수", "민수진은 학생이다", '?'},
      {"민수", "민수에게 책을 주었다", '+'},
      {"민수", "민수씨가 왔다", '+'},
      // Endings of the language.
      {"Peter", "Bol som s Petrom v kine a bolo to dobré.", '+'},
      {"Peter", "Povedal som to Petrovi, ale on nebol doma.", '+'},
      {"Petr", "To je Petrovo auto a není to moje.", '+'},
      {"Саша", "Я был с Сашей в кино.", '+'},
      {"محمد", "رأيت محمدًا في البيت", '+'},
      // Languages whose endings nobody knows here.
      {"Иван", "Това е Ивановата книга.", '?'},
      {"Jonas", "Mačiau Jono knygą.", '?'},
      {"Jonas", "Daviau Jonui knygą.", '?'},
      {"Jānis", "Šī ir Jāņa grāmata.", '?'},
      {"Jānis", "Runāju ar Jānim.", '?'},
      {"Արամ", "Ես խոսեցի Արամին", '?'},
      {"ნინო", "ეს ნინოს წიგნია", '?'},
      {"Ane", "Hau Aneren etxea da.", '?'},
      {"Милица", "Био сам са Милицом у биоскопу.", '?'},
      // English and its neighbours take no ending but one.
      {"Anna", "The house of Annabel is here", '-'},
      {"Peter", "We met the Petersons there", '-'},
      {"Berg", "Wir waren in Bergen und es war schön", '-'},
  };
  for (const Signed& each : all)
    EXPECT_EQ(what_is_found(each.name, each.text), each.what) << each.name << " in " << each.text;
}

// Words in small letters, forms that are names themselves, and family names with a particle, in
// the languages of packs/language.
TEST(NameOccurrences, WhatMayBeAWordOrAnotherNameIsInDoubt) {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/unit/language/data/names_in_doubt.jsonl");
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    const Json row = parse_json(line).value();
    const std::string& found = row.find("found")->as_string();
    const char what = found == "sure" ? '+' : found == "doubt" ? '?' : '-';
    EXPECT_EQ(what_is_found(row.find("name")->as_string(), row.find("text")->as_string()), what)
        << line;
  }
  EXPECT_GE(rows, 200u);
}

// Of any text: what is found lies inside, in order, and the sure ones lie apart from those in
// doubt.
TEST(NameOccurrences, OfAnyTextStayInside) {
  constexpr std::string_view kPieces[] = {
      "C",  "+",  "#", "*",   ".", "Ada", "Berg", ",",  " ",      "\n",   "\"", "'",  "s",   "1",
      "@",  "&",  "(", ")",   "_", "-",   "<b>",  "%2", "\u00ad", "王",   "小", "²",  "n",   "\\",
      "[x", "](", "/", "net", "!", "and", "й",    "ü",  "\u0308", "\xff", "ﬁ",  "Mc", "ＡＢ"};
  const std::vector<std::string> names = {"C",     "C++",  "Ada Berg", ".net", "王小", "A*",
                                          "AdaMc", "C#",   "B & C",    "1.C",  "ﬁй",   "Ada-Berg!",
                                          "",      "C\nC", "Ü",        "ＡＢ"};
  const NameFinder finder(names);
  SeededRandom random(41);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::uint64_t left = random.next() % 16; left > 0; --left)
      text += kPieces[random.next() % std::size(kPieces)];
    const PlainReading reading(text);
    std::size_t sure = 0, before = 0;
    for (const NameOccurrence& each : finder.find(reading)) {
      ASSERT_LT(each.begin, each.end) << text;
      ASSERT_LE(each.end, reading.text().size()) << text;
      ASSERT_LT(reading.written_begin(each.begin), text.size()) << text;
      ASSERT_GE(each.begin, before) << text;
      ASSERT_TRUE(!each.in_doubt || each.begin >= sure) << text;
      if (!each.in_doubt) sure = std::max(sure, each.end);
      before = each.begin;
    }
  }
}

TEST(NameOccurrences, InAListHaveTheFamilyNameFirst) {
  const std::vector<Signed> all = {
      {"Ada Berg", "Berg, Ada", '+'},
      {"Ada Berg", "Berg,Ada", '+'},
      {"Ada Berg", "by Berg, Ada (2021)", '+'},
      {"Ada Berg", "Berg, Ada; Holm, Tom", '+'},
      {"Ada Berg", "Berg, Ada\nHolm, Tom", '+'},
      {"Ada Berg", "Berg, Ada, born in Oslo", '+'},
      {"Ada Maria Berg", "Berg, Ada Maria", '+'},
      {"Jürgen Müller", "Mueller, Juergen", '+'},
      {"Ada Berg", "Berg, Ada, Tom", '?'},
      {"Ada Berg", "Tom, Berg, Ada", '?'},
      {"Ada Berg", "Berg, Ada and Tom", '?'},
      {"Ada Berg", "Berg, Ada ja Tom", '?'},
      {"Ada Berg", "Tom Berg, Ada Holm", '?'},
      {"Ada Berg", "berg, ada", '-'},
      {"Ada Berg", "Bergs, Ada", '-'},
      {"Ada Berg", "Berg, Tom, Ada", '-'},
      {"Ada Berg", "Berg. Ada", '-'},
  };
  for (const Signed& each : all)
    EXPECT_EQ(what_is_found(each.name, each.text), each.what) << each.name << " in " << each.text;
}

}  // namespace
}  // namespace anima::language::occurrences_test
