// Outputs over the files of a space, and over what a command reads, are refused.
#include "base/files/output_place.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/files/output_file.h"

namespace anima {
namespace {

class OutputPlace : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(system_files().make_directories(at("space/work/deep")));
    put("space/log.head", "anihead1........");
    put("space/config.toml", "# mine\n");
  }
  std::string at(std::string_view path) const { return folder_.file(path); }
  void put(std::string_view path, std::string_view bytes) const {
    ASSERT_TRUE(replace_file(system_files(), at(path), bytes));
  }
  void link(const std::string& to, std::string_view path) const {
    ASSERT_EQ(::symlink(to.c_str(), at(path).c_str()), 0);
  }
  bool refused(const std::string& path) const {
    const Status place = check_output_place(path);
    const bool by_all = !write_output(system_files(), path, "over it") && !check_replaceable(path);
    EXPECT_EQ(by_all, !place) << path;
    if (!place) {
      EXPECT_EQ(place.error().code, ErrorCode::kInvalidArgument);
      EXPECT_EQ(place.error().where, path);
      EXPECT_FALSE(place.error().hint.empty());
    }
    return !place;
  }

  TemporaryDirectory folder_;
};

TEST_F(OutputPlace, WhatLiesInASpaceIsItsOwn) {
  link("../space/log.head", "space/work/inside");
  link(at("space/log.head"), "file");
  link(at("space/not-there-yet"), "dangling");
  link(at("file"), "twice");
  link(at("space/work"), "folder");
  for (const std::string& path :
       {at("space/log.head"), at("space/config.toml"), at("space/new"), at("space/work/deep/new"),
        at("space/work/../log.head"), at("space/no/such/../../new"), at("space/work/inside"),
        at("file"), at("twice"), at("dangling"), at("folder/new"), at("folder/../new")}) {
    EXPECT_TRUE(refused(path)) << path;
  }
  EXPECT_EQ(read_file(system_files(), at("space/log.head")).value(), "anihead1........");
  EXPECT_EQ(read_file(system_files(), at("space/config.toml")).value(), "# mine\n");
  EXPECT_FALSE(file_exists(system_files(), at("space/new")));
  EXPECT_FALSE(file_exists(system_files(), at("space/not-there-yet")));
  EXPECT_FALSE(refused(at("outside")));
  EXPECT_FALSE(refused(at("space/../outside")));
}

TEST_F(OutputPlace, ARelativePathIsTakenFromTheCurrentFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(at("space/work"));
  const bool here = refused("new"), above = refused("../log.head"), out = refused("../../new");
  std::filesystem::current_path(before);
  EXPECT_TRUE(here);
  EXPECT_TRUE(above);
  EXPECT_FALSE(out);
}

TEST_F(OutputPlace, EachMarkIsOneAndALikeNameIsNone) {
  const std::string sqlite = "SQLite format 3" + std::string(53, '\0');
  const std::vector<std::pair<std::string, std::string>> marks = {
      {"log.db", sqlite + "ANIM"},
      {"log.head", "anihead1"},
      {"log.address", "anima log address 1\npostgresql://host/db\n"},
      {"log.turn", ""}};
  for (const auto& [name, bytes] : marks) {
    ASSERT_TRUE(system_files().make_directories(at("one")));
    put("one/" + name, bytes);
    EXPECT_TRUE(refused(at("one/out"))) << name;
    ASSERT_TRUE(remove_tree(system_files(), at("one")));
  }
  const std::vector<std::pair<std::string, std::string>> others = {
      {"log.db", sqlite + "ELSE"}, {"log.db", ""}, {"log.head", "HEAD"}, {"log.address", "Kiel"}};
  for (const auto& [name, bytes] : others) {
    ASSERT_TRUE(system_files().make_directories(at("other")));
    put("other/" + name, bytes);
    EXPECT_FALSE(refused(at("other/out"))) << name;
    ASSERT_TRUE(remove_tree(system_files(), at("other")));
  }
}

TEST_F(OutputPlace, AnotherNameOfAFileIsThatFile) {
  ASSERT_EQ(::link(at("space/log.head").c_str(), at("hard").c_str()), 0);
  link(at("hard"), "soft");
  EXPECT_TRUE(refused(at("soft"))) << "it would be written in place";
  const Status known = check_output_place(at("hard"), at("space"));
  ASSERT_FALSE(known);
  EXPECT_NE(known.error().message.find("log.head"), std::string::npos) << known.error().message;
  // Who does not know of the space puts another file in the place of the name.
  EXPECT_TRUE(write_output(system_files(), at("hard"), "new"));
  EXPECT_EQ(read_file(system_files(), at("space/log.head")).value(), "anihead1........");
}

TEST_F(OutputPlace, WhatIsToBecomeASpaceIsOne) {
  EXPECT_TRUE(check_output_place(at("made/out"), {}));
  ASSERT_TRUE(system_files().make_directories(at("made")));
  EXPECT_FALSE(check_output_place(at("made/out"), at("made")));
}

TEST_F(OutputPlace, WhatACommandReadsIsNotReplaced) {
  put("data.csv", "name\n");
  link(at("data.csv"), "link.csv");
  const std::vector<std::string> inputs = {"-", at("none"), at("data.csv")};
  EXPECT_FALSE(check_output_place(at("data.csv"), {}, inputs));
  EXPECT_FALSE(check_output_place(at("link.csv"), {}, inputs));
  EXPECT_TRUE(check_output_place(at("other.csv"), {}, inputs));
}

TEST_F(OutputPlace, AFileIsRewrittenWhereverItLies) {
  put("space/work/rules.mg", "p(X):-q(X).\n");
  EXPECT_TRUE(rewrite_file(system_files(), at("space/work/rules.mg"), "p(X) :- q(X).\n", 0644));
  EXPECT_EQ(read_file(system_files(), at("space/work/rules.mg")).value(), "p(X) :- q(X).\n");
}

}  // namespace
}  // namespace anima
