// Which words in Latin letters are ways of writing a word of another script.
#include "language/names/romanised.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/packs.h"
#include "language/names/detail/romanisation.h"

namespace anima::language::romanised_test {
namespace {

using Pairs = std::initializer_list<std::pair<const char*, const char*>>;

TEST(Romanised, AreTheWaysOfPassportsAndOfPeople) {
  for (const auto& [latin, other] : Pairs{
           {"Yuri", "Юрий"},
           {"Yury", "Юрий"},
           {"Juri", "Юрий"},
           {"Gagarin", "Гагарин"},
           {"Alexey", "Алексей"},
           {"Aleksei", "Алексей"},
           {"Alexander", "Александр"},
           {"Khrushchev", "Хрущёв"},
           {"Haharin", "Гагарин"},
           {"Shchukin", "Щукин"},
           {"Olga", "Ольга"},
           {"Anna", "Анна"},
           {"Ana", "Анна"},
           {"Giannis", "Γιάννης"},
           {"Yannis", "Γιάννης"},
           {"Vlachou", "Βλάχου"},
           {"Kimminsu", "김민수"},
           {"Parkjisung", "박지성"},
           {"Leeyounghee", "이영희"},
           {"Sato", "さとう"},
           {"Suzuki", "スズキ"},
           {"Shinichi", "しんいち"},
           {"Wangxiaoming", "王小明"},
           {"Chenjianguo", "陳建國"},
           {"Krishna", "कृष्ण"},
           {"Ram", "राम"},
           {"Mohan", "मोहन"},
           {"Somchai", "สมชาย"},
           {"Jaidee", "ใจดี"},
           {"Khao", "ข่าว"},
           {"Mohammed", "محمد"},
           {"Muhammad", "محمد"},
           {"Hussein", "حسين"},
           {"Cohen", "כהן"},
           {"ARMEN", "Արմեն"},
       })
    EXPECT_TRUE(is_romanised(latin, other)) << latin << " / " << other;
}

TEST(Romanised, AreNotOtherNames) {
  for (const auto& [latin, other] : Pairs{
           {"Yulia", "Юрий"},
           {"Ana", "Яна"},
           {"Mario", "Мария"},
           {"Ivanova", "Иванов"},
           {"Ivan", "Иванна"},
           {"Alexandra", "Александр"},
           {"Minsu", "민서"},
           {"Minseo", "민수"},
           {"Wangxiaoli", "王小明"},
           {"Rama", "राम"},
           {"Ram", "रमा"},
           {"Suta", "सीता"},
           {"Mahmud", "محمد"},
           {"Muhammad", "محمود"},
           {"Samer", "سمر"},
           {"Dina", "דוד"},
           {"", "Юрий"},
           {"Yuri", ""},
           {"Yuri", "Yuri"},
           {"Юрий", "Юрий"},
           {"Yuri2", "Юрий2"},
           {"Satohiroko", "さとうひろし"},
       })
    EXPECT_FALSE(is_romanised(latin, other)) << latin << " / " << other;
}

TEST(Romanised, BeginAlikeByAnInitial) {
  EXPECT_TRUE(begins_romanised("Y", "Юрий"));
  EXPECT_TRUE(begins_romanised("J", "Юрий"));
  EXPECT_TRUE(begins_romanised("Yuri", "Ю"));
  EXPECT_FALSE(begins_romanised("A", "Юрий"));
  EXPECT_FALSE(begins_romanised("Anna", "Ю"));
}

TEST(Romanised, StandForLettersThatAreNotThere) {
  EXPECT_TRUE(same_in_ascii("Müller", "Mueller"));
  EXPECT_TRUE(same_in_ascii("Søren", "Soren"));
  EXPECT_TRUE(same_in_ascii("Groß", "Gross"));
  EXPECT_TRUE(same_in_ascii("Łukasz", "Lukasz"));
  EXPECT_FALSE(same_in_ascii("Muller", "Mueller"));
  EXPECT_FALSE(same_in_ascii("Юрий", "Юрий"));
}

TEST(Romanised, EachPackLoadsAndAMistakeIsSaid) {
  for (const std::string_view path : pack_files("packs/language/romanised/")) {
    const auto read = detail::Romanisation::from_toml(*pack_file(path), std::string(path));
    EXPECT_TRUE(read) << (read ? "" : read.error().describe());
  }
  for (const char* wrong :
       {"script = \"x\"\n", "script = \"greek\"\nletter = 1\n",
        "script = \"greek\"\n[letters]\n\"a\" = 1\n", "script = \"hangul\"\ninitial = [\"g\"]\n"})
    EXPECT_FALSE(detail::Romanisation::from_toml(wrong, "x.toml")) << wrong;
}

}  // namespace
}  // namespace anima::language::romanised_test
