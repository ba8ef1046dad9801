// Words, sentences and terms of texts in many scripts.
#include "language/text/words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "language/text/compounds.h"
#include "language/text/forms.h"
#include "language/text/guess.h"
#include "language/text/sentences.h"
#include "language/text/vocabulary.h"

namespace anima::language::words_test {
namespace {

using List = std::vector<std::string>;

List words(std::string_view text) {
  WordReader reader;
  List list;
  for (const Token& token : reader.read(text)) list.emplace_back(token.folded);
  return list;
}

List terms(std::string_view text, TermUse use = TermUse::kDocument) {
  TermSplitter splitter(use);
  List list;
  splitter.split(text, [&](const IndexTerm& term) { list.emplace_back(term.text); });
  return list;
}

TEST(Words, AreRunsOfLettersDigitsAndMarks) {
  EXPECT_EQ(words("Don't stop, Café-bar 42!"), (List{"don", "t", "stop", "cafe", "bar", "42"}));
  EXPECT_EQ(words(""), List{});
  EXPECT_EQ(words("\xff a\xc3 b"), (List{"a", "b"}));
  EXPECT_EQ(words("हिन्दी भाषा"), (List{"हिन्दी", "भाषा"}));
}

TEST(Words, KnowWhatJoinsThem) {
  WordReader reader;
  const auto& tokens = reader.read("Aino’s v1.11 C盘 a - b. Next");
  ASSERT_EQ(tokens.size(), 9u);
  EXPECT_EQ(tokens[0].joint, '\'');
  EXPECT_EQ(tokens[1].joint, 0);
  EXPECT_EQ(tokens[2].joint, '.');
  EXPECT_EQ(tokens[4].joint, kTouches);
  EXPECT_EQ(tokens[5].folded, "盘");
  EXPECT_TRUE(tokens[5].unbroken);
  EXPECT_EQ(tokens[6].joint, 0);
  EXPECT_TRUE(tokens[8].starts_sentence);
  EXPECT_TRUE(tokens[8].capital);
  EXPECT_FALSE(tokens[3].starts_sentence);
  EXPECT_EQ(tokens[0].begin, 0u);
  EXPECT_EQ(tokens[0].end, 4u);
}

TEST(Words, ChangeWithCapitals) {
  EXPECT_EQ(capital_cuts("memoryMb"), (std::vector<std::size_t>{6}));
  EXPECT_EQ(capital_cuts("HTTPServer"), (std::vector<std::size_t>{4}));
  EXPECT_EQ(capital_cuts("getHTTPServerName"), (std::vector<std::size_t>{3, 7, 13}));
  EXPECT_EQ(capital_cuts("Berlin"), std::vector<std::size_t>{});
  EXPECT_EQ(capital_cuts("NASA"), std::vector<std::size_t>{});
}

TEST(Terms, AreWordsWholesAndParts) {
  EXPECT_EQ(terms("C++ and C#"), (List{"c++", "and", "c#"}));
  EXPECT_EQ(terms("Notepad++"), (List{"notepad", "notepad++"}));
  EXPECT_EQ(terms("C/C++"), (List{"c", "c/c++", "c++"}));
  EXPECT_EQ(terms("C++", TermUse::kQuery), (List{"c++"}));
  EXPECT_EQ(terms("v1.11"), (List{"~v1", "v1.11", "1.11", "~11", "~v1-11"}));
  EXPECT_EQ(terms("192.168.1.11"),
            (List{"~192", "192.168.1.11", "~168", "~192-168", "~1", "~168-1", "~11", "~1-11"}));
  EXPECT_EQ(terms("memoryMb"), (List{"memorymb", "memory", "mb"}));
  EXPECT_EQ(terms("C盘已满"), (List{"c", "c盘", "盘已", "已满", "满"}));
  EXPECT_EQ(terms("C盘", TermUse::kQuery), (List{"c盘"}));
  EXPECT_EQ(terms("USB盘满", TermUse::kQuery), (List{"usb", "usb盘", "盘满"}));
  EXPECT_EQ(terms("狗", TermUse::kQuery), List{"狗"});
  EXPECT_EQ(terms("一只狗", TermUse::kQuery), (List{"一只狗", "一只", "只狗"}));
  EXPECT_EQ(terms("https://example.org/a"),
            (List{"example", "example.org/a", "example.org", "org", "a"}));
  EXPECT_EQ(terms("The end. Next"), (List{"the", "end", "next"}));
}

// A query names a thing: not its numbers, nor a letter of it.
TEST(Terms, OfAQueryAreWhatItNames) {
  std::vector<List> parts;
  const auto query = [&](std::string_view text) {
    List list;
    parts.clear();
    TermSplitter splitter(TermUse::kQuery);
    splitter.split(text, [&](const IndexTerm& term) {
      list.emplace_back(term.text);
      parts.emplace_back(term.parts.begin(), term.parts.end());
    });
    return list;
  };
  EXPECT_EQ(query("is v1.11 out"), (List{"is", "v1.11", "out"}));
  EXPECT_EQ(parts, (std::vector<List>{{}, {"v1", "11"}, {}}));
  EXPECT_EQ(query("INV-2024-0042"), List{"inv-2024-0042"});
  EXPECT_EQ(parts, (std::vector<List>{{"inv", "2024", "0042"}}));
  EXPECT_EQ(query("T-Mobile"), (List{"t-mobile", "mobile", "tmobile"}));
  EXPECT_EQ(query("Veli-Matti"), (List{"veli", "veli-matti", "matti", "velimatti"}));
  EXPECT_EQ(parts, (std::vector<List>{{}, {}, {}, {}}));
  EXPECT_EQ(query("東京都"), (List{"東京都", "東京", "京都"}));
  EXPECT_EQ(parts, (std::vector<List>{{"東京", "京都"}, {}, {}}));
}

// So it can be told what is but a part of which whole.
TEST(Terms, OfAQueryStandWhereTheirWholeDoes) {
  std::vector<std::string> whole, parts;
  const std::string text = "mail bob@x.org";
  TermSplitter splitter(TermUse::kQuery);
  splitter.split(text, [&](const IndexTerm& term) {
    auto& list = term.kind == TermKind::kWhole ? whole : parts;
    list.push_back(text.substr(term.begin, term.end - term.begin));
  });
  EXPECT_EQ(whole, List{"bob@x.org"});
  EXPECT_EQ(parts, (List{"mail", "bob", "org"}));
}

TEST(Terms, SayWhereTheyStand) {
  TermSplitter splitter(TermUse::kLetters, FoldStrength::kCase);
  std::vector<std::string> seen;
  splitter.split("https://a.org Ärger 犬が", [&](const IndexTerm& term) {
    seen.push_back(std::to_string(term.begin) + " " + std::string(term.text) +
                   (term.capital ? " capital" : ""));
  });
  EXPECT_EQ(seen, (List{"8 a", "8 a.org", "10 org", "14 ärger capital", "14 aerger", "21 犬が",
                        "21 犬"}));
}

TEST(Terms, AreNeverTooLong) {
  EXPECT_EQ(terms(std::string(300, 'x')), List{std::string(64, 'x')});
  for (const std::string& term : terms("é" + std::string(100, 'y'))) EXPECT_LE(term.size(), 64u);
}

List unbroken(std::string_view run) {
  List list;
  for (const TextSpan& span : unbroken_words(run))
    list.emplace_back(run.substr(span.begin, span.end - span.begin));
  return list;
}

TEST(UnbrokenWords, AreThoseOfTheDictionaries) {
  EXPECT_EQ(unbroken("ฉันชอบกินข้าวผัด"), (List{"ฉัน", "ชอบ", "กิน", "ข้าว", "ผัด"}));
  EXPECT_EQ(unbroken("我昨天去北京"), (List{"我", "昨天", "去", "北京"}));
  EXPECT_EQ(unbroken(""), List{});
}

List sentence_list(std::string_view text) {
  List list;
  for (const TextSpan& span : sentences(text))
    list.emplace_back(text.substr(span.begin, span.end - span.begin));
  return list;
}

TEST(Sentences, EndWhereTheyEnd) {
  EXPECT_EQ(sentence_list("It runs. Does it? Yes! \"Good.\" Next"),
            (List{"It runs.", "Does it?", "Yes!", "\"Good.\"", "Next"}));
  EXPECT_EQ(sentence_list("Dr. Virtanen and A. Lovelace use v1.11 of it, e.g. at 3.5 GHz. Then"),
            (List{"Dr. Virtanen and A. Lovelace use v1.11 of it, e.g. at 3.5 GHz.", "Then"}));
  EXPECT_EQ(sentence_list("我去了。你呢？好"), (List{"我去了。", "你呢？", "好"}));
  EXPECT_EQ(sentence_list("One\n\nTwo\nstill two"), (List{"One", "Two\nstill two"}));
  EXPECT_EQ(sentence_list("  "), List{});
}

TEST(Guess, IsTheLanguageOfMostStopWords) {
  EXPECT_EQ(guess_language("Where did you put the keys that were on the table?"),
            Language::kEnglish);
  EXPECT_EQ(guess_language("Wann hat das Boot den Hafen verlassen?"), Language::kGerman);
  EXPECT_EQ(guess_language("Où est-ce que tu as mis les clés qui étaient sur la table ?"),
            Language::kFrench);
  EXPECT_EQ(guess_language("Minä en ole vielä nähnyt sitä, mutta hän on"), Language::kFinnish);
  EXPECT_EQ(guess_language("Я не знаю, что это такое"), Language::kRussian);
  EXPECT_EQ(guess_language("Я не знаю, що це таке"), Language::kUkrainian);
  EXPECT_EQ(guess_language("我们昨天去了北京"), Language::kChinese);
  EXPECT_EQ(guess_language("来週の会議は大阪で開かれます"), Language::kJapanese);
  EXPECT_EQ(guess_language("서울에서 백업했습니다"), Language::kKorean);
  EXPECT_EQ(guess_language("Greifswald 17"), std::nullopt);
  EXPECT_EQ(guess_language(""), std::nullopt);
}

TEST(Guess, IsSureOnlyWithAMargin) {
  LanguageVotes few;
  few.add_text("met Ben in Paris, to Ben I write");
  EXPECT_EQ(few.sure(), std::nullopt);
  LanguageVotes clear;
  clear.add_text("Wo ist das Boot, das wir gesehen haben?");
  EXPECT_EQ(clear.sure(), Language::kGerman);
}

TEST(Forms, ShareAStemInSomeLanguage) {
  WordForms house("houses");
  EXPECT_TRUE(house.has("house"));
  EXPECT_TRUE(house.has("houses"));
  EXPECT_FALSE(house.has("horse"));
  WordForms talo("talossa");
  EXPECT_TRUE(talo.has("talo"));
  EXPECT_TRUE(talo.has("taloon"));
  EXPECT_TRUE(WordForms("книги").has("книга"));
  EXPECT_TRUE(WordForms("membaca").has("baca"));
  EXPECT_TRUE(WordForms("mouse").has("mice"));
  EXPECT_TRUE(WordForms("children").has("child"));
  EXPECT_TRUE(WordForms("reuniao").has("reunioes"));
  EXPECT_TRUE(WordForms("كتاب").has("الكتاب"));
  EXPECT_TRUE(WordForms("الكتاب").has("كتاب"));
  EXPECT_TRUE(WordForms("ילדים").has("הילדים"));
  EXPECT_TRUE(WordForms("agac").has("agaclar"));
  // One stem in Catalan, which is no French; their letters tell them apart where nothing is known.
  const LanguageSet french = set_of(Language::kFrench);
  EXPECT_FALSE(WordForms("travail").sense("travers").fits(french));
  EXPECT_FALSE(WordForms("travail").sense("travers").fits({}));
  EXPECT_TRUE(WordForms("travail").sense("travers").fits(set_of(Language::kCatalan)));
  EXPECT_TRUE(WordForms("fleur").sense("fleurs").fits(french));
  EXPECT_TRUE(WordForms("fleur").sense("fleurs").fits({}));
  EXPECT_TRUE(WordForms("people").sense("person").fits({}));
  EXPECT_TRUE(WordForms("ab").starts().empty());
  EXPECT_TRUE(WordForms("x86").starts().empty());
}

TEST(WordForms, OfIrregularVerbsFindEachOther) {
  constexpr std::pair<std::string_view, std::string_view> kForms[] = {
      {"write", "wrote"},       {"wrote", "written"},  {"writing", "wrote"}, {"go", "went"},
      {"think", "thought"},     {"bought", "buy"},     {"gehen", "ging"},    {"ging", "gegangen"},
      {"schreiben", "schrieb"}, {"denken", "gedacht"}, {"fuhr", "fahrt"},
  };
  for (const auto& [word, form] : kForms) {
    WordForms forms(word);
    const FormSense sense = forms.sense(form);
    EXPECT_TRUE(sense.languages.any() && sense.by_rule) << word << " " << form;
    EXPECT_FALSE(forms.starts().empty()) << word;
  }
  EXPECT_FALSE(WordForms("write").has("wrath"));
}

// Where the algorithm of the stems leaves an ending, a text that is surely in the language has it.
TEST(Forms, OfASureTextAreTheLanguagesOwn) {
  struct Pair {
    Language language;
    std::string_view one, many;
  };
  for (const auto& [language, one, many] :
       {Pair{Language::kGerman, "auto", "autos"}, Pair{Language::kGerman, "museum", "museen"},
        Pair{Language::kGerman, "firma", "firmen"}, Pair{Language::kGerman, "thema", "themen"},
        Pair{Language::kFrench, "velo", "velos"}, Pair{Language::kFrench, "photo", "photos"},
        Pair{Language::kFrench, "ami", "amis"}, Pair{Language::kDutch, "huis", "huizen"},
        Pair{Language::kDutch, "brief", "brieven"}, Pair{Language::kDutch, "man", "mannen"},
        Pair{Language::kDutch, "kind", "kinderen"}, Pair{Language::kDutch, "stad", "steden"},
        Pair{Language::kSwedish, "skola", "skolan"}, Pair{Language::kSwedish, "gata", "gatan"},
        Pair{Language::kItalian, "lettera", "lettere"}, Pair{Language::kItalian, "lago", "laghi"},
        Pair{Language::kPortuguese, "rua", "ruas"}, Pair{Language::kPortuguese, "azul", "azuis"},
        Pair{Language::kPortuguese, "facil", "faceis"}}) {
    EXPECT_TRUE(WordForms(one).fits(many, set_of(language))) << one << " " << many;
    EXPECT_TRUE(WordForms(many).fits(one, set_of(language))) << many << " " << one;
  }
  EXPECT_FALSE(WordForms("mai").fits("mais", set_of(Language::kFrench)));
  EXPECT_FALSE(WordForms("hau").fits("haus", set_of(Language::kGerman)));
}

List parts(std::string_view word) {
  List list;
  for (const TextSpan& span : compound_parts(word))
    list.emplace_back(word.substr(span.begin, span.end - span.begin));
  return list;
}

TEST(Compounds, AreCutAtKnownParts) {
  EXPECT_EQ(parts("kaffeemaschine"), (List{"kaffee", "maschine"}));
  EXPECT_EQ(parts("kaffeemaschinen"), (List{"kaffee", "maschine"}));
  EXPECT_EQ(parts("sicherungskopf"), (List{"sicherung", "kopf"}));
  EXPECT_EQ(parts("datenbankserver"), (List{"datenbank", "server"}));
  EXPECT_EQ(parts("kahvikone"), (List{"kahvi", "kone"}));
  EXPECT_EQ(parts("lentokonetta"), (List{"lento", "kone"}));
  EXPECT_EQ(parts("sjukhus"), (List{"sjuk", "hus"}));
  EXPECT_EQ(parts("jarnvagsstationen"), (List{"jarnvag", "station"}));
  EXPECT_EQ(parts("ziekenhuis"), (List{"zieken", "huis"}));
  EXPECT_EQ(parts("donaudampfschifffahrtsgesellschaft"),
            (List{"donau", "dampf", "schifffahrt", "gesellschaft"}));
  EXPECT_EQ(parts("lentokonesuihkumoottoriapumekaanikko"),
            (List{"lentokone", "suihku", "moottori", "apu", "mekaanikko"}));
  EXPECT_EQ(parts("jarnvagsstationschef"), (List{"jarnvag", "station", "chef"}));
  EXPECT_EQ(parts("ziekenhuisdirecteur"), (List{"zieken", "huis", "directeur"}));
  EXPECT_EQ(parts("information"), List{});
  EXPECT_EQ(parts("maschine"), List{});
  EXPECT_EQ(parts(""), List{});
  EXPECT_EQ(terms("Kaffeemaschine"), (List{"kaffeemaschine", "~kaffee", "~maschine"}));
  EXPECT_EQ(terms("Kaffeemaschine", TermUse::kQuery), List{"kaffeemaschine"});
}

TEST(Vocabularies, AllRead) {
  EXPECT_GE(described_languages().size(), 15u);
  for (const Language language : described_languages()) {
    const Vocabulary& words = vocabulary(language);
    EXPECT_EQ(words.language, language);
    EXPECT_GE(words.stop_words.size(), 20u) << code_of(language);
  }
  EXPECT_TRUE(vocabulary(Language::kGerman).is_stop_word("für"));
  EXPECT_FALSE(vocabulary(Language::kGerman).is_stop_word("haus"));
  EXPECT_EQ(vocabulary(Language::kEnglish).contractions.at("don't"), (List{"do", "not"}));
}

TEST(Vocabularies, SayWhereTheyAreWrong) {
  const auto read = [](std::string_view text) {
    const auto result = parse_vocabulary(text, "x.toml");
    return result ? std::string("good") : result.error().describe();
  };
  EXPECT_EQ(read("language = \"en\"\nscript = \"latin\"\n"), "good");
  EXPECT_NE(read("language = \"xx\"\nscript = \"latin\"\n").find("x.toml:1:1"), std::string::npos);
  EXPECT_NE(read("language = \"en\"\nscript = \"runes\"\n").find("x.toml:2:1"), std::string::npos);
  EXPECT_NE(read("language = \"en\"\nscript = \"latin\"\nstopwords = \"a\"\n").find("x.toml:3:1"),
            std::string::npos);
  EXPECT_NE(read("language = \"en\"\nscript = \"latin\"\nplurals = \"s\"\n").find("no >"),
            std::string::npos);
}

TEST(PlainWords, AreThoseThatPeopleCount) {
  EXPECT_EQ(folded_words("Don't stop, 3.14 cats'"), (List{"don't", "stop", "3", "14", "cats"}));
  EXPECT_EQ(folded_words("Aino\u2019s libssl3:amd64"), (List{"aino's", "libssl3", "amd64"}));
  EXPECT_EQ(folded_words("na\u00efve e\u0301t\u00e9", FoldStrength::kCase),
            (List{"na\u00efve", "\u00e9t\u00e9"}));
  EXPECT_EQ(folded_words("\ufb01sh \uff21"), (List{"fish", "a"}));
  EXPECT_EQ(folded_words(""), List{});
  const std::vector<PlainWord> words = plain_words("abc\u6f22\u5b57 def's");
  ASSERT_EQ(words.size(), 3u);
  EXPECT_TRUE(words[1].unbroken);
  EXPECT_EQ(words[1].written, "\u6f22\u5b57");
  EXPECT_EQ(words[2].begin, 10u);
  EXPECT_EQ(words[2].written, "def's");
}

TEST(Wholes, HaveTheirPartsAsOtherTerms) {
  EXPECT_EQ(terms("v1.17"), (List{"~v1", "v1.17", "1.17", "~17", "~v1-17"}));
  EXPECT_EQ(terms("INV-2024-0042"),
            (List{"inv", "inv-2024-0042", "~2024", "~inv-2024", "~0042", "~2024-0042"}));
  EXPECT_EQ(terms("128\u2013130"), (List{"~128", "128-130", "~130", "~128-130"}));
  EXPECT_EQ(terms("chapter 17."), (List{"chapter", "17"}));
  EXPECT_EQ(terms("web01", TermUse::kQuery), List{"web01"});
  EXPECT_EQ(terms("C\uff0b\uff0b"), List{"c++"});
  EXPECT_EQ(terms("M\u00fcller"), (List{"muller", "mueller"}));
}

TEST(Wholes, ReadNumbersInGroups) {
  for (const std::string_view written :
       {"128 000", "128,000", "128'000", "128\u202f000", "128\u2019000"})
    EXPECT_EQ(terms(written), (List{"128000", "~128", "~000"})) << written;
  EXPECT_EQ(terms("1,250.50", TermUse::kQuery), List{"1250.50"});
  EXPECT_EQ(terms("1 250 000", TermUse::kQuery), List{"1250000"});
  // A telephone number, a year beside a number, and what begins with nought.
  EXPECT_EQ(terms("555 123 4567", TermUse::kQuery), (List{"555", "123", "4567"}));
  EXPECT_EQ(terms("2024 128 000", TermUse::kQuery), (List{"2024", "128", "000"}));
  EXPECT_EQ(terms("007 123", TermUse::kQuery), (List{"007", "123"}));
}

TEST(Wholes, AreFoundWithTheirPlaces) {
  const auto wholes = whole_terms("web01-03 has 128 000 files, src/main.cc none");
  ASSERT_EQ(wholes.size(), 2u);
  EXPECT_EQ(wholes[0].text, "web01-03");
  EXPECT_EQ(wholes[0].written.end, 8u);
  EXPECT_EQ(wholes[1].text, "128000");
  EXPECT_EQ(wholes[1].written.begin, 13u);
  EXPECT_EQ(wholes[1].written.end, 20u);
}

}  // namespace
}  // namespace anima::language::words_test
