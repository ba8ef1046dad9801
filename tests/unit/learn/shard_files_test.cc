// Stores of learnings in a backup, and back.
#include "learn/shard_files.h"

#include <gmock/gmock.h>

#include "unit/learn/world.h"

namespace anima::learn::shard_files_test {
namespace {

class ShardFiles : public test::World {
 protected:
  Status write(const ShardFile& shard) const {
    return write_shard_file(files_.file("other"), shard, system_files());
  }
  ShardFile first() const { return read_shard_files(folder(), system_files())->at(0); }
};

TEST_F(ShardFiles, ComeBackAsTheyWere) {
  EXPECT_TRUE(read_shard_files(folder(), system_files())->empty());
  save("coder", "avoid_pattern", R"(["unwrap"])", store::Trust::kOperator);
  save("tester", "avoid_pattern", R"(["sleep"])");
  for (int i = 0; i < 2; ++i) (void)reject("coder", "edit", "too long");  // counted, not learnt
  const auto shards = read_shard_files(folder(), system_files());
  ASSERT_EQ(shards->size(), 2U);
  for (const ShardFile& each : *shards) ASSERT_TRUE(write(each).has_value());
  EXPECT_EQ(write(shards->at(0)).error().code, ErrorCode::kAlreadyExists);
  LearningStore other(files_.file("other"), table_, clock_);
  const auto rows = other.load("coder");
  ASSERT_EQ(rows->learnings.size(), 1U);
  EXPECT_EQ(rows->learnings[0].trust, store::Trust::kOperator);
  ASSERT_EQ(other.patterns("coder")->size(), 1U);
  EXPECT_EQ(other.patterns("coder")->at(0).n, 2);
}

TEST_F(ShardFiles, WhatIsNoStoreIsRefused) {
  EXPECT_EQ(write({"coder", "no database"}).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(write({"coder", ""}).error().code, ErrorCode::kCorrupt);
  save("coder", "avoid_pattern", R"(["unwrap"])");
  EXPECT_EQ(write({"../coder", first().bytes}).error().code, ErrorCode::kInvalidArgument);
  sql("coder", "CREATE TRIGGER t AFTER INSERT ON learnings BEGIN DELETE FROM learnings; END");
  EXPECT_EQ(write(first()).error().code, ErrorCode::kCorrupt);
  sql("coder", "DROP TRIGGER t; CREATE VIEW v AS SELECT 1");
  EXPECT_EQ(write(first()).error().code, ErrorCode::kCorrupt);
  sql("coder", "DROP VIEW v; PRAGMA user_version=9");
  EXPECT_EQ(write(first()).error().code, ErrorCode::kVersionMismatch);
  EXPECT_FALSE(file_exists(system_files(), files_.file("other/coder_learnings.db")));
}

}  // namespace
}  // namespace anima::learn::shard_files_test
