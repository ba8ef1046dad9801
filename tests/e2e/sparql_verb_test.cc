// anima sparql as a user meets it: a space, files, the past, a compartment, what is refused.
#include <gtest/gtest.h>

#include <fstream>

#include "base/files/file.h"
#include "base/text/text.h"
#include "support/command.h"

namespace anima::sparql_verb_test {
namespace {

class SparqlVerb : public ::testing::Test {
 protected:
  void SetUp() override { test::init_space(folder_); }
  test::Ran anima(const std::string& arguments, const std::string& redirect = "2>&1 </dev/null") {
    return test::run_anima(folder_, arguments, redirect);
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }

  TemporaryDirectory folder_{"anima-sparql"};
};

TEST_F(SparqlVerb, ChangesAsksAndTakesBack) {
  const test::Ran written =
      anima("sparql --update 'INSERT DATA { <urn:x:a> <urn:x:p> <urn:x:b> , 5 }'");
  ASSERT_EQ(written.code, 0) << written.out;
  EXPECT_NE(written.out.find("inserted 2, deleted 0 (entry "), std::string::npos) << written.out;
  const std::string count = "sparql --format csv 'SELECT (COUNT(*) AS ?n) { <urn:x:a> ?p ?o }'";
  EXPECT_EQ(anima(count).out, "n\r\n2\r\n");
  EXPECT_EQ(anima("sparql 'ASK { <urn:x:a> <urn:x:p> 5 }'").out, "true\n");
  ASSERT_EQ(anima("undo last").code, 0);
  EXPECT_EQ(anima(count).out, "n\r\n0\r\n");
}

TEST_F(SparqlVerb, WritesTheFormatThatIsAskedFor) {
  anima("sparql --update 'INSERT DATA { <urn:x:a> <urn:x:p> 5 }'");
  const std::string select = " 'SELECT ?o { <urn:x:a> <urn:x:p> ?o }'";
  EXPECT_NE(anima("sparql --json" + select).out.find("\"bindings\""), std::string::npos);
  EXPECT_NE(anima("sparql --format xml" + select).out.find("<sparql"), std::string::npos);
  EXPECT_EQ(anima("sparql --format tsv" + select).out, "?o\n5\n");
  EXPECT_EQ(anima("sparql --format ntriples 'CONSTRUCT WHERE { <urn:x:a> ?p ?o }'").out,
            "<urn:x:a> <urn:x:p> \"5\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n");
  const test::Ran wrong = anima("sparql --format turtle" + select);
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.out.find("rows cannot be written as turtle"), std::string::npos) << wrong.out;
}

TEST_F(SparqlVerb, AsksFilesWithoutASpace) {
  const std::string data = file("data.ttl", "@prefix : <urn:x:> . :a :p :b . <rel> :p 1 .\n");
  const std::string more = file("more.nt", "<urn:x:c> <urn:x:p> \"x\" .\n");
  const std::string query =
      file("q.rq", "SELECT ?g ?s { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }");
  const test::Ran ran = test::run_command(
      "env -u ANIMA_SPACE " ANIMA_BINARY_DIR "/anima sparql -f " + query + " --default-graph " +
      data + "=http://base/ --named-graph " + more + "=urn:x:g --format csv 2>&1 </dev/null");
  EXPECT_EQ(ran.code, 0) << ran.out;
  for (const char* row : {",urn:x:a\r\n", ",http://base/rel\r\n", "urn:x:g,urn:x:c\r\n"})
    EXPECT_NE(ran.out.find(row), std::string::npos) << ran.out;
  const test::Ran update = test::run_command(
      "env -u ANIMA_SPACE " ANIMA_BINARY_DIR
      "/anima sparql --update 'DELETE WHERE { ?s <urn:x:p> 1 }' --default-graph " +
      data + " 2>&1 </dev/null");
  EXPECT_EQ(update.out, "<urn:x:a> <urn:x:p> <urn:x:b> .\n");
}

TEST_F(SparqlVerb, ChecksAndSaysWhere) {
  EXPECT_EQ(anima("sparql --check 'SELECT * { ?s ?p ?o }'").code, 0);
  const test::Ran bad = anima("sparql --check 'SELECT * { ?s ?p }'");
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.out.find("1:18"), std::string::npos) << bad.out;
  const test::Ran update = anima("sparql 'INSERT DATA { <urn:x:a> <urn:x:p> 1 }'");
  EXPECT_EQ(update.code, 1);
  EXPECT_NE(update.out.find("say --update"), std::string::npos) << update.out;
}

TEST_F(SparqlVerb, LooksBackAndExplains) {
  const test::Ran first = anima("sparql --json --update 'INSERT DATA { <urn:x:a> <urn:x:p> 1 }'");
  const auto json = parse_json(trim(first.out));
  ASSERT_TRUE(json.has_value()) << first.out;
  const std::string entry = std::to_string(json->find("entry")->as_integer());
  anima("sparql --update 'DELETE DATA { <urn:x:a> <urn:x:p> 1 }'");
  const std::string ask = "'ASK { <urn:x:a> <urn:x:p> 1 }'";
  EXPECT_EQ(anima("sparql " + ask).out, "false\n");
  EXPECT_EQ(anima("as-of " + entry + " sparql " + ask).out, "true\n");
  EXPECT_EQ(anima("sparql --as-of " + entry + " " + ask).out, "true\n");
  EXPECT_NE(anima("sparql --explain 'SELECT * { ?s ?p ?o }'").out.find("scan (?s, ?p, ?o)"),
            std::string::npos);
}

TEST_F(SparqlVerb, ReadsStandardInput) {
  const std::string text = file("typed", "ASK {\n}\n");
  EXPECT_EQ(anima("sparql", "2>&1 < " + text).out, "true\n");
}

TEST_F(SparqlVerb, AsksOneCompartment) {
  anima(
      "sparql --update 'INSERT DATA { <urn:x:d> <urn:x:p> 0 GRAPH <urn:anima:compartment:science> "
      "{ <urn:x:a> <urn:x:p> 1 } }'");
  EXPECT_EQ(anima("compartment query science --format csv 'SELECT ?s { ?s <urn:x:p> ?v }'").out,
            "s\r\nurn:x:a\r\n");
  EXPECT_EQ(anima("sparql --format csv 'SELECT ?s { ?s <urn:x:p> ?v } ORDER BY ?s'").out,
            "s\r\nurn:x:a\r\nurn:x:d\r\n");
  EXPECT_EQ(anima("compartment query science 'ASK FROM <urn:x:g> { ?s ?p ?o }'").code, 1);
}

TEST_F(SparqlVerb, RefusesToReadOtherFiles) {
  EXPECT_EQ(anima("sparql --update 'LOAD <file:///etc/passwd>'").code, 3);
  const std::string data = file("data.ttl", "<urn:x:a> <urn:x:p> 1 .\n");
  const std::string folder = data.substr(0, data.rfind('/'));
  const test::Ran loaded =
      anima("sparql --load-root " + folder + " --update 'LOAD <file://" + data + ">'");
  EXPECT_EQ(loaded.code, 0) << loaded.out;
  EXPECT_EQ(anima("sparql 'ASK { <urn:x:a> <urn:x:p> 1 }'").out, "true\n");
}

}  // namespace
}  // namespace anima::sparql_verb_test
