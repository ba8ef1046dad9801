// No verb writes its output over the files of a space, and none has acted when it refuses to.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "cli/frame/program.h"
#include "support/cli_run.h"
#include "support/files_with.h"

namespace anima::cli::output_places_test {
namespace {

using Line = std::vector<std::string>;

class OutputPlaces : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run({"init"}).code, kDone);
    const std::string person =
        R"(UPSERT { CONCEPT { {type: "Person", name: "Alice Example"} SET ATTRIBUTES {phone: "0170"} } })";
    ASSERT_EQ(run({"kip", person}).code, kDone);
    ASSERT_EQ(run({"audit", "checkpoint", "-o", folder_.file("made")}).code, kDone);
    write("data.csv", "name,place\nMoon,sky\nMars,sky\n");
    write("texts.jsonl", "{\"text\":\"hello there\",\"attack\":false}\n");
  }
  test::CliRun run(Line line) const {
    line.insert(line.begin(), {"--space", space()});
    return test::run_cli(line, environment_);
  }
  std::string space() const { return folder_.file("space"); }
  void write(std::string_view name, std::string_view text) const {
    ASSERT_TRUE(replace_file(system_files(), folder_.file(name), text));
  }
  std::string bytes(const std::string& path) const {
    return read_file(system_files(), path).value_or("none");
  }
  std::int64_t entries() const {
    return parse_json(run({"--json", "stats"}).out)->find("entries")->as_integer();
  }
  // Every verb that writes what a user named, with OUT in the place of the name.
  std::vector<Line> writers() const {
    const std::string data = folder_.file("data.csv"), texts = folder_.file("texts.jsonl");
    return {{"forget", "Alice Example", "--confirm", "-o", "OUT"},
            {"forget", "--certificate-of", "last", "-o", "OUT"},
            {"audit", "checkpoint", "-o", "OUT"},
            {"audit", "checkpoint", "--rotate-key", "-o", "OUT"},
            {"audit", "export", "-o", "OUT"},
            {"audit", "export", "--format", "ari", "-o", "OUT"},
            {"export", "-o", "OUT"},
            {"export", "--format", "nquads", "-o", "OUT"},
            {"sleep", "--report", "OUT"},
            {"sleep", "report", "-o", "OUT"},
            {"sleep", "--llm", "none-such", "--record", "OUT"},
            {"llm", "ask", "none-such", "hello", "--record", "OUT"},
            {"backup", "OUT"},
            {"backup", "OUT", "--overwrite"},
            {"compact", "--keep-undo", "1", "--backup", "OUT"},
            {"archive", "OUT", "--before", "3"},
            {"load", data, "--export-mapping", "OUT"},
            {"psyche", "export", "OUT"},
            {"learnings", "export", "--shard", "owner", "--file", "OUT"},
            {"guard", "train", texts, "-o", "OUT"},
            {"world", "run", "--agents", "1", "--cycles", "1", "--seed", "7", "--report", "OUT"},
            {"world", "run", "--agents", "1", "--cycles", "1", "--seed", "7", "--record", "OUT"},
            {"world", "show", "--at", folder_.file("none"), "--report", "OUT"},
            {"approver", "init", "grace", "--key-only", "--file", "OUT"},
            {"compartment", "sign", folder_.path(), "--new-key", "--key", "OUT"},
            {"help", "--man", "OUT"}};
  }

  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}};
};

TEST_F(OutputPlaces, NoVerbWritesIntoASpace) {
  ASSERT_EQ(::symlink((space() + "/log.db").c_str(), folder_.file("link").c_str()), 0);
  ASSERT_EQ(::symlink((space() + "/new").c_str(), folder_.file("dangling").c_str()), 0);
  const std::int64_t before = entries();
  const std::string key = bytes(space() + "/keys/signing.key");
  for (const std::string& path :
       {space() + "/log.db", space() + "/new", space() + "/keys/signing.key",
        space() + "/work/../log.head", space() + "/work/page.html", folder_.file("link"),
        folder_.file("dangling")}) {
    for (Line line : writers()) {
      for (std::string& word : line)
        if (word == "OUT") word = path;
      const test::CliRun done = run(line);
      EXPECT_EQ(done.code, kFailed) << join(line, " ") << ": " << done.out << done.err;
      const bool there = done.err.find("exists") != std::string::npos ||
                         done.err.find("there is a key already") != std::string::npos;
      EXPECT_TRUE(there || done.err.find("lies in the space") != std::string::npos)
          << join(line, " ") << ": " << done.err;
    }
  }
  EXPECT_EQ(entries(), before);
  EXPECT_TRUE(bytes(space() + "/log.head").starts_with("anihead1"));
  EXPECT_EQ(bytes(space() + "/keys/signing.key"), key);
  EXPECT_FALSE(file_exists(system_files(), space() + "/new"));
  EXPECT_FALSE(file_exists(system_files(), space() + "/work/page.html"));
  EXPECT_EQ(run({"audit", "verify", "--views"}).code, kDone);
  EXPECT_FALSE(test::files_with(space(), "0170").empty()) << "nothing was forgotten";
}

TEST_F(OutputPlaces, AnotherNameOfAFileOfTheSpaceIsRefused) {
  const std::string hard = folder_.file("hard");
  ASSERT_EQ(::link((space() + "/log.db").c_str(), hard.c_str()), 0);
  const test::CliRun done = run({"forget", "Alice Example", "--confirm", "-o", hard});
  EXPECT_EQ(done.code, kFailed);
  EXPECT_NE(done.err.find("another name of"), std::string::npos) << done.err;
  EXPECT_FALSE(test::files_with(space(), "0170").empty());
}

TEST_F(OutputPlaces, TheSpaceOfSomebodyElseIsRefusedToo) {
  const std::string other = folder_.file("other");
  ASSERT_EQ(test::run_cli({"--space", other, "init"}, environment_).code, kDone);
  EXPECT_EQ(run({"export", "-o", other + "/log.db"}).code, kFailed);
  EXPECT_EQ(run({"backup", other + "/backup"}).code, kFailed);
  EXPECT_EQ(test::run_cli({"--space", other, "audit", "verify"}, environment_).code, kDone);
}

TEST_F(OutputPlaces, WhatIsReadIsNotReplaced) {
  const std::string data = folder_.file("data.csv"), texts = folder_.file("texts.jsonl");
  const std::string before = bytes(data);
  const test::CliRun done = run({"load", data, "--export-mapping", data});
  EXPECT_EQ(done.code, kFailed);
  EXPECT_NE(done.err.find("the command reads this file"), std::string::npos) << done.err;
  EXPECT_EQ(bytes(data), before);
  EXPECT_EQ(run({"guard", "train", texts, "-o", texts}).code, kFailed);
}

TEST_F(OutputPlaces, WhatHasNoPlaceIsNotBegun) {
  const std::int64_t before = entries();
  const std::string nowhere = folder_.file("no/such/folder/out");
  EXPECT_NE(run({"sleep", "--report", nowhere}).code, kDone);
  EXPECT_NE(run({"audit", "checkpoint", "--rotate-key", "-o", nowhere}).code, kDone);
  EXPECT_EQ(entries(), before);
}

TEST_F(OutputPlaces, RulesInASpaceAreLaidOut) {
  ASSERT_TRUE(system_files().make_directories(space() + "/learn"));
  write("space/learn/more.mg", "p(X):-q(X).\n");
  ASSERT_EQ(run({"datalog", "fmt", "--write", space() + "/learn/more.mg"}).code, kDone);
  EXPECT_EQ(bytes(space() + "/learn/more.mg"), "p(X) :- q(X).\n");
}

}  // namespace
}  // namespace anima::cli::output_places_test
