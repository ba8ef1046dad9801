#include "base/files/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "support/fault_files.h"

namespace anima {
namespace {

TEST(Path, TakesApartAndPutsTogether) {
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("a", "/b"), "/b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(file_name("a/b.txt"), "b.txt");
  EXPECT_EQ(parent_path("a/b.txt"), "a");
  EXPECT_EQ(parent_path("b.txt"), ".");
  EXPECT_EQ(parent_path("/b"), "/");
  EXPECT_EQ(extension("x/b.tar.gz"), ".gz");
  EXPECT_EQ(extension("x.d/.hidden"), "");
}

TEST(File, ReadsAndWritesAtAnyPlace) {
  const TemporaryDirectory folder;
  const auto file = system_files().open(folder.file("f"), OpenMode::kCreate).value();
  ASSERT_TRUE(file->append("hello "));
  ASSERT_TRUE(file->append("world"));
  ASSERT_TRUE(file->write_at(0, "H"));
  EXPECT_EQ(file->size().value(), 11U);
  std::string bytes(20, '?');
  EXPECT_EQ(file->read_at(6, bytes.data(), 20).value(), 5U);
  EXPECT_EQ(bytes.substr(0, 5), "world");
  ASSERT_TRUE(file->truncate(5));
  ASSERT_TRUE(file->sync());
  ASSERT_TRUE(file->close());
  EXPECT_EQ(read_file(system_files(), folder.file("f")).value(), "Hello");
}

TEST(File, SaysWhyItCannotOpen) {
  const TemporaryDirectory folder;
  const auto code = [&](const std::string& path, OpenMode mode) {
    return system_files().open(path, mode).error().code;
  };
  EXPECT_EQ(code(folder.file("missing"), OpenMode::kRead), ErrorCode::kNotFound);
  EXPECT_EQ(code(folder.path(), OpenMode::kRead), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(replace_file(system_files(), folder.file("f"), ""));
  EXPECT_EQ(code(folder.file("f"), OpenMode::kExclusive), ErrorCode::kAlreadyExists);
  const Error error = system_files().open(folder.file("missing"), OpenMode::kRead).error();
  EXPECT_EQ(error.where, folder.file("missing"));
}

TEST(File, ReadsWhatHasNoSize) {
  EXPECT_FALSE(read_file(system_files(), "/proc/self/status")->empty());
  const TemporaryDirectory folder;
  const std::string big(300'000, 'x');
  ASSERT_TRUE(replace_file(system_files(), folder.file("big"), big));
  EXPECT_EQ(read_file(system_files(), folder.file("big")).value(), big);
  EXPECT_EQ(read_file(system_files(), folder.file("big"), 300'000).value(), big);
  EXPECT_EQ(read_file(system_files(), folder.file("big"), 299'999).error().code,
            ErrorCode::kLimitExceeded);
}

TEST(File, MapsItsBytes) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(replace_file(system_files(), folder.file("f"), "mapped"));
  EXPECT_EQ(system_files().map(folder.file("f")).value()->bytes(), "mapped");
  ASSERT_TRUE(replace_file(system_files(), folder.file("empty"), ""));
  EXPECT_EQ(system_files().map(folder.file("empty")).value()->bytes(), "");
  EXPECT_EQ(system_files().map(folder.file("none")).error().code, ErrorCode::kNotFound);
}

TEST(File, LocksExcludeEachOther) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("lock");
  auto held = system_files().lock(path, LockMode::kExclusive, false);
  ASSERT_TRUE(held);
  EXPECT_EQ(system_files().lock(path, LockMode::kShared, false).error().code, ErrorCode::kBusy);
  held->reset();
  const auto first = system_files().lock(path, LockMode::kShared, true);
  EXPECT_TRUE(system_files().lock(path, LockMode::kShared, false));
  EXPECT_FALSE(system_files().lock(path, LockMode::kExclusive, false));
}

TEST(File, EachByteOfAFileIsALock) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("lock");
  auto first = system_files().lock_byte(path, 0);
  ASSERT_TRUE(first) << first.error().describe();
  EXPECT_EQ(system_files().lock_byte(path, 0).error().code, ErrorCode::kBusy);
  const auto second = system_files().lock_byte(path, 1);
  EXPECT_TRUE(second);
  first->reset();
  EXPECT_TRUE(system_files().lock_byte(path, 0));
  EXPECT_EQ(system_files().lock_byte(path, 1).error().code, ErrorCode::kBusy);
  EXPECT_EQ(system_files().lock_byte(folder.file("none/lock"), 0).error().code,
            ErrorCode::kNotFound);
}

TEST(Directory, ListsMakesAndRemoves) {
  const TemporaryDirectory folder;
  FileSystem& files = system_files();
  ASSERT_TRUE(files.make_directories(folder.file("a/b/c")));
  ASSERT_TRUE(files.make_directories(folder.file("a/b/c")));
  ASSERT_TRUE(replace_file(files, folder.file("a/z"), "1"));
  ASSERT_EQ(symlink(folder.path().c_str(), folder.file("a/link").c_str()), 0);
  const auto entries = files.list(folder.file("a")).value();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].name, "b");
  EXPECT_EQ(entries[0].kind, FileInfo::Kind::kDirectory);
  EXPECT_EQ(entries[1].kind, FileInfo::Kind::kOther);
  EXPECT_EQ(entries[2].kind, FileInfo::Kind::kFile);
  EXPECT_FALSE(files.make_directories(folder.file("a/z/below")));
  ASSERT_TRUE(replace_file(files, folder.file("stays"), ""));
  ASSERT_TRUE(remove_tree(files, folder.file("a")));
  EXPECT_FALSE(file_exists(files, folder.file("a")));
  EXPECT_TRUE(file_exists(files, folder.file("stays")));
  EXPECT_TRUE(remove_tree(files, folder.file("a")));
}

TEST(ReplaceFile, KeepsSecretsSecret) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(replace_file(system_files(), folder.file("key"), "secret", 0600));
  EXPECT_EQ(system_files().info(folder.file("key"))->permissions, 0600U);
}

// The name of the file beside it is the process and a number: somebody could be there first.
TEST(ReplaceFile, WritesThroughNoLinkThatWasPlanted) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(replace_file(system_files(), folder.file("victim"), "precious"));
  for (int i = 0; i < 1000; ++i) {
    const std::string planted =
        folder.file("f.tmp-" + std::to_string(getpid()) + "-" + std::to_string(i));
    ASSERT_EQ(symlink("victim", planted.c_str()), 0);
  }
  ASSERT_TRUE(replace_file(system_files(), folder.file("f"), "new"));
  EXPECT_EQ(read_file(system_files(), folder.file("victim")).value(), "precious");
  EXPECT_EQ(read_file(system_files(), folder.file("f")).value(), "new");
}

TEST(ReplaceFile, LeavesTheOldBytesAtEveryFault) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("f");
  ASSERT_TRUE(replace_file(system_files(), path, "old"));
  FaultFiles files;
  ASSERT_TRUE(replace_file(files, path, "old"));
  const std::int64_t steps = files.operations();
  EXPECT_EQ(steps, 5);  // open, write, sync, rename, sync of the folder
  for (std::int64_t step = 0; step < steps; ++step) {
    files.fail_after(step, ErrorCode::kDiskFull);
    const Status status = replace_file(files, path, "new");
    EXPECT_EQ(status.error().code, ErrorCode::kDiskFull);
    files.heal();
    // Only the last step, after the rename, may leave the new bytes.
    EXPECT_EQ(read_file(files, path).value(), step + 1 < steps ? "old" : "new");
  }
}

TEST(OsError, NamesAFullDisk) {
  EXPECT_EQ(os_error(ENOSPC, "cannot write", "p").code, ErrorCode::kDiskFull);
  EXPECT_EQ(os_error(EIO, "cannot write", "p").code, ErrorCode::kIo);
  if (access("/dev/full", W_OK) == 0) {
    const auto full = system_files().open("/dev/full", OpenMode::kReadWrite).value();
    EXPECT_EQ(full->write_at(0, "x").error().code, ErrorCode::kDiskFull);
  }
}

}  // namespace
}  // namespace anima
