// Writers of RDF: the text for people to read, and that every statement reads back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "support/rdf_text.h"

namespace anima::sparql::rdf_writer_test {
namespace {

constexpr std::string_view kPeople =
    "<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
    "<http://xmlns.com/foaf/0.1/Person> "
    ".\n"
    "<http://e/a> <http://xmlns.com/foaf/0.1/age> "
    "\"42\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
    "<http://e/a> <http://xmlns.com/foaf/0.1/name> \"Ada\" .\n"
    "<http://e/a> <http://xmlns.com/foaf/0.1/name> \"Ada\"@en .\n"
    "<http://e/b> <http://xmlns.com/foaf/0.1/knows> <http://e/a> .\n";

// Terms that are hard for one format or another; XML cannot hold the control character.
constexpr std::string_view kHard =
    "<http://e/a%20b> <http://e/p#q.> \"line\\nend\\r\\t\\\"quote\\\" <&> ]]>\" .\n"
    "<http://e/a> <http://e/p/1x> \"007\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
    "<http://e/a> <http://e/p/x> \"\" .\n"
    "<http://e/a> <http://e/p/x> \" \"@en-GB .\n"
    "<http://e/a> <http://e/p/x> \"+1.E5\"^^<http://www.w3.org/2001/XMLSchema#double> .\n"
    "<http://e/a> <http://e/p/x> \".\"^^<http://www.w3.org/2001/XMLSchema#decimal> .\n"
    "<http://e/a> <http://e/p/x> \"1.\"^^<http://www.w3.org/2001/XMLSchema#decimal> .\n"
    "<http://e/a> <http://e/p/x> \"True\"^^<http://www.w3.org/2001/XMLSchema#boolean> .\n"
    "<http://e/a> <http://e/p/x> \"[1,  2]\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON> .\n"
    "<http://e/a> <http://e/p/x> \"[1,2]\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON> .\n"
    "<http://e/a> <http://e/p/x> \"nope\"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n"
    "<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#li> \"li\" .\n"
    "<http://e/a> <urn:anima:attribute:k> \"日本\" .\n"
    "<http://e/é/日> <http://e/ü> <http://e/a'b,c;d(e)> .\n";

constexpr std::array kAllFormats = {RdfFormat::kNTriples, RdfFormat::kNQuads, RdfFormat::kTurtle,
                                    RdfFormat::kTriG,     RdfFormat::kRdfXml, RdfFormat::kJsonLd};

std::string sorted(std::string_view nquads) { return test::as_nquads(RdfFormat::kNQuads, nquads); }

TEST(RdfWriter, WritesTurtleForPeople) {
  EXPECT_EQ(test::written(RdfFormat::kTurtle, kPeople),
            "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"
            "@prefix ns1: <http://e/> .\n"
            "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n\n"
            "ns1:a a foaf:Person ;\n"
            "  foaf:age 42 ;\n"
            "  foaf:name \"Ada\" ,\n    \"Ada\"@en .\n"
            "ns1:b foaf:knows ns1:a .\n");
}

TEST(RdfWriter, WritesTriGGraphByGraph) {
  EXPECT_EQ(test::written(RdfFormat::kTriG,
                          "<s:> <p:> <o:> .\n<s:> <p:> <o:> <g:1> .\n<s:> <p:> \"x\" <g:1> .\n"
                          "<t:> <p:> <o:> _:g .\n"),
            "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n\n"
            "<s:> <p:> <o:> .\n<g:1> {\n  <s:> <p:> <o:> ,\n      \"x\" .\n}\n"
            "_:g {\n  <t:> <p:> <o:> .\n}\n");
}

TEST(RdfWriter, WritesRdfXml) {
  EXPECT_EQ(
      test::written(RdfFormat::kRdfXml, kPeople),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"\n"
      "  xmlns:ns1=\"http://e/\"\n  xmlns:foaf=\"http://xmlns.com/foaf/0.1/\">\n"
      "  <rdf:Description rdf:about=\"http://e/a\">\n"
      "    <rdf:type rdf:resource=\"http://xmlns.com/foaf/0.1/Person\"/>\n"
      "    <foaf:age rdf:datatype=\"http://www.w3.org/2001/XMLSchema#integer\">42</foaf:age>\n"
      "    <foaf:name>Ada</foaf:name>\n    <foaf:name xml:lang=\"en\">Ada</foaf:name>\n"
      "  </rdf:Description>\n  <rdf:Description rdf:about=\"http://e/b\">\n"
      "    <foaf:knows rdf:resource=\"http://e/a\"/>\n  </rdf:Description>\n</rdf:RDF>\n");
}

TEST(RdfWriter, WritesJsonLdWithListsAndGraphs) {
  const std::string rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
  EXPECT_EQ(test::written(RdfFormat::kJsonLd,
                          "<s:> <p:> _:c1 .\n_:c1 <" + rdf + "first> \"x\" .\n_:c1 <" + rdf +
                              "rest> _:c2 .\n_:c2 <" + rdf + "first> <o:> .\n_:c2 <" + rdf +
                              "rest> <" + rdf + "nil> .\n<s:> <q:> <" + rdf + "nil> .\n<s:> <" +
                              rdf + "type> <t:> .\n<a:> <p:> \"1\"@en <s:> .\n"),
            "[\n{\"@id\":\"s:\",\"@type\":[\"t:\"],\"p:\":[{\"@list\":[{\"@value\":\"x\"},"
            "{\"@id\":\"o:\"}]}],\"q:\":[{\"@list\":[]}],\"@graph\":[\n"
            "  {\"@id\":\"a:\",\"p:\":[{\"@language\":\"en\",\"@value\":\"1\"}]}]}\n]\n");
  EXPECT_EQ(test::written(RdfFormat::kJsonLd, ""), "[]\n");
}

TEST(RdfWriter, EveryFormatReadsBack) {
  for (const RdfFormat format : kAllFormats) {
    SCOPED_TRACE(rdf_format_info(format).name);
    EXPECT_EQ(test::as_nquads(format, test::written(format, kPeople)), sorted(kPeople));
    EXPECT_EQ(test::as_nquads(format, test::written(format, kHard)), sorted(kHard));
  }
}

// Lists that are none: shared cells, circles, more than a first and a rest.
TEST(RdfWriter, JsonLdKeepsCellsThatMakeNoList) {
  const std::string f = " <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> ";
  const std::string r = " <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> ";
  const std::string nil = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .\n";
  const std::string shared =
      "<s:1> <p:> _:a .\n<s:2> <p:> _:a .\n_:a" + f + "\"x\" .\n_:a" + r + nil;
  const std::string circle = "<s:> <p:> _:a .\n_:a" + f + "\"x\" .\n_:a" + r + "_:a .\n";
  const std::string more = "<s:> <p:> _:a .\n_:a" + f + "\"x\" .\n_:a <q:> \"y\" .\n_:a" + r + nil;
  const std::string two =
      "<s:> <p:> _:a .\n_:a" + f + "\"x\" .\n_:a" + f + "\"y\" .\n_:a" + r + nil;
  const std::string headless = "_:a" + f + "\"x\" .\n_:a" + r + nil;
  const std::string elsewhere =
      "<s:> <p:> _:a .\n_:a" + f + "\"x\" .\n_:a" + r + nil + "_:a <q:> \"y\" <g:> .\n";
  for (const std::string& each : {shared, circle, more, two, headless, elsewhere}) {
    EXPECT_EQ(test::as_nquads(RdfFormat::kJsonLd, test::written(RdfFormat::kJsonLd, each)),
              sorted(each));
  }
}

TEST(RdfWriter, KeepsBlankNodesApart) {
  const std::string text =
      "_:a <p:q> _:g1 .\n_:g1 <p:q> _:0x .\n_:x-a <p:q> _:a:b .\n_:é <p:q> _:x .\n";
  for (const RdfFormat format : {RdfFormat::kRdfXml, RdfFormat::kJsonLd}) {
    const std::string again = test::as_nquads(format, test::written(format, text));
    EXPECT_EQ(std::count(again.begin(), again.end(), '\n'), 4) << again;
  }
  EXPECT_EQ(test::as_nquads(RdfFormat::kRdfXml, test::written(RdfFormat::kRdfXml, text)),
            "_:a <p:q> _:ug1 .\n_:ug1 <p:q> _:x-0x .\n_:x--C3-A9 <p:q> _:x .\n"
            "_:x-x-2Da <p:q> _:x-a-3Ab .\n");
}

TEST(RdfWriter, RefusesWhatAFormatCannotSay) {
  EXPECT_EQ(test::written(RdfFormat::kTurtle, "<s:> <p:> <o:> <g:> .").front(), '!');
  EXPECT_EQ(test::written(RdfFormat::kNTriples, "<s:> <p:> <o:> <g:> .").front(), '!');
  EXPECT_EQ(test::written(RdfFormat::kRdfXml, "<s:> <p:> <o:> <g:> .").front(), '!');
  EXPECT_EQ(test::written(RdfFormat::kRdfXml, "<s:> <p:1> <o:> ."),
            "! no XML name can be made of the predicate <p:1>");
  EXPECT_EQ(test::written(RdfFormat::kRdfXml, "<s:> <p:x> \"\\u0001\" .").front(), '!');
  EXPECT_EQ(test::written(RdfFormat::kRdfXml, "<s:> <p:x> \"\\uFFFE\" .").front(), '!');
}

TEST(RdfFormat, IsKnownByNameEndingMediaTypeAndContent) {
  EXPECT_EQ(rdf_format_named("turtle"), RdfFormat::kTurtle);
  EXPECT_EQ(rdf_format_named("ttl"), RdfFormat::kTurtle);
  EXPECT_EQ(rdf_format_named(".owl"), std::nullopt);
  EXPECT_EQ(rdf_format_named("text/plain"), std::nullopt);
  EXPECT_EQ(rdf_format_of_file("a/b.TTL"), RdfFormat::kTurtle);
  EXPECT_EQ(rdf_format_of_file("x.owl"), RdfFormat::kRdfXml);
  EXPECT_EQ(rdf_format_of_file("turtle"), std::nullopt);
  EXPECT_EQ(rdf_format_of_media_type("Text/Turtle; charset=utf-8"), RdfFormat::kTurtle);
  EXPECT_EQ(rdf_format_of_media_type("ttl"), std::nullopt);
  EXPECT_EQ(rdf_format_of_media_type("application/sparql-query"), std::nullopt);
  EXPECT_EQ(sniff_rdf_format("# c\n@prefix a: <b:> ."), RdfFormat::kTurtle);
  EXPECT_EQ(sniff_rdf_format("PREFIX a: <b:>\na:g { a:a a:b \"}\" }"), RdfFormat::kTriG);
  EXPECT_EQ(sniff_rdf_format("<s:> <p:> \"{\" ."), RdfFormat::kTurtle);
  EXPECT_EQ(sniff_rdf_format("<?xml version='1.0'?><rdf:RDF "
                             "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>"),
            RdfFormat::kRdfXml);
  EXPECT_EQ(sniff_rdf_format("<?xml version='1.0'?><html/>"), std::nullopt);
  EXPECT_EQ(sniff_rdf_format("[{\"@id\":\"a:\"}]"), RdfFormat::kJsonLd);
  EXPECT_EQ(sniff_rdf_format("[{\"subject\":\"a\"}]"), std::nullopt);
  EXPECT_EQ(sniff_rdf_format("a,b\n1,2\n"), std::nullopt);
}

}  // namespace
}  // namespace anima::sparql::rdf_writer_test
