// The prompt of `anima sparql` on a terminal: a pseudo-terminal, keys in, screen out.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "base/files/file.h"
#include "support/command.h"
#include "support/terminal.h"

namespace anima::sparql_repl_test {
namespace {

using test::kControlC;
using test::kControlD;
using test::kEscape;

constexpr const char* kPrompt = "sparql> ";
constexpr const char* kMore = "   ...> ";

class SparqlRepl : public ::testing::Test {
 protected:
  void SetUp() override {
    test::init_space(folder_);
    const test::Ran written = test::run_anima(
        folder_,
        "sparql --update 'INSERT DATA { <http://x/ada> <http://x/knows> <http://x/bob> ; "
        "<http://x/age> 36 . <http://x/bob> <http://x/age> 41 }'");
    ASSERT_EQ(written.code, 0) << written.out;
  }
  test::Terminal open() {
    return {ANIMA_BINARY_DIR "/anima", "sparql", folder_.path(), kPrompt, kMore};
  }

  TemporaryDirectory folder_{"anima-sparql-repl"};
};

TEST_F(SparqlRepl, AsksOverSeveralLinesAndChanges) {
  test::Terminal terminal = open();
  terminal.until(kPrompt);
  terminal.run("SELECT ?s ?age {", kMore);
  terminal.run("?s <http://x/age> ?age", kMore);
  const std::string table = terminal.run("} ORDER BY ?age;");
  EXPECT_NE(table.find("2 rows\r\n"), std::string::npos) << table;
  EXPECT_LT(table.find("<http://x/ada>"), table.find("<http://x/bob>")) << table;
  EXPECT_NE(terminal.run("INSERT DATA { <http://x/cy> <http://x/age> 7 }").find("inserted 1"),
            std::string::npos);
  EXPECT_NE(terminal.run("ASK { <http://x/cy> <http://x/age> 7 }").find("true"), std::string::npos);
  terminal.type(kControlD);
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(SparqlRepl, KeepsPrefixesAndMarksFaults) {
  test::Terminal terminal = open();
  terminal.until(kPrompt);
  terminal.run("PREFIX x: <http://x/>");
  terminal.run("BASE <http://x/>");
  EXPECT_NE(terminal.run("ASK { x:ada x:knows <bob> }").find("true"), std::string::npos);
  const std::string listed = terminal.run("\\p");
  EXPECT_NE(listed.find("BASE <http://x/>"), std::string::npos) << listed;
  EXPECT_NE(listed.find("PREFIX x: <http://x/>"), std::string::npos) << listed;
  // The place is that of what was typed, and the mark stands under it.
  const std::string fault = terminal.run("SELECT * { ?s ?p }");
  EXPECT_NE(fault.find("1:18"), std::string::npos) << fault;
  EXPECT_NE(fault.find("  SELECT * { ?s ?p }\r\n  " + std::string(17, ' ') + "^\r\n"),
            std::string::npos)
      << fault;
  const std::string schema = terminal.run("\\d");
  EXPECT_NE(schema.find("http://x/knows"), std::string::npos) << schema;
}

TEST_F(SparqlRepl, CompletesKeywordsIrisAndPrefixedNames) {
  test::Terminal terminal = open();
  terminal.until(kPrompt);
  terminal.run("PREFIX x: <http://x/>");
  terminal.type("SEL\t (COUNT(*) AS ?n) { ?s <http://x/kn\t ?o }\r");
  const std::string iri = terminal.until("1 row");
  EXPECT_NE(iri.find("<http://x/knows>"), std::string::npos) << iri;
  terminal.until(std::string("\n") + kPrompt);
  terminal.type("ASK { ?s x:kn\t ?o }\r");
  EXPECT_NE(terminal.until(std::string("\n") + kPrompt).find("true"), std::string::npos);
}

TEST_F(SparqlRepl, TimesExpandsAndRemembers) {
  {
    test::Terminal terminal = open();
    terminal.until(kPrompt);
    terminal.run("\\timing");
    EXPECT_NE(terminal.run("ASK { ?s ?p ?o }").find(" ms"), std::string::npos);
    terminal.run("\\x");
    const std::string expanded = terminal.run("SELECT ?age { <http://x/ada> <http://x/age> ?age }");
    EXPECT_EQ(expanded.find("?age\r\n\""), std::string::npos) << expanded;
    EXPECT_NE(expanded.find("36"), std::string::npos) << expanded;
    terminal.type(kControlD);
    EXPECT_EQ(terminal.wait(), 0);
  }
  test::Terminal terminal = open();
  terminal.until(kPrompt);
  terminal.type(std::string(kEscape) + "[A");
  terminal.until("SELECT ?age { <http://x/ada>");
  terminal.type("\r");
  terminal.until(std::string("\n") + kPrompt);
}

TEST_F(SparqlRepl, ControlCDropsWhatWasTypedAndStopsWhatRuns) {
  test::Terminal terminal = open();
  terminal.until(kPrompt);
  terminal.type("SELECT ?x");
  terminal.until("SELECT ?x");
  terminal.type(kControlC);
  terminal.until(std::string("\n") + kPrompt);
  EXPECT_NE(terminal.run("ASK { ?s ?p ?o }").find("true"), std::string::npos);
  terminal.type(
      "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p . ?q ?r ?s . "
      "?t ?u ?v . ?w ?x ?y FILTER(STR(?a) < STR(?y)) }\r");
  terminal.until("}\r\n");
  usleep(300'000);
  terminal.type(kControlC);
  EXPECT_NE(terminal.until(std::string("\n") + kPrompt).find("cancel"), std::string::npos);
  EXPECT_NE(terminal.run("ASK { ?s ?p ?o }").find("true"), std::string::npos);
  kill(terminal.pid(), SIGTERM);
  EXPECT_EQ(terminal.wait(), 130);
}

}  // namespace
}  // namespace anima::sparql_repl_test
