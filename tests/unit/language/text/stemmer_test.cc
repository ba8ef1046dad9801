// The stems of libstemmer, in each language that it is asked for.
#include "language/text/stemmer.h"

#include <gtest/gtest.h>

#include <string>

namespace anima::language::stemmer_test {
namespace {

std::string stem(Language language, std::string_view word) {
  return std::string(Stemmer(language).stem(word));
}

// Words and stems of the lists that Snowball publishes.
TEST(Stemmer, FormsOfAWordShareAStem) {
  EXPECT_EQ(stem(Language::kEnglish, "consistency"), "consist");
  EXPECT_EQ(stem(Language::kEnglish, "knightly"), "knight");
  EXPECT_EQ(stem(Language::kGerman, "aufenthalt"), "aufenthalt");
  EXPECT_EQ(stem(Language::kGerman, "häuser"), stem(Language::kGerman, "haus"));
  EXPECT_EQ(stem(Language::kFrench, "continuellement"), "continuel");
  EXPECT_EQ(stem(Language::kSpanish, "chicas"), "chic");
}

TEST(Stemmer, RemembersNoOtherWordsStem) {
  Stemmer stemmer(Language::kEnglish);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5000; ++i) {
      const std::string word = "w" + std::to_string(i) + "ings";
      EXPECT_EQ(stemmer.stem(word), stem(Language::kEnglish, word)) << word;
    }
  }
}

TEST(Stemmer, HasEveryLanguageOfTheLibrary) {
  // The algorithms of libstemmer 2.2 but "porter", which is an older one for English, and those
  // with endings: Croatian, Czech, Polish, Slovak, Ukrainian.
  EXPECT_EQ(stemmed_languages().size(), 28u + 5);
  EXPECT_EQ(stem(Language::kFinnish, "talossa"), stem(Language::kFinnish, "talo"));
  EXPECT_EQ(stem(Language::kRussian, "книги"), stem(Language::kRussian, "книга"));
  EXPECT_EQ(stem(Language::kVietnamese, "nước"), "nước");
}

// Forms by the affixes of Hunspell's dictionaries (hunspell-pl, -uk, -cs, -sk, -hr of Debian 12).
TEST(Stemmer, KnowsEndingsWhereThereIsNoAlgorithm) {
  const auto share = [](Language language, std::initializer_list<std::string_view> forms) {
    for (const std::string_view form : forms)
      EXPECT_EQ(stem(language, form), stem(language, *forms.begin())) << form;
  };
  share(Language::kPolish, {"warszawa", "warszawie", "warszawy", "warszawę", "warszawą"});
  share(Language::kPolish, {"anna", "anny", "annie", "annę", "anną", "anno"});
  share(Language::kPolish, {"książka", "książki", "książce", "książek", "książkami"});
  share(Language::kUkrainian, {"київ", "києва", "києві", "києву", "києвом"});
  share(Language::kUkrainian, {"львів", "львова", "львові"});
  share(Language::kUkrainian, {"книжка", "книжки", "книжці", "книжок", "книжками"});
  share(Language::kCzech, {"praha", "praze", "prahy", "prahu", "prahou"});
  share(Language::kCzech, {"město", "města", "městu", "městem", "městech"});
  share(Language::kSlovak, {"bratislava", "bratislave", "bratislavy", "bratislavou"});
  share(Language::kCroatian, {"knjiga", "knjige", "knjigu", "knjigama"});
  EXPECT_NE(stem(Language::kPolish, "kot"), stem(Language::kPolish, "kos"));
}

TEST(Stemmer, WhatIsNoWordStaysAsItIs) {
  EXPECT_EQ(stem(Language::kEnglish, ""), "");
  const std::string long_word(65, 'e');
  EXPECT_EQ(stem(Language::kEnglish, long_word), long_word);
  EXPECT_EQ(stem(Language::kEnglish, "\xff"), "\xff");
}

}  // namespace
}  // namespace anima::language::stemmer_test
