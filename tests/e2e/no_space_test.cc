// What each verb does at a path where no space is: only `init`, `restore` and `mcp --create` make
// one; every other verb that opens a space ends with the exit code of what is missing.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/process.h"
#include "cli/frame/exit_code.h"
#include "cli/frame/program.h"
#include "cli/frame/verb.h"
#include "support/cli_run.h"
#include "support/verb_lines.h"

namespace anima::no_space_test {
namespace {

using test::Line;
using test::opening_lines;

// They make a space, or look at none.
const std::set<std::string_view>& other_verbs() {
  static const std::set<std::string_view> verbs = {
      "init",
      "restore",
      "doctor",  // says that there is none
      "kip fmt",
      "compartment sign",
      "compartment verify",
      "datalog run",
      "datalog check",
      "datalog fmt",
      "datalog repl",
      "grammar list",
      "guard assess",
      "grammar linearize",
      "grammar compare",
      "guard patterns",
      "guard eval",
      "guard policy",
      "guard train",
      "tool list",
      "tool info",
      "tool check",
      "approver serve",
      "council judge",
      "council gates",
      "memory eval",
      "agent tools",
      "agent context",  // asks for a model first
      "llm list",
      "llm check",
      "llm ask",
      "world join",
      "world run",
      "world show",
      "config show",
      "config check",
      "completion",
      "completion words",
      "version",
      "help",
  };
  return verbs;
}

std::string_view verb_of(const Line& line) {
  std::vector<std::string> rest;
  const cli::Verb* verb = cli::find_verb(line, rest);
  return verb == nullptr ? std::string_view() : verb->name;
}

std::string text_of(const Line& line) {
  std::string text;
  for (const std::string& word : line) text += word + " ";
  return text;
}

class NoSpace : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(replace_file(system_files(), folder_.file("FILE.csv"),
                             "subject,predicate,object\nmoon,is-a,satellite\n"));
    ASSERT_TRUE(replace_file(system_files(), folder_.file("FILE.psyche.toml"),
                             "[archetypes]\nhealer = 0.6\n"));
  }
  test::CliRun run(Line line, const Environment& environment) {
    for (std::string& word : line) {
      if (word.starts_with("FILE")) word = folder_.file(word);
    }
    return test::run_cli(line, environment);
  }
  static std::vector<std::string> names_in(const std::string& folder) {
    const auto entries = system_files().list(folder);
    EXPECT_TRUE(entries);
    std::vector<std::string> names;
    for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
    return names;
  }

  TemporaryDirectory folder_;
  std::string space_ = folder_.file("space");
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}, {"ANIMA_SPACE", space_}};
};

// The table names every verb; who adds one says here what it does where no space is.
TEST_F(NoSpace, EveryVerbIsInTheTable) {
  std::set<std::string_view> known = other_verbs();
  for (const Line& line : opening_lines()) {
    EXPECT_FALSE(verb_of(line).empty()) << text_of(line);
    known.insert(verb_of(line));
  }
  for (const cli::Verb* verb : cli::all_verbs())
    EXPECT_TRUE(known.contains(verb->name)) << verb->name;
}

TEST_F(NoSpace, NoVerbMakesASpaceUnasked) {
  const std::vector<std::string> before = names_in(folder_.path());
  for (const Line& line : opening_lines()) {
    const test::CliRun ran = run(line, environment_);
    EXPECT_EQ(ran.code, cli::kMissing) << text_of(line) << ran.err;
    EXPECT_NE(ran.err.find("there is no space"), std::string::npos) << text_of(line) << ran.err;
    EXPECT_NE(ran.err.find("anima init"), std::string::npos) << text_of(line) << ran.err;
    EXPECT_EQ(names_in(folder_.path()), before) << text_of(line);
    ASSERT_FALSE(file_exists(system_files(), space_)) << text_of(line);
  }
}

// A folder that holds something else is no space either, and stays as it was.
TEST_F(NoSpace, AFolderOfSomebodyElseStaysAsItIs) {
  ASSERT_TRUE(system_files().make_directories(space_));
  ASSERT_TRUE(replace_file(system_files(), join_path(space_, "letter.txt"), "dear"));
  for (const Line& line : opening_lines()) {
    const test::CliRun ran = run(line, environment_);
    EXPECT_EQ(ran.code, cli::kMissing) << text_of(line) << ran.err;
    ASSERT_EQ(names_in(space_), std::vector<std::string>{"letter.txt"}) << text_of(line);
  }
}

// A client of MCP is configured with a command line and has nobody who runs `init`.
TEST_F(NoSpace, AnMcpServerMakesASpaceWhereItIsTold) {
  const std::string program = std::string(ANIMA_BINARY_DIR) + "/anima";
  const auto serve = [&](const std::string& flags) {
    ProcessOptions options;
    options.arguments = {program, "--space", space_, "mcp", flags};
    options.timeout_ms = 60'000;
    return run_process(options).value();
  };
  const ProcessResult refused = serve("--act");
  EXPECT_EQ(refused.exit_code, cli::kMissing);
  EXPECT_NE(refused.err.find("anima mcp --create"), std::string::npos) << refused.err;
  const ProcessResult made = serve("--create");
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out, "");
  EXPECT_NE(made.err.find("made a space in " + space_), std::string::npos) << made.err;
  const ProcessResult again = serve("--create");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.err.find("made a space"), std::string::npos) << again.err;
}

}  // namespace
}  // namespace anima::no_space_test
