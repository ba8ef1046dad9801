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

#include "base/file.h"
#include "base/random.h"
#include "store/forget.h"
#include "store/space.h"
#include "store/verify/audit.h"

namespace anima::store::forget_kill_test {
namespace {

const Origin kOrigin{"tester", "forget", Trust::kStandard, Sequence::kNone};

std::shared_ptr<Space> open(const std::string& folder) {
  SpaceOptions options;
  options.create = true;
  options.checkpoint_after_rows = 0;
  auto space = Space::open(folder, options);
  EXPECT_TRUE(space) << space.error().describe();
  return space ? *space : nullptr;
}

Status tell(Space& space, const std::string& name, const std::string& secret) {
  return space
      .write(kOrigin,
             [&](Transaction& transaction) -> Status {
               ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(kEntityType, name));
               ANIMA_ASSIGN(const Term text, transaction.term(Value::string(secret).view()));
               return transaction.set_attribute(entity, "note", std::span(&text, 1));
             })
      .map([](const Receipt&) {});
}

bool has(Space& space, const std::string& name) {
  return space.snapshot().value().find_concept(kEntityType, name).has_value();
}

bool in_files(const std::string& folder, const std::string& text) {
  const auto entries = system_files().list(folder);
  if (!entries) return false;
  for (const DirectoryEntry& entry : *entries) {
    const auto bytes = read_file(system_files(), join_path(folder, entry.name));
    if (bytes && bytes->find(text) != std::string::npos) return true;
  }
  return false;
}

Status forget_thing(Space& space, const std::string& name) {
  Forgetting what;
  what.entities = {space.snapshot().value().find_concept(kEntityType, name).value_or(EntityId{})};
  return forget(space, kOrigin, what, SystemClock().now(), false).map([](const ForgetReport&) {});
}

[[noreturn]] void forget_until_killed(const std::string& folder, const std::string& name) {
  const auto space = open(folder);
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
      const auto space = open(path);
      ASSERT_TRUE(tell(*space, name, secret));
      ASSERT_TRUE(tell(*space, "stays", "known to all " + std::to_string(run)));
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
      const auto space = open(path);
      ASSERT_NE(space, nullptr);
      const bool gone = !has(*space, name);
      EXPECT_TRUE(verify_log(space->log()));
      EXPECT_NE(in_files(path, secret), gone);
      done += gone ? 1 : 0;
      if (!gone) {
        ASSERT_TRUE(forget_thing(*space, name));
      }
      EXPECT_FALSE(in_files(path, secret));
      EXPECT_TRUE(has(*space, "stays"));
    }
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("killed %d times, %d of them behind the forgetting\n", kills, done);
}

}  // namespace
}  // namespace anima::store::forget_kill_test
