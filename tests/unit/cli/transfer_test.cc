// import, export and search as a user types them: bad files load nothing and say where, good ones
// come out again.
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "base/text/text.h"
#include "cli/frame/program.h"
#include "support/cli_run.h"

namespace anima::cli {
namespace {

class Transfer : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run({"init"}).code, kDone);
    genesis_ = run({"export"}).out;
    head_ = parse_json(run({"stats", "--json"}).out)->find("entries")->as_integer();
  }

  test::CliRun run(std::vector<std::string> arguments, bool in_space = true) {
    if (in_space) arguments.insert(arguments.end(), {"--space", folder_.file("space")});
    return test::run_cli(arguments, environment_);
  }
  std::string file(const std::string& name, std::string_view text) {
    const std::string path = folder_.file(name);
    EXPECT_TRUE(replace_file(system_files(), path, text));
    return path;
  }
  std::string exported(std::vector<std::string> more = {}) {
    more.insert(more.begin(), "export");
    const test::CliRun outcome = run(more);
    EXPECT_EQ(outcome.code, kDone) << outcome.err;
    return outcome.out;
  }

  // The lines that a fresh space does not export.
  std::string news(const std::vector<std::string>& more = {}) {
    return without_genesis(exported(more));
  }
  std::string without_genesis(std::string_view text) const {
    std::string lines;
    for (const std::string_view line : split(text, '\n')) {
      if (!line.empty() && genesis_.find(line) == std::string::npos) {
        lines += std::string(line) + "\n";
      }
    }
    return lines;
  }

  std::string genesis_;
  std::int64_t head_ = 0;
  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"XDG_CONFIG_HOME", folder_.file("config")}};
};

constexpr std::string_view kTriples =
    "<http://x/ada> <http://x/knows> <http://x/bob> .\n"
    "<http://x/ada> <http://x/name> \"Ada Lovelace\" .\n";

TEST_F(Transfer, NTriplesInAndOut) {
  const std::string path = file("a.nt", kTriples);
  EXPECT_EQ(run({"import", path, "--dry-run"}).code, kDone);
  EXPECT_EQ(news(), "");
  const test::CliRun done = run({"import", path, "--json"});
  ASSERT_EQ(done.code, kDone) << done.err;
  const Json json = *parse_json(done.out);
  EXPECT_EQ(json.find("sequence")->as_integer(), head_ + 1);
  EXPECT_EQ(json.find("files")->as_array()[0].find("statements")->as_integer(), 2);
  EXPECT_EQ(news(), kTriples);
  EXPECT_EQ(news({"--as-of", std::to_string(head_)}), "");
  EXPECT_NE(run({"import", path}).out.find("knew all of this"), std::string::npos);
  const std::string copy = folder_.file("copy.nt");
  EXPECT_EQ(run({"export", "-o", copy}).code, kDone);
  EXPECT_EQ(without_genesis(*read_file(system_files(), copy)), kTriples);
}

TEST_F(Transfer, AByteOrderMarkIsReadPast) {
  const std::string mark = "\xEF\xBB\xBF";
  const test::CliRun triples = run({"import", file("a.nt", mark + std::string(kTriples))});
  EXPECT_EQ(triples.code, kDone) << triples.err;
  EXPECT_EQ(news(), kTriples);
  const test::CliRun table =
      run({"import", file("b.csv", mark + "subject,predicate,object\nsun,is,star\n")});
  EXPECT_EQ(table.code, kDone) << table.err;
  const test::CliRun json =
      run({"import",
           file("c.jsonl", mark + "{\"type\":\"entity\",\"name\":\"Moon\",\"entityType\":\"body\","
                                  "\"observations\":[]}\n"),
           "--format", "mcp-memory"});
  EXPECT_EQ(json.code, kDone) << json.err;
  const test::CliRun kip =
      run({"kip", "-f", file("d.kip", mark + "DESCRIBE PRIMER"), "--readonly"});
  EXPECT_EQ(kip.code, kDone) << kip.err << kip.out;
  file("q.facts", mark + "1\n");
  const test::CliRun rules = run({"datalog", "run", file("r.mg", mark + "p(X) :- q(X).\n"),
                                  "--facts", folder_.path(), "--query", "p(X)"},
                                 false);
  EXPECT_EQ(rules.code, kDone) << rules.err;
  EXPECT_EQ(rules.out, "p(1)\n");
}

TEST_F(Transfer, ABadFileLoadsNothingAndSaysWhere) {
  struct Case {
    const char* name;
    std::string text;
    std::string where;
    std::string code;
  };
  const Case cases[] = {
      {"a.nt", std::string(kTriples) + "<http://x/ada> <http://x/knows> .\n", "a.nt:3:33",
       "syntax"},
      {"b.nt", std::string(kTriples) + "<http://x/a> <http://x/b> \"tru", "b.nt:3:27", "syntax"},
      {"c.nt", std::string(kTriples) + "<http://x/a> <http://x/b> \"\xff\" .\n", "c.nt:3:28",
       "syntax"},
      {"d.json", R"([{"subject":"a","predicate":"b","object":"c"},{"subject":"a"}])",
       "d.json: element 1 (1:47)", "invalid_argument"},
      {"e.csv", "subject,predicate,object\na,b,c\na,,c\n", "e.csv:3", "invalid_argument"},
      {"f.csv", "who,what\na,b\n", "f.csv:1", "invalid_argument"},
      {"g.csv", "subject,predicate,object\n\"a,b,c\n", "g.csv:2", "syntax"},
      {"h.jsonl", "{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"T\"}\n{\"type\":\"x\"}\n",
       "h.jsonl:2", "invalid_argument"},
      {"i.jsonl", "{\"type\":\"entity\",\n", "i.jsonl:1", "syntax"},
  };
  const std::string good = file("good.nt", "<http://y/a> <http://y/b> <http://y/c> .\n");
  for (const Case& bad : cases) {
    const std::string path = file(bad.name, bad.text);
    const test::CliRun outcome = run({"import", good, path, "--json"});
    EXPECT_EQ(outcome.code, kFailed) << bad.name;
    const auto json = parse_json(outcome.out);
    ASSERT_TRUE(json.has_value()) << outcome.out;
    const Json* error = json->find("error");
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->find("where")->as_string(), folder_.file(bad.where));
    EXPECT_EQ(error->find("code")->as_string(), bad.code) << bad.name;
    EXPECT_EQ(news(), "") << bad.name;
  }
  EXPECT_EQ(run({"import", folder_.file("missing.nt")}).code, kMissing);
  EXPECT_EQ(run({"import", file("what.xyz", "")}).code, kFailed);
  EXPECT_EQ(run({"import"}).code, kUsage);
  EXPECT_EQ(run({"import", good, "--trust", "system"}).code, kUsage);
  EXPECT_EQ(run({"import", good, "--compartment", "../x"}).code, kUsage);
}

TEST_F(Transfer, TriplesJsonCsvAndMcpMemory) {
  const std::string json = file(
      "a.json", R"([{"subject":"Mars","predicate":"is-a","object":"Planet","confidence":0.9}])");
  const std::string csv = file(
      "b.csv",
      "\xef\xbb\xbfobject,Subject,predicate,confidence\r\nSun,\"Mars\",\"orbits, slowly\",\r\n");
  const std::string mcp =
      file("c.jsonl", R"({"type":"relation","from":"Ada","to":"Mars","relationType":"watches"}
{"type":"entity","name":"Ada","entityType":"person","observations":["likes stars","has a telescope"]}
)");
  const test::CliRun done =
      run({"import", json, csv, mcp, "--trust", "standard", "--source", "a test"});
  ASSERT_EQ(done.code, kDone) << done.err;
  const std::string triples = exported({"--format", "triples.json"});
  for (const char* line :
       {R"({"subject":"Ada","predicate":"watches","object":"Mars"})",
        R"({"subject":"Mars","predicate":"is-a","object":"Planet","confidence":0.9})",
        R"({"subject":"Mars","predicate":"orbits, slowly","object":"Sun"})"}) {
    EXPECT_NE(triples.find(line), std::string::npos) << triples;
  }
  EXPECT_TRUE(parse_json(triples).has_value());
  const std::string memory = exported({"--format", "mcp-memory"});
  EXPECT_NE(
      memory.find(
          R"({"type":"entity","name":"Ada","entityType":"person","observations":["likes stars","has a telescope"]})"),
      std::string::npos)
      << memory;
  EXPECT_NE(memory.find(R"({"type":"relation","from":"Ada","to":"Mars","relationType":"watches"})"),
            std::string::npos);
  const test::CliRun log = run({"audit", "log", "--json"});
  EXPECT_NE(log.out.find("a test"), std::string::npos);
}

TEST_F(Transfer, CompartmentsHaveTheirOwnGraph) {
  const std::string path = file("a.nt", kTriples);
  ASSERT_EQ(run({"import", path, "--compartment", "skill:one"}).code, kDone);
  EXPECT_EQ(exported({"--compartment", "skill:one"}), kTriples);
  EXPECT_NE(
      exported({"--format", "nquads"}).find("<http://x/bob> <urn:anima:compartment:skill:one> .\n"),
      std::string::npos);
  EXPECT_EQ(run({"export", "--compartment", "other"}).code, kMissing);
}

TEST_F(Transfer, SearchFindsWhatWasImported) {
  ASSERT_EQ(run({"import", file("a.nt", kTriples)}).code, kDone);
  const test::CliRun found = run({"search", "lovelce ad", "--json"});
  ASSERT_EQ(found.code, kDone) << found.err;
  const Json json = *parse_json(found.out);
  ASSERT_FALSE(json.find("hits")->as_array().empty());
  EXPECT_EQ(json.find("hits")->as_array()[0].find("name")->as_string(), "http://x/ada");
  EXPECT_EQ(run({"search", "lovelce", "--exact"}).out, "");
  EXPECT_NE(run({"search", "knows", "--links"}).out.find("http://x/bob"), std::string::npos);
  EXPECT_EQ(run({"search", "x", "--type", "Nothing"}).code, kMissing);
  EXPECT_EQ(run({"as-of", std::to_string(head_), "search", "lovelace", "--exact"}).out, "");
}

}  // namespace
}  // namespace anima::cli
