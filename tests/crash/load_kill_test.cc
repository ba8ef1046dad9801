// kill -9 at any moment of `anima load`: the file is loaded as a whole or not at all, and loading
// it again makes it whole, once.
//
// ANIMA_TEST_FULL=1: 200 kills; otherwise a few.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/files/file.h"
#include "base/random.h"
#include "support/command.h"

namespace anima::load_kill_test {
namespace {

constexpr int kRows = 4'000;

std::string hosts(int generation) {
  std::string text = "host,rack,cores,seen\n";
  for (int i = 0; i < kRows; ++i) {
    text += "host-" + std::to_string(i) + ",rack-" + std::to_string(i % 40) + "," +
            std::to_string(generation * 10 + i % 7) + ",2026-11-" + std::to_string(10 + i % 19) +
            "\n";
  }
  return text;
}

class LoadKilled : public testing::Test {
 protected:
  test::Ran anima(const std::string& arguments) { return test::run_anima(folder_, arguments); }
  // How many hosts have the cores of this generation.
  std::string hosts_of(int generation) {
    const std::string low = std::to_string(generation * 10),
                      high = std::to_string(generation * 10 + 6);
    return anima(
               "--json kip 'FIND(COUNT(?h)) WHERE { ?h {type: \"Host\"} FILTER(?h.attributes.cores "
               ">= " +
               low + " && ?h.attributes.cores <= " + high + ") }'")
        .out;
  }
  void load_and_kill(std::int64_t after_microseconds) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      for (const int stream : {0, 1, 2}) ::dup2(nowhere, stream);
      ::setenv("ANIMA_SPACE", folder_.file("space").c_str(), 1);
      const std::string program = std::string(ANIMA_BINARY_DIR) + "/anima";
      const std::string file = folder_.file("hosts.csv");
      ::execl(program.c_str(), "anima", "load", file.c_str(), "--type", "Host", "--key", "host",
              "--yes", nullptr);
      ::_exit(127);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(after_microseconds));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
  }

  TemporaryDirectory folder_{"anima-load-kill"};
};

TEST_F(LoadKilled, AtAnyMomentItIsWholeOrNotThere) {
  test::init_space(folder_);
  SeededRandom random(20261123);
  const int kills = std::getenv("ANIMA_TEST_FULL") != nullptr ? 200 : 10;
  for (int i = 1; i <= kills; ++i) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file("hosts.csv"), hosts(i)));
    load_and_kill(static_cast<std::int64_t>(random.below(250'000)));
    ASSERT_EQ(anima("audit verify").code, 0) << "kill " << i;
    const std::string there = hosts_of(i);
    const bool none = there == hosts_of(kills + 1);
    if (!none) {
      EXPECT_NE(there.find(std::to_string(kRows)), std::string::npos) << "kill " << i << there;
    }
    ASSERT_EQ(anima("load " + folder_.file("hosts.csv") + " --type Host --key host --yes").code, 0);
    EXPECT_NE(hosts_of(i).find(std::to_string(kRows)), std::string::npos)
        << "kill " << i << hosts_of(i);
  }
  EXPECT_NE(anima("--json kip 'FIND(COUNT(?h)) WHERE { ?h {type: \"Host\"} }'")
                .out.find(std::to_string(kRows)),
            std::string::npos);
}

}  // namespace
}  // namespace anima::load_kill_test
