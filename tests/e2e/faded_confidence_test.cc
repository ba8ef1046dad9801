// What is left of a confidence by now is the same number in KIP, SPARQL and Datalog.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "cli/frame/program.h"
#include "support/cli_run.h"

namespace anima::cli::faded_confidence_test {
namespace {

class FadedConfidence : public testing::Test {
 protected:
  test::CliRun run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--space", folder_.file("space")});
    return test::run_cli(arguments, environment_);
  }
  void SetUp() override {
    ASSERT_EQ(run({"init"}).code, kDone);
    for (const char* command :
         {R"(UPSERT { CONCEPT { {type: "$PropositionType", name: "knows"} } })",
          R"(UPSERT { CONCEPT ?a { {type: "Person", name: "Vera"} }
               CONCEPT { {type: "Person", name: "Tom"} SET PROPOSITIONS { ("knows", ?a)
                 WITH METADATA {confidence: 0.8, created_at: "2020-03-01T00:00:00Z",
                                observed_at: "2020-03-01T00:00:00Z"} } }
               CONCEPT { {type: "Person", name: "Uwe"} SET PROPOSITIONS { ("knows", ?a)
                 WITH METADATA {confidence: 0.8, reviewed_by: "Tom",
                                created_at: "2020-03-01T00:00:00Z",
                                observed_at: "2020-03-01T00:00:00Z"} } } })"}) {
      const test::CliRun done = run({"kip", command});
      ASSERT_EQ(done.code, kDone) << done.out << done.err;
    }
  }

  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}};
};

// The number behind a name in the text, or -1.
double number_after(const std::string& text, const std::string& name, const std::string& between) {
  const std::size_t at = text.find(name + between);
  if (at == std::string::npos) return -1;
  return std::strtod(text.c_str() + at + name.size() + between.size(), nullptr);
}

TEST_F(FadedConfidence, IsTheSameInEveryLanguage) {
  const test::CliRun kip =
      run({"--json", "kip",
           R"(FIND(?p.name, ?l.metadata._faded_confidence) WHERE { ?l (?p, "knows", ?q) })"});
  ASSERT_EQ(kip.code, kDone) << kip.err;
  std::map<std::string, double> faded;
  const auto answer = parse_json(kip.out);
  ASSERT_TRUE(answer && answer->find("result") != nullptr) << kip.out;
  const JsonArray& columns = answer->find("result")->as_array();
  ASSERT_EQ(columns.size(), 2u) << kip.out;
  for (std::size_t i = 0; i < columns[0].as_array().size(); ++i)
    faded[columns[0].as_array()[i].as_string()] = columns[1].as_array().at(i).as_number();
  // More than 340 weeks old, or reviewed.
  EXPECT_GT(faded["Tom"], 0.0) << kip.out;
  EXPECT_LT(faded["Tom"], 0.8 * std::pow(0.95, 340)) << kip.out;
  EXPECT_EQ(faded["Uwe"], 0.8) << kip.out;
  const test::CliRun sparql =
      run({"sparql", "--format", "csv",
           "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> "
           "SELECT ?n ?c WHERE { ?l rdf:subject ?s ; rdf:predicate <urn:anima:predicate:knows> "
           "BIND(<urn:anima:function:faded-confidence>(?l) AS ?c) "
           "BIND(REPLACE(STR(?s), '^.*:', '') AS ?n) } ORDER BY ?n"});
  ASSERT_EQ(sparql.code, kDone) << sparql.err;
  EXPECT_DOUBLE_EQ(number_after(sparql.out, "Tom", ","), faded["Tom"]) << sparql.out;
  EXPECT_DOUBLE_EQ(number_after(sparql.out, "Uwe", ","), 0.8) << sparql.out;

  const std::string program = folder_.file("fade.mg");
  ASSERT_TRUE(replace_file(system_files(), program,
                           "Decl faded_confidence(R, S, O, C) descr [external(), "
                           "mode('+', '+', '+', '-')].\n"
                           "left(S, C) :- knows(S, O), faded_confidence(\"knows\", S, O, C).\n"));
  const test::CliRun datalog = run({"datalog", "run", program, "--query", "left(S, C)"});
  ASSERT_EQ(datalog.code, kDone) << datalog.err;
  EXPECT_DOUBLE_EQ(number_after(datalog.out, "Tom", "\","), faded["Tom"]) << datalog.out;
  EXPECT_DOUBLE_EQ(number_after(datalog.out, "Uwe", "\","), 0.8) << datalog.out;
}

TEST_F(FadedConfidence, WhatIsNoLinkHasNone) {
  const test::CliRun none =
      run({"sparql", "--format", "csv",
           "SELECT ?c WHERE { ?s <urn:anima:predicate:knows> ?o "
           "BIND(<urn:anima:function:faded-confidence>(?s) AS ?c) FILTER(BOUND(?c)) }"});
  ASSERT_EQ(none.code, kDone) << none.err;
  EXPECT_EQ(none.out.find("0."), std::string::npos) << none.out;
  EXPECT_NE(run({"sparql", "SELECT (<urn:anima:function:faded-confidence>(1, 2) AS ?c) {}"}).code,
            kDone);
}

}  // namespace
}  // namespace anima::cli::faded_confidence_test
