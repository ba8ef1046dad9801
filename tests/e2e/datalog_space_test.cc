// anima datalog run and repl over a space: its statements as base facts, and whose word a
// conclusion rests on.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "store/space.h"
#include "store/symbols.h"
#include "support/cli_run.h"
#include "support/links.h"

namespace anima::cli::datalog_space_test {
namespace {

class DatalogSpace : public testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.create = true;
    const auto space = store::Space::open(folder_.file("space"), options);
    ASSERT_TRUE(space);
    test::link(**space, {{"curl", "needs", "libssl3"}}, 1.0,
               {"ann", "a note", store::Trust::kOperator, {}});
    test::link(**space, {{"libssl3", "needs", "libc6"}}, 1.0,
               {"crawler", "a page", store::Trust::kUntrusted, {}});
    ASSERT_TRUE(replace_file(system_files(), folder_.file("reach.mg"),
                             "reach(X, Y) :- needs(X, Y).\n"
                             "reach(X, Z) :- needs(X, Y), reach(Y, Z).\n"));
  }
  std::string run(std::vector<std::string> arguments, int expected = kDone) {
    arguments.insert(arguments.begin(), {"--space", folder_.file("space")});
    const test::CliRun done = test::run_cli(arguments, environment_);
    EXPECT_EQ(done.code, expected) << done.err;
    return done.out;
  }
  std::string file() const { return folder_.file("reach.mg"); }

  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}};
};

TEST_F(DatalogSpace, RunReadsItsStatements) {
  EXPECT_EQ(run({"datalog", "run", file(), "--query", "reach(\"curl\", X)"}),
            "reach(\"curl\",\"libc6\")\nreach(\"curl\",\"libssl3\")\n");
  EXPECT_EQ(run({"datalog", "run", file(), "--query", "needs(X, Y)", "--count"}),
            "needs(X, Y)\t2\n");
}

TEST_F(DatalogSpace, TheSpaceOfTheEnvironmentIsInForce) {
  environment_["ANIMA_SPACE"] = folder_.file("space");
  const std::vector<std::string> asked = {"datalog", "run",         file(),
                                          "--query", "needs(X, Y)", "--count"};
  const test::CliRun with = test::run_cli(asked, environment_);
  EXPECT_EQ(with.out, "needs(X, Y)\t2\n") << with.err;
  std::vector<std::string> alone = asked;
  alone.emplace_back("--no-space");
  const test::CliRun without = test::run_cli(alone, environment_);
  EXPECT_NE(without.err.find("there is no predicate needs"), std::string::npos) << without.err;
  environment_["ANIMA_SPACE"] = folder_.file("nowhere");
  EXPECT_EQ(test::run_cli(asked, environment_).code, kMissing);
}

TEST_F(DatalogSpace, CheckKnowsItsRelations) {
  EXPECT_EQ(run({"datalog", "check", file()}), "good: 2 rules in 1 strata\n");
  ASSERT_TRUE(replace_file(system_files(), file(), "reach(X, Y) :- nedes(X, Y).\n"));
  run({"datalog", "check", file()}, kFailed);
}

TEST_F(DatalogSpace, ExplainGoesDownToEntries) {
  const std::string text =
      run({"datalog", "run", file(), "--explain", "reach(\"curl\", \"libc6\")"});
  EXPECT_NE(text.find("by crawler (source given: a page), trust untrusted"), std::string::npos)
      << text;
  EXPECT_NE(text.find("by ann (source given: a note), trust operator"), std::string::npos) << text;
  EXPECT_NE(text.find("\ntrust: untrusted\n"), std::string::npos) << text;
  const auto json = parse_json(
      run({"--json", "datalog", "run", file(), "--explain", "reach(\"curl\", \"libssl3\")"}));
  ASSERT_TRUE(json);
  EXPECT_EQ(json->find("trust")->as_string(), "operator");
  const JsonArray& premises = json->find("premises")->as_array();
  ASSERT_EQ(premises.size(), 1U);
  EXPECT_EQ(premises[0].find("fact")->as_string(), "needs(\"curl\",\"libssl3\")");
  const Json& asserted = premises[0].find("asserted")->as_array()[0];
  EXPECT_EQ(asserted.find("author")->as_string(), "ann");
}

TEST_F(DatalogSpace, ASpaceThatIsNotThereIsAnError) {
  ASSERT_TRUE(remove_tree(system_files(), folder_.file("space")));
  run({"datalog", "run", file()}, kMissing);
}

}  // namespace
}  // namespace anima::cli::datalog_space_test
