// Exact numbers, aggregates and the order of terms. Expected sums and quotients are from bc.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "query/executor.h"
#include "sparql/ntriples.h"
#include "sparql/value/calendar.h"
#include "sparql/value/functions.h"
#include "sparql/value/term_codes.h"
#include "store/space.h"

namespace anima::sparql::values_test {
namespace {

using anima::Decimal;

std::string text_of(const std::optional<Decimal>& decimal) {
  return decimal ? decimal->text() : "-";
}
Decimal decimal(std::string_view text) { return *Decimal::parse(text); }

TEST(SparqlDecimal, ReadsAndWrites) {
  for (const char* text :
       {"0", "-1", "3.14", "0.001", "-0.5", "170141183460469231731687303715884105727"})
    EXPECT_EQ(text_of(Decimal::parse(text)), text);
  EXPECT_EQ(text_of(Decimal::parse("+007.500")), "7.5");
  EXPECT_EQ(text_of(Decimal::parse(".5")), "0.5");
  EXPECT_EQ(text_of(Decimal::parse("5.")), "5");
  EXPECT_EQ(text_of(Decimal::parse("-0.0")), "0");
  EXPECT_EQ(text_of(Decimal::parse(".0")), "0");
  for (const char* text :
       {"", "-", ".", "1e5", "1.2.3", " 1", "0x1", "170141183460469231731687303715884105728"})
    EXPECT_EQ(text_of(Decimal::parse(text)), "-") << text;
}

TEST(SparqlDecimal, WhatDoesNotFitIsNoNumber) {
  const Decimal most = decimal("170141183460469231731687303715884105727");
  EXPECT_EQ(text_of(most.plus(decimal("1"))), "-");
  EXPECT_EQ(text_of(most.negated().minus(decimal("1"))), "-");
  EXPECT_EQ(text_of(most.plus(decimal("0.1"))), "-");
  EXPECT_EQ(text_of(most.times(decimal("2"))), "-");
  EXPECT_EQ(text_of(most.times(decimal("-1"))), "-170141183460469231731687303715884105727");
  EXPECT_EQ(text_of(most.over(decimal("0"))), "-");
}

TEST(SparqlDecimal, Computes) {
  EXPECT_EQ(text_of(decimal("123456789012345678.5").times(decimal("1000000000"))),
            "123456789012345678500000000");
  EXPECT_EQ(text_of(decimal("22").over(decimal("7"))), "3.142857142857142857");
  EXPECT_EQ(text_of(decimal("1").over(decimal("8"))), "0.125");
  EXPECT_EQ(text_of(decimal("-10").over(decimal("4"))), "-2.5");
  EXPECT_EQ(text_of(decimal("100").over(decimal("0.001"))), "100000");
  EXPECT_EQ(decimal("-2.5").floor().text(), "-3");
  EXPECT_EQ(decimal("-2.5").ceiling().text(), "-2");
  EXPECT_EQ(decimal("-2.5").rounded().text(), "-2");
  EXPECT_EQ(decimal("2.5").rounded().text(), "3");
  EXPECT_EQ(decimal("-2.51").rounded().text(), "-3");
  EXPECT_EQ(decimal("-2.9").truncated().text(), "-2");
  EXPECT_EQ(text_of(Decimal::of(0.1)), "0.1");
  EXPECT_EQ(text_of(Decimal::of(1e300)), "-");
  EXPECT_EQ(text_of(Decimal::of(std::nan(""))), "-");
  EXPECT_DOUBLE_EQ(decimal("0.1").number(), 0.1);
  EXPECT_DOUBLE_EQ(decimal("12345678901234567890.125").number(), 12345678901234567890.125);
}

TEST(SparqlDecimal, Orders) {
  const std::vector<std::string> ascending{"-170141183460469231731687303715884105727",
                                           "-5.01",
                                           "-5",
                                           "-4.99",
                                           "-0.0000001",
                                           "0",
                                           "0.0000000000000000000000000000000000001",
                                           "0.1",
                                           "0.10000001",
                                           "1",
                                           "9007199254740992",
                                           "9007199254740993",
                                           "170141183460469231731687303715884105727"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t k = 0; k < ascending.size(); ++k) {
      const Decimal a = decimal(ascending[i]), b = decimal(ascending[k]);
      EXPECT_EQ(a.compare(b), i < k ? -1 : i > k ? 1 : 0) << ascending[i] << " " << ascending[k];
    }
  }
}

TEST(SparqlCalendar, DaysOfTheWeekOfHistory) {
  // date -u -d 1969-07-20T20:17:40Z +%s and others.
  const auto instant = [](const char* text) {
    return value::parse_moment(value::MomentKind::kDateTime, text)->instant();
  };
  EXPECT_EQ(instant("1969-07-20T20:17:40Z"), -14182940);
  EXPECT_EQ(instant("2000-02-29T00:00:00Z"), 951782400);
  EXPECT_EQ(instant("1600-01-01T00:00:00Z"), -11676096000);
  EXPECT_EQ(instant("0001-01-01T00:00:00Z"), -62135596800);
  for (const char* text :
       {"2001-02-29T00:00:00", "2000-1-01T00:00:00", "2000-01-01T25:00:00", "2000-01-01T24:00:01",
        "2000-01-01 00:00:00", "2000-01-01T00:00:00+15:00", "02000-01-01T00:00:00",
        "2000-01-01T00:00:60", "2000-01-01T00:00:00."})
    EXPECT_FALSE(value::parse_moment(value::MomentKind::kDateTime, text)) << text;
  EXPECT_EQ(value::day_time_text(-93784), "-P1DT2H3M4S");
}

// One group over a list of literals.
class Aggregates : public testing::Test {
 protected:
  void SetUp() override {
    auto space = store::Space::in_memory();
    ASSERT_TRUE(space);
    space_ = *space;
  }

  static RdfTerm typed(std::string_view text, std::string_view type) {
    return {RdfKind::kTyped, text, type};
  }
  static RdfTerm integer(std::string_view text) {
    return typed(text, "http://www.w3.org/2001/XMLSchema#integer");
  }
  static RdfTerm exact(std::string_view text) {
    return typed(text, "http://www.w3.org/2001/XMLSchema#decimal");
  }
  static RdfTerm real(std::string_view text) {
    return typed(text, "http://www.w3.org/2001/XMLSchema#double");
  }
  static RdfTerm text(std::string_view text) { return {RdfKind::kString, text, {}}; }
  static RdfTerm iri(std::string_view text) { return {RdfKind::kIri, text, {}}; }

  query::Plan plan_over(const std::vector<RdfTerm>& terms, bool error) {
    query::Plan plan;
    plan.scopes.push_back(space_->snapshot().value());
    plan.values = std::make_shared<query::Values>(plan.scopes[0]);
    std::vector<std::uint32_t> cells;
    for (const RdfTerm& term : terms) cells.push_back(code_of(*plan.values, term));
    if (error) cells.push_back(0);
    plan.root = query::table({0}, {cells});
    plan.slot_count = 2;
    plan.unbound_matches_all = true;
    return plan;
  }

  std::string aggregate(const std::string& name, const std::vector<RdfTerm>& terms,
                        bool error = false, bool distinct = false) {
    ast::Expression expression;
    expression.name = name;
    expression.distinct = distinct;
    expression.arguments.emplace_back();
    query::Plan plan = plan_over(terms, error);
    auto made = make_aggregate(expression, 0, 1, {});
    if (!made) return made.error().describe();
    plan.root = query::group(std::move(plan.root), {}, {*made});
    plan.results = {1};
    return only(plan, 0);
  }

  std::string only(const query::Plan& plan, std::size_t row) {
    const auto answer = query::run(plan);
    if (!answer) return answer.error().describe();
    const std::uint32_t code = answer->table.columns[0][row];
    if (code == 0) return "-";
    std::string scratch;
    const RdfTerm term = term_of(*answer->values, code, scratch);
    const std::size_t mark = term.extra.find('#');
    return std::string(term.text) + (mark == std::string::npos || term.kind != RdfKind::kTyped
                                         ? ""
                                         : ":" + std::string(term.extra.substr(mark + 1)));
  }

  std::shared_ptr<store::Space> space_;
};

TEST_F(Aggregates, SumsAreExact) {
  EXPECT_EQ(aggregate("SUM", {integer("1"), integer("2")}), "3:integer");
  EXPECT_EQ(aggregate("SUM", {exact("0.1"), exact("0.2"), integer("1")}), "1.3:decimal");
  EXPECT_EQ(aggregate("SUM", {integer("1"), real("2.5E0")}), "3.5E0:double");
  EXPECT_EQ(aggregate("SUM", {}), "0:integer");
  EXPECT_EQ(aggregate("SUM", {integer("1"), text("a")}), "-");
  EXPECT_EQ(aggregate("SUM", {integer("1")}, true), "-");
  EXPECT_EQ(aggregate("SUM", {integer("1"), integer("1"), integer("01")}, false, true),
            "2:integer");
}

TEST_F(Aggregates, Averages) {
  EXPECT_EQ(aggregate("AVG", {integer("1"), integer("2")}), "1.5:decimal");
  EXPECT_EQ(aggregate("AVG", {exact("1.0"), exact("2.2"), exact("3.5")}),
            "2.233333333333333333:decimal");
  EXPECT_EQ(aggregate("AVG", {real("1.0E0"), real("2.0E0")}), "1.5E0:double");
  EXPECT_EQ(aggregate("AVG", {}), "0:integer");
  EXPECT_EQ(aggregate("AVG", {integer("1")}, true), "-");
}

TEST_F(Aggregates, CountsAndSamplesTakeNoNoticeOfErrors) {
  EXPECT_EQ(aggregate("COUNT", {integer("1"), text("a"), text("a")}, true), "3:integer");
  EXPECT_EQ(aggregate("COUNT", {text("a"), text("a")}, true, true), "1:integer");
  EXPECT_EQ(aggregate("SAMPLE", {text("a")}, true), "a");
  EXPECT_EQ(aggregate("SAMPLE", {}), "-");
}

TEST_F(Aggregates, ExtremesFollowTheOrderOfTerms) {
  EXPECT_EQ(aggregate("MIN", {integer("10"), exact("9.5"), real("1.0E1")}), "9.5:decimal");
  EXPECT_EQ(aggregate("MAX", {integer("9"), exact("9.5"), integer("-10")}), "9.5:decimal");
  EXPECT_EQ(aggregate("MAX", {text("b"), text("a"), iri("http://z")}), "b");
  EXPECT_EQ(aggregate("MIN", {}), "-");
  EXPECT_EQ(aggregate("MIN", {integer("1")}, true), "-");
}

TEST_F(Aggregates, Concatenations) {
  EXPECT_EQ(aggregate("GROUP_CONCAT", {text("a"), integer("2"), iri("http://z")}), "a 2 http://z");
  EXPECT_EQ(aggregate("GROUP_CONCAT", {text(""), text("")}), " ");
  EXPECT_EQ(aggregate("GROUP_CONCAT", {}), "");
  EXPECT_EQ(aggregate("GROUP_CONCAT", {text("a")}, true), "-");
}

TEST_F(Aggregates, TermsSortByKindAndValue) {
  const std::vector<RdfTerm> shuffled{text("b"),
                                      iri("http://b"),
                                      integer("9007199254740993"),
                                      exact("9007199254740992.5"),
                                      {RdfKind::kBlank, "x", {}},
                                      integer("-3"),
                                      iri("http://a"),
                                      text("a"),
                                      integer("9007199254740992"),
                                      real("NaN")};
  query::Plan plan = plan_over(shuffled, true);
  query::OrderKey key;
  key.slot = 0;
  key.maker = sparql_sort_key;
  key.unbound_last = false;
  plan.root = query::order_by(std::move(plan.root), {key});
  plan.results = {0};
  std::vector<std::string> found;
  for (std::size_t row = 0; row < shuffled.size() + 1; ++row) found.push_back(only(plan, row));
  EXPECT_EQ(found,
            (std::vector<std::string>{"-", "x", "http://a", "http://b", "-3:integer",
                                      "9007199254740992:integer", "9007199254740992.5:decimal",
                                      "9007199254740993:integer", "NaN:double", "a", "b"}));
}

}  // namespace
}  // namespace anima::sparql::values_test
