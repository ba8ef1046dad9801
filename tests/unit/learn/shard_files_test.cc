// Stores of learnings in a backup, and back.
#include "learn/shard_files.h"

#include <gmock/gmock.h>

#include "support/files_with.h"
#include "unit/learn/world.h"

namespace anima::learn::shard_files_test {
namespace {

class ShardFiles : public test::World {
 protected:
  Status write(const ShardFile& shard) const {
    return write_shard_file(files_.file("other"), shard, system_files());
  }
  ShardFile first() const { return read_shard_files(folder(), system_files())->read.at(0); }
};

TEST_F(ShardFiles, ComeBackAsTheyWere) {
  EXPECT_TRUE(read_shard_files(folder(), system_files())->read.empty());
  save("coder", "avoid_pattern", R"(["unwrap"])", store::Trust::kOperator);
  save("tester", "avoid_pattern", R"(["sleep"])");
  for (int i = 0; i < 2; ++i) (void)reject("coder", "edit", "too long");  // counted, not learnt
  const auto shards = read_shard_files(folder(), system_files());
  ASSERT_EQ(shards->read.size(), 2U);
  for (const ShardFile& each : shards->read) ASSERT_TRUE(write(each).has_value());
  EXPECT_EQ(write(shards->read.at(0)).error().code, ErrorCode::kAlreadyExists);
  LearningStore other(files_.file("other"), table_, clock_);
  const auto rows = other.load("coder");
  ASSERT_EQ(rows->learnings.size(), 1U);
  EXPECT_EQ(rows->learnings[0].trust, store::Trust::kOperator);
  ASSERT_EQ(other.patterns("coder")->size(), 1U);
  EXPECT_EQ(other.patterns("coder")->at(0).n, 2);
}

// A damaged one takes none of the others with it, and one that was only begun is none.
TEST_F(ShardFiles, WhatCannotBeReadIsToldAndTheOthersAreRead) {
  save("coder", "avoid_pattern", R"(["unwrap"])");
  const std::string damaged = join_path(folder(), "alpha_learnings.db");
  ASSERT_TRUE(replace_file(system_files(), damaged, "garbage that is no database", 0600));
  ASSERT_TRUE(replace_file(system_files(), join_path(folder(), "begun_learnings.db"), "", 0600));
  const auto shards = read_shard_files(folder(), system_files());
  ASSERT_TRUE(shards) << shards.error().describe();
  ASSERT_EQ(shards->read.size(), 1U);
  EXPECT_EQ(shards->read[0].shard, "coder");
  ASSERT_EQ(shards->left_out.size(), 1U);
  EXPECT_EQ(shards->left_out[0].where, damaged);
}

// A name that is forgotten is in no row and in no byte of the file.
TEST_F(ShardFiles, WhatNamesSomethingForgottenGoesWithItsBytes) {
  save("coder", "avoid_pattern", R"(["Zebulon Quist"])");
  save("coder", "avoid_pattern", R"(["unwrap"])");
  for (int i = 0; i < 2; ++i) (void)reject("coder", "edit", "Zebulon says no");
  const auto names = [](std::string_view text) {
    return text.find("Zebulon") != std::string_view::npos;
  };
  const auto would = store_->forget("coder", names, true);
  ASSERT_TRUE(would) << would.error().describe();
  EXPECT_GT(*would, 1U);
  EXPECT_EQ(store_->load("coder")->learnings.size(), 2U);
  EXPECT_EQ(store_->forget("coder", names, false).value(), *would);
  EXPECT_EQ(store_->load("coder")->learnings.size(), 1U);
  EXPECT_EQ(store_->forget("coder", names, false).value(), 0U);
  EXPECT_TRUE(anima::test::files_with(folder(), "Zebulon").empty());
  EXPECT_FALSE(anima::test::files_with(folder(), "unwrap").empty());
}

TEST_F(ShardFiles, WhatIsNoStoreIsRefused) {
  EXPECT_EQ(write({"coder", "no database"}).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(write({"coder", ""}).error().code, ErrorCode::kCorrupt);
  save("coder", "avoid_pattern", R"(["unwrap"])");
  EXPECT_EQ(write({"../coder", first().bytes}).error().code, ErrorCode::kInvalidArgument);
  // What would be refused is not taken either, so its bytes are read from the disk.
  for (const auto& [change, code] :
       {std::pair{"CREATE TRIGGER t AFTER INSERT ON learnings BEGIN DELETE FROM learnings; END",
                  ErrorCode::kCorrupt},
        std::pair{"DROP TRIGGER t; CREATE VIEW v AS SELECT 1", ErrorCode::kCorrupt},
        std::pair{"DROP VIEW v; PRAGMA user_version=9", ErrorCode::kVersionMismatch}}) {
    sql("coder", change);
    sql("coder", "PRAGMA wal_checkpoint(TRUNCATE)");
    const auto bytes = read_file(system_files(), join_path(folder(), "coder_learnings.db"));
    EXPECT_EQ(write({"coder", *bytes}).error().code, code);
    const auto shards = read_shard_files(folder(), system_files());
    EXPECT_TRUE(shards->read.empty());
    EXPECT_EQ(shards->left_out.at(0).code, code);
  }
  EXPECT_FALSE(file_exists(system_files(), files_.file("other/coder_learnings.db")));
}

}  // namespace
}  // namespace anima::learn::shard_files_test
