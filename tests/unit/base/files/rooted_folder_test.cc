// A folder that nothing leads out of, whatever is asked and whatever links lie in it.
#include "base/files/rooted_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace anima {
namespace {

class RootedFolderTest : public ::testing::Test {
 protected:
  RootedFolderTest() {
    EXPECT_TRUE(system_files().make_directories(outer_.file("root/sub")));
    EXPECT_TRUE(replace_file(system_files(), outer_.file("secret"), "secret"));
    EXPECT_TRUE(replace_file(system_files(), outer_.file("root/note"), "note"));
    EXPECT_EQ(symlink("../secret", outer_.file("root/up").c_str()), 0);
    EXPECT_EQ(symlink("/etc/passwd", outer_.file("root/absolute").c_str()), 0);
    EXPECT_EQ(symlink("..", outer_.file("root/parent").c_str()), 0);
    EXPECT_EQ(symlink("note", outer_.file("root/within").c_str()), 0);
    EXPECT_EQ(symlink("/proc/self/root", outer_.file("root/magic").c_str()), 0);
  }
  ErrorCode refusal(std::string_view path) {
    const auto read = folder_.read_all(path, 100);
    EXPECT_FALSE(read.has_value()) << path;
    return read ? ErrorCode::kInternal : read.error().code;
  }

  TemporaryDirectory outer_;
  RootedFolder folder_ =
      *RootedFolder::open(outer_.path() + (mkdir(outer_.file("root").c_str(), 0755), "/root"));
};

TEST_F(RootedFolderTest, ReadsWhatLiesInIt) {
  EXPECT_EQ(*folder_.read_all("note", 100), "note");
  EXPECT_EQ(*folder_.read_all("sub/../note", 100), "note");
  EXPECT_EQ(*folder_.read_all("within", 100), "note");
  EXPECT_EQ(*folder_.read_all(outer_.file("root/note"), 100), "note");
  EXPECT_EQ(folder_.read("note", 2)->bytes, "no");
  EXPECT_EQ(folder_.read("note", 2)->size, 4U);
  EXPECT_EQ(folder_.read_all("note", 3).error().code, ErrorCode::kLimitExceeded);
}

TEST_F(RootedFolderTest, NothingLeadsOut) {
  for (const char* path :
       {"../secret", "sub/../../secret", "up", "absolute", "parent/secret", "magic/etc/passwd",
        "/etc/passwd", "./../root/../secret", "sub/..%2f../secret", "%2E%2e/secret", "..%5Csecret",
        "missing/../../secret", "note/../../secret", "%252e%252e/secret", "%2fetc/passwd",
        "sub/%2e%2E/.%2e/secret"}) {
    EXPECT_EQ(refusal(path), ErrorCode::kDenied) << path;
  }
  EXPECT_EQ(refusal(outer_.file("root/../secret")), ErrorCode::kDenied);
  EXPECT_EQ(refusal(outer_.path() + "/rootless"), ErrorCode::kDenied);  // only its name begins so
  EXPECT_EQ(refusal(""), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal("missing"), ErrorCode::kNotFound);
  EXPECT_EQ(refusal("sub"), ErrorCode::kInvalidArgument);
}

TEST_F(RootedFolderTest, APercentSignCanBePartOfAName) {
  EXPECT_TRUE(folder_.write("report%202023%2Fdraft.csv", "draft"));
  EXPECT_EQ(*folder_.read_all("report%202023%2Fdraft.csv", 100), "draft");
  EXPECT_EQ(refusal("sub/..%2Fnote"), ErrorCode::kNotFound);
  EXPECT_TRUE(folder_.remove("report%202023%2Fdraft.csv"));
}

TEST_F(RootedFolderTest, WritesStayInside) {
  EXPECT_TRUE(folder_.write("a/b/c", "new"));
  EXPECT_EQ(*folder_.read_all("a/b/c", 100), "new");
  // The link is replaced, what it points to is not.
  EXPECT_TRUE(folder_.write("up", "mine"));
  EXPECT_EQ(*read_file(system_files(), outer_.file("secret")), "secret");
  EXPECT_EQ(*folder_.read_all("up", 100), "mine");
  for (const char* path :
       {"../made", "parent/made", "/tmp/made", "magic/tmp/made", "sub/..", "."}) {
    EXPECT_FALSE(folder_.write(path, "x").has_value()) << path;
  }
  EXPECT_FALSE(file_exists(system_files(), outer_.file("made")));
  EXPECT_EQ(folder_.remove("parent/secret").error().code, ErrorCode::kDenied);
  EXPECT_TRUE(folder_.remove("a/b/c"));
  EXPECT_EQ(folder_.remove("a/b/c").error().code, ErrorCode::kNotFound);
}

// By the place, not by the words: a link to it is another name of it.
TEST_F(RootedFolderTest, ClosedPlacesStayClosedBehindLinks) {
  constexpr ClosedName kClosed[] = {{"outbox", "what lies there is sent", "send it"}};
  ASSERT_TRUE(folder_.write("outbox/1", "one"));
  ASSERT_EQ(symlink("outbox", outer_.file("root/box").c_str()), 0);
  ASSERT_EQ(symlink("../outbox", outer_.file("root/sub/up").c_str()), 0);
  for (const char* path : {"outbox/2", "./outbox//2", "box/2", "sub/up/2", "box/new/2", "outbox",
                           "sub/outbox/2", "sub/up/../outbox/2"}) {
    const Status written = folder_.write(path, "x", kClosed);
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().code, ErrorCode::kDenied) << path;
  }
  EXPECT_EQ(folder_.list("outbox")->size(), 1U);
  EXPECT_TRUE(folder_.write("sub/my outbox/2", "x", kClosed));
  EXPECT_TRUE(folder_.write("box", "x", kClosed));  // the link itself is replaced
  EXPECT_EQ(folder_.list("outbox")->size(), 1U);
}

TEST_F(RootedFolderTest, PipesAndFoldersAreNoFiles) {
  ASSERT_EQ(mkfifo(outer_.file("root/pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal("pipe"), ErrorCode::kInvalidArgument);  // and does not wait for a writer
  const auto list = folder_.list(".");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->size(), 8U);
  EXPECT_EQ(folder_.list("parent").error().code, ErrorCode::kDenied);
}

}  // namespace
}  // namespace anima
