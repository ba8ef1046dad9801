// kill -9 while something is forgotten: either nothing or all of it is gone, the log verifies, and
// whoever opens the space for writing next leaves no byte of it in any file.
//
// ANIMA_TEST_FULL=1: 300 kills at any moment; otherwise a few.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "base/files/file.h"
#include "base/random.h"
#include "store/forget.h"
#include "store/space.h"
#include "store/verify/audit.h"
#include "support/command.h"
#include "support/files_with.h"
#include "support/small_space.h"

namespace anima::store::forget_kill_test {
namespace {

using test::files_with;
using test::open_space;
using test::say;

const Origin kOrigin{"tester", "forget", Trust::kStandard, Sequence::kNone};

bool has(Space& space, const std::string& name) {
  return space.snapshot().value().find_concept(kEntityType, name).has_value();
}

Status forget_thing(Space& space, const std::string& name) {
  Forgetting what;
  what.entities = {space.snapshot().value().find_concept(kEntityType, name).value_or(EntityId{})};
  return forget(space, kOrigin, what, SystemClock().now(), false).map([](const ForgetReport&) {});
}

[[noreturn]] void forget_until_killed(const std::string& folder, const std::string& name) {
  const auto space = open_space(folder);
  if (space == nullptr) _exit(1);
  (void)forget_thing(*space, name);
  ::pause();
  _exit(2);
}

TEST(ForgetKill, NothingOrAllOfItIsGone) {
  const char* full = std::getenv("ANIMA_TEST_FULL");
  const int kills = full != nullptr && *full != '\0' ? 300 : 12;
  const TemporaryDirectory folder;
  const std::string path = folder.file("space");
  SeededRandom random(static_cast<std::uint64_t>(::getpid()));
  int done = 0;
  for (int run = 0; run < kills; ++run) {
    SCOPED_TRACE("kill " + std::to_string(run));
    const std::string name = "thing " + std::to_string(run) + ".";
    const std::string secret = "nobody's business " + std::to_string(run) + ".";
    {
      const auto space = open_space(path);
      ASSERT_TRUE(
          space->write(kOrigin, [&](Transaction& t) { return say(t, name, "note", secret); }));
      ASSERT_TRUE(space->write(kOrigin, [&](Transaction& t) {
        return say(t, "stays", "note", "known to all " + std::to_string(run));
      }));
      if (run % 2 == 0) {
        ASSERT_TRUE(space->checkpoint());
      }
    }
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) forget_until_killed(path, name);
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(150'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    {
      const auto space = open_space(path);
      ASSERT_NE(space, nullptr);
      const bool gone = !has(*space, name);
      EXPECT_TRUE(verify_log(space->log()));
      EXPECT_EQ(files_with(path, secret).empty(), gone);
      done += gone ? 1 : 0;
      if (!gone) {
        ASSERT_TRUE(forget_thing(*space, name));
      }
      EXPECT_TRUE(files_with(path, secret).empty());
      EXPECT_TRUE(has(*space, "stays"));
    }
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("killed %d times, %d of them behind the forgetting\n", kills, done);
}

// The program, killed at any moment: the log has forgotten and the certificate is had again from
// its entry, or nothing was forgotten and it is done by saying it once more.
TEST(ForgetKill, TheCertificateIsHadAgain) {
  const char* full = std::getenv("ANIMA_TEST_FULL");
  const int kills = full != nullptr && *full != '\0' ? 200 : 12;
  const TemporaryDirectory folder;
  test::init_space(folder);
  const std::string space = folder.file("space");
  SeededRandom random(static_cast<std::uint64_t>(::getpid()));
  int behind = 0;
  for (int run = 0; run < kills; ++run) {
    SCOPED_TRACE("kill " + std::to_string(run));
    const std::string name = "Mia Zorbel" + std::to_string(run) + "x";
    ASSERT_EQ(test::run_anima(folder, "kip 'UPSERT { CONCEPT { {type: \"Person\", name: \"" + name +
                                          "\"} SET ATTRIBUTES {phone: \"0170\"} } }'")
                  .code,
              0);
    const std::string work = space + "/work";
    ASSERT_TRUE(system_files().make_directories(work));
    ASSERT_TRUE(replace_file(system_files(), work + "/note.txt", "Dear " + name));
    const std::string file = folder.file("certificate.json");
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const std::string program = std::string(ANIMA_BINARY_DIR) + "/anima";
      (void)std::freopen("/dev/null", "w", stdout);
      (void)std::freopen("/dev/null", "w", stderr);
      ::execl(program.c_str(), program.c_str(), "--space", space.c_str(), "forget", name.c_str(),
              "--mentions", "--confirm", "-o", file.c_str(), nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(300'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const std::string quoted = " '" + name + "'";
    const test::Ran again =
        test::run_anima(folder, "forget --certificate-of last" + quoted + " -o " + file);
    behind += again.code == 0 ? 1 : 0;
    if (again.code != 0) {
      const test::Ran done =
          test::run_anima(folder, "forget" + quoted + " --mentions --confirm -o " + file);
      EXPECT_EQ(done.code, 0) << done.out;
    }
    EXPECT_EQ(test::run_anima(folder, "audit verify --certificate " + file).code, 0);
    EXPECT_TRUE(files_with(space, name).empty()) << files_with(space, name).front();
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("killed %d times, %d of them behind the forgetting\n", kills, behind);
}

}  // namespace
}  // namespace anima::store::forget_kill_test
