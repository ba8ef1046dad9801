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

// One flipped bit in any of its texts and numbers: seen by who looks, used by nobody, in no backup.
TEST_F(ShardFiles, AFlippedBitIsFound) {
  save("coder", "avoid_pattern", R"(["unwrap"])");
  save("coder", "avoid_pattern", R"(["panics"])");
  for (int i = 0; i < 2; ++i) (void)reject("coder", "edit", "too long");
  sql("coder", "PRAGMA wal_checkpoint(TRUNCATE)");
  store_.reset();
  const std::string path = join_path(folder(), "coder_learnings.db");
  const std::string whole = *read_file(system_files(), path);
  ASSERT_TRUE(faults_of_shards(folder(), system_files())->empty());
  for (const std::string_view text : {"unwrap", "2026-01-05 12", "too long", "Inserted"}) {
    SCOPED_TRACE(text);
    std::string bytes = whole;
    std::size_t found = 0;
    for (std::size_t at = 0; (at = whole.find(text, at)) != std::string::npos; ++at, ++found) {
      std::string one = whole;  // in a table, or in one of its indexes
      one[at] = bytes[at] = static_cast<char>(one[at] ^ 0x01);
      ASSERT_TRUE(replace_file(system_files(), path, one));
      EXPECT_EQ(faults_of_shards(folder(), system_files())->size(), 1U) << at;
    }
    ASSERT_GT(found, 0U);
    ASSERT_TRUE(replace_file(system_files(), path, bytes));
    const auto faults = faults_of_shards(folder(), system_files());
    ASSERT_EQ(faults->size(), 1U);
    EXPECT_EQ(faults->at(0).code, ErrorCode::kCorrupt);
    const auto shards = read_shard_files(folder(), system_files());
    EXPECT_TRUE(shards->read.empty());
    EXPECT_EQ(shards->left_out.size(), 1U);
    EXPECT_EQ(write({"coder", bytes}).error().code, ErrorCode::kCorrupt);
  }
  std::string bytes = whole;
  bytes[bytes.find("unwrap")] ^= 0x01;
  ASSERT_TRUE(replace_file(system_files(), path, bytes));
  const auto loaded = LearningStore(folder(), table_, clock_).load("coder");
  EXPECT_EQ(loaded->learnings.size(), 1U);
  EXPECT_EQ(loaded->skipped.size(), 1U);
}

// It is read as it lies, and has checksums once somebody writes to it.
TEST_F(ShardFiles, AStoreOfVersion1IsBroughtUpToDate) {
  ASSERT_TRUE(system_files().make_directories(folder(), 0700));
  const std::string path = join_path(folder(), "coder_learnings.db");
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  const char* const old = R"sql(
    CREATE TABLE learnings (id INTEGER PRIMARY KEY AUTOINCREMENT, shard_type TEXT NOT NULL,
      fact_predicate TEXT NOT NULL, fact_args TEXT NOT NULL,
      learned_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, source_campaign TEXT DEFAULT '',
      confidence REAL DEFAULT 1.0, decay_steps INTEGER NOT NULL DEFAULT 0,
      reinforcements INTEGER NOT NULL DEFAULT 0, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
      trust INTEGER NOT NULL DEFAULT 1, UNIQUE(fact_predicate, fact_args));
    CREATE INDEX idx_learnings_predicate ON learnings(fact_predicate);
    CREATE INDEX idx_learnings_confidence ON learnings(confidence);
    CREATE TABLE save_log(ts INTEGER NOT NULL);
    CREATE TABLE pattern_counts(kind TEXT, key TEXT, n INTEGER, last_ts INTEGER, example TEXT,
      trust INTEGER NOT NULL DEFAULT 1, PRIMARY KEY(kind, key));
    CREATE TABLE evidence(id TEXT PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL,
      ts INTEGER NOT NULL);
    CREATE TABLE learning_audit(ts INTEGER, op TEXT, predicate TEXT, args TEXT, outcome TEXT,
      detail TEXT);
    INSERT INTO learnings VALUES(7, 'coder', 'avoid_pattern', '["unwrap"]', '2026-01-05 11:00:00',
      '', 1.0, 0, 2, '2026-01-04 12:00:00', 4);
    INSERT INTO evidence VALUES('e', 'rejection', 'edit:long', 1767614400);
    INSERT INTO learning_audit VALUES(1767614400, 'save', 'avoid_pattern', '["unwrap"]',
      'Inserted', '');
    PRAGMA user_version=1;)sql";
  ASSERT_EQ(sqlite3_exec(handle, old, nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
  EXPECT_EQ(store_->load("coder")->learnings.size(), 1U);
  EXPECT_TRUE(faults_of_shards(folder(), system_files())->empty());
  EXPECT_EQ(save("coder", "avoid_pattern", R"(["panics"])").end, SaveEnd::kInserted);
  const auto loaded = store_->load("coder");
  ASSERT_EQ(loaded->learnings.size(), 2U);
  EXPECT_EQ(loaded->learnings[1].id, 7);
  EXPECT_EQ(loaded->learnings[1].reinforcements, 2);
  EXPECT_EQ(loaded->learnings[1].trust, store::Trust::kOperator);
  EXPECT_EQ(store_->evidence("coder")->size(), 1U);
  EXPECT_EQ(store_->audit("coder")->size(), 2U);
  EXPECT_TRUE(faults_of_shards(folder(), system_files())->empty());
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
