// Turtle and TriG by the productions of the recommendations; expected statements are written by
// hand.
#include <gtest/gtest.h>

#include "support/rdf_text.h"

namespace anima::sparql::turtle_test {
namespace {

std::string turtle(std::string_view text) { return test::as_nquads(RdfFormat::kTurtle, text); }
std::string trig(std::string_view text) { return test::as_nquads(RdfFormat::kTriG, text); }

constexpr std::string_view kXsdPart = "^^<http://www.w3.org/2001/XMLSchema#";

std::string typed(std::string_view lexical, std::string_view type) {
  return "\"" + std::string(lexical) + "\"" + std::string(kXsdPart) + std::string(type) + ">";
}

TEST(Turtle, ReadsListsOfPredicatesAndObjects) {
  EXPECT_EQ(turtle("<s:1> <p:1> <o:1>, <o:2> ; <p:2> <o:3> ;; . <s:2> a <o:4> ."),
            "<s:1> <p:1> <o:1> .\n<s:1> <p:1> <o:2> .\n<s:1> <p:2> <o:3> .\n"
            "<s:2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <o:4> .\n");
}

TEST(Turtle, ResolvesPrefixesAndBases) {
  EXPECT_EQ(turtle("@prefix e: <http://e/x#> . PREFIX : <http://e/y/>\n"
                   "e:a :b <c> . @base <http://f/g/h> .\n<i> <../j> <#k> . BASE <l/>\n<m> : e: ."),
            "<http://e/x#a> <http://e/y/b> <http://b/d/c> .\n"
            "<http://f/g/i> <http://f/j> <http://f/g/h#k> .\n"
            "<http://f/g/l/m> <http://e/y/> <http://e/x#> .\n");
  EXPECT_EQ(turtle("@prefix a: <p:1> . a:x a:x a:x . @prefix a: <p:2> . a:x a:x a:x ."),
            "<p:1x> <p:1x> <p:1x> .\n<p:2x> <p:2x> <p:2x> .\n");
  EXPECT_EQ(turtle("@prefix:<p:>.:a :b :c:d."), "<p:a> <p:b> <p:c:d> .\n");
}

TEST(Turtle, ReadsNamesWithDotsColonsAndEscapes) {
  EXPECT_EQ(turtle("@prefix p.q: <p:> . p.q:a.b..c p.q:a:b p.q:\\~\\.x%41\\/ ."),
            "<p:a.b..c> <p:a:b> <p:~.x%41/> .\n");
  EXPECT_EQ(turtle("@prefix é: <p:> . é:ü é:日本 é:1-2 ."), "<p:ü> <p:日本> <p:1-2> .\n");
  EXPECT_EQ(turtle("@prefix a: <a:> . @prefix true: <t:> . a:a a:b true:x ."),
            "<a:a> <a:b> <t:x> .\n");
  EXPECT_EQ(turtle("@prefix : <p:> . :a. :b :c ."),
            "! 1:20: expected a term: an IRI, a name with a prefix, or such");
}

TEST(Turtle, ReadsNumbersAndBooleans) {
  const std::string start = "<s:> <p:> ";
  const auto object = [&](std::string_view text) {
    const std::string line = turtle(start + std::string(text) + " .");
    return line.starts_with('!') ? line : line.substr(10, line.size() - 13);
  };
  EXPECT_EQ(object("1"), typed("1", "integer"));
  EXPECT_EQ(object("-05"), typed("-05", "integer"));
  EXPECT_EQ(object("+1.50"), typed("+1.50", "decimal"));
  EXPECT_EQ(object(".5"), typed(".5", "decimal"));
  EXPECT_EQ(object("1e6"), typed("1e6", "double"));
  EXPECT_EQ(object("1.E-3"), typed("1.E-3", "double"));
  EXPECT_EQ(object(".1e+3"), typed(".1e+3", "double"));
  EXPECT_EQ(object("true"), typed("true", "boolean"));
  EXPECT_EQ(object("false"), typed("false", "boolean"));
  EXPECT_EQ(turtle("<s:> <p:> 1."), "<s:> <p:> " + typed("1", "integer") + " .\n");
  EXPECT_EQ(turtle("<s:> <p:> true."), "<s:> <p:> " + typed("true", "boolean") + " .\n");
  EXPECT_EQ(object("1.2.3").front(), '!');
  EXPECT_EQ(object("1e").front(), '!');
  EXPECT_EQ(object("+").front(), '!');
  EXPECT_EQ(object("truth").front(), '!');
}

TEST(Turtle, ReadsStringsOfFourKinds) {
  EXPECT_EQ(turtle(R"(<s:> <p:> "a'\t\"\u00e9", 'b"\U0001F600', """c
""d"\\""", '''e''f\'''' .)"),
            "<s:> <p:> \"a'\t\\\"é\" .\n<s:> <p:> \"b\\\"😀\" .\n"
            "<s:> <p:> \"c\\n\\\"\\\"d\\\"\\\\\" .\n<s:> <p:> \"e''f'\" .\n");
  EXPECT_EQ(turtle("<s:> <p:> \"\", '', \"\"\"\"\"\", \"x\"@en-GB, \"1\"^^<t:> ."),
            "<s:> <p:> \"\" .\n<s:> <p:> \"1\"^^<t:> .\n<s:> <p:> \"x\"@en-GB .\n");
  EXPECT_EQ(turtle("<s:> <p:> \"x\"^^<http://www.w3.org/2001/XMLSchema#string> ."),
            "<s:> <p:> \"x\" .\n");
  EXPECT_EQ(turtle("<s:> <p:> \"a\nb\" ."), "! 1:11: the string has no closing quote");
  EXPECT_EQ(turtle("<s:> <p:> \"\\x\" ."), "! 1:12: there is no such escape here");
  EXPECT_EQ(turtle("<s:> <p:> \"\\uD800\" .").front(), '!');
  EXPECT_EQ(turtle("<s:> <p:> \"x\"@1 ."), "! 1:15: expected a language tag after \"@\"");
}

TEST(Turtle, KeepsBlankNodesApart) {
  EXPECT_EQ(turtle("_:a <p:> _:a.b . [] <p:> [] . _:g1 <p:> _:ug1 ."),
            "_:a <p:> _:a.b .\n_:g1 <p:> _:g2 .\n_:ug1 <p:> _:uug1 .\n");
  EXPECT_EQ(turtle("[ <p:1> <o:1> ; <p:2> [ <p:3> 'x' ] ] ."),
            "_:g1 <p:1> <o:1> .\n_:g1 <p:2> _:g2 .\n_:g2 <p:3> \"x\" .\n");
  EXPECT_EQ(turtle("[] .").front(), '!');
  EXPECT_EQ(turtle("_:a: <p:> <o:> .").front(), '!');
}

TEST(Turtle, ReadsCollections) {
  const std::string first = " <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> ";
  const std::string rest = " <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> ";
  const std::string nil = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>";
  EXPECT_EQ(turtle("<s:> <p:> () ."), "<s:> <p:> " + nil + " .\n");
  EXPECT_EQ(turtle("<s:> <p:> ('a' <b:>) ."), "<s:> <p:> _:g1 .\n_:g1" + first + "\"a\" .\n_:g1" +
                                                  rest + "_:g2 .\n_:g2" + first + "<b:> .\n_:g2" +
                                                  rest + nil + " .\n");
  EXPECT_EQ(turtle("(('a')) <p:> <o:> ."), "_:g1" + first + "_:g2 .\n_:g1" + rest + nil +
                                               " .\n_:g1 <p:> <o:> .\n_:g2" + first +
                                               "\"a\" .\n_:g2" + rest + nil + " .\n");
  EXPECT_EQ(turtle("(1) .").front(), '!');
}

TEST(Turtle, RefusesWhatTheGrammarDoesNotHave) {
  EXPECT_EQ(turtle("<s:> <p:> <o:>"), "! 1:15: expected the full stop that ends a statement");
  EXPECT_EQ(turtle("<s:> 'p' <o:> .").front(), '!');
  EXPECT_EQ(turtle("'s' <p:> <o:> ."), "! 1:1: expected an IRI or a blank node as the subject");
  EXPECT_EQ(turtle("<s:> _:p <o:> ."), "! 1:6: expected the IRI of a predicate, or \"a\"");
  EXPECT_EQ(turtle("a <p:> <o:> .").front(), '!');
  EXPECT_EQ(turtle("<s:> <p:> a .").front(), '!');
  EXPECT_EQ(turtle("\n  x:a <p:> <o:> ."), "! 2:3: the prefix \"x:\" is not declared");
  EXPECT_EQ(turtle("@Prefix a: <b:> .").front(), '!');
  EXPECT_EQ(turtle("PREFIX a: <b:> .").front(), '!');
  EXPECT_EQ(turtle("@prefix a: <b:>").front(), '!');
  EXPECT_EQ(turtle("{ <s:> <p:> <o:> }").front(), '!');
  EXPECT_EQ(turtle("<s:> <p:> <o:> , .").front(), '!');
  EXPECT_EQ(turtle("<s:> <p:> <a b> ."), "! 1:13: this character cannot stand in an IRI");
  EXPECT_EQ(turtle("<s:> <p:> <a\\u0020b> .").front(), '!');
  EXPECT_EQ(turtle("<s:> <p:> <a\\n> .").front(), '!');
  EXPECT_EQ(turtle("@prefix a: <p:> . a:x%4 a:b a:c .").front(), '!');
}

TEST(Turtle, NamesThePlaceOfBadBytes) {
  EXPECT_EQ(turtle("<s:> <p:> \"\xff\" ."), "! 1:12: the bytes are no UTF-8");
  EXPECT_EQ(turtle("# \xff\n<s:> <p:> <o:> ."), "! 1:3: the bytes are no UTF-8");
  EXPECT_EQ(turtle("<s:> <p:>\n \"é\" x"), "! 2:6: expected the full stop that ends a statement");
}

TEST(Turtle, LimitsNestingOnly) {
  const auto nested = [](std::size_t depth, std::string_view open, std::string_view core,
                         std::string_view close) {
    std::string text = "<s:> <p:> ";
    for (std::size_t i = 1; i < depth; ++i) text += open;
    text += core;
    for (std::size_t i = 1; i < depth; ++i) text += close;
    return text + " .";
  };
  EXPECT_EQ(turtle(nested(256, "[<p:>", "[]", "]")).front(), '<');
  EXPECT_EQ(turtle(nested(257, "[<p:>", "[]", "]")).front(), '!');
  EXPECT_EQ(turtle(nested(256, "(", "()", ")")).front(), '<');
  const std::string refused = turtle(nested(100'000, "(", "()", ")"));
  EXPECT_NE(refused.find("nest deeper than 256"), std::string::npos) << refused;
  std::string wide = "<s:> <p:> <o:0>";
  for (int i = 1; i < 50'000; ++i) wide += ", <o:" + std::to_string(i) + ">";
  EXPECT_NE(turtle(wide + " .").front(), '!');
}

TEST(Turtle, NeedsABaseForRelativeIris) {
  EXPECT_EQ(test::as_nquads(RdfFormat::kTurtle, "<a> <p:> <o:> .", ""),
            "! 1:1: the IRI is relative, and the document has no base IRI");
  EXPECT_EQ(test::as_nquads(RdfFormat::kTurtle, "<a> <p:> <o:> .", "not a base").front(), '!');
}

TEST(TriG, ReadsGraphsOfEveryForm) {
  EXPECT_EQ(trig("<s:> <p:> <o:0> . { <s:> <p:> <o:1> }\n<g:1> { <s:> <p:> <o:2> . }\n"
                 "GRAPH <g:2> { <s:> <p:> <o:3> ; <q:> <o:4> . <s:> <p:> <o:5> } _:x { } "
                 "_:x { <s:> <p:> <o:6> } [] { <s:> <p:> <o:7> }"),
            "<s:> <p:> <o:0> .\n<s:> <p:> <o:1> .\n<s:> <p:> <o:2> <g:1> .\n"
            "<s:> <p:> <o:3> <g:2> .\n<s:> <p:> <o:5> <g:2> .\n<s:> <p:> <o:6> _:x .\n"
            "<s:> <p:> <o:7> _:g1 .\n<s:> <q:> <o:4> <g:2> .\n");
  EXPECT_EQ(
      trig("@prefix graph: <g:> . graph:a { graph:a graph:b ([]) } graph:c graph:d graph:e ."),
      "<g:a> <g:b> _:g1 <g:a> .\n<g:c> <g:d> <g:e> .\n"
      "_:g1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> _:g2 <g:a> .\n"
      "_:g1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> "
      "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> <g:a> .\n");
}

TEST(TriG, RefusesWhatTheGrammarDoesNotHave) {
  EXPECT_EQ(trig("<g:> { <s:> <p:> <o:> ").front(), '!');
  EXPECT_EQ(trig("<g:> { <h:> { } }").front(), '!');
  EXPECT_EQ(trig("<g:> { @prefix a: <b:> . }").front(), '!');
  EXPECT_EQ(trig("GRAPH { <s:> <p:> <o:> }").front(), '!');
  EXPECT_EQ(trig("GRAPH (1) { <s:> <p:> <o:> }").front(), '!');
  EXPECT_EQ(trig("[ <p:> <o:> ] { <s:> <p:> <o:> }").front(), '!');
  EXPECT_EQ(trig("<g:> { } .").front(), '!');
  EXPECT_EQ(trig("'g' { <s:> <p:> <o:> }").front(), '!');
}

TEST(NQuads, ReadsGraphsAndRefusesMore) {
  const auto nquads = [](std::string_view text) {
    return test::as_nquads(RdfFormat::kNQuads, text);
  };
  EXPECT_EQ(nquads("<s:> <p:> <o:> <g:> .\n<s:> <p:> \"x\"@en _:g . # so\n_:a <p:> _:b ."),
            "<s:> <p:> \"x\"@en _:g .\n<s:> <p:> <o:> <g:> .\n_:a <p:> _:b .\n");
  EXPECT_EQ(nquads("<s:> <p:> <o:> \"g\" ."), "! 1:16: expected the full stop that ends a triple");
  EXPECT_EQ(nquads("<s:> <p:> <o:> <g:> <h:> .").front(), '!');
  EXPECT_EQ(test::as_nquads(RdfFormat::kNTriples, "<s:> <p:> <o:> <g:> .").front(), '!');
}

TEST(Turtle, StopsWhenItIsTold) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "<s:> <p:> <o:> .\n";
  for (const RdfFormat format : {RdfFormat::kTurtle, RdfFormat::kNQuads}) {
    RdfReadOptions options;
    options.progress = [](std::uint64_t bytes) { return bytes < 100'000; };
    const auto read =
        read_rdf(format, text, options, [](const RdfTriple&, const RdfTerm*) { return Status(); });
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kCancelled);
  }
  const auto refused =
      read_rdf(RdfFormat::kTurtle, text, {}, [](const RdfTriple&, const RdfTerm*) -> Status {
        return fail(ErrorCode::kDiskFull, "full");
      });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDiskFull);
}

}  // namespace
}  // namespace anima::sparql::turtle_test
