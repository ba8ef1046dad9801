#include "language/names/written_names.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace anima::language {
namespace {

using Names = std::vector<std::string>;

TEST(WrittenNames, AStopWordIsANameByItsCapitalLettersAndItsPlace) {
  const struct {
    std::string_view text;
    Names names;
  } kTexts[] = {
      {"I met Will there", {"will"}},
      {"I will go there", {}},
      {"Will you come?", {}},
      {"Will came there", {"will"}},
      {"The IT department is here", {"it"}},
      {"It is late", {}},
      {"IT is late", {"it"}},
      {"IT IS LATE", {}},
      {"IT", {"it"}},
      {"I think that I am here", {}},
      {"Gestern kam Herr Weg zu uns", {"weg"}},
      {"Wann haben Sie mit ihm gesprochen", {}},
      {"das ist weit weg", {}},
      {"Ieri ho visto Mia qui", {"mia"}},
      {"will", {}},
      {"", {}},
  };
  for (const auto& [text, names] : kTexts) EXPECT_EQ(stop_words_as_names(text), names) << text;
}

TEST(WrittenNames, TheOnlyWordMayBeMeantAsOneHoweverItIsWritten) {
  EXPECT_EQ(stop_words_as_names("will", true), Names{"will"});
  EXPECT_EQ(stop_words_as_names("will go", true), Names{});
  EXPECT_EQ(stop_words_as_names("harbour", true), Names{});
}

}  // namespace
}  // namespace anima::language
