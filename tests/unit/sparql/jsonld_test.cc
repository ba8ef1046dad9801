// JSON-LD 1.1 to RDF by feature; expected statements are written by hand.
#include <gtest/gtest.h>

#include "sparql/rdf/jsonld_reader.h"
#include "support/rdf_text.h"

namespace anima::sparql::jsonld_test {
namespace {

std::string quads(std::string_view text) { return test::as_nquads(RdfFormat::kJsonLd, text); }
std::string sorted(std::string_view nquads) { return test::as_nquads(RdfFormat::kNQuads, nquads); }
bool refused(std::string_view text, std::string_view code) {
  const std::string said = quads(text);
  return said.front() == '!' &&
         said.find(std::string(": ") + std::string(code)) != std::string::npos;
}

const std::string kRdfIri = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
std::string rdf(std::string_view name) { return "<" + kRdfIri + std::string(name) + ">"; }
std::string xsd(std::string_view name) {
  return "^^<http://www.w3.org/2001/XMLSchema#" + std::string(name) + ">";
}

TEST(JsonLd, ReadsTermsPrefixesAndVocabulary) {
  EXPECT_EQ(quads(R"({"@context":{"@vocab":"http://v/","e":"http://e/","n":"e:name",
                      "k":{"@id":"http://k/","@type":"@id"}},
                      "@id":"s","n":"x","e:y":"z","w":1,"k":"o","http://f/p":true})"),
            "<http://b/d/s> <http://e/name> \"x\" .\n<http://b/d/s> <http://e/y> \"z\" .\n"
            "<http://b/d/s> <http://f/p> \"true\"" +
                xsd("boolean") +
                " .\n"
                "<http://b/d/s> <http://k/> <http://b/d/o> .\n"
                "<http://b/d/s> <http://v/w> \"1\"" +
                xsd("integer") + " .\n");
  EXPECT_EQ(quads(R"({"@id":"s:","unknown":"x","http://p/":null})"), "");
}

TEST(JsonLd, ReadsBasesAndTypes) {
  EXPECT_EQ(quads(R"({"@context":{"@base":"http://c/x/","T":"http://t/"},
                      "@id":"../y","@type":["T","http://u/"]})"),
            "<http://c/y> " + rdf("type") + " <http://t/> .\n<http://c/y> " + rdf("type") +
                " <http://u/> .\n");
  EXPECT_EQ(quads(R"({"@context":{"@base":null},"@id":"rel","http://p/":"x"})"), "");
}

TEST(JsonLd, ReadsValues) {
  EXPECT_EQ(quads(R"({"@context":{"@language":"en","d":{"@id":"p:d","@type":"y:t"},
                      "x":{"@id":"p:x","@language":null},"l":{"@id":"p:l","@container":"@language"}},
                      "@id":"s:","d":"1","x":"plain","p:e":"tagged",
                      "p:v":{"@value":"v","@type":"y:u"},"p:w":{"@value":"w","@language":"de"},
                      "l":{"fr":["a","b"],"@none":"c"}})"),
            "<s:> <p:d> \"1\"^^<y:t> .\n<s:> <p:e> \"tagged\"@en .\n<s:> <p:l> \"a\"@fr .\n"
            "<s:> <p:l> \"b\"@fr .\n<s:> <p:l> \"c\" .\n<s:> <p:v> \"v\"^^<y:u> .\n"
            "<s:> <p:w> \"w\"@de .\n<s:> <p:x> \"plain\" .\n");
}

TEST(JsonLd, WritesNumbersCanonically) {
  EXPECT_EQ(quads(R"({"@id":"s:","p:1":5.3,"p:2":1e21,"p:3":10000000000000000000,"p:4":-0.5,
                      "p:5":3.0,"p:6":{"@value":2,"@type":"http://www.w3.org/2001/XMLSchema#double"}})"),
            "<s:> <p:1> \"5.3E0\"" + xsd("double") + " .\n<s:> <p:2> \"1.0E21\"" + xsd("double") +
                " .\n<s:> <p:3> \"10000000000000000000\"" + xsd("integer") +
                " .\n<s:> <p:4> \"-5.0E-1\"" + xsd("double") + " .\n<s:> <p:5> \"3\"" +
                xsd("integer") + " .\n<s:> <p:6> \"2.0E0\"" + xsd("double") + " .\n");
}

TEST(JsonLd, ReadsListsAndSets) {
  EXPECT_EQ(
      quads(
          R"({"@context":{"l":{"@id":"p:l","@container":"@list"},"s":{"@id":"p:s","@container":"@set"}},
                      "@id":"s:","l":["a",{"@id":"o:"}],"s":["x","x"],"p:e":{"@list":[]},
                      "p:f":{"@set":["y",null]}})"),
      "<s:> <p:e> " + rdf("nil") +
          " .\n<s:> <p:f> \"y\" .\n<s:> <p:l> _:g1 .\n"
          "<s:> <p:s> \"x\" .\n_:g1 " +
          rdf("first") + " \"a\" .\n_:g1 " + rdf("rest") + " _:g2 .\n_:g2 " + rdf("first") +
          " <o:> .\n_:g2 " + rdf("rest") + " " + rdf("nil") + " .\n");
  EXPECT_EQ(
      quads(R"({"@context":{"l":{"@id":"p:l","@container":"@list"}},"@id":"s:","l":[[],["a"]]})"),
      "<s:> <p:l> _:g1 .\n_:g1 " + rdf("first") + " " + rdf("nil") + " .\n_:g1 " + rdf("rest") +
          " _:g2 .\n_:g2 " + rdf("first") + " _:g3 .\n_:g2 " + rdf("rest") + " " + rdf("nil") +
          " .\n_:g3 " + rdf("first") + " \"a\" .\n_:g3 " + rdf("rest") + " " + rdf("nil") + " .\n");
}

TEST(JsonLd, ReadsGraphsReverseAndIncluded) {
  EXPECT_EQ(quads(R"({"@context":{"r":{"@reverse":"p:r"}},"@id":"g:","p:x":"1",
                      "@graph":[{"@id":"a:","p:y":"2","r":{"@id":"b:"}}],
                      "@reverse":{"p:z":[{"@id":"c:","p:w":"3"}]},
                      "@included":[{"@id":"d:","p:v":"4"}]})"),
            "<a:> <p:y> \"2\" <g:> .\n<b:> <p:r> <a:> <g:> .\n<c:> <p:w> \"3\" .\n"
            "<c:> <p:z> <g:> .\n<d:> <p:v> \"4\" .\n<g:> <p:x> \"1\" .\n");
  EXPECT_EQ(
      quads(R"({"@context":{"q":"p:"},"@graph":[{"@id":"a:","p:x":"1"},{"@id":"b:","p:x":"2"}]})"),
      "<a:> <p:x> \"1\" .\n<b:> <p:x> \"2\" .\n");
  EXPECT_EQ(quads(R"([{"@id":"a:","p:x":"1"},{"p:x":"2"}])"),
            "<a:> <p:x> \"1\" .\n_:g1 <p:x> \"2\" .\n");
}

TEST(JsonLd, ReadsMaps) {
  EXPECT_EQ(
      quads(R"({"@context":{"i":{"@id":"p:i","@container":"@index"},
                      "d":{"@id":"p:d","@container":"@id"},
                      "t":{"@id":"p:t","@container":"@type"},
                      "q":{"@id":"p:q","@container":"@index","@index":"p:k"},
                      "g":{"@id":"p:g","@container":["@graph","@id"]}},
                      "@id":"s:","i":{"x":"1","y":["2"]},"d":{"o:1":{"p:a":"3"}},
                      "t":{"T:":{"@id":"o:2"}},"q":{"z":{"@id":"o:3"}},
                      "g":{"n:":{"@id":"o:4","p:b":"4"}}})"),
      "<o:1> <p:a> \"3\" .\n<o:2> " + rdf("type") +
          " <T:> .\n<o:3> <p:k> \"z\" .\n"
          "<o:4> <p:b> \"4\" <n:> .\n<s:> <p:d> <o:1> .\n<s:> <p:g> <n:> .\n<s:> <p:i> \"1\" .\n"
          "<s:> <p:i> \"2\" .\n<s:> <p:q> <o:3> .\n<s:> <p:t> <o:2> .\n");
}

TEST(JsonLd, ScopesContextsByPropertyAndType) {
  EXPECT_EQ(
      quads(R"({"@context":{"@vocab":"v:","in":{"@id":"p:in","@context":{"x":"q:x"}},
                      "T":{"@id":"t:T","@context":{"x":"r:x"}}},
                      "@id":"s:","x":"1","in":{"@id":"a:","x":"2"},
                      "has":{"@id":"b:","@type":"T","x":"3","sub":{"@id":"c:","x":"4"}}})"),
      sorted("<a:> <q:x> \"2\" .\n<b:> <r:x> \"3\" .\n<b:> <v:sub> <c:> .\n<b:> " + rdf("type") +
             " <t:T> .\n<c:> <v:x> \"4\" .\n<s:> <p:in> <a:> .\n<s:> <v:has> <b:> .\n"
             "<s:> <v:x> \"1\" .\n"));
}

TEST(JsonLd, NestsPropertiesAndAliasesKeywords) {
  EXPECT_EQ(quads(R"({"@context":{"id":"@id","type":"@type","labels":"@nest",
                      "a":{"@id":"p:a","@nest":"labels"}},
                      "id":"s:","type":"t:","labels":{"a":"1","labels":{"a":"2"}}})"),
            sorted("<s:> <p:a> \"1\" .\n<s:> <p:a> \"2\" .\n<s:> " + rdf("type") + " <t:> .\n"));
}

TEST(JsonLd, KeepsJsonLiterals) {
  EXPECT_EQ(
      quads(R"({"@context":{"j":{"@id":"p:j","@type":"@json"}},"@id":"s:",
                      "j":{"b":[1,2.50,1e30,"x"],"a":null}})"),
      "<s:> <p:j> \"{\\\"a\\\":null,\\\"b\\\":[1,2.5,1e+30,\\\"x\\\"]}\"^^" + rdf("JSON") + " .\n");
  std::string out;
  rdf::append_canonical_json(
      out, *parse_json(R"({"\u20ac":1e-7,"$":0.000001,"a":-1e21,"b":123456789012.5})"));
  EXPECT_EQ(out, "{\"$\":0.000001,\"a\":-1e+21,\"b\":123456789012.5,\"€\":1e-7}");
}

TEST(JsonLd, LeavesOutWhatRdfCannotSay) {
  EXPECT_EQ(quads(R"({"@id":"s:","_:p":"blank predicate","p:a":{"@id":"not an iri"},
                      "p:b":{"@value":"x","@language":"not a tag"},"p:c":"kept"})"),
            "<s:> <p:c> \"kept\" .\n");
  EXPECT_EQ(quads(R"("text")"), "");
  EXPECT_EQ(quads("[]"), "");
}

TEST(JsonLd, KeepsBlankNodesApart) {
  EXPECT_EQ(quads(R"([{"@id":"_:g1","p:a":{}},{"@id":"_:x","p:a":{"@id":"_:g1"}}])"),
            "_:ug1 <p:a> _:g1 .\n_:x <p:a> _:ug1 .\n");
}

TEST(JsonLd, RefusesRemoteContexts) {
  EXPECT_TRUE(
      refused(R"({"@context":"http://schema.org/","name":"x"})", "loading remote context failed"));
  EXPECT_TRUE(refused(R"({"@context":{"@import":"http://c/"}})", "loading remote context failed"));
}

TEST(JsonLd, RefusesWrongDocuments) {
  EXPECT_TRUE(refused(R"({"@id":1})", "invalid @id value"));
  EXPECT_TRUE(refused(R"({"@type":1})", "invalid type value"));
  EXPECT_TRUE(refused(R"({"@context":{"a":"b","b":"a:c"},"a:x":"1"})", "cyclic IRI mapping"));
  EXPECT_TRUE(refused(R"({"@context":{"@id":"x:"}})", "keyword redefinition"));
  EXPECT_TRUE(refused(R"({"@context":{"a":1}})", "invalid term definition"));
  EXPECT_TRUE(refused(R"({"@context":{"a":{"@id":"http://a/","@container":"@nope"}}})",
                      "invalid container mapping"));
  EXPECT_TRUE(
      refused(R"({"@context":{"a":{"@id":"http://a/","x":1}}})", "invalid term definition"));
  EXPECT_TRUE(refused(R"({"@context":{"a":"rel"}})", "invalid IRI mapping"));
  EXPECT_TRUE(refused(R"({"@context":1})", "invalid local context"));
  EXPECT_TRUE(refused(R"({"@context":{"@version":1.0}})", "invalid @version value"));
  EXPECT_TRUE(refused(R"({"@context":[{"@protected":true,"a":"x:"},{"a":"y:"}]})",
                      "protected term redefinition"));
  EXPECT_TRUE(refused(R"({"@context":[{"@protected":true,"a":"x:"},null]})",
                      "invalid context nullification"));
  EXPECT_TRUE(refused(R"({"p:a":{"@value":"x","@id":"y:"}})", "invalid value object"));
  EXPECT_TRUE(refused(R"({"p:a":{"@value":[]}})", "invalid value object value"));
  EXPECT_TRUE(refused(R"({"p:a":{"@value":1,"@language":"en"}})", "invalid language-tagged value"));
  EXPECT_TRUE(refused(R"({"p:a":{"@value":"x","@type":"_:b"}})", "invalid typed value"));
  EXPECT_TRUE(refused(R"({"p:a":{"@list":["x"],"@id":"y:"}})", "invalid set or list object"));
  EXPECT_TRUE(refused(R"({"@reverse":"x"})", "invalid @reverse value"));
  EXPECT_TRUE(refused(R"({"@reverse":{"p:a":"x"}})", "invalid reverse property value"));
  EXPECT_TRUE(refused(R"({"@included":"x","p:a":"b"})", "invalid @included value"));
  EXPECT_TRUE(refused(R"({"@context":{"i":"@id"},"@id":"a:","i":"b:"})", "colliding keywords"));
  EXPECT_TRUE(refused(R"({"@context":{"l":{"@id":"p:l","@container":"@language"}},"l":{"en":1}})",
                      "invalid language map value"));
  EXPECT_TRUE(refused(R"({"@context":{"n":"@nest"},"n":"x"})", "invalid @nest value"));
}

TEST(JsonLd, NamesThePlaceOfAFault) {
  EXPECT_EQ(
      quads("{\n  \"@graph\": [{\"@id\": \"a:\"},\n   {\"p:x\": {\"@id\": 1}}]}").substr(0, 8),
      "! 3:20: ");
  EXPECT_EQ(quads("{\"@context\": {\n\"a\": 1}}").substr(0, 8), "! 2:6: i");
  EXPECT_EQ(quads("{\"a\"").front(), '!');
  EXPECT_EQ(quads(R"({"@context":{"i":{"@id":"p:i","@container":"@index"}},
    "i":{"A":{"@context":{"t":{"@id":"p:t","@context":{"u":1}}}}}})")
                .substr(0, 4),
            "! 2:");
}

TEST(JsonLd, BoundsItsWork) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"p:a\":";
  EXPECT_EQ(quads(deep).front(), '!');
  // Terms that are defined through each other, ten thousand in a row.
  std::string chain = "{\"@context\":{\"t0\":\"x:\"";
  for (int i = 1; i < 10'000; ++i) {
    chain += ",\"t" + std::to_string(i) + "\":\"t" + std::to_string(i + 1) + ":a\"";
  }
  EXPECT_EQ(quads(chain + "}}").front(), '!');
  // A large context, copied by each of many small ones.
  std::string copies = "{\"@context\":{\"t0\":\"x:\"";
  for (int i = 1; i < 5'000; ++i) copies += ",\"t" + std::to_string(i) + "\":\"x:y\"";
  copies += "},\"@graph\":[{}";
  for (int i = 0; i < 12'000; ++i) copies += ",{\"@context\":{\"a\":\"x:z\"}}";
  EXPECT_TRUE(refused(copies + "]}", "the contexts of the document are too many"));
}

}  // namespace
}  // namespace anima::sparql::jsonld_test
