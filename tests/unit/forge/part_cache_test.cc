// What made tools share is used only as it was made, from what it was made, by whom it was made:
// and nothing depends on it but time.
#include "forge/detail/part_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/files/file.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "forge/compiler.h"
#include "forge/safety.h"
#include "support/forge_check.h"
#include "support/needs_sandbox.h"
#include "tools/sandbox/sandbox.h"

namespace anima::forge::part_cache_test {
namespace {

using detail::PartCache;

class PartCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(replace_file(system_files(), header_, "int a;").has_value());
    ASSERT_TRUE(cache_.keep("part", key_, kBytes, {header_}).has_value());
    ASSERT_EQ(cache_.find("part", key_), kBytes);
  }
  std::string stored() const { return *read_file(system_files(), path_); }
  void store(std::string_view bytes) const {
    ASSERT_TRUE(replace_file(system_files(), path_, bytes, 0600).has_value());
  }

  static constexpr std::string_view kBytes = "some bytes\nof a part";
  TemporaryDirectory folder_;
  std::string cache_folder_ = folder_.file("cache"), header_ = folder_.file("header.hpp");
  PartCache cache_{cache_folder_};
  std::string key_ = detail::part_key({"one", "two"}, {"/bin/sh"});
  std::string path_ = cache_.path_of("part", key_);
};

TEST_F(PartCacheTest, GivesNothingForAnotherKey) {
  const std::string other = detail::part_key({"one", "three"}, {"/bin/sh"});
  EXPECT_EQ(cache_.find("part", other), std::nullopt);
  EXPECT_EQ(cache_.find("other", key_), std::nullopt);
  // Nor under the name of another.
  ASSERT_TRUE(system_files().rename(path_, cache_.path_of("part", other)).has_value());
  EXPECT_EQ(cache_.find("part", other), std::nullopt);
}

TEST_F(PartCacheTest, AKeyIsOfTextsTheirOrderAndThePrograms) {
  EXPECT_EQ(detail::part_key({"one", "two"}, {"/bin/sh"}), key_);
  EXPECT_NE(detail::part_key({"two", "one"}, {"/bin/sh"}), key_);
  EXPECT_NE(detail::part_key({"onetwo"}, {"/bin/sh"}), key_);
  EXPECT_NE(detail::part_key({"one", "two"}, {header_}), key_);
  const std::string before = detail::part_key({"one"}, {header_});
  ASSERT_TRUE(replace_file(system_files(), header_, "another compiler").has_value());
  EXPECT_NE(detail::part_key({"one"}, {header_}), before);
}

TEST_F(PartCacheTest, GivesNothingThatWasTamperedWith) {
  const std::string good = stored();
  for (const std::string& each :
       {good + "x", good.substr(0, good.size() - 1), replace_all(good, "bytes", "wites"),
        replace_all(good, "header.hpp", "leader.hpp"), replace_all(good, "sha256", "sha255"),
        replace_all(good, "\"read\"", "\"ready\""), std::string("[]\nx"), std::string("{}\nx"),
        std::string("no line"), std::string()}) {
    store(each);
    EXPECT_EQ(cache_.find("part", key_), std::nullopt) << each;
  }
  store(good);
  EXPECT_EQ(cache_.find("part", key_), kBytes);
}

TEST_F(PartCacheTest, GivesNothingWhenWhatItWasMadeFromChanged) {
  ASSERT_TRUE(replace_file(system_files(), header_, "int b;").has_value());
  EXPECT_EQ(cache_.find("part", key_), std::nullopt);
  ASSERT_TRUE(cache_.keep("part", key_, kBytes, {header_}).has_value());
  EXPECT_EQ(cache_.find("part", key_), kBytes);
  ASSERT_TRUE(system_files().remove(header_).has_value());
  EXPECT_EQ(cache_.find("part", key_), std::nullopt);
}

TEST_F(PartCacheTest, GivesNothingThatAnotherUserCouldHaveWritten) {
  const auto given = [&] { return cache_.find("part", key_).has_value(); };
  ASSERT_EQ(::chmod(path_.c_str(), 0620), 0);
  EXPECT_FALSE(given());
  ASSERT_EQ(::chmod(path_.c_str(), 0602), 0);
  EXPECT_FALSE(given());
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_TRUE(given());
  ASSERT_EQ(::chmod(cache_folder_.c_str(), 0770), 0);
  EXPECT_FALSE(given());
  ASSERT_EQ(::chmod(cache_folder_.c_str(), 0700), 0);
  EXPECT_TRUE(given());
  // A link leads to what nobody looked at.
  const std::string elsewhere = folder_.file("elsewhere");
  ASSERT_TRUE(system_files().rename(path_, elsewhere).has_value());
  ASSERT_EQ(::symlink(elsewhere.c_str(), path_.c_str()), 0);
  EXPECT_FALSE(given());
  ASSERT_TRUE(system_files().rename(elsewhere, path_).has_value());
  EXPECT_TRUE(given());
  const std::string moved = folder_.file("moved");
  ASSERT_TRUE(system_files().rename(cache_folder_, moved).has_value());
  ASSERT_EQ(::symlink(moved.c_str(), cache_folder_.c_str()), 0);
  EXPECT_FALSE(given());
  if (::geteuid() != 0) return;
  const PartCache there(moved);
  ASSERT_TRUE(there.find("part", key_).has_value());
  ASSERT_EQ(::chown(there.path_of("part", key_).c_str(), 65534, 65534), 0);
  EXPECT_FALSE(there.find("part", key_).has_value());
}

TEST_F(PartCacheTest, KeepsTheLastOfAName) {
  const std::string other = detail::part_key({"new"}, {"/bin/sh"});
  ASSERT_TRUE(cache_.keep("part", other, "new", {}).has_value());
  EXPECT_EQ(cache_.find("part", other), "new");
  EXPECT_FALSE(file_exists(system_files(), path_));
  EXPECT_FALSE(PartCache("").keeps());
  EXPECT_TRUE(PartCache("").keep("part", key_, "x", {}).has_value());
  EXPECT_EQ(PartCache("").find("part", key_), std::nullopt);
}

class SharedParts : public ::testing::Test {
 protected:
  void SetUp() override { ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces()); }
  // The one part of a name in a folder.
  static std::string part_in(const std::string& folder, const std::string& name) {
    const auto entries = system_files().list(folder);
    for (const DirectoryEntry& each : *entries) {
      if (each.name.starts_with(".part-" + name)) return join_path(folder, each.name);
    }
    return {};
  }
  static std::string source(std::string_view before = "") {
    return std::string(before) +
           "#include \"tool_api.hpp\"\n"
           "tool::Result run(const tool::Input& i, tool::Cancel) { return {i.input, {}}; }\n";
  }
  const TemporaryDirectory folder_;
};

TEST_F(SharedParts, AreMadeOnceAndAgainWhenTheyAreNotAsTheyWere) {
  CompileOptions options;
  options.cache_folder = folder_.file("cache");
  auto parts = prepare_parts(options);
  ASSERT_TRUE(parts.has_value()) << parts.error().describe();
  EXPECT_EQ(parts->made, 2);
  ASSERT_FALSE(parts->prelude.empty());
  const std::string prelude = part_in(options.cache_folder, "prelude.pch");
  const std::string runtime = part_in(options.cache_folder, "runtime.o");
  const std::string good = *read_file(system_files(), prelude);
  // A source has no part in what the next one is compiled with.
  const std::string hostile =
      source("#define vector list\n#define size system\n#include <list>\n#include <vector>\n");
  (void)test::compiled(hostile, options);
  const auto compiled = test::compiled(source(), options);
  ASSERT_TRUE(compiled && compiled->success) << compiled->errors;
  EXPECT_EQ(*read_file(system_files(), prelude), good);
  EXPECT_EQ(prepare_parts(options)->made, 0);

  std::string changed = good;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  ASSERT_TRUE(replace_file(system_files(), prelude, changed, 0600).has_value());
  ASSERT_EQ(::chmod(runtime.c_str(), 0666), 0);
  parts = prepare_parts(options);
  EXPECT_EQ(parts->made, 2);
  EXPECT_NE(*read_file(system_files(), prelude), changed);
  EXPECT_EQ(prepare_parts(options)->made, 0);
}

TEST_F(SharedParts, OfTwoFoldersMakeOneProgram) {
  CompileOptions options;
  options.cache_folder = folder_.file("cache");
  const auto parts = prepare_parts(options);
  ASSERT_TRUE(parts.has_value()) << parts.error().describe();
  const auto read = preprocess(source(), options);
  ASSERT_TRUE(read.has_value()) << read.error().describe();
  const auto here = compile_tool(read->program, options, *parts);
  const auto there = compile_tool(read->program, options, test::forge_parts());
  ASSERT_TRUE(here && here->success) << here->errors;
  EXPECT_EQ(here->binary, there->binary);
  const auto wrong = test::compiled(source("int a = \"\";\n"));
  EXPECT_FALSE(wrong->success);
  EXPECT_NE(wrong->errors.find("tool.cpp:1:"), std::string::npos) << wrong->errors;
}

}  // namespace
}  // namespace anima::forge::part_cache_test
