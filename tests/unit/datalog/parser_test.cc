#include "datalog/parser.h"

#include <gtest/gtest.h>

#include "datalog/facts_file.h"
#include "datalog/format.h"

namespace anima::datalog {
namespace {

std::shared_ptr<const Source> source(std::string text) {
  auto result = std::make_shared<Source>();
  result->name = "t.mg";
  result->text = std::move(text);
  return result;
}

TEST(Parser, PlacesAreLinesAndColumns) {
  const ParsedUnit parsed = parse_unit(source("p(1).\n\n  q(X) :- p(X), X < .\n"));
  ASSERT_EQ(parsed.diagnostics.size(), 1U);
  EXPECT_EQ(parsed.diagnostics[0].where(), "t.mg:3:21");
  EXPECT_EQ(parsed.diagnostics[0].clause, "q(X) :- p(X), X < .");
}

TEST(Parser, GoesOnBehindAnError) {
  const ParsedUnit parsed = parse_unit(source("p(x).\nq(1).\nr(\"a.b\", y).\ns(2).\nP(1).\n"));
  ASSERT_EQ(parsed.diagnostics.size(), 3U);
  EXPECT_EQ(parsed.diagnostics[0].from.line, 1U);
  EXPECT_EQ(parsed.diagnostics[1].from.line, 3U);
  EXPECT_EQ(parsed.diagnostics[2].from.line, 5U);
  ASSERT_EQ(parsed.unit.clauses.size(), 2U);
  EXPECT_EQ(parsed.unit.clauses[1].head.predicate, "s");
}

TEST(Parser, StopsAfterFiftyErrors) {
  std::string text;
  for (int i = 0; i < 80; ++i) text += "p(x).\n";
  EXPECT_EQ(parse_unit(source(text)).diagnostics.size(), 50U);
}

TEST(Parser, PlainFactsBecomeCodes) {
  ValueTable values;
  const ParsedUnit parsed = parse_unit(
      source("e(1, /a).\n# note\ne(-2, \"b\").  p() .\ne(3, [1]). f(4).\ne(5, 2.5).\n"), &values);
  ASSERT_TRUE(parsed.diagnostics.empty());
  ASSERT_EQ(parsed.unit.facts.size(), 2U);
  EXPECT_EQ(parsed.unit.facts[0].rows, 2U);
  EXPECT_EQ(parsed.unit.facts[0].codes, (std::vector<Code>{inline_int(1), values.name("/a"),
                                                           inline_int(-2), values.string("b")}));
  EXPECT_EQ(parsed.unit.facts[1].codes, std::vector<Code>{inline_int(4)});
  EXPECT_EQ(parsed.unit.clauses.size(), 3U);  // p(), the list and the float
}

TEST(Parser, ManyTextsKeepTheirPlaces) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += (i % 2 == 0 ? "e(/n" : "f(/m") + std::to_string(i % 700) + ", " + std::to_string(i) +
            ", \"s" + std::to_string(i % 333) + "\").\n";
  }
  ValueTable values;
  const ParsedUnit parsed = parse_unit(source(text), &values);
  ASSERT_EQ(parsed.unit.facts.size(), 2U);
  for (std::size_t block = 0; block < 2; ++block) {
    const FactBlock& facts = parsed.unit.facts[block];
    ASSERT_EQ(facts.rows, 2500U);
    for (std::size_t row = 0; row < facts.rows; ++row) {
      const int i = static_cast<int>(2 * row + block);
      EXPECT_EQ(values.text(facts.codes[row * 3]),
                (block == 0 ? "/n" : "/m") + std::to_string(i % 700));
      EXPECT_EQ(facts.codes[row * 3 + 1], inline_int(i));
      EXPECT_EQ(values.text(facts.codes[row * 3 + 2]), "\"s" + std::to_string(i % 333) + "\"");
    }
  }
}

TEST(Parser, QueriesInThreeForms) {
  for (const char* text : {"p(X, 1)", "?p(X, 1)", "?- p(X, 1)."}) {
    const auto query = parse_query(text);
    ASSERT_TRUE(query.has_value()) << text;
    EXPECT_EQ(query->atom.predicate, "p");
    EXPECT_EQ(query->atom.arguments.size(), 2U);
  }
  EXPECT_TRUE(parse_query("p")->bare);
  EXPECT_FALSE(parse_query("p(X), q(X)").has_value());
}

TEST(Formatter, KeepsCommentsAndParagraphs) {
  const std::string text =
      "# about p\np(1,2).   # one\n\n\n\n# about r\nr(X):-p(X,Y),  # inner\n  Y<3.\n# the end\n";
  const ParsedUnit parsed = parse_unit(source(text));
  const std::string formatted = format_unit(parsed.unit);
  EXPECT_EQ(formatted,
            "# about p\np(1, 2).  # one\n\n# about r\nr(X) :-\n    p(X, Y),\n    # inner\n    Y < "
            "3.\n# the end\n");
  EXPECT_EQ(format_unit(parse_unit(source(formatted)).unit), formatted);
}

TEST(Formatter, BreaksLongBodies) {
  const ParsedUnit parsed = parse_unit(source(
      "result(A, B) :- first_predicate(A, C), second_predicate(C, D), third_predicate(D, B), "
      "fourth_predicate(B, /x) |> do fn:group_by(A, B), let N = fn:count().\n"));
  EXPECT_EQ(
      format_unit(parsed.unit),
      "result(A, B) :-\n    first_predicate(A, C),\n    second_predicate(C, D),\n    "
      "third_predicate(D, B),\n"
      "    fourth_predicate(B, /x)\n    |> do fn:group_by(A, B),\n       let N = fn:count().\n");
}

TEST(FactsFile, FieldsAreConstantsOrStrings) {
  ValueTable values;
  const auto file = read_facts_text(
      "1\t/a/b\tplain text\n-7\t\"quoted\"\t2.5\r\n1e3\t/a//b\t\n99999999999\t[1, 2]\tb\"x\"\n",
      "p.facts", values);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->arity, 3U);
  ASSERT_EQ(file->rows, 4U);
  std::string text;
  for (const Code code : file->codes) text += values.text(code) + " ";
  EXPECT_EQ(
      text,
      "1 /a/b \"plain text\" -7 \"quoted\" 2.5 \"1e3\" \"/a//b\" \"\" 99999999999 [1, 2] b\"x\" ");
}

TEST(FactsFile, RowsOfAnotherWidthAreErrors) {
  ValueTable values;
  const auto file = read_facts_text("1\t2\n3\n", "p.facts", values);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().where, "p.facts:2");
  EXPECT_FALSE(read_facts_text("1\t2\n", "p.facts", values, 3).has_value());
}

TEST(FactsFile, EmptyFilesHaveNoRows) {
  ValueTable values;
  EXPECT_EQ(read_facts_text("", "p.facts", values)->rows, 0U);
  EXPECT_EQ(read_facts_text("\n", "p.facts", values, 0)->rows, 1U);
}

}  // namespace
}  // namespace anima::datalog
