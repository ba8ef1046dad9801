#include "language/text/full_case.h"

#include <gtest/gtest.h>

namespace anima::language::full_case_test {
namespace {

// Expected values from Python's str.upper() and str.lower(), which follow SpecialCasing.txt.
TEST(FullCase, OneLetterBecomesSeveral) {
  EXPECT_EQ(full_upper("straße"), "STRASSE");
  EXPECT_EQ(full_upper("ﬁn"), "FIN");
  EXPECT_EQ(full_upper("ŉ"), "ʼN");
  EXPECT_EQ(full_upper("ΐ ﬄ"), "\u0399\u0308\u0301 FFL");
  EXPECT_EQ(full_upper("plain é"), "PLAIN É");
  EXPECT_EQ(full_lower("İx"), "i\u0307x");
}

TEST(FullCase, SigmaAtTheEndOfAWord) {
  EXPECT_EQ(full_lower("ΑΣ"), "ας");
  EXPECT_EQ(full_lower("ΑΣΑ ΣΑΣ."), "ασα σας.");
  EXPECT_EQ(full_lower("Σ"), "σ");
  EXPECT_EQ(full_lower("ΑΣ'Α"), "ασ'α");
  EXPECT_EQ(full_lower("ªΣ"), "ªς");
}

}  // namespace
}  // namespace anima::language::full_case_test
