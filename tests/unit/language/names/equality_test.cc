// Pairs of names, and the strongest sense in which they are the same.
#include "language/names/equality.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/text.h"

namespace anima::language::equality_test {
namespace {

constexpr std::size_t kFewestPairs = 200;

TEST(NameEquality, OfPairs) {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/cases/language/name_pairs.txt");
  std::size_t pairs = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string_view> fields = split(line, '|');
    ASSERT_EQ(fields.size(), 3u) << line;
    ++pairs;
    for (const auto& [a, b] : {std::pair(fields[1], fields[2]), std::pair(fields[2], fields[1])}) {
      const auto strength = name_equality(a, b);
      EXPECT_EQ(strength ? to_string(*strength) : "", fields[0]) << a << " | " << b;
    }
  }
  EXPECT_GE(pairs, kFewestPairs);
}

TEST(NameEquality, OfAKeyIsThatOfTheNames) {
  EXPECT_EQ(name_key("Veli-Matti Järvi", NameEquality::kMarks), "veli matti jarvi");
  EXPECT_EQ(name_key(" Veli-Matti  Järvi", NameEquality::kCase), "veli-matti järvi");
  EXPECT_EQ(name_key("Ada", NameEquality::kBytes), "Ada");
}

}  // namespace
}  // namespace anima::language::equality_test
