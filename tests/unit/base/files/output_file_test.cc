// Files that a user named: what is no regular file is written into, and never replaced.
#include "base/files/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file_owner.h"
#include "support/fault_files.h"
#include "support/needs.h"

namespace anima {
namespace {

mode_t kind_of(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 ? status.st_mode & S_IFMT : 0;
}

std::size_t names_in(const TemporaryDirectory& folder) {
  return system_files().list(folder.path())->size();
}

TEST(OutputFile, ALinkToADeviceStaysALink) {
  const TemporaryDirectory folder;
  const std::string link = folder.file("null");
  ASSERT_EQ(::symlink("/dev/null", link.c_str()), 0);
  EXPECT_TRUE(write_output(system_files(), link, "something"));
  EXPECT_EQ(kind_of(link), mode_t{S_IFLNK});
  EXPECT_EQ(names_in(folder), 1u);
}

TEST(OutputFile, ADeviceStaysADevice) {
  const TemporaryDirectory folder;
  const std::string device = folder.file("null");
  ANIMA_NEEDS(test::kDevices, ::mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0);
  EXPECT_EQ(check_replaceable(device).error().code, ErrorCode::kInvalidArgument);
  const Status written = write_output(system_files(), device, "something");
  EXPECT_EQ(kind_of(device), mode_t{S_IFCHR}) << "it may refuse to be written, as on a nodev disk";
  EXPECT_EQ(names_in(folder), 1u);
}

// Nobody named our own files: what somebody put in the place of one goes.
TEST(OutputFile, AFileOfOurOwnTakesThePlaceOfAPipe) {
  const TemporaryDirectory folder;
  const std::string place = folder.file("index");
  ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
  ASSERT_TRUE(replace_file(system_files(), place, "something"));
  EXPECT_EQ(kind_of(place), mode_t{S_IFREG});
  EXPECT_EQ(read_file(system_files(), place).value(), "something");
}

TEST(OutputFile, APipeIsWrittenToItsReader) {
  const TemporaryDirectory folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] {
    std::ifstream in(pipe);
    got.assign(std::istreambuf_iterator<char>(in), {});
  });
  const std::string text(300'000, 'x');
  EXPECT_TRUE(write_output(system_files(), pipe, text));
  reader.join();
  EXPECT_EQ(got, text);
  EXPECT_EQ(kind_of(pipe), mode_t{S_IFIFO});
}

TEST(OutputFile, ALinkToAFileWritesTheFile) {
  const TemporaryDirectory folder;
  const std::string file = folder.file("file");
  const std::string link = folder.file("link");
  ASSERT_EQ(::symlink("file", link.c_str()), 0);
  for (const std::string& text : {std::string("a longer text"), std::string("short")}) {
    ASSERT_TRUE(write_output(system_files(), link, text));
    EXPECT_EQ(kind_of(link), mode_t{S_IFLNK});
    EXPECT_EQ(*read_file(system_files(), file), text);
  }
}

TEST(OutputFile, ALinkOfSomebodyElsesIsNotFollowed) {
  ANIMA_NEEDS(test::kRoot, ::geteuid() == 0);
  const TemporaryDirectory folder;
  const std::string file = folder.file("file");
  const std::string link = folder.file("link");
  ASSERT_TRUE(replace_file(system_files(), file, "mine"));
  ASSERT_EQ(::symlink("file", link.c_str()), 0);
  ASSERT_EQ(::lchown(link.c_str(), 65534, 65534), 0);
  EXPECT_EQ(write_output(system_files(), link, "x").error().code, ErrorCode::kDenied);
  EXPECT_EQ(*read_file(system_files(), file), "mine");
}

TEST(OutputFile, ARegularFileIsReplacedWholeOrNotAtAll) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("file");
  ASSERT_TRUE(replace_file(system_files(), path, "old", 0644));
  {
    const auto output = OutputFile::open(system_files(), path);
    ASSERT_TRUE(output);
    ASSERT_TRUE((*output)->append("half"));
    EXPECT_EQ(*read_file(system_files(), path), "old");
  }
  EXPECT_EQ(*read_file(system_files(), path), "old");
  EXPECT_EQ(names_in(folder), 1u);
  for (std::int64_t step = 0;; ++step) {
    FaultFiles files;
    files.fail_after(step, ErrorCode::kDiskFull);
    const bool done = write_output(files, path, "new").has_value();
    if (done) break;
    files.heal();
    const std::string now = *read_file(system_files(), path);
    EXPECT_TRUE(now == "old" || now == "new") << now;
    ASSERT_LT(step, 20);
  }
  EXPECT_EQ(*read_file(system_files(), path), "new");
  EXPECT_EQ(write_output(system_files(), folder.path(), "x").error().code,
            ErrorCode::kInvalidArgument);
}

TEST(OutputRights, WhatIsWrittenOutIsForItsOwner) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("file");
  ASSERT_TRUE(replace_file(system_files(), path, "old", 0644));
  ASSERT_TRUE(write_output(system_files(), path, "new"));
  EXPECT_EQ(system_files().info(path)->permissions, 0600u);
}

TEST(OutputDrafts, DraftsOfProcessesThatAreNoMoreAreRemoved) {
  const TemporaryDirectory folder;
  const pid_t gone = ::fork();
  if (gone == 0) _exit(0);
  int status = 0;
  ASSERT_EQ(::waitpid(gone, &status, 0), gone);
  const std::string dead = std::to_string(gone);
  const std::string alive = std::to_string(::getpid());
  for (const std::string& name :
       {"a.tmp-" + dead + "-0", "a.tmp-" + alive + "-0", "b.tmp-" + dead + "-o1",
        std::string("a.tmp-"), std::string("a.tmp-x-1"), std::string("plain")}) {
    ASSERT_TRUE(replace_file(system_files(), folder.file(name), "x"));
  }
  ASSERT_TRUE(system_files().make_directories(folder.file("d.tmp-" + dead + "-00.part/inside")));
  remove_dead_drafts(system_files(), folder.path(), "a");
  EXPECT_EQ(names_in(folder), 6u);
  remove_dead_drafts(system_files(), folder.path());
  std::vector<std::string> left;
  const auto entries = system_files().list(folder.path());
  ASSERT_TRUE(entries);
  for (const DirectoryEntry& entry : *entries) left.push_back(entry.name);
  EXPECT_EQ(left,
            (std::vector<std::string>{"a.tmp-", "a.tmp-" + alive + "-0", "a.tmp-x-1", "plain"}));
}

// The room is had before, and what is written is nothing else.
TEST(OutputFile, RoomThatWasReservedIsLeftWithoutATrace) {
  const TemporaryDirectory folder;
  FaultFiles files;
  const std::string path = folder.file("file"), text(3000, 'x');
  for (const std::uint64_t room : {std::uint64_t{100}, std::uint64_t{5} << 20}) {
    auto output = OutputFile::open(files, path);
    ASSERT_TRUE(output);
    ASSERT_TRUE((*output)->reserve(room));
    ASSERT_TRUE((*output)->append(text.substr(0, 1000)));
    ASSERT_TRUE((*output)->append(text.substr(1000)));
    ASSERT_TRUE((*output)->commit());
    EXPECT_EQ(read_file(system_files(), path).value(), text) << room;
  }
  auto output = OutputFile::open(files, path);
  ASSERT_TRUE(output);
  files.fail_after(2, ErrorCode::kDiskFull);
  EXPECT_EQ((*output)->reserve(std::uint64_t{5} << 20).error().code, ErrorCode::kDiskFull);
  files.heal();
  output->reset();
  EXPECT_EQ(read_file(system_files(), path).value(), text);
  EXPECT_EQ(names_in(folder), 1u);
}

TEST(OutputOwner, WhatRootMakesInAFolderBelongsToItsOwner) {
  ANIMA_NEEDS(test::kRoot, ::geteuid() == 0);
  const TemporaryDirectory folder;
  const std::string mine = folder.file("mine");
  ASSERT_TRUE(system_files().make_directories(mine, 0700));
  ASSERT_TRUE(replace_file(system_files(), join_path(mine, "before"), "x", 0600));
  ASSERT_EQ(::chown(mine.c_str(), 65534, 65534), 0);
  follow_owner(mine);
  ASSERT_TRUE(replace_file(system_files(), join_path(mine, "file"), "x", 0600));
  ASSERT_TRUE(system_files().make_directories(join_path(mine, "keys"), 0700));
  ASSERT_TRUE(replace_file(system_files(), join_path(mine, "keys/key"), "x", 0600));
  ASSERT_TRUE(system_files().lock(join_path(mine, "lock"), LockMode::kExclusive, false));
  ASSERT_TRUE(replace_file(system_files(), folder.file("other"), "x"));
  for (const char* name : {"before", "file", "keys", "keys/key", "lock"}) {
    struct stat status {};
    ASSERT_EQ(::lstat(join_path(mine, name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_uid, 65534u) << name;
  }
  struct stat status {};
  ASSERT_EQ(::lstat(folder.file("other").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0u);
}

}  // namespace
}  // namespace anima
