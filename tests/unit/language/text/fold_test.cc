// Letters that are one letter for who reads, or for who looks for something.
#include "language/text/fold.h"

#include <gtest/gtest.h>

#include <string>

namespace anima::language::fold_test {
namespace {

std::string cased(std::string_view text) { return fold(text, FoldStrength::kCase); }

TEST(Fold, ForFindingDropsAccents) {
  EXPECT_EQ(fold_for_finding("Café"), "cafe");
  EXPECT_EQ(fold_for_finding("Cafe\xcc\x81"), "cafe");
  EXPECT_EQ(fold_for_finding("Łódź Đorđe Ærø"), "lodz dorde aero");
  EXPECT_EQ(fold_for_finding("IŞIKLAR ışıklar İstanbul"), "isiklar isiklar istanbul");
  EXPECT_EQ(fold_for_finding("Straße"), "strasse");
  EXPECT_EQ(fold_for_finding("Γιώργος"), "γιωργοσ");
  EXPECT_EQ(fold_for_finding("ёлка"), "елка");
  EXPECT_EQ(fold_for_finding("Việt Đỗ"), "viet do");
}

TEST(Fold, ByCaseKeepsAccents) {
  EXPECT_EQ(cased("CAFÉ"), "café");
  EXPECT_EQ(cased("CAFE\xcc\x81"), "café");
  EXPECT_EQ(cased("Ａﬁ①"), "afi1");
  EXPECT_EQ(cased("ΣΊΣΥΦΟΣ"), cased("Σίσυφος"));
}

TEST(Fold, KeepsSignsThatMakeAnotherLetter) {
  EXPECT_EQ(fold_for_finding("Йод її"), "йод її");
  EXPECT_EQ(fold_for_finding("и\xcc\x86"), "й");
  EXPECT_EQ(fold_for_finding("ガ"), "ガ");
  EXPECT_EQ(fold_for_finding("ข้าวผัด"), "ข้าวผัด");
  EXPECT_EQ(fold_for_finding("हिन्दी"), "हिन्दी");
}

TEST(Fold, HasOneWidth) {
  EXPECT_EQ(fold_for_finding("ﾃｽﾄｻｰﾊﾞｰ"), "テストサーバー");
  EXPECT_EQ(fold_for_finding("ｱﾝﾊﾟﾝ"), "アンパン");
  EXPECT_EQ(fold_for_finding("１２３"), "123");
}

TEST(Fold, ReadsDigitsOfOtherScripts) {
  EXPECT_EQ(fold_for_finding("١٢٣ ۴۵۶ ०१९ ๑๒"), "123 456 019 12");
}

TEST(Fold, KnowsArabicAndHebrew) {
  EXPECT_EQ(fold_for_finding("كَتَبَ الرسالةَ"), fold_for_finding("كتب الرسالة"));
  EXPECT_EQ(fold_for_finding("أحمد"), fold_for_finding("احمد"));
  EXPECT_EQ(fold_for_finding("محمـــد"), fold_for_finding("محمد"));
  EXPECT_EQ(fold_for_finding("שָׁלוֹם"), fold_for_finding("שלום"));
  EXPECT_EQ(cased("كَتَبَ"), "كتب");
}

TEST(Fold, ComposesHangul) {
  EXPECT_EQ(fold_for_finding("\u1112\u1161\u11ab\u1100\u1173\u11af"), "한글");
  EXPECT_EQ(fold_for_finding("한글"), "한글");
}

TEST(Fold, KnowsKinds) {
  EXPECT_EQ(letter_kind('a'), LetterKind::kLetter);
  EXPECT_EQ(letter_kind('7'), LetterKind::kDigit);
  EXPECT_EQ(letter_kind(' '), LetterKind::kNone);
  EXPECT_EQ(letter_kind(0x72d7), LetterKind::kUnbroken);
  EXPECT_EQ(letter_kind(0x0e02), LetterKind::kUnbroken);
  EXPECT_EQ(letter_kind(0x0301), LetterKind::kMark);
  EXPECT_EQ(letter_kind(0x110000), LetterKind::kNone);
}

TEST(Fold, KeepsInNfc) {
  EXPECT_EQ(to_nfc("Cafe\xcc\x81 ﬁ"), "Café ﬁ");
  EXPECT_EQ(fold_for_finding("\xff\xc3"), "\ufffd\ufffd");
}

}  // namespace
}  // namespace anima::language::fold_test
