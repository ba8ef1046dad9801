// Whether rule files are still those that were read: real files, changed in every way there is.
#include "govern/rules/rule_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace anima::govern::rule_files_test {
namespace {

constexpr std::int64_t kLongMicroseconds = 10'000'000;

class RuleFilesTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(system_files().make_directories(folder_)); }
  // As `>` of a shell does: into the file that is there.
  void write(const std::string& name, std::string_view text) const {
    const auto file = system_files().open(join_path(folder_, name), OpenMode::kTruncate);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->append(text));
  }
  bool changed() {
    const auto result = files_.changed();
    EXPECT_TRUE(result) << result.error().describe();
    return result && *result;
  }
  std::string all() const {
    std::string texts;
    for (const PolicySource& source : files_.rules()) texts += source.text + "|";
    return texts;
  }
  // Until a look at the files costs no reading.
  void settle() {
    clock_.advance(kLongMicroseconds);
    EXPECT_FALSE(changed());
  }

  TemporaryDirectory place_{"anima-rules"};
  std::string folder_ = place_.file("policy");
  ManualClock clock_;
  RuleFiles files_{system_files(), clock_, {folder_, place_.file("none")}};
};

TEST_F(RuleFilesTest, WhatIsMadeWrittenRenamedAndRemovedIsNoticed) {
  EXPECT_TRUE(changed());
  EXPECT_FALSE(changed());
  settle();
  write("b.mg", "two");
  EXPECT_TRUE(changed());
  settle();
  write("a.mg", "one");
  write("notes.txt", "no rules");
  EXPECT_TRUE(changed());
  EXPECT_EQ(all(), "one|two|");
  settle();
  ASSERT_TRUE(replace_file(system_files(), join_path(folder_, "a.mg"), "new"));
  EXPECT_TRUE(changed());
  EXPECT_EQ(all(), "new|two|");
  settle();
  ASSERT_TRUE(system_files().rename(join_path(folder_, "b.mg"), join_path(folder_, "b.off")));
  EXPECT_TRUE(changed());
  EXPECT_EQ(all(), "new|");
  settle();
  ASSERT_TRUE(remove_tree(system_files(), folder_));
  EXPECT_TRUE(changed());
  EXPECT_EQ(all(), "");
}

TEST_F(RuleFilesTest, AFolderThatComesLaterIsNoticed) {
  EXPECT_TRUE(changed());
  settle();
  ASSERT_TRUE(system_files().make_directories(place_.file("none")));
  EXPECT_FALSE(changed());  // nothing is in it
  settle();
  ASSERT_TRUE(replace_file(system_files(), place_.file("none/x.mg"), "x"));
  EXPECT_TRUE(changed());
}

// The clock of the file system does not tell these apart.
TEST_F(RuleFilesTest, WritesOfTheSameLengthAtTheSameMomentAreNoticed) {
  write("a.mg", "0");
  EXPECT_TRUE(changed());
  for (int i = 1; i < 500; ++i) {
    write("a.mg", i % 2 == 0 ? "0" : "1");
    ASSERT_TRUE(changed()) << i;
  }
}

TEST_F(RuleFilesTest, ATimeThatIsSetBackHidesNothing) {
  write("a.mg", "one");
  const std::string path = join_path(folder_, "a.mg");
  struct stat before {};
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  EXPECT_TRUE(changed());
  settle();
  ::usleep(20'000);  // of the file system's clock
  write("a.mg", "two");
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_TRUE(changed());
  EXPECT_EQ(all(), "two|");
}

TEST_F(RuleFilesTest, WhatASymbolicLinkLeadsToIsFollowed) {
  ASSERT_TRUE(replace_file(system_files(), place_.file("kept.mg"), "one"));
  ASSERT_EQ(::symlink(place_.file("kept.mg").c_str(), join_path(folder_, "a.mg").c_str()), 0);
  EXPECT_TRUE(changed());
  settle();
  ASSERT_TRUE(replace_file(system_files(), place_.file("kept.mg"), "two"));
  EXPECT_TRUE(changed());
  EXPECT_EQ(all(), "two|");
}

TEST_F(RuleFilesTest, WhatCannotBeReadIsAnErrorUntilItCan) {
  write("a.mg", "one");
  EXPECT_TRUE(changed());
  settle();
  ASSERT_TRUE(system_files().make_directories(join_path(folder_, "b.mg")));
  EXPECT_FALSE(files_.changed());
  EXPECT_FALSE(files_.changed());
  ASSERT_TRUE(system_files().remove(join_path(folder_, "b.mg")));
  EXPECT_TRUE(changed());
  EXPECT_EQ(all(), "one|");
}

TEST_F(RuleFilesTest, WhatWasOfNoUseIsToldAgain) {
  EXPECT_TRUE(changed());
  files_.forget();
  EXPECT_TRUE(changed());
  EXPECT_FALSE(changed());
}

}  // namespace
}  // namespace anima::govern::rule_files_test
