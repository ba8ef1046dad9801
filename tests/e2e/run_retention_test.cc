// The record of runs as the person who keeps a space meets it: names, ages, what is left, and what
// a killed pruning leaves.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/random.h"
#include "support/command.h"

namespace anima::run_retention_test {
namespace {

class RetainedRuns : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::system(("chmod 755 " + folder_.path()).c_str()), 0);
    test::init_space(folder_);
    ASSERT_TRUE(replace_file(system_files(), folder_.file("fleet.csv"),
                             "subject,predicate,object\nheron,type,Ship\nheron,sails_to,Oslo\n"
                             "gannet,sails_to,Oslo\nOslo,part_of,Norway\n"));
    ASSERT_EQ(anima("import " + folder_.file("fleet.csv")).code, 0);
  }
  test::Ran anima(const std::string& arguments, const std::string& environment = {}) {
    return test::run_command("HOME=" + folder_.path() + " ANIMA_SPACE=" + folder_.file("space") +
                             " " + environment + " " + ANIMA_BINARY_DIR + "/anima " + arguments +
                             " </dev/null 2>&1");
  }
  void work(int runs, const std::string& more = {}) {
    for (int i = 0; i < runs; ++i) {
      anima("run 'find out how heron and Oslo are connected' --max-cycles 4 " + more);
    }
  }
  std::uintmax_t log_bytes() {
    std::uintmax_t bytes = 0;
    for (const char* name : {"space/log.db", "space/log.db-wal"}) {
      if (const auto info = system_files().info(folder_.file(name))) bytes += info->size;
    }
    return bytes;
  }

  TemporaryDirectory folder_{"anima-retention"};
};

TEST_F(RetainedRuns, OldOnesGoNamedOnesStay) {
  work(1, "--keep first-look");
  work(3);
  const std::string before = anima("export | sort").out;
  EXPECT_NE(anima("replay").out.find("first-look"), std::string::npos);
  const Json plan = anima("agent prune --older-than '0 seconds' --dry-run --json").json();
  EXPECT_GT(plan.find("runs")->as_integer(), 0);
  EXPECT_EQ(plan.find("kept")->as_array().size(), 1U);
  const std::uintmax_t size = log_bytes();
  const test::Ran pruned = anima("agent prune --older-than '0 seconds'");
  EXPECT_EQ(pruned.code, 0) << pruned.out;
  EXPECT_NE(pruned.out.find("first-look"), std::string::npos) << pruned.out;
  EXPECT_LT(log_bytes(), size);
  EXPECT_EQ(anima("audit verify").code, 0);
  EXPECT_EQ(anima("export | sort").out, before);
  const test::Ran again = anima("replay first-look");
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_NE(again.out.find("bit for bit the same"), std::string::npos) << again.out;
  const test::Ran resumed = anima("agent goals");
  EXPECT_NE(resumed.out.find("heron"), std::string::npos) << resumed.out;
  EXPECT_EQ(resumed.out.find("starts fresh"), std::string::npos) << resumed.out;
  EXPECT_EQ(anima("replay --release first-look").code, 0);
  EXPECT_NE(anima("replay first-look").code, 0);
}

TEST_F(RetainedRuns, WhatIsMissingOrWrongIsSaid) {
  const test::Ran no_age = anima("agent prune");
  EXPECT_EQ(no_age.code, 2);
  EXPECT_NE(no_age.out.find("agent.keep"), std::string::npos) << no_age.out;
  const test::Ran wrong = anima("agent prune --older-than soon");
  EXPECT_NE(wrong.code, 0);
  EXPECT_NE(wrong.out.find("90 days"), std::string::npos) << wrong.out;
  work(2, "--keep twice");
  EXPECT_NE(anima("run 'find out about Oslo' --max-cycles 1 --keep twice").code, 0);
  EXPECT_NE(anima("replay nobody").out.find("no run has this name"), std::string::npos);
}

TEST_F(RetainedRuns, TheSettingPrunesOnItsOwn) {
  work(2);
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(anima("agent prune --older-than '0 seconds' --dry-run --json")
                                     .json()
                                     .find("bytes")
                                     ->as_integer());
  EXPECT_GT(bytes, 0U);
  anima("run 'find out about Oslo' --max-cycles 2", "ANIMA_AGENT_KEEP='0 seconds'");
  const test::Ran log = anima("audit log --limit 5");
  EXPECT_NE(log.out.find("anima prune"), std::string::npos) << log.out;
  EXPECT_EQ(anima("audit verify").code, 0);
}

// Killed at any moment, the log still proves itself and the next pruning takes what is left.
TEST_F(RetainedRuns, AKilledPruningLosesNothing) {
  work(4);
  const std::string knowledge = anima("export | sort").out;
  SeededRandom random(20261123);
  const int kills = std::getenv("ANIMA_TEST_FULL") != nullptr ? 200 : 12;
  for (int i = 0; i < kills; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      (void)::freopen("/dev/null", "w", stdout);
      ::setenv("ANIMA_SPACE", folder_.file("space").c_str(), 1);
      const std::string program = std::string(ANIMA_BINARY_DIR) + "/anima";
      ::execl(program.c_str(), "anima", "agent", "prune", "--older-than", "0 seconds", nullptr);
      ::_exit(127);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(60'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    const test::Ran verified = anima("audit verify");
    ASSERT_EQ(verified.code, 0) << verified.out;
    if (i % 4 == 3) work(1);
  }
  EXPECT_EQ(anima("agent prune --older-than '0 seconds'").code, 0);
  EXPECT_EQ(anima("export | sort").out, knowledge);
  EXPECT_EQ(anima("agent goals").out.find("starts fresh"), std::string::npos);
}

// Questions leave no entry: one costs less than the 1 KB that it may. chat: asking_test.
TEST_F(RetainedRuns, QuestionsCostNoEntry) {
  anima("run 'Where does the heron sail to?'");
  const std::string before = anima("stats --json").json().find("entries")->dump();
  for (int i = 0; i < 10; ++i) {
    anima("ask 'Which ships sail to Oslo?'");
    anima("run 'Where does the heron sail to?'");
  }
  EXPECT_EQ(anima("stats --json").json().find("entries")->dump(), before);
}

}  // namespace
}  // namespace anima::run_retention_test
