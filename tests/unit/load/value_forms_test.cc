#include "load/map/value_forms.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "load/map/column_profile.h"

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

// --- the decimal mark of a column

constexpr const char* kWritings[] = {"5",         "1.5",     "1,5",      "1.234",    "1,234",
                                     "0.125",     "0,125",   "1234.567", "1234,567", "1.234.567",
                                     "1,234,567", "1.234,5", "1,234.5"};

// What a number says with this decimal mark, worked out digit by digit; nothing where it is none.
std::optional<double> meant(const std::string& text, char mark) {
  const char group = mark == '.' ? ',' : '.';
  const std::size_t at = text.find(mark);
  if (at != std::string::npos && text.find_first_of(".,", at + 1) != std::string::npos) return {};
  const std::string whole = text.substr(0, at);
  const auto pieces = split(whole, group);
  if (pieces.size() > 1 && (pieces[0].size() > 3 || pieces[0] == "0")) return {};
  std::string digits;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0 && pieces[i].size() != 3) return {};
    digits += pieces[i];
  }
  return std::stod(at == std::string::npos ? digits : digits + "." + text.substr(at + 1));
}

ChosenForm form_of_column(const std::vector<std::string>& texts, bool comma_is_free) {
  ColumnProfile profile;
  for (const std::string& text : texts) {
    Cell cell;
    cell.kind = CellKind::kWritten;
    cell.text = text;
    profile.add(Row(), cell);
  }
  return choose_form(profile, {.comma_is_free = comma_is_free});
}

TEST(LoadValues, ADecimalMarkIsTakenWhereNoOtherFits) {
  for (const std::string a : kWritings) {
    for (const std::string b : kWritings) {
      for (const bool comma_is_free : {true, false}) {
        const ChosenForm chosen = form_of_column({a, b}, comma_is_free);
        SCOPED_TRACE(a + " " + b + (comma_is_free ? " free: " : ": ") + form_name(chosen.form));
        const bool point = meant(a, '.') && meant(b, '.');
        const bool comma = meant(a, ',') && meant(b, ',');
        const auto marked = [&](char mark) { return (a + b).find(mark) != std::string::npos; };
        const bool decided = point != comma || !(marked('.') || marked(',')) ||
                             (!comma_is_free && !(marked('.') && marked(',')));
        if (!decided) {
          EXPECT_EQ(chosen.form.type, ValueType::kText);
          EXPECT_FALSE(chosen.doubt.empty());
          continue;
        }
        // That the comma of 0,125 is none of thousands does not decide for other numbers, nor
        // where commas part the cells.
        const auto decides = [](const std::string& text) {
          return text != "0,125" && meant(text, ',') && !meant(text, '.');
        };
        const auto either = [](const std::string& text) {
          return text == "1,234" || text == "1.234";
        };
        const bool undecided = (a == "0,125" || b == "0,125") && !decides(a) && !decides(b) &&
                               (!comma_is_free || either(a) || either(b));
        EXPECT_EQ(chosen.form.type == ValueType::kText, undecided || !(point || comma));
        EXPECT_EQ(chosen.doubt.empty(), chosen.form.type != ValueType::kText);
        if (chosen.form.type == ValueType::kText) continue;
        for (const std::string& text : {a, b}) {
          std::string own;
          ValueForm decimal = chosen.form;
          decimal.type = ValueType::kDecimal;
          const auto read = read_written(text, decimal, own);
          ASSERT_TRUE(read) << text;
          EXPECT_DOUBLE_EQ(read->number, *meant(text, point ? '.' : ',')) << text;
        }
      }
    }
  }
}

TEST(LoadValues, AColumnOfTwoDecimalMarksIsText) {
  const auto nine = [](const std::string& text) { return std::vector<std::string>(9, text); };
  std::vector<std::string> texts = nine("1,234.5");
  texts.push_back("1.234,5");
  EXPECT_EQ(form_of_column(texts, true).form.type, ValueType::kText);
  texts.back() = "oops";  // a wrong cell
  EXPECT_EQ(form_of_column(texts, true).wrong, 1u);
  EXPECT_EQ(form_of_column({"0,125", "0,5"}, false).form.number, NumberStyle::kComma);
  EXPECT_EQ(form_of_column({"1'234", "17"}, true).form.type, ValueType::kText);
}

TEST(LoadValues, KeepsTheNamesOfForms) {
  for (const std::string& name : form_names()) EXPECT_EQ(form_name(*parse_form(name)), name);
}

}  // namespace
}  // namespace anima::load
