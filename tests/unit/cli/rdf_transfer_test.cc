// RDF in and out of a space as a user types it: every format, by ending and by content, graphs,
// bases, and that an export reads back to the same export.
#include <gtest/gtest.h>

#include <map>

#include "base/text/text.h"
#include "cli/frame/exit_code.h"
#include "support/cli_run.h"

namespace anima::cli::rdf_transfer_test {
namespace {

class RdfTransfer : public testing::Test {
 protected:
  void SetUp() override {
    make("space");
    make("other");
  }
  // What a space begins with says when it was made.
  void make(const std::string& space) {
    ASSERT_EQ(run({"init"}, space).code, kDone);
    genesis_[space] = exported("nquads", space);
  }

  test::CliRun run(std::vector<std::string> arguments, const std::string& space = "space") {
    arguments.insert(arguments.end(), {"--space", folder_.file(space)});
    return test::run_cli(arguments, environment_);
  }
  std::string file(const std::string& name, std::string_view text) {
    const std::string path = folder_.file(name);
    EXPECT_TRUE(replace_file(system_files(), path, text));
    return path;
  }
  std::string exported(const std::string& format = "nquads", const std::string& space = "space") {
    const test::CliRun outcome = run({"export", "--format", format}, space);
    EXPECT_EQ(outcome.code, kDone) << outcome.err;
    return outcome.out;
  }
  // The lines that a fresh space does not export.
  std::string news(const std::string& space = "space") {
    std::string lines;
    const std::string text = exported("nquads", space);
    for (const std::string_view line : split(text, '\n')) {
      if (!line.empty() && genesis_[space].find(line) == std::string::npos) {
        lines += std::string(line) + "\n";
      }
    }
    return lines;
  }

  std::map<std::string, std::string> genesis_;  // by space
  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"XDG_CONFIG_HOME", folder_.file("config")}};
};

constexpr std::string_view kTurtle =
    "@prefix e: <http://e/> .\ne:ada e:knows e:bob ; e:name \"Ada\"@en .\n";
constexpr std::string_view kLines =
    "<http://e/ada> <http://e/knows> <http://e/bob> .\n"
    "<http://e/ada> <http://e/name> \"Ada\"@en .\n";
constexpr std::string_view kXml =
    "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e/\">"
    "<rdf:Description rdf:about=\"http://e/ada\"><e:knows rdf:resource=\"http://e/bob\"/>"
    "<e:name xml:lang=\"en\">Ada</e:name></rdf:Description></rdf:RDF>";
constexpr std::string_view kJson =
    R"({"@context":{"@vocab":"http://e/"},"@id":"http://e/ada","knows":{"@id":"http://e/bob"},)"
    R"("name":{"@value":"Ada","@language":"en"}})";

TEST_F(RdfTransfer, TakesEveryFormatByEndingAndByContent) {
  const std::pair<const char*, std::string_view> files[] = {
      {"a.ttl", kTurtle}, {"a.trig", kTurtle}, {"a.nt", kLines},    {"a.nq", kLines},
      {"a.rdf", kXml},    {"a.owl", kXml},     {"a.jsonld", kJson}, {"turtle", kTurtle},
      {"xml.xml", kXml},  {"b.json", kJson}};
  for (const auto& [name, text] : files) {
    SCOPED_TRACE(name);
    const std::string space = std::string("space of ") + name;
    make(space);
    const test::CliRun done = run({"import", file(name, text)}, space);
    EXPECT_EQ(done.code, kDone) << done.err;
    EXPECT_EQ(news(space), kLines);
  }
  EXPECT_EQ(run({"import", file("c.txt", kTurtle), "--format", "turtle"}).code, kDone);
  EXPECT_EQ(news(), kLines);
  const test::CliRun loaded = run({"load", file("d.ttl", kTurtle), "--yes"}, "other");
  EXPECT_EQ(loaded.code, kDone) << loaded.err;
  EXPECT_EQ(news("other"), kLines);
}

TEST_F(RdfTransfer, ResolvesRelativeIrisBelowTheFileOrTheBase) {
  ASSERT_EQ(run({"import", file("a.ttl", "<x> <http://e/p> <#y> .")}).code, kDone);
  EXPECT_EQ(news(), "<file://" + folder_.file("x") + "> <http://e/p> <file://" +
                        folder_.file("a.ttl") + "#y> .\n");
  ASSERT_EQ(run({"import", folder_.file("a.ttl"), "--base", "http://b/c/d"}, "other").code, kDone);
  EXPECT_EQ(news("other"), "<http://b/c/x> <http://e/p> <http://b/c/d#y> .\n");
}

TEST_F(RdfTransfer, PutsQuadsIntoTheirGraphs) {
  const std::string quads =
      "<http://e/a> <http://e/p> <http://e/b> <http://e/g> .\n"
      "<http://e/a> <http://e/p> \"x\" <urn:anima:compartment:one> .\n";
  const std::string path = file("a.nq", quads);
  const test::CliRun refused = run({"import", path, "--compartment", "one"});
  EXPECT_EQ(refused.code, kFailed);
  EXPECT_NE(refused.err.find("names graphs"), std::string::npos) << refused.err;
  ASSERT_EQ(run({"import", path}).code, kDone);
  EXPECT_EQ(news(), quads.substr(quads.find('\n') + 1) + quads.substr(0, quads.find('\n') + 1));
  const test::CliRun books = run({"import", file("b.nq", "<s:> <p:> <o:> <urn:anima:memory> .\n")});
  EXPECT_NE(books.code, kDone);
  EXPECT_NE(books.err.find("own books"), std::string::npos) << books.err;
}

TEST_F(RdfTransfer, ABadFileSaysWhere) {
  const std::pair<const char*, std::pair<std::string_view, std::string_view>> files[] = {
      {"a.ttl", {"@prefix e: <http://e/> .\ne:a e:b x:c .\n", "a.ttl:2:9: the prefix"}},
      {"a.rdf", {"<a>\n<b></a>", "a.rdf:"}},
      {"a.jsonld", {"{\"@context\":\n\"http://schema.org/\"}", "a.jsonld:2:1: loading remote"}},
      {"a.trig", {"<g:> { <s:> <p:> <o:> ", "a.trig:1:23: expected"}}};
  for (const auto& [name, said] : files) {
    const test::CliRun outcome = run({"import", file(name, said.first)});
    EXPECT_EQ(outcome.code, kFailed);
    EXPECT_NE(outcome.err.find(said.second), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(news(), "");
}

// Concepts, attributes, metadata, propositions about propositions, compartments, languages, JSON,
// decimals, literals of the wrong form, blank nodes.
constexpr std::string_view kEverything =
    "<http://e/a> <http://e/p> \"1.50\"^^<http://www.w3.org/2001/XMLSchema#decimal> <http://e/g> "
    ".\n"
    "<http://e/a> <http://e/p> \"nope\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
    "<http://e/a> <http://e/p> \"x\"@de <urn:anima:compartment:one> .\n"
    "<http://e/a> <http://e/q> <http://e/b> .\n"
    "<http://e/a> <http://e/q> <http://e/b> <urn:anima:compartment:one> .\n"
    "<urn:anima:concept:Drug:Aspirin%20100%25> <urn:anima:attribute:dose> "
    "\"{\\\"mg\\\":[1,2.5]}\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON> .\n"
    "<urn:anima:concept:Drug:Aspirin%20100%25> <urn:anima:predicate:treats> "
    "<urn:anima:concept:Symptom:Pain> .\n"
    "<urn:anima:proposition:1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#subject> "
    "<urn:anima:concept:Drug:Aspirin%20100%25> .\n"
    "<urn:anima:proposition:1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#predicate> "
    "<urn:anima:predicate:treats> .\n"
    "<urn:anima:proposition:1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#object> "
    "<urn:anima:concept:Symptom:Pain> .\n"
    "<urn:anima:proposition:1> <urn:anima:metadata:evidence> \"good\" .\n"
    "<urn:anima:proposition:2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#subject> _:who .\n"
    "<urn:anima:proposition:2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#predicate> "
    "<http://e/believes> .\n"
    "<urn:anima:proposition:2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#object> "
    "<urn:anima:proposition:1> .\n"
    "<urn:anima:proposition:2> <http://e/since> \"2024-05-01T10:00:00Z\"^^"
    "<http://www.w3.org/2001/XMLSchema#dateTime> <http://e/g> .\n"
    "_:who <http://e/name> \"somebody\" _:g .\n";

TEST_F(RdfTransfer, AnExportReadsBackToTheSameExport) {
  const test::CliRun done = run({"import", file("everything.nq", kEverything)});
  ASSERT_EQ(done.code, kDone) << done.err;
  const std::string nquads = exported();
  EXPECT_NE(nquads.find("<urn:anima:proposition:_%3Awho:http%3A%2F%2Fe%2Fbelieves:("),
            std::string::npos)
      << nquads;
  for (const char* format : {"nquads", "trig", "jsonld"}) {
    SCOPED_TRACE(format);
    const std::string space = std::string("again ") + format;
    make(space);
    const std::string path = file("export." + std::string(format), exported(format));
    const test::CliRun read = run({"import", path, "--format", format}, space);
    ASSERT_EQ(read.code, kDone) << read.err;
    EXPECT_EQ(exported("nquads", space), nquads);
    EXPECT_EQ(exported(format, space), exported(format));
  }
  // Triples: the union of the graphs.
  const std::string triples = exported("ntriples");
  for (const char* format : {"ntriples", "turtle", "rdfxml"}) {
    SCOPED_TRACE(format);
    const std::string space = std::string("again ") + format;
    make(space);
    const std::string path = file("export." + std::string(format), exported(format));
    const test::CliRun read = run({"import", path, "--format", format}, space);
    ASSERT_EQ(read.code, kDone) << read.err;
    EXPECT_EQ(exported("ntriples", space), triples);
  }
}

}  // namespace
}  // namespace anima::cli::rdf_transfer_test
