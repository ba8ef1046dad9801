// RDF/XML by the productions of the recommendation; expected statements are written by hand.
#include <gtest/gtest.h>

#include "support/rdf_text.h"

namespace anima::sparql::rdfxml_test {
namespace {

const std::string kRdfIri = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

// The content of rdf:RDF, read below http://b/d/doc.
std::string body(std::string_view content, std::string_view attributes = "") {
  return test::as_nquads(RdfFormat::kRdfXml,
                         "<rdf:RDF xmlns:rdf=\"" + kRdfIri + "\" xmlns:e=\"http://e/\" " +
                             std::string(attributes) + ">" + std::string(content) + "</rdf:RDF>");
}
std::string rdf(std::string_view name) { return "<" + kRdfIri + std::string(name) + ">"; }

TEST(RdfXml, ReadsNodesAndProperties) {
  EXPECT_EQ(body("<rdf:Description rdf:about=\"a\"><e:p>x &amp; y</e:p><e:q rdf:resource=\"#b\"/>"
                 "</rdf:Description>"),
            "<http://b/d/a> <http://e/p> \"x & y\" .\n"
            "<http://b/d/a> <http://e/q> <http://b/d/doc#b> .\n");
  EXPECT_EQ(body("<e:T rdf:ID=\"i\"><e:p><rdf:Description rdf:nodeID=\"n\"/></e:p></e:T>"),
            "<http://b/d/doc#i> <http://e/p> _:n .\n"
            "<http://b/d/doc#i> " +
                rdf("type") + " <http://e/T> .\n");
  EXPECT_EQ(body("<rdf:Description e:p=\"1\" rdf:type=\"t\"/>"),
            "_:g1 <http://e/p> \"1\" .\n_:g1 " + rdf("type") + " <http://b/d/t> .\n");
  // One node may be the whole document.
  EXPECT_EQ(test::as_nquads(RdfFormat::kRdfXml, "<T xmlns='http://e/'/>"),
            "_:g1 " + rdf("type") + " <http://e/T> .\n");
}

TEST(RdfXml, ReadsLiterals) {
  EXPECT_EQ(body("<rdf:Description rdf:about='s:'><e:p xml:lang='de'>x</e:p><e:p/>"
                 "<e:p rdf:datatype='d:t'>1</e:p></rdf:Description>",
                 "xml:lang='en'"),
            "<s:> <http://e/p> \"\"@en .\n<s:> <http://e/p> \"1\"^^<d:t> .\n"
            "<s:> <http://e/p> \"x\"@de .\n");
  EXPECT_EQ(body("<rdf:Description rdf:about='s:'><e:p xml:lang=''> a<!-- c -->b\n</e:p>"
                 "</rdf:Description>",
                 "xml:lang='en'"),
            "<s:> <http://e/p> \" ab\\n\" .\n");
}

TEST(RdfXml, ReadsParseTypes) {
  EXPECT_EQ(body("<rdf:Description rdf:about='s:'><e:p rdf:parseType='Resource'><e:q>x</e:q>"
                 "</e:p></rdf:Description>"),
            "<s:> <http://e/p> _:g1 .\n_:g1 <http://e/q> \"x\" .\n");
  EXPECT_EQ(body("<rdf:Description rdf:about='s:'><e:p rdf:parseType='Collection'>"
                 "<rdf:Description rdf:about='a:'/><e:T/></e:p><e:q rdf:parseType='Collection'/>"
                 "</rdf:Description>"),
            "<s:> <http://e/p> _:g1 .\n<s:> <http://e/q> " + rdf("nil") + " .\n" + "_:g1 " +
                rdf("first") + " <a:> .\n_:g1 " + rdf("rest") + " _:g3 .\n_:g2 " + rdf("type") +
                " <http://e/T> .\n_:g3 " + rdf("first") + " _:g2 .\n_:g3 " + rdf("rest") + " " +
                rdf("nil") + " .\n");
  EXPECT_EQ(body("<rdf:Description rdf:about='s:'><e:p rdf:parseType='Literal'>a &lt; <e:b z='1' "
                 "e:y='&quot;' a=\"2\"><c xmlns='http://c/'/><!--k--></e:b></e:p>"
                 "</rdf:Description>"),
            "<s:> <http://e/p> \"a &lt; <e:b xmlns:e=\\\"http://e/\\\" a=\\\"2\\\" z=\\\"1\\\" "
            "e:y=\\\"&quot;\\\"><c xmlns=\\\"http://c/\\\"></c><!--k--></e:b>\"^^" +
                rdf("XMLLiteral") + " .\n");
}

TEST(RdfXml, NumbersMembersAndReifies) {
  EXPECT_EQ(body("<rdf:Bag rdf:about='s:'><rdf:li>a</rdf:li><rdf:_5>b</rdf:_5>"
                 "<rdf:li rdf:ID='r'>c</rdf:li></rdf:Bag>"),
            "<http://b/d/doc#r> " + rdf("object") + " \"c\" .\n<http://b/d/doc#r> " +
                rdf("predicate") + " " + rdf("_2") + " .\n<http://b/d/doc#r> " + rdf("subject") +
                " <s:> .\n<http://b/d/doc#r> " + rdf("type") + " " + rdf("Statement") +
                " .\n<s:> " + rdf("_1") + " \"a\" .\n<s:> " + rdf("_2") + " \"c\" .\n<s:> " +
                rdf("_5") + " \"b\" .\n<s:> " + rdf("type") + " " + rdf("Bag") + " .\n");
}

TEST(RdfXml, TakesTheInnermostBase) {
  EXPECT_EQ(body("<rdf:Description rdf:about='' xml:base='http://c/x/y#f'><e:p rdf:resource='z' "
                 "xml:base='q/'/></rdf:Description>"),
            "<http://c/x/y> <http://e/p> <http://c/x/q/z> .\n");
}

TEST(RdfXml, ExpandsTheEntitiesOfTheDocument) {
  EXPECT_EQ(test::as_nquads(RdfFormat::kRdfXml,
                            "<!DOCTYPE r [<!ENTITY e 'http://e/'>]><rdf:RDF xmlns:rdf='" + kRdfIri +
                                "' xmlns:e='&e;'><e:T rdf:about='&e;a'/></rdf:RDF>"),
            "<http://e/a> " + rdf("type") + " <http://e/T> .\n");
  EXPECT_EQ(body("<rdf:Description rdf:about='s:'><e:p>&nope;</e:p></rdf:Description>").front(),
            '!');
}

TEST(RdfXml, RefusesWhatTheGrammarDoesNotHave) {
  const auto bad = [](std::string_view content) { return body(content).front() == '!'; };
  EXPECT_TRUE(bad("text"));
  EXPECT_TRUE(bad("<rdf:Description aboutx='a'/>"));
  EXPECT_TRUE(bad("<Description/>"));
  EXPECT_TRUE(bad("<rdf:li/>"));
  EXPECT_TRUE(bad("<rdf:Description rdf:li='1'/>"));
  EXPECT_TRUE(bad("<rdf:Description rdf:bagID='1'/>"));
  EXPECT_TRUE(bad("<rdf:Description rdf:aboutEach='a'/>"));
  EXPECT_TRUE(bad("<rdf:Description rdf:about='a' rdf:nodeID='b'/>"));
  EXPECT_TRUE(bad("<rdf:Description rdf:nodeID='1b'/>"));
  EXPECT_TRUE(bad("<rdf:Description rdf:ID='a b'/>"));
  EXPECT_TRUE(bad("<rdf:Description rdf:ID='a'/><rdf:Description rdf:ID='a'/>"));
  EXPECT_TRUE(bad("<rdf:Description><e:p rdf:resource='a' rdf:nodeID='b'/></rdf:Description>"));
  EXPECT_TRUE(
      bad("<rdf:Description><e:p rdf:resource='a' rdf:parseType='Literal'/>"
          "</rdf:Description>"));
  EXPECT_TRUE(bad("<rdf:Description><e:p rdf:resource='a'>x</e:p></rdf:Description>"));
  EXPECT_TRUE(bad("<rdf:Description><e:p>x<e:T/></e:p></rdf:Description>"));
  EXPECT_TRUE(bad("<rdf:Description><e:p><e:T/><e:T/></e:p></rdf:Description>"));
  EXPECT_TRUE(bad("<rdf:Description><rdf:Description/></rdf:Description>"));
  EXPECT_TRUE(bad("<rdf:Description rdf:about='a b'/><e:p/>") &&
              bad("<rdf:Description rdf:about='a b'/>"));
  EXPECT_EQ(body("<e:T>\n  <e:p rdf:about='a'/></e:T>"),
            "! 2:3: rdf:about belongs on nodes; a property says rdf:resource");
  EXPECT_EQ(test::as_nquads(RdfFormat::kRdfXml, "<a xmlns='x:'>\n<b></a>").substr(0, 26),
            "! 2:6: the XML is wrong: m");
  EXPECT_EQ(test::as_nquads(RdfFormat::kRdfXml, "").front(), '!');
}

TEST(RdfXml, StopsEntitiesThatMultiplyAndElementsThatNest) {
  std::string text = "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'>";
  for (char c = 'b'; c <= 'k'; ++c) {
    text += std::string("<!ENTITY ") + c + " '";
    for (int i = 0; i < 10; ++i) text += std::string("&") + static_cast<char>(c - 1) + ";";
    text += "'>";
  }
  text += "]><rdf:RDF xmlns:rdf='" + kRdfIri +
          "' xmlns:e='http://e/'><e:T><e:p>&k;</e:p></e:T></rdf:RDF>";
  EXPECT_EQ(test::as_nquads(RdfFormat::kRdfXml, text).front(), '!');
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<e:T><e:p>";
  EXPECT_NE(body(deep).find("nest deeper than 256"), std::string::npos);
  std::string literal = "<e:T><e:p rdf:parseType='Literal'>";
  for (int i = 0; i < 100'000; ++i) literal += "<e:x>";
  EXPECT_NE(body(literal).find("nest deeper than 256"), std::string::npos);
  std::string many = "<!DOCTYPE r [";
  for (int i = 0; i < 1001; ++i) many += "<!ENTITY e" + std::to_string(i) + " 'x'>";
  EXPECT_NE(test::as_nquads(RdfFormat::kRdfXml, many + "]><r/>").find("1,000 entities"),
            std::string::npos);
}

}  // namespace
}  // namespace anima::sparql::rdfxml_test
