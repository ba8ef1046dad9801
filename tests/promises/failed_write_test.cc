// One write fails, or every one from some moment on. Whatever a command then says is true: exit
// code 0, and all of its act is there; an error, and nothing of it is there once the next command
// has written, unless the error says that it is not known. Each third write; each one with
// ANIMA_TEST_FULL=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "cli/frame/program.h"
#include "support/cli_run.h"
#include "support/fault_files.h"
#include "support/power_loss_vfs.h"

namespace anima::failed_write_test {
namespace {

using Line = std::vector<std::string>;

std::string upsert(const std::string& text) { return "UPSERT { " + text + " }"; }
std::string ship(const std::string& name) {
  return upsert(
      R"(CONCEPT { {type: "$ConceptType", name: "Ship"} } CONCEPT { {type: "Ship", name: ")" +
      name + R"("} })");
}

struct Case {
  std::string_view name;
  std::vector<Line> before;
  Line line;
};
std::vector<Case> cases(const std::string& table) {
  const std::vector<Line> ships = {{"kip", ship("Fram")}, {"kip", ship("Gjoa")}};
  std::vector<Line> slept = ships;
  slept.push_back({"sleep"});
  return {
      {"one sentence", {}, {"message", "Ben Olsen lives in Bern."}},
      {"two sentences", {}, {"message", "My wife is Klara Nordmann. I work at Globex."}},
      {"remember", {}, {"remember", "Ben Olsen lives in Bern."}},
      {"undo", {{"remember", "Ben Olsen lives in Bern."}}, {"undo", "last"}},
      {"sleep undo", slept, {"sleep", "undo", "1"}},
      {"sleep merge", ships, {"sleep", "merge", "Fram", "Gjoa"}},
      {"kip", {}, {"kip", ship("Fram")}},
      {"load", {}, {"load", "--yes", table}},
  };
}

// Disks that fail: of SQLite and of everything else.
class FailedWrite : public testing::Test {
 protected:
  test::CliRun run(const Line& line, const std::string& space, FileSystem& files) {
    test::StringStream out, err;
    const Environment environment{
        {"ANIMA_SPACE", space}, {"USER", "grace"}, {"XDG_CONFIG_HOME", folder_.file("config")}};
    cli::Context context(out, err, files, environment);
    test::CliRun ran;
    ran.code = cli::run_program(context, line);
    ran.out = out.text();
    ran.err = err.text();
    return ran;
  }
  test::CliRun run(const Line& line, const std::string& space) {
    return run(line, space, system_files());
  }

  // Who writes next takes back what could not be taken back before.
  std::string state_of(const std::string& space) {
    const test::CliRun next =
        run({"kip", upsert(R"(CONCEPT { {type: "$ConceptType", name: "Pier"} })")}, space);
    EXPECT_EQ(next.code, 0) << next.err;
    std::vector<std::string> lines;
    const std::string known = run({"export"}, space).out;
    for (const std::string_view line : split(known, '\n')) {
      // Of statements about statements, which bear times and ids of memories, the first will do.
      if (line.find("/metadata:") == std::string_view::npos &&
          line.find(":metadata:") == std::string_view::npos)
        lines.emplace_back(line);
    }
    const auto kept = parse_json(run({"--json", "memory", "show"}, space).out);
    EXPECT_TRUE(kept);
    for (const Json& item : kept->find("items")->as_array()) {
      if (item.find("kind")->as_string() != "session")
        lines.push_back(item.find("content")->as_string());
    }
    std::sort(lines.begin(), lines.end());
    return join(lines, "\n");
  }

  static bool says_it_is_not_known(const test::CliRun& ran) {
    const std::string text = ran.out + ran.err;
    return text.find("not known whether") != std::string::npos ||
           text.find("may be there") != std::string::npos;
  }

  // Runs `line` on a copy of `from` under a fault, and compares. Whether the fault came to pass.
  template <typename Fault, typename Passed>
  void check_each(const Case& each, const std::string& from, const std::string& nothing,
                  const std::string& all, const Fault& fault, const Passed& passed) {
    const std::int64_t stride = std::getenv("ANIMA_TEST_FULL") == nullptr ? 3 : 1;
    const std::string space = folder_.file("space");
    for (std::int64_t n = 0; n < 400; n += stride) {
      SCOPED_TRACE(testing::Message() << each.name << ", fault after " << n);
      std::filesystem::remove_all(space);
      std::filesystem::copy(from, space, std::filesystem::copy_options::recursive);
      fault(n);
      const test::CliRun ran = run(each.line, space, files_);
      const bool came = passed();
      disk_.heal();
      files_.heal();
      if (!came) return;
      const std::string after = state_of(space);
      const std::string said = ran.out + ran.err;
      if (ran.code == 0) {
        EXPECT_EQ(after, all) << said;
      } else if (says_it_is_not_known(ran)) {
        EXPECT_TRUE(after == all || after == nothing) << said << "\n" << after;
      } else {
        EXPECT_EQ(after, nothing) << said;
      }
      if (testing::Test::HasFailure()) return;
    }
    ADD_FAILURE() << each.name << ": the fault was never passed";
  }

  TemporaryDirectory folder_{"anima-failed-write"};
  PowerLossVfs disk_{true};
  FaultFiles files_;
};

TEST_F(FailedWrite, IsToldAsWhatItIs) {
  const std::string table = folder_.file("hosts.csv");
  ASSERT_TRUE(replace_file(system_files(), table, "name,size\nweb,3\n"));
  for (const Case& each : cases(table)) {
    SCOPED_TRACE(each.name);
    const std::string from = folder_.file("from"), whole = folder_.file("whole"),
                      bare = folder_.file("bare");
    for (const std::string& old : {from, whole, bare}) std::filesystem::remove_all(old);
    std::vector<Line> lines = {{"init"}, {"remember", "Ada Berg lives in Rome."}};
    lines.insert(lines.end(), each.before.begin(), each.before.end());
    for (const Line& line : lines) {
      const test::CliRun ran = run(line, from);
      ASSERT_EQ(ran.code, 0) << ran.err;
    }
    for (const std::string& copy : {whole, bare})
      std::filesystem::copy(from, copy, std::filesystem::copy_options::recursive);
    const test::CliRun done = run(each.line, whole);
    ASSERT_EQ(done.code, 0) << done.out << done.err;
    const std::string nothing = state_of(bare), all = state_of(whole);
    ASSERT_NE(nothing, all);
    check_each(
        each, from, nothing, all, [&](std::int64_t n) { disk_.fail_once_after(n); },
        [&] { return disk_.has_failed_once(); });
    check_each(
        each, from, nothing, all,
        [&](std::int64_t n) { files_.fail_once_after(n, ErrorCode::kIo); },
        [&] { return files_.has_failed(); });
    std::int64_t before = 0;
    check_each(
        each, from, nothing, all,
        [&](std::int64_t n) {
          before = disk_.writes() + n;
          disk_.fill_after(n);
          files_.fail_after(n, ErrorCode::kDiskFull);
        },
        [&] { return files_.has_failed() || disk_.writes() == before; });
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace anima::failed_write_test
