// What killed processes leave, folders of other users, read-only disks.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "store/archive.h"
#include "store/backup.h"
#include "store/space.h"
#include "support/needs.h"
#include "support/small_space.h"
#include "support/watched_files.h"

namespace anima::store::tidy_test {
namespace {

using test::open_space;

const Origin kOrigin{"tester", "tidy", Trust::kStandard, Sequence::kNone};

void write(Space& space, const std::string& name, const std::string& key = {}) {
  const auto change = [&](Transaction& transaction) -> Status {
    return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
  };
  const auto receipt =
      key.empty() ? space.write(kOrigin, change) : space.write_sealed(kOrigin, key, change);
  ASSERT_TRUE(receipt) << receipt.error().describe();
}

bool has(Space& space, const std::string& name) {
  return space.snapshot().value().find_concept(kEntityType, name).has_value();
}

// Runs `work` in a child that is killed before the n-th change of a file; false: it came to its
// end.
template <typename Work>
bool killed_at(int step, const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int left = step;
    WatchedFiles files([&left](std::string_view, const std::string&) -> Status {
      if (left-- == 0) ::kill(::getpid(), SIGKILL);
      return {};
    });
    work(files);
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status);
}

std::vector<std::string> leftovers(const std::string& folder) {
  std::vector<std::string> found;
  const auto entries = system_files().list(folder);
  if (!entries) return found;
  for (const DirectoryEntry& entry : *entries) {
    const std::string_view name = entry.name;
    if (name.find(".tmp-") != name.npos || name.ends_with(".new") || name.ends_with(".part"))
      found.push_back(join_path(folder, name));
  }
  return found;
}

TEST(Tidy, WhatAKilledWriterLeftIsRemovedByTheNext) {
  for (int step = 0;; step += step < 12 ? 1 : 11) {
    SCOPED_TRACE(step);
    const TemporaryDirectory folder;
    const std::string path = folder.file("space");
    write(*open_space(path), "First");
    const bool killed = killed_at(step, [&](FileSystem& files) {
      const auto space = open_space(path, &files);
      write(*space, "Second", "k");
      (void)space->checkpoint();
    });
    { EXPECT_TRUE(has(*open_space(path), "First")); }
    EXPECT_EQ(leftovers(path), std::vector<std::string>{});
    EXPECT_EQ(leftovers(join_path(path, "keys")), std::vector<std::string>{});
    if (!killed) return;
    ASSERT_LT(step, 500);
  }
}

TEST(Tidy, WhatAKilledBackupLeftIsRemovedByTheNext) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("space");
  write(*open_space(path), "First");
  SystemClock clock;
  for (int step = 0;; ++step) {
    SCOPED_TRACE(step);
    const bool killed = killed_at(step, [&](FileSystem& files) {
      const auto space = open_space(path, nullptr, true);
      (void)backup_space(*space, folder.file("b"), clock, files, {.overwrite = true});
    });
    if (!killed) break;
    ASSERT_LT(step, 100);
  }
  ASSERT_TRUE(backup_space(*open_space(path), folder.file("b"), clock, system_files(),
                           {.overwrite = true}));
  EXPECT_EQ(leftovers(folder.path()), std::vector<std::string>{});
}

TEST(BackupTarget, ABackupReplacesNoDevice) {
  const TemporaryDirectory folder;
  const auto space = open_space(folder.file("space"));
  const std::string link = folder.file("null");
  ASSERT_EQ(::symlink("/dev/null", link.c_str()), 0);
  SystemClock clock;
  EXPECT_FALSE(backup_space(*space, link, clock, system_files(), {.overwrite = true}));
  EXPECT_FALSE(archive_entries(*space, Sequence{1}, link, system_files()));
  struct stat status {};
  ASSERT_EQ(::lstat(link.c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
}

TEST(ArchiveRights, AnArchiveIsForItsOwner) {
  const TemporaryDirectory folder;
  const auto space = open_space(folder.file("space"));
  write(*space, "First");
  write(*space, "Second");
  const std::string file = folder.file("archive");
  const auto made = archive_entries(*space, Sequence{2}, file, system_files());
  ASSERT_TRUE(made) << made.error().describe();
  EXPECT_EQ(system_files().info(file)->permissions, 0600u);
}

TEST(OwnerKeepsRights, RootDoesNotLockTheOwnerOut) {
  ANIMA_NEEDS(test::kRoot, ::geteuid() == 0);
  const TemporaryDirectory folder;
  const std::string path = folder.file("space");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_TRUE(system_files().make_directories(path, 0700));
  ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
  const auto as_owner = [&](const std::string& name) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setgid(65534) != 0 || ::setuid(65534) != 0) _exit(9);
      const auto space = open_space(path);
      if (space == nullptr) _exit(1);
      write(*space, name, "k");
      _exit(has(*space, name) && space->checkpoint() ? 0 : 2);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << name;
  };
  for (int round = 0; round < 2; ++round) {
    const std::string number = std::to_string(round);
    {
      const auto space = open_space(path);
      write(*space, "of root " + number, "k");
      ASSERT_TRUE(space->checkpoint());
      write(*space, "of root again " + number, "l");
    }
    as_owner("of the owner " + number);
    // Reading, too, can make files.
    EXPECT_TRUE(has(*open_space(path, nullptr, true), "of the owner " + number));
    as_owner("of the owner again " + number);
  }
}

// A small disk, as long as it lives.
struct Disk {
  TemporaryDirectory folder;
  std::string path = folder.file("disk");
  bool mounted = system_files().make_directories(path) &&
                 ::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=8m") == 0;
  Disk() = default;
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  ~Disk() {
    if (mounted) ::umount2(path.c_str(), MNT_DETACH);
  }
  int remount(unsigned long flags) const {
    return ::mount("tmpfs", path.c_str(), "tmpfs", MS_REMOUNT | flags, nullptr);
  }
};

// A space whose newest entry is in the write-ahead file of a process that was killed.
bool leave_by_a_kill(const std::string& path) {
  write(*open_space(path), "First");
  const pid_t child = ::fork();
  if (child == 0) {
    const auto space = open_space(path);
    write(*space, "Second", "k");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child;
}

// The log's newest entries are in the write-ahead file of a process that was killed.
TEST(Tidy, AReadOnlyDiskWithTheTraceOfAKillCanBeRead) {
  const Disk disk;
  ANIMA_NEEDS(test::kMounts, disk.mounted);
  const std::string path = join_path(disk.path, "space");
  ASSERT_TRUE(leave_by_a_kill(path));
  ASSERT_EQ(disk.remount(MS_RDONLY), 0);
  const auto space = open_space(path, nullptr, true);
  ASSERT_NE(space, nullptr);
  EXPECT_TRUE(has(*space, "First"));
  EXPECT_TRUE(has(*space, "Second"));
  EXPECT_FALSE(space->write(kOrigin, [](Transaction&) { return Status(); }));
}

// As above, of a folder that was copied, or lost its helper file: the entries are in the WAL alone.
TEST(Tidy, AReadOnlyDiskWithTheTraceOfAKillCanBeReadWithoutTheIndexOfIt) {
  const Disk disk;
  ANIMA_NEEDS(test::kMounts, disk.mounted);
  const std::string path = join_path(disk.path, "space");
  ASSERT_TRUE(leave_by_a_kill(path));
  ASSERT_TRUE(system_files().remove(join_path(path, "log.db-shm")));
  ASSERT_GT(system_files().info(join_path(path, "log.db-wal")).value().size, 0u);
  ASSERT_EQ(disk.remount(MS_RDONLY), 0);
  {
    const auto space = open_space(path, nullptr, true);
    ASSERT_NE(space, nullptr);
    EXPECT_TRUE(has(*space, "First"));
    EXPECT_TRUE(has(*space, "Second"));
    EXPECT_FALSE(space->write(kOrigin, [](Transaction&) { return Status(); }));
    // What is written meanwhile from where the disk is writable is not followed, and not silent.
    ASSERT_EQ(disk.remount(0), 0);
    write(*open_space(path), "Third");
    const auto read = space->log().entry(Sequence{1});
    EXPECT_TRUE(read || read.error().code == ErrorCode::kBusy) << read.error().describe();
  }
  EXPECT_TRUE(has(*open_space(path), "Third"));
  EXPECT_TRUE(has(*open_space(path), "Second"));
}

}  // namespace
}  // namespace anima::store::tidy_test
