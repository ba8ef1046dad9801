// kill -9 while an erasure and checkpoints run: once the log records the erasure, nobody reads the
// text again, and no file of the space holds a byte of it.
//
// ANIMA_TEST_FULL=1: 1,000 kills at any moment and every step of an erasure; otherwise a few.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "base/random.h"
#include "store/space.h"
#include "support/files_with.h"
#include "support/small_space.h"
#include "support/watched_files.h"

namespace anima::store::erase_kill_test {
namespace {

using test::files_with;
using test::open_space;

const Origin kOrigin{"tester", "erase", Trust::kStandard, Sequence::kNone};

bool full_run() {
  const char* value = std::getenv("ANIMA_TEST_FULL");
  return value != nullptr && *value != '\0';
}

Status name_something(Space& space, const std::string& name) {
  return space
      .write(kOrigin,
             [&](Transaction& transaction) -> Status {
               return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
             })
      .map([](const Receipt&) {});
}

Status tell(Space& space, const std::string& key, const std::string& secret) {
  return space
      .write_sealed(kOrigin, key,
                    [&](Transaction& transaction) -> Status {
                      return transaction.upsert_concept(kEntityType, secret).map([](EntityId) {});
                    })
      .map([](const Receipt&) {});
}

bool has(Space& space, const std::string& name) {
  return space.snapshot().value().find_concept(kEntityType, name).has_value();
}

std::size_t erasures(const std::string& folder) {
  std::size_t count = 0;
  const auto log = open_log(folder);
  if (!log) return 0;
  EXPECT_TRUE((*log)->read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    count += entry.origin.source == "anima erase" ? 1 : 0;
    return {};
  }));
  return count;
}

// The child erases while it makes checkpoints, and is killed there.
[[noreturn]] void erase_until_killed(const std::string& folder, const std::string& key) {
  const auto space = open_space(folder, nullptr);
  if (space == nullptr) _exit(1);
  std::thread checkpoints([&] {
    while (space->checkpoint()) {
    }
  });
  std::thread writes([&] {
    for (int i = 0; name_something(*space, key + "/" + std::to_string(i)); ++i) {
    }
  });
  (void)space->erase(key);
  ::pause();
  _exit(2);
}

void expect_state(const std::string& folder, const std::string& secret, bool erased) {
  EXPECT_NE(has(*open_space(folder, nullptr, true), secret), erased);
  const auto space = open_space(folder, nullptr);
  ASSERT_NE(space, nullptr);
  EXPECT_NE(has(*space, secret), erased);
  if (erased) {
    EXPECT_EQ(files_with(folder, secret), std::vector<std::string>{});
  }
}

TEST(EraseKill, KilledAtAnyMomentOfAnErasureDuringCheckpoints) {
  const int kills = full_run() ? 1000 : 10;
  const TemporaryDirectory folder;
  const std::string path = folder.file("space");
  SeededRandom random(static_cast<std::uint64_t>(::getpid()));
  std::size_t done = 0;
  for (int run = 0; run < kills; ++run) {
    SCOPED_TRACE("kill " + std::to_string(run));
    const std::string key = "k" + std::to_string(run);
    const std::string secret = "nobody's business " + std::to_string(run) + ".";
    {
      const auto space = open_space(path, nullptr);
      ASSERT_TRUE(tell(*space, key, secret));
      if (run % 2 == 0) {
        ASSERT_TRUE(space->checkpoint());
      }
    }
    const std::size_t before = erasures(path);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) erase_until_killed(path, key);
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(120'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const bool erased = erasures(path) > before;
    done += erased ? 1 : 0;
    expect_state(path, secret, erased);
    if (!erased) {
      const auto space = open_space(path, nullptr);
      ASSERT_TRUE(space->erase(key));
      EXPECT_EQ(files_with(path, secret), std::vector<std::string>{});
    }
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("killed %d times, %zu behind the entry of the erasure\n", kills, done);
}

// The process ends before each change of a file that an erasure makes.
TEST(EraseKill, KilledBeforeEachStepOfAnErasure) {
  const TemporaryDirectory folder;
  for (int step = 0;; step += full_run() || step < 8 ? 1 : 13) {
    SCOPED_TRACE("step " + std::to_string(step));
    const std::string path = folder.file("space-" + std::to_string(step));
    const std::string secret = "nobody's business.";
    {
      const auto space = open_space(path, nullptr);
      ASSERT_TRUE(tell(*space, "k", secret));
      ASSERT_TRUE(space->checkpoint());
    }
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int left = -1;
      WatchedFiles files([&](std::string_view, const std::string&) -> Status {
        if (left == 0) ::kill(::getpid(), SIGKILL);
        if (left > 0) --left;
        return {};
      });
      const auto space = open_space(path, &files);
      left = step;
      _exit(space != nullptr && space->erase("k") ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(erasures(path), 1u);
    expect_state(path, secret, true);
    EXPECT_TRUE(system_files().list(join_path(path, "keys"))->empty());
    if (::testing::Test::HasFailure()) return;
    if (WIFEXITED(status)) {
      EXPECT_EQ(WEXITSTATUS(status), 0);
      return;
    }
    ASSERT_LT(step, 500);
  }
}

}  // namespace
}  // namespace anima::store::erase_kill_test
