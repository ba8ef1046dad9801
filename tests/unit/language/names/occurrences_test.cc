// Where texts contain names, in the forms that languages give them.
#include "language/names/occurrences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace anima::language::occurrences_test {
namespace {

struct Case {
  std::string_view name, text, found;  // found: what of the text is the name, with its ending
  NameForm form;
};

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
      {"Ada Lovelace", "Ada\u202fLovelace wrote", "Ada\u202fLovelace", kFolded},
      {"Ada Lovelace", "Ada\u2003\u2009Lovelace wrote", "Ada\u2003\u2009Lovelace", kFolded},
      {"Ada Lovelace", "Ada\u2028Lovelace wrote", "Ada\u2028Lovelace", kFolded},
      {"Ada Lovelace", "Ada\vLovelace wrote", "Ada\vLovelace", kFolded},
      {"Ada Lovelace", "Ada \u200f\u2066Lovelace", "Ada \u200f\u2066Lovelace", kFolded},
      {"Ada\u202fLovelace", "Ada Lovelace wrote", "Ada Lovelace", kFolded},
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
    EXPECT_EQ(each.text.substr(found[0].begin, found[0].end - found[0].begin), each.found);
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

TEST(NameOccurrences, GoNoFartherThanAsked) {
  NameReach exact;
  exact.farthest = NameForm::kFolded;
  EXPECT_FALSE(contains_name("Ainon pyörä", "Aino", exact));
  EXPECT_TRUE(contains_name("aino", "Aino", exact));
  NameReach english;
  english.languages = {Language::kEnglish};
  EXPECT_FALSE(contains_name("Ainon pyörä", "Aino", english));
  NameReach finnish;
  finnish.languages = {Language::kFinnish};
  const auto found = occurrences("Ainon pyörä", "Aino", finnish);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].language, Language::kFinnish);
}

TEST(NameOccurrences, TheTextSaysWhoseEndingsCount) {
  EXPECT_FALSE(contains_name("This is the market", "Mark"));
  NameReach every;
  every.every_language = true;
  EXPECT_TRUE(contains_name("This is the bike of Ainolta", "Aino", every));
  EXPECT_FALSE(contains_name("This is the bike of Ainolta", "Aino"));
}

TEST(NameOccurrences, TheLongestOfSeveralNames) {
  const std::vector<std::string> names = {"Anna", "Anna Smith", "Ben"};
  const auto found = NameFinder(names).find("Ben met Anna Smith, and Anna left");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, 2u);
  EXPECT_EQ(found[1].name, 1u);
  EXPECT_EQ(found[2].name, 0u);
}

TEST(NameForms, AreWhatOccurrencesFinds) {
  const auto forms = name_forms("Veli-Matti Järvi", Language::kFinnish);
  EXPECT_EQ(forms.front(), "veli matti jarvi");
  EXPECT_NE(std::ranges::find(forms, "veli matti jarven"), forms.end());
  NameReach finnish;
  finnish.languages = {Language::kFinnish};
  for (const std::string& form : forms)
    EXPECT_TRUE(contains_name(form, "Veli-Matti Järvi", finnish)) << form;
}

}  // namespace
}  // namespace anima::language::occurrences_test
