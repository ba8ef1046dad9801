// anima compact through the program: dry run, the act, what can be read afterwards, and the backup
// that has the rest.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "cli/frame/program.h"
#include "support/cli_run.h"
#include "support/files_with.h"

namespace anima::cli::compact_verb_test {
namespace {

class CompactVerb : public testing::Test {
 protected:
  test::CliRun run_in(const std::string& name, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--space", folder_.file(name)});
    return test::run_cli(arguments, environment_);
  }
  test::CliRun run(std::vector<std::string> arguments) {
    return run_in("space", std::move(arguments));
  }
  void kip(const std::string& command) {
    const test::CliRun done = run({"kip", command});
    ASSERT_EQ(done.code, kDone) << done.out << done.err;
  }
  void SetUp() override {
    ASSERT_EQ(run({"init"}).code, kDone);
    kip(R"(UPSERT { CONCEPT { {type: "Person", name: "Vera"} SET ATTRIBUTES {job: "baker"} } })");
    for (int i = 0; i < 20; ++i) {
      kip(R"(UPSERT { CONCEPT { {type: "Person", name: "Vera"} SET ATTRIBUTES {diary: "page )" +
          std::to_string(i) + "of" + std::string(3'000, 'q') + R"("} } })");
    }
    kip(R"(UPSERT { CONCEPT { {type: "Person", name: "Vera"} SET ATTRIBUTES {job: "judge"} } })");
  }
  bool on_disk(const std::string& text) {
    return !test::files_with(folder_.file("space"), text).empty();
  }

  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}};
};

TEST_F(CompactVerb, GivesTheDiskBackAndSaysWhatIsGone) {
  const std::string vera = R"(FIND(?p) WHERE { ?p {name: "Vera"} })";
  const std::string known = run({"--json", "kip", vera}).out;
  ASSERT_EQ(run({"checkpoint"}).code, kDone);
  EXPECT_EQ(run({"compact"}).code, kMissing) << "nothing is 30 days old";
  const test::CliRun look = run({"compact", "--keep-undo", "1", "--dry-run"});
  EXPECT_EQ(look.code, kDone) << look.err;
  EXPECT_NE(look.out.find("would take"), std::string::npos) << look.out;
  EXPECT_TRUE(on_disk("page 7of"));

  const std::string backup = folder_.file("whole.anima");
  const test::CliRun done = run({"--json", "compact", "--keep-undo", "1", "--backup", backup});
  ASSERT_EQ(done.code, kDone) << done.err;
  const auto json = parse_json(done.out);
  ASSERT_TRUE(json) << done.out;
  EXPECT_GT(json->find("payload_bytes")->as_integer(), 50'000);
  EXPECT_LT(json->find("bytes_after")->as_integer(), json->find("bytes_before")->as_integer());
  EXPECT_FALSE(on_disk("page 7of"));
  EXPECT_TRUE(on_disk("page 19of"));
  EXPECT_EQ(run({"--json", "kip", vera}).out, known) << "with its _version and times";
  EXPECT_EQ(run({"audit", "verify"}).code, kDone);
  EXPECT_EQ(run({"audit", "verify", "--views"}).code, kDone);
  const test::CliRun doctor = run({"doctor"});
  EXPECT_EQ(doctor.out.find("anima migrate"), std::string::npos) << doctor.out;

  const test::CliRun old = run({"as-of", "5", "kip", vera});
  EXPECT_NE(old.code, kDone) << old.out;
  EXPECT_NE(old.err.find(backup), std::string::npos) << old.err;
  const test::CliRun undo = run({"undo", "5"});
  EXPECT_EQ(undo.code, kMissing) << undo.out;
  EXPECT_NE(undo.err.find("anima compact"), std::string::npos) << undo.err;
  EXPECT_EQ(run({"undo", "last"}).code, kDone);
  EXPECT_NE(run({"--json", "kip", vera}).out.find("baker"), std::string::npos);
  EXPECT_EQ(run({"undo", "last"}).code, kMissing);
  const test::CliRun history = run({"history", "Vera"});
  EXPECT_EQ(history.code, kDone);
  EXPECT_NE(history.out.find("compacted"), std::string::npos) << history.out;
  EXPECT_EQ(history.out.find(".diary -"), std::string::npos) << "no marks: " << history.out;
  const test::CliRun changes = run({"changes", "3"});
  EXPECT_EQ(changes.code, kMissing) << changes.out << changes.err;

  EXPECT_EQ(run({"forget", "Vera", "--confirm", "-o", folder_.file("certificate")}).code, kDone);
  EXPECT_EQ(run({"audit", "verify", "--certificate", folder_.file("certificate")}).code, kDone);
  EXPECT_EQ(run({"compact", "--keep-undo", "0"}).code, kDone);
  EXPECT_EQ(run({"audit", "verify", "--certificate", folder_.file("certificate")}).code, kDone);
  ASSERT_EQ(run_in("whole", {"restore", backup}).code, kDone);
  const test::CliRun there = run_in("whole", {"--json", "as-of", "5", "kip", vera});
  EXPECT_NE(there.out.find("page"), std::string::npos) << there.out << there.err;
}

TEST_F(CompactVerb, SaysWhatIsWrong) {
  EXPECT_EQ(run({"compact", "--keep-undo", "soon"}).code, kUsage);
  EXPECT_EQ(run({"compact", "--keep-undo", "-3"}).code, kUsage);
  ASSERT_EQ(run({"compact", "--keep-undo", "2"}).code, kDone);
  EXPECT_EQ(run({"compact", "--keep-undo", "20"}).code, kMissing) << "it is compacted further";
  const test::CliRun again = run({"compact", "--keep-undo", "2"});
  EXPECT_EQ(again.code, kDone) << again.err;
}

}  // namespace
}  // namespace anima::cli::compact_verb_test
