#include "memory/compartments/fact_words.h"

#include <gtest/gtest.h>

namespace anima::memory {
namespace {

using Words = std::vector<std::string>;

TEST(FactWords, DivideAtBlanksAndHoldTogetherInQuotes) {
  EXPECT_EQ(fact_words("db runs_on borea"), (Words{"db", "runs_on", "borea"}));
  EXPECT_EQ(fact_words(R"(  "Ada  Lovelace" wrote "")"), (Words{"Ada  Lovelace", "wrote", ""}));
  EXPECT_EQ(fact_words(R"(p("a b", X))"), Words{R"(p("a b", X))"});
  EXPECT_TRUE(fact_words(" ").empty());
  EXPECT_EQ(fact_words(" <urn:a> <urn:p>  \"x (y)\" "), (Words{"<urn:a> <urn:p>  \"x (y)\""}));
}

}  // namespace
}  // namespace anima::memory
