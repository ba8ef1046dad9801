// What the parser makes of a text, and what it says of one that is none. That texts parse or do not
// is tested by the manifests (tests/conformance).
#include "sparql/syntax/parser.h"

#include <gtest/gtest.h>

namespace anima::sparql::parser_test {
namespace {

using syntax::parse_query;
using syntax::parse_update;

ast::Query query(std::string_view text, std::string_view base = "http://b/d/f") {
  auto parsed = parse_query(text, base);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << (parsed ? "" : parsed.error().describe());
  return parsed ? std::move(*parsed) : ast::Query();
}

Error fault(std::string_view text) {
  const auto parsed = parse_query(text, "http://b/");
  EXPECT_FALSE(parsed.has_value()) << text;
  return parsed ? Error() : parsed.error();
}

const ast::TriplePattern& triple(const ast::Query& query, std::size_t number = 0) {
  return query.where.elements.at(0).triples.at(number);
}

TEST(SparqlParser, ResolvesNames) {
  const ast::Query parsed = query(
      "PREFIX e: <http://e/> BASE <http://c/x/y> SELECT * { e:a\\.b e:%41 <../z> . <> <q> <#f> }");
  EXPECT_EQ(triple(parsed).subject.text, "http://e/a.b");
  EXPECT_EQ(std::get<ast::Path>(triple(parsed).predicate).iri, "http://e/%41");
  EXPECT_EQ(triple(parsed).object.text, "http://c/z");
  EXPECT_EQ(triple(parsed, 1).subject.text, "http://c/x/y");
  EXPECT_EQ(triple(parsed, 1).object.text, "http://c/x/y#f");
  EXPECT_EQ(parsed.base, "http://c/x/y");
}

TEST(SparqlParser, NeedsABaseForRelativeIris) {
  const auto parsed = parse_query("SELECT * { <a> ?p ?o }");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_NE(parsed.error().message.find("relative"), std::string::npos);
  EXPECT_EQ(parsed.error().where, "1:12");
}

TEST(SparqlParser, WritesOutWhatIsAbbreviated) {
  const ast::Query parsed = query("SELECT * { ?s a ( 1 [ <p> true ] ) ; <q> -2.5 }");
  const auto& triples = parsed.where.elements.at(0).triples;
  ASSERT_EQ(triples.size(), 7u);
  EXPECT_EQ(triples[0].object.text, "1");
  EXPECT_EQ(triples[2].object.extra, "http://www.w3.org/2001/XMLSchema#boolean");
  EXPECT_EQ(std::get<ast::Path>(triples[5].predicate).iri,
            "http://www.w3.org/1999/02/22-rdf-syntax-ns#type");
  EXPECT_EQ(triples[6].object.text, "-2.5");
  EXPECT_EQ(triples[6].object.extra, "http://www.w3.org/2001/XMLSchema#decimal");
}

TEST(SparqlParser, KeepsTheOrderOfOperators) {
  const ast::Query parsed = query("SELECT (1 + 2 * 3 - 4 AS ?x) {}");
  const ast::Expression& minus = *parsed.projection.at(0).expression;
  ASSERT_EQ(minus.kind, ast::Expression::Kind::kSubtract);
  ASSERT_EQ(minus.arguments[0].kind, ast::Expression::Kind::kAdd);
  EXPECT_EQ(minus.arguments[0].arguments[1].kind, ast::Expression::Kind::kMultiply);
}

TEST(SparqlParser, MakesOnePatternOfTriplesAroundAFilter) {
  const ast::Query parsed = query("SELECT * { ?s ?p ?o FILTER(?o > 1) ?s ?q ?r . }");
  ASSERT_EQ(parsed.where.elements.size(), 2u);
  EXPECT_EQ(parsed.where.elements[0].triples.size(), 2u);
}

TEST(SparqlParser, NamesWhatAStarSelects) {
  const ast::Query parsed = query(
      "SELECT * { ?b ?p 1 { SELECT ?c { ?c ?d ?e } } OPTIONAL { ?x ?p ?b } MINUS { ?m ?p 2 } }");
  std::vector<std::string> names;
  for (const ast::Projection& one : parsed.projection) names.push_back(one.variable);
  EXPECT_EQ(names, (std::vector<std::string>{"b", "p", "c", "x"}));
}

TEST(SparqlParser, SaysWhereAndWhat) {
  const Error missing = fault("SELECT ?s\nWHERE { ?s ?p\n  }");
  EXPECT_EQ(missing.where, "3:3");
  EXPECT_EQ(missing.message, "expected a variable, an IRI, a literal or a blank node, found \"}\"");
  const Error prefix = fault("SELECT * { ex:a ?p ?o }");
  EXPECT_NE(prefix.hint.find("PREFIX ex:"), std::string::npos);
  EXPECT_EQ(fault("SELECT * { ?ö ?p \"é\" . x }").where, "1:24");
  EXPECT_EQ(fault(std::string_view("SELECT * { \"\xff\" }")).where, "1:13");
}

TEST(SparqlParser, HoldsAgainstDepthAndLength) {
  for (const auto& [open, close] :
       std::vector<std::pair<std::string, std::string>>{{"{", "}"}, {"(", ")"}, {"[ <p> ", "]"}}) {
    std::string text = open == "{" ? "SELECT * " : "SELECT * { <s> <p> ";
    for (int i = 0; i < 100'000; ++i) text += open;
    const auto parsed = parse_query(text, "http://b/");
    ASSERT_FALSE(parsed.has_value());
    EXPECT_EQ(parsed.error().code, ErrorCode::kLimitExceeded) << open;
  }
  for (const char* deep : {"(", "!", "-(", "EXISTS {", "f(", "COALESCE("}) {
    std::string text = "SELECT * { FILTER(";
    for (int i = 0; i < 50'000; ++i) text += deep;
    EXPECT_FALSE(parse_query(text, "http://b/").has_value()) << deep;
  }
  std::string chain = "SELECT (1";
  for (int i = 0; i < 50'000; ++i) chain += " + 1";
  const auto parsed = parse_query(chain + " AS ?x) {}");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, ErrorCode::kLimitExceeded);
}

TEST(SparqlParser, EndsOnAnyPrefixOfAText) {
  constexpr std::string_view kText =
      "PREFIX e: <http://e/> SELECT DISTINCT ?s (COUNT(*) AS ?n) FROM <g> WHERE { ?s e:p/e:q* "
      "\"a\\n\"@en , '''x''' ; a [ e:p ( 1 2.5 ) ] . OPTIONAL { ?s ?p ?o FILTER(?o IN (1, 2)) } "
      "VALUES (?s) { (UNDEF) } BIND(IF(?o, 1, e:f(?o)) AS ?z) } GROUP BY ?s HAVING(COUNT(*) > 1) "
      "ORDER BY DESC(?n) LIMIT 5";
  for (std::size_t end = 0; end < kText.size(); ++end)
    (void)parse_query(kText.substr(0, end), "http://b/");
  EXPECT_TRUE(parse_query(kText, "http://b/").has_value());
}

TEST(SparqlParser, ReadsUpdates) {
  const auto parsed = parse_update(
      "PREFIX : <http://e/> INSERT DATA { :a :p 1 GRAPH :g { :b :q 2 } } ; WITH :g DELETE { ?s :p "
      "?o "
      "} WHERE { ?s :p ?o } ; DELETE WHERE { ?s :r ?o GRAPH ?g { ?s :p ?o } }");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().describe();
  ASSERT_EQ(parsed->operations.size(), 3u);
  EXPECT_EQ(parsed->operations[0].inserts.at(1).graph->text, "http://e/g");
  EXPECT_EQ(*parsed->operations[1].with, "http://e/g");
  EXPECT_EQ(parsed->operations[2].where.elements.size(), 2u);
}

}  // namespace
}  // namespace anima::sparql::parser_test
