// A broken entry is not a lost space: what comes before it is read, exported and backed up, and the
// error says where it is, how far the log is whole, and which backup is known.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/backup.h"
#include "store/log/sqlite_log.h"
#include "store/place/log_place.h"
#include "store/space.h"
#include "store/verify/audit.h"

namespace anima::store::salvage_test {
namespace {

const Origin kOrigin{"tester", "damage", Trust::kStandard, Sequence::kNone};

class Salvage : public ::testing::Test {
 protected:
  // Entries 1 (the first of all) to 12; 6 lies in parts.
  void fill(bool checkpoint) {
    SpaceOptions options;
    options.create = true;
    options.log_tuning = std::make_shared<const detail::LogTuning>(detail::LogTuning{{}, 6000});
    const auto space = Space::open(folder_, options);
    ASSERT_TRUE(space) << space.error().describe();
    for (int i = 2; i <= 12; ++i) {
      ASSERT_TRUE((*space)->write(kOrigin, [&](Transaction& transaction) -> Status {
        const std::string name = "n" + std::to_string(i);
        ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(kEntityType, name));
        if (i != 6) return {};
        const std::string text(20'000, 'x');
        ANIMA_ASSIGN(const Term term, transaction.term(Value::string(text).view()));
        return transaction.set_attribute(entity, "text", std::span(&term, 1));
      }));
      if (i == 5) {
        ASSERT_TRUE(backup_space(**space, backup_, clock_, system_files()));
      }
    }
    if (!checkpoint) return;
    ASSERT_TRUE((*space)->checkpoint());
  }
  void damage(int sequence) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(detail::log_path(folder_).c_str(), &handle), SQLITE_OK);
    const std::string statement =
        "UPDATE log SET entry = CAST(substr(entry, 1, 90) || x'a5' || substr(entry, 92) AS BLOB) "
        "WHERE sequence = " +
        std::to_string(sequence);
    EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }
  std::shared_ptr<Space> salvage() {
    SpaceOptions options;
    options.salvage = true;
    const auto space = Space::open(folder_, options);
    EXPECT_TRUE(space) << space.error().describe();
    return space ? *space : nullptr;
  }
  static bool has(const Snapshot& snapshot, int i) {
    return snapshot.find_concept(kEntityType, "n" + std::to_string(i)).has_value();
  }
  static void expect_helpful(const Error& error, const std::string& place,
                             const std::string& good) {
    EXPECT_EQ(error.code, ErrorCode::kCorrupt);
    EXPECT_EQ(error.where, place) << error.describe();
    EXPECT_NE(error.hint.find(good), std::string::npos) << error.describe();
    EXPECT_NE(error.hint.find("--salvage"), std::string::npos) << error.describe();
    EXPECT_NE(error.hint.find("monday"), std::string::npos) << error.describe();
    EXPECT_NE(error.hint.find("5 entries"), std::string::npos) << error.describe();
  }

  SystemClock clock_;
  TemporaryDirectory temporary_{"anima-salvage"};
  std::string folder_ = temporary_.file("space");
  std::string backup_ = temporary_.file("monday");
};

TEST_F(Salvage, TheErrorNamesThePlaceTheNewestGoodEntryAndTheNewestBackup) {
  fill(false);
  damage(9);
  for (const bool read_only : {false, true}) {
    SpaceOptions options;
    options.read_only = read_only;
    const auto space = Space::open(folder_, options);
    ASSERT_FALSE(space);
    expect_helpful(space.error(), "log entry 9", "entries 1 to 8 are whole");
  }
  const auto report = verify_space(folder_, system_files());
  ASSERT_FALSE(report);
  expect_helpful(report.error(), "log entry 9", "entries 1 to 8 are whole");
}

TEST_F(Salvage, WhatComesBeforeTheDamageIsRead) {
  fill(false);
  damage(9);
  const auto space = salvage();
  ASSERT_NE(space, nullptr);
  EXPECT_EQ(space->snapshot().value().sequence(), Sequence{8});
  EXPECT_TRUE(has(space->snapshot().value(), 8));
  EXPECT_FALSE(has(space->snapshot().value(), 9));
  ASSERT_FALSE(space->notes().empty());
  EXPECT_NE(space->notes()[0].find("log entry 9"), std::string::npos) << space->notes()[0];
  EXPECT_EQ(space->write(kOrigin, [](Transaction&) { return Status(); }).error().code,
            ErrorCode::kDenied);
  EXPECT_EQ(space->erase("alice").error().code, ErrorCode::kDenied);
  // What reads the log reads a whole one.
  std::uint64_t entries = 0;
  EXPECT_TRUE(space->changes(Sequence::kNone, [&](const LogEntry&) -> Status {
    ++entries;
    return {};
  }));
  EXPECT_EQ(entries, 8u);
  EXPECT_TRUE(verify_log(space->log()));
}

// What the base holds is not thrown away with the entries behind the damage; it says so.
TEST_F(Salvage, ABaseBehindTheDamageIsReadInThePlaceOfTheLog) {
  fill(true);
  damage(12);
  ASSERT_FALSE(Space::open(folder_, {}));
  const auto space = salvage();
  ASSERT_NE(space, nullptr);
  EXPECT_EQ(space->snapshot().value().sequence(), Sequence{12});
  EXPECT_TRUE(has(space->snapshot().value(), 12));
  EXPECT_EQ(space->log().head().value().sequence, Sequence{11});
  EXPECT_TRUE(std::ranges::any_of(space->notes(), [](const std::string& note) {
    return note.find("read in the place of entries") != std::string::npos;
  }));
  EXPECT_TRUE(file_exists(system_files(), join_path(folder_, "base-12.anima")));
}

TEST_F(Salvage, WhatComesBeforeTheDamageIsBackedUpAndRestored) {
  fill(false);
  damage(9);
  const auto space = salvage();
  ASSERT_NE(space, nullptr);
  BackupOptions options;
  options.salvage = true;
  const std::string path = temporary_.file("salvaged");
  const auto info = backup_space(*space, path, clock_, system_files(), options);
  ASSERT_TRUE(info) << info.error().describe();
  EXPECT_EQ(info->entries, 8u);
  const std::string again = temporary_.file("again");
  ASSERT_TRUE(restore_space(path, again, system_files()));
  const auto restored = Space::open(again, {});
  ASSERT_TRUE(restored) << restored.error().describe();
  EXPECT_TRUE(has((*restored)->snapshot().value(), 8));
  const auto long_text = (*restored)->snapshot().value().attribute(
      *(*restored)->snapshot().value().find_concept(kEntityType, "n6"), "text");
  ASSERT_TRUE(long_text);
  EXPECT_EQ((*restored)->snapshot().value().value(*long_text).text.size(), 20'000u);
  EXPECT_TRUE((*restored)->write(kOrigin, [](Transaction& transaction) {
    return transaction.upsert_concept(kEntityType, "new").map([](EntityId) {});
  }));
  EXPECT_TRUE(verify_space(again, system_files()));
}

TEST_F(Salvage, AWholeLogIsReadWhole) {
  fill(false);
  const auto space = salvage();
  ASSERT_NE(space, nullptr);
  EXPECT_EQ(space->snapshot().value().sequence(), Sequence{12});
  EXPECT_TRUE(space->notes().empty()) << space->notes()[0];
}

// A page of the file, not a row of a table.
TEST_F(Salvage, APageThatCannotBeReadEndsTheLogThere) {
  fill(false);
  const std::string path = detail::log_path(folder_);
  std::string bytes = read_file(system_files(), path).value();
  // Where the text of the sixth entry lies: its parts do not hold what they should.
  const std::size_t at = bytes.find(std::string(3000, 'x'));
  ASSERT_NE(at, std::string::npos);
  bytes[at + 1500] = 'y';
  ASSERT_TRUE(replace_file(system_files(), path, bytes));
  const auto space = salvage();
  ASSERT_NE(space, nullptr);
  EXPECT_EQ(space->snapshot().value().sequence(), Sequence{5});
  EXPECT_TRUE(has(space->snapshot().value(), 5));
}

}  // namespace
}  // namespace anima::store::salvage_test
