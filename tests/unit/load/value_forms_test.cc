#include "load/map/value_forms.h"

#include <gtest/gtest.h>

namespace anima::load {
namespace {

std::string read(std::string_view text, std::string_view form) {
  std::string own;
  const auto value = read_written(text, *parse_form(form), own);
  if (!value) return "no";
  switch (value->kind) {
    case store::ValueKind::kInteger:
    case store::ValueKind::kBoolean:
      return std::to_string(value->integer);
    case store::ValueKind::kDouble:
      return Json(value->number).dump();
    default:
      return std::string(value->text);
  }
}

TEST(LoadValues, ReadsNumbers) {
  EXPECT_EQ(read("42", "integer"), "42");
  EXPECT_EQ(read("-42", "integer"), "-42");
  EXPECT_EQ(read("+42", "integer"), "42");
  EXPECT_EQ(read("\xe2\x88\x92"
                 "42",
                 "integer"),
            "-42");
  EXPECT_EQ(read("4.2", "integer"), "no");
  EXPECT_EQ(read("99999999999999999999", "integer"), "no");
  EXPECT_EQ(read("1,234,567", "integer 1,234"), "1234567");
  EXPECT_EQ(read("1,23", "integer 1,234"), "no");
  EXPECT_EQ(read("4.25", "decimal"), "4.25");
  EXPECT_EQ(read(".5", "decimal"), "0.5");
  EXPECT_EQ(read("1e3", "decimal"), Json(1000.0).dump());
  EXPECT_EQ(read("1e999", "decimal"), "no");
  EXPECT_EQ(read("4,25", "decimal 1,5"), "4.25");
  EXPECT_EQ(read("4.25", "decimal 1,5"), "no");
  EXPECT_EQ(read("1.234,25", "decimal 1.234,5"), "1234.25");
  EXPECT_EQ(read("1,234.25", "decimal 1,234.5"), "1234.25");
}

TEST(LoadValues, ReadsDates) {
  EXPECT_EQ(read("2026-05-31", "date"), "2026-05-31");
  EXPECT_EQ(read("2026-02-29", "date"), "no");
  EXPECT_EQ(read("2026-05-31 14:30", "date"), "2026-05-31T14:30:00Z");
  EXPECT_EQ(read("2026-05-31T14:30:05.25+02:00", "date"), "2026-05-31T14:30:05.25+02:00");
  EXPECT_EQ(read("31.5.2026", "date 31.12.2026"), "2026-05-31");
  EXPECT_EQ(read("31/05/2026", "date 31/12/2026"), "2026-05-31");
  EXPECT_EQ(read("5/31/2026 2:30 PM", "date 12/31/2026"), "2026-05-31T14:30:00Z");
  EXPECT_EQ(read("31-May-2026", "date 31 Dec 2026"), "2026-05-31");
  EXPECT_EQ(read("31 May 2026", "date 31 Dec 2026"), "2026-05-31");
  EXPECT_EQ(read("Sept 3, 2026", "date Dec 31, 2026"), "2026-09-03");
  EXPECT_EQ(read("May 32, 2026", "date Dec 31, 2026"), "no");
}

TEST(LoadValues, ReadsTruths) {
  EXPECT_EQ(read("Yes", "boolean"), "1");
  EXPECT_EQ(read("FALSE", "boolean"), "0");
  EXPECT_EQ(read("0", "boolean"), "0");
  EXPECT_EQ(read("perhaps", "boolean"), "no");
}

TEST(LoadValues, KeepsTheNamesOfForms) {
  for (const std::string& name : form_names()) EXPECT_EQ(form_name(*parse_form(name)), name);
}

}  // namespace
}  // namespace anima::load
