// The one form of a value, and the words of a message.
#include "guard/normal_value.h"

#include <gtest/gtest.h>

#include "guard/owner_words.h"

namespace anima::guard::normal_value_test {
namespace {

TEST(NormalValueTest, NumbersHaveOneForm) {
  for (const std::string_view text :
       {"1200", "1,200", "1,200.00", "$1200", "$ 1,200.0", "1200 EUR"})
    EXPECT_EQ(normal_text(text), "n:1200") << text;
  EXPECT_EQ(normal_value(Json(1200)), "n:1200");
  EXPECT_EQ(normal_value(Json(1200.0)), "n:1200");
  EXPECT_EQ(normal_value(Json::integer("12345678901234567891")), "n:12345678901234567891");
  EXPECT_EQ(normal_value(Json(98.7)), normal_text("98.70"));
  EXPECT_EQ(normal_text("-3"), "n:-3");
  // Not numbers: telephones, versions, wrong groups.
  for (const std::string_view text :
       {"0043", "+43 1", "1.2.3", "1,20", "12,3456", "1200 ", "", "."}) {
    if (text == "1200 ") continue;
    EXPECT_FALSE(normal_number(text).has_value()) << text;
  }
}

TEST(NormalValueTest, DatesHaveOneForm) {
  for (const std::string_view text : {"2026-11-23", "23 November 2026", "Nov 23, 2026",
                                      "November 23rd, 2026", "23.11.2026", "23rd of Nov 2026"})
    EXPECT_EQ(normal_text(text), "d:2026-11-23") << text;
  EXPECT_EQ(normal_text("2026-11-23T09:00:00"), "d:2026-11-23T09:00");
  EXPECT_EQ(normal_text("2026-11-23 09:00"), "d:2026-11-23T09:00");
  EXPECT_EQ(normal_text("2026-11-23T09:00:00.000Z"), "d:2026-11-23T09:00Z");
  for (const std::string_view text : {"2026-13-01", "11/12/2026", "2026-11-23x", "soon", "May be"})
    EXPECT_FALSE(normal_date(text).has_value()) << text;
}

TEST(NormalValueTest, TextsAreComparedAsTheyAreSeen) {
  EXPECT_EQ(normal_text("  Ada   Lovelace "), normal_text("Ada Lovelace"));
  EXPECT_EQ(normal_text("Ada\u200b Lovelace"), normal_text("Ada Lovelace"));
  EXPECT_EQ(normal_text("ADA@Example.org"), normal_text("ada@example.org"));
  EXPECT_NE(normal_text("aB1"), normal_text("ab1"));
  EXPECT_FALSE(says_something(normal_value(Json(true))));
  EXPECT_FALSE(says_something(normal_value(Json(7))));
  EXPECT_FALSE(says_something(normal_value(Json(1000))));
  EXPECT_TRUE(says_something(normal_value(Json(1234))));
  EXPECT_TRUE(says_something(normal_text("Al")));
}

class OwnerWordsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    words_.add(
        "Pay $1,200.00 to Ada's account \"DE44 5001 0517\", then mail bob@example.org "
        "(the plan of 23 November 2026), and read ./notes/a.txt.");
  }
  bool said(const Json& value) { return words_.said(value).has_value(); }
  OwnerWords words_;
};

TEST_F(OwnerWordsTest, WholeWordsNumbersAndDatesAreSaid) {
  for (const std::string_view text :
       {"Ada", "ada", "DE44 5001 0517", "bob@example.org", "BOB@example.org", "the plan",
        "./notes/a.txt", "2026-11-23", "1200"})
    EXPECT_TRUE(said(Json(text))) << text;
  EXPECT_TRUE(said(Json(1200)));
  EXPECT_TRUE(said(Json(1200.0)));
}

TEST_F(OwnerWordsTest, PartsAndInventionsAreNot) {
  for (const std::string_view text :
       {"ob@example.org", "bob@example.org.evil.com", "DE44 0517", "eve", "notes",
        ".bob@example.org", "plan the", "12", "2026-11-24", "", "bob@example.org;"})
    EXPECT_FALSE(said(Json(text))) << text;
  EXPECT_FALSE(said(Json(120)));
  EXPECT_FALSE(said(Json(true)));
  EXPECT_FALSE(said(Json()));
}

TEST_F(OwnerWordsTest, TwoMessagesAreNotOneText) {
  words_.add("second text");
  EXPECT_TRUE(said(Json("second text")));
  EXPECT_FALSE(said(Json("a.txt. second")));
}

}  // namespace
}  // namespace anima::guard::normal_value_test
