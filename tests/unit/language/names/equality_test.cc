// Pairs of names, and the strongest sense in which they are the same.
#include "language/names/equality.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace anima::language::equality_test {
namespace {

struct Pair {
  std::string_view a, b, strength;
};

TEST(NameEquality, OfPairs) {
  const std::vector<Pair> pairs = {
      {"Ada Lovelace", "Ada Lovelace", "bytes"},
      {"Ada Lovelace", "ada  lovelace", "case"},
      {"Ada Lovelace", " ADA LOVELACE ", "case"},
      {"Ａｄａ", "Ada", "case"},
      {"Caf\u00e9", "Cafe\u0301", "case"},
      {"STRASSE", "Straße", "case"},
      {"ΣΊΣΥΦΟΣ", "Σίσυφος", "case"},
      {"José", "Jose", "marks"},
      {"Łódź", "Lodz", "marks"},
      {"Veli-Matti", "veli matti", "marks"},
      {"orders_db", "orders-db", "marks"},
      {"Işık", "Isik", "marks"},
      {"أحمد", "احمد", "marks"},
      {"ёлка", "елка", "marks"},
      {"Việt", "Viet", "marks"},
      {"Müller", "Mueller", "similar"},
      {"Ada Lovelace", "Lovelace, Ada", "similar"},
      {"A. Lovelace", "Ada Lovelace", "similar"},
      {"Dr. Ada Lovelace", "Ada Lovelace", "similar"},
      {"Veli-Matti", "VeliMatti", "similar"},
      {"Katherine", "Katharine", "similar"},
      {"Ada Lovelace", "Ada Lovelance", "similar"},
      {"Ada Lovelace", "Ada Byron", ""},
      {"Ada Lovelace", "Ada", ""},
      {"A. L.", "Ada Lovelace", ""},
      {"Anna", "Anne", ""},
      {"Ben", "Bea", ""},
      {"server1", "server2", ""},
      {"v1.11", "v1.12", ""},
      {"ガ", "カ", ""},
      {"й", "и", ""},
      {"C++", "C", ""},
      {"C++", "C#", ""},
      {"C++", "c++", "case"},
      {"v1.11", "v11.1", ""},
      {"AT&T", "at&t", "case"},
      {"++", "--", ""},
      {"", "Ada", ""},
      {"东京", "東京", ""},
  };
  for (const Pair& pair : pairs) {
    for (const auto& [a, b] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
      const auto strength = name_equality(a, b);
      EXPECT_EQ(strength ? to_string(*strength) : "", pair.strength) << a << " | " << b;
    }
  }
}

TEST(NameEquality, OfAKeyIsThatOfTheNames) {
  EXPECT_EQ(name_key("Veli-Matti Järvi", NameEquality::kMarks), "veli matti jarvi");
  EXPECT_EQ(name_key(" Veli-Matti  Järvi", NameEquality::kCase), "veli-matti järvi");
  EXPECT_EQ(name_key("Ada", NameEquality::kBytes), "Ada");
}

}  // namespace
}  // namespace anima::language::equality_test
