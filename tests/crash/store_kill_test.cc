// kill -9 at any moment, and two processes at once: what was acknowledged is there, each once;
// nothing is half there; the log verifies.
//
// ANIMA_TEST_FULL=1: 500 kills and 40,000 transactions; otherwise a few of each.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "base/random.h"
#include "store/archive.h"
#include "store/backup.h"
#include "store/space.h"
#include "store/verify/audit.h"
#include "support/needs.h"

namespace anima::store::store_kill_test {
namespace {

const Origin kOrigin{"tester", "kill", Trust::kStandard, Sequence::kNone};

bool full_run() {
  const char* value = std::getenv("ANIMA_TEST_FULL");
  return value != nullptr && *value != '\0';
}

std::shared_ptr<Space> open(const std::string& folder, std::uint64_t checkpoint_after) {
  SpaceOptions options;
  options.create = true;
  options.checkpoint_after_rows = checkpoint_after;
  const auto space = Space::open(folder, options);
  if (!space) {
    std::fprintf(stderr, "cannot open: %s\n", space.error().describe().c_str());
    return nullptr;
  }
  return *space;
}

Status write_pair(Space& space, const std::string& name) {
  ANIMA_TRY(space.write(kOrigin, [&](Transaction& transaction) -> Status {
    ANIMA_TRY(transaction.upsert_concept(kEntityType, name + "/a"));
    ANIMA_TRY(transaction.upsert_concept(kEntityType, name + "/b"));
    return {};
  }));
  return {};
}

bool has(const Snapshot& snapshot, const std::string& name) {
  return snapshot.find_concept(kEntityType, name).has_value();
}

// The child: threads that write and say what was acknowledged; one of them makes checkpoints.
[[noreturn]] void write_until_killed(const std::string& folder, int pipe, int run) {
  const auto space = open(folder, 100);
  if (space == nullptr) _exit(1);
  const auto work = [&](int thread) {
    for (int i = 0;; ++i) {
      const std::string name =
          std::to_string(run) + "/" + std::to_string(thread) + "/" + std::to_string(i);
      if (!write_pair(*space, name)) _exit(2);
      const std::string line = name + "\n";
      if (::write(pipe, line.data(), line.size()) < 0) _exit(3);
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) threads.emplace_back(work, thread);
  if (run % 3 == 0) {
    while (space->checkpoint()) {
    }
    _exit(4);
  }
  work(3);
  _exit(5);
}

// Reads lines from the pipe until the time is up, then kills the child; gives the whole lines.
std::vector<std::string> kill_after(int pipe, pid_t child, std::int64_t microseconds) {
  std::string text;
  char buffer[65536];
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  bool killed = false;
  while (true) {
    if (!killed && std::chrono::steady_clock::now() >= end) {
      ::kill(child, SIGKILL);
      killed = true;
    }
    pollfd ready{pipe, POLLIN, 0};
    if (::poll(&ready, 1, killed ? -1 : 1) <= 0) continue;
    const ssize_t size = ::read(pipe, buffer, sizeof buffer);
    if (size <= 0) break;
    text.append(buffer, static_cast<std::size_t>(size));
  }
  std::vector<std::string> lines;
  for (std::size_t at = 0, next; (next = text.find('\n', at)) != std::string::npos; at = next + 1) {
    lines.push_back(text.substr(at, next - at));
  }
  return lines;
}

// Every entity is one half of a pair whose other half is there.
void expect_no_halves(const Snapshot& snapshot) {
  Pattern pattern;
  pattern.predicate = kTypePredicate;
  pattern.object = Term::entity(kEntityType);
  pattern.predicate_class = PredicateClass::kStructural;
  Cursor cursor = snapshot.scan(pattern);
  Triple rows[256];
  while (const std::size_t count = cursor.next(rows)) {
    for (std::size_t i = 0; i < count; ++i) {
      std::string name(snapshot.name(rows[i].subject));
      if (name.size() < 2 || name[name.size() - 2] != '/') continue;
      name.back() = name.back() == 'a' ? 'b' : 'a';
      EXPECT_TRUE(has(snapshot, name)) << "half a transaction: " << name;
    }
  }
}

TEST(Kill, AcknowledgedTransactionsSurviveAnyMoment) {
  const int kills = full_run() ? 500 : 12;
  const TemporaryDirectory folder;
  SeededRandom random(static_cast<std::uint64_t>(::getpid()));
  std::vector<std::string> acknowledged;
  for (int run = 0; run < kills; ++run) {
    SCOPED_TRACE("kill " + std::to_string(run));
    int pipe[2];
    ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(pipe[0]);
      write_until_killed(folder.file("space"), pipe[1], run);
    }
    ::close(pipe[1]);
    // Most kills hit the writing, some the opening.
    const auto lines = kill_after(
        pipe[0], child, static_cast<std::int64_t>(random.below(run % 5 == 0 ? 8'000 : 80'000)));
    ::close(pipe[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);
    acknowledged.insert(acknowledged.end(), lines.begin(), lines.end());

    const auto space = open(folder.file("space"), 0);
    ASSERT_NE(space, nullptr);
    const Snapshot snapshot = space->snapshot().value();
    for (const std::string& name : lines) {
      ASSERT_TRUE(has(snapshot, name + "/a") && has(snapshot, name + "/b")) << "lost " << name;
    }
    const auto report = verify_log(space->log());
    ASSERT_TRUE(report) << report.error().describe();
    if (run % 20 == 0 || run + 1 == kills) expect_no_halves(snapshot);
  }
  const auto space = open(folder.file("space"), 0);
  for (const std::string& name : acknowledged) {
    EXPECT_TRUE(has(space->snapshot().value(), name + "/a")) << "lost " << name;
  }
  std::printf("%d kills, %zu acknowledged transactions, %llu entries\n", kills, acknowledged.size(),
              static_cast<unsigned long long>(space->stats().entries));
  EXPECT_FALSE(acknowledged.empty());
}

// Killed while payloads go to an archive or come back: the log verifies, a file under the archive's
// name is complete, and restoring it brings back the very bytes.
TEST(Kill, ArchivingLosesNothing) {
  const int kills = full_run() ? 150 : 8;
  constexpr int kEntries = 120;
  const TemporaryDirectory folder;
  const std::string path = folder.file("space");
  const std::string archive = folder.file("archive");
  const auto entries = [&] {
    std::vector<std::string> found;
    const auto log = open_log(path);
    EXPECT_TRUE(log);
    if (!log) return found;
    EXPECT_TRUE((*log)->read(Sequence{1}, [&](const LogEntry& entry) -> Status {
      if (found.size() < kEntries) found.push_back(entry_to_json(entry).dump());
      return {};
    }));
    return found;
  };
  {
    const auto space = open(path, 0);
    ASSERT_NE(space, nullptr);
    for (int i = 0; i < kEntries; ++i) ASSERT_TRUE(write_pair(*space, "kept/" + std::to_string(i)));
  }
  const std::vector<std::string> whole = entries();
  SeededRandom random(static_cast<std::uint64_t>(::getpid()));
  int moved = 0;
  for (int run = 0; run < kills; ++run) {
    SCOPED_TRACE("kill " + std::to_string(run));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto space = open(path, 0);
      if (space == nullptr) _exit(1);
      while (true) {
        if (!archive_entries(*space, Sequence{kEntries}, archive, system_files())) _exit(2);
        if (!restore_archive(path, archive, system_files())) _exit(3);
        if (!system_files().remove(archive)) _exit(4);
      }
    }
    ::usleep(static_cast<useconds_t>(5'000 + random.below(120'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);

    const bool archived = has_archived_payloads(*schema_version(path));
    if (file_exists(system_files(), archive)) {
      const auto verified = verify_archive(path, archive, system_files());
      ASSERT_TRUE(verified) << verified.error().describe();
    } else {
      ASSERT_FALSE(archived) << "payloads are nowhere";
    }
    {
      const auto space = open(path, 0);
      ASSERT_NE(space, nullptr);
      const auto report = verify_log(space->log());
      ASSERT_TRUE(report) << report.error().describe();
      EXPECT_TRUE(has(space->snapshot().value(), "kept/7/a"));
    }
    if (archived) {
      ++moved;
      const auto restored = restore_archive(path, archive, system_files());
      ASSERT_TRUE(restored) << restored.error().describe();
    }
    ASSERT_EQ(entries(), whole);
    (void)system_files().remove(archive);
  }
  std::printf("%d kills, %d of them with payloads in the archive\n", kills, moved);
}

// --- two processes ------------------------------------------------------------------------------

constexpr int kThreads = 20;

[[noreturn]] void write_many(const std::string& folder, int process, int each) {
  const auto space = open(folder, 5000);
  if (space == nullptr) _exit(1);
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < each; ++i) {
        const std::string name =
            std::to_string(process) + "/" + std::to_string(thread) + "/" + std::to_string(i);
        if (!write_pair(*space, name) || !has(space->snapshot().value(), name + "/b")) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(failed == 0 ? 0 : 2);
}

TEST(TwoProcesses, WriteWithTwentyThreadsEach) {
  const int each = full_run() ? 1000 : 50;
  const TemporaryDirectory folder;
  ASSERT_NE(open(folder.file("space"), 0), nullptr);
  pid_t children[2];
  for (int process = 0; process < 2; ++process) {
    children[process] = ::fork();
    ASSERT_GE(children[process], 0);
    if (children[process] == 0) write_many(folder.file("space"), process, each);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  const auto space = open(folder.file("space"), 0);
  const Snapshot snapshot = space->snapshot().value();
  const std::uint64_t transactions = 2ull * kThreads * static_cast<std::uint64_t>(each);
  EXPECT_EQ(space->stats().entries, 1 + transactions);
  std::set<EntityId> seen;
  for (int process = 0; process < 2; ++process) {
    for (int thread = 0; thread < kThreads; ++thread) {
      for (int i = 0; i < each; ++i) {
        const std::string name =
            std::to_string(process) + "/" + std::to_string(thread) + "/" + std::to_string(i);
        for (const char* side : {"/a", "/b"}) {
          const auto entity = snapshot.find_concept(kEntityType, name + side);
          ASSERT_TRUE(entity) << "lost " << name;
          EXPECT_TRUE(seen.insert(*entity).second) << "twice " << name;
        }
      }
    }
  }
  EXPECT_TRUE(verify_log(space->log()));
}

TEST(TwoProcesses, AnOpenSpaceSeesWhatShortLivedWritersCommit) {
  const TemporaryDirectory folder;
  const auto space = open(folder.file("space"), 0);
  for (int run = 0; run < 10; ++run) {
    const std::string name = "short" + std::to_string(run);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto mine = open(folder.file("space"), 0);
      _exit(mine != nullptr && write_pair(*mine, name) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    EXPECT_TRUE(has(space->snapshot().value(), name + "/b"));
  }
}

// --- a disk that is small, or read-only

class Mounted {
 public:
  Mounted(const std::string& path, const char* options) : path_(path) {
    (void)system_files().make_directories(path);
    good_ = ::mount("tmpfs", path.c_str(), "tmpfs", 0, options) == 0;
  }
  ~Mounted() {
    if (good_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;
  bool good() const { return good_; }
  bool make_read_only() {
    return ::mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }

 private:
  std::string path_;
  bool good_ = false;
};

TEST(SmallDisk, FillsUpAndIsFreedAgain) {
  const TemporaryDirectory folder;
  const Mounted disk(folder.file("disk"), "size=3m");
  ANIMA_NEEDS(test::kMounts, disk.good());
  const std::string place = folder.file("disk/space");
  const auto space = open(place, 0);
  ASSERT_NE(space, nullptr);
  const std::string ballast = folder.file("disk/ballast");
  ASSERT_TRUE(replace_file(system_files(), ballast, std::string(1 << 20, 'x')));
  int written = 0;
  Status status;
  while ((status = write_pair(*space, "n" + std::to_string(written)))) ++written;
  EXPECT_EQ(status.error().code, ErrorCode::kDiskFull) << status.error().describe();
  EXPECT_FALSE(has(space->snapshot().value(), "n" + std::to_string(written) + "/a"));
  EXPECT_FALSE(space->checkpoint());
  ASSERT_TRUE(system_files().remove(ballast));
  ASSERT_TRUE(write_pair(*space, "afterwards"));
  const auto again = open(place, 0);
  EXPECT_TRUE(has(again->snapshot().value(), "afterwards/b"));
  EXPECT_TRUE(has(again->snapshot().value(), "n" + std::to_string(written - 1) + "/b"));
  EXPECT_TRUE(verify_log(again->log()));
}

TEST(ReadOnlyDisk, CanBeReadAndSaysWhyItCannotBeWritten) {
  const TemporaryDirectory folder;
  Mounted disk(folder.file("disk"), "size=8m");
  ANIMA_NEEDS(test::kMounts, disk.good());
  const std::string place = folder.file("disk/space");
  {
    const auto space = open(place, 0);
    ASSERT_TRUE(write_pair(*space, "kept"));
    ASSERT_TRUE(space->checkpoint());
    ASSERT_TRUE(write_pair(*space, "tail"));
  }
  ASSERT_TRUE(disk.make_read_only());
  SpaceOptions options;
  options.read_only = true;
  const auto space = Space::open(place, options);
  ASSERT_TRUE(space) << space.error().describe();
  EXPECT_TRUE(has((*space)->snapshot().value(), "kept/a"));
  EXPECT_TRUE(has((*space)->snapshot().value(), "tail/b"));
  const auto writable = Space::open(place);
  ASSERT_FALSE(writable);
  EXPECT_EQ(writable.error().code, ErrorCode::kIo) << writable.error().describe();
}

}  // namespace
}  // namespace anima::store::store_kill_test
