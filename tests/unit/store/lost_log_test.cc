// What knows more than the log: the head, a base, a backup, a signing key. And a log that is gone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/random.h"
#include "store/backup.h"
#include "store/log/shared_head.h"
#include "store/log/sqlite_log.h"
#include "store/space.h"
#include "store/verify/audit.h"

namespace anima::store::lost_log_test {
namespace {

const Origin kOrigin{"tester", "loss", Trust::kStandard, Sequence::kNone};

std::shared_ptr<Space> open(const std::string& folder) {
  SpaceOptions options;
  options.create = true;
  auto space = Space::open(folder, options);
  EXPECT_TRUE(space) << space.error().describe();
  return space ? *space : nullptr;
}

void add(Space& space, const std::string& name) {
  ASSERT_TRUE(space.write(kOrigin, [&](Transaction& transaction) {
    return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
  }));
}

class LostLog : public ::testing::Test {
 protected:
  void SetUp() override {
    {
      const auto space = open(folder_);
      for (int i = 0; i < 5; ++i) add(*space, "early" + std::to_string(i));
    }
    early_ = bytes("log.db");
  }
  std::string file(std::string_view name) const { return join_path(folder_, name); }
  std::string bytes(std::string_view name) const {
    return read_file(system_files(), file(name)).value();
  }
  // The log as it was at entry 6, beside everything that came later.
  void lose_the_tail() {
    ASSERT_TRUE(replace_file(system_files(), file("log.db"), early_));
    (void)system_files().remove(file("log.db-wal"));
    (void)system_files().remove(file("log.db-shm"));
  }
  void forget_the_head() { ASSERT_TRUE(system_files().remove(file("log.head"))); }

  // A backup of what can be read has every entry.
  void expect_salvaged(const Digest& head) {
    SpaceOptions options;
    options.salvage = options.read_only = true;
    const auto space = Space::open(folder_, options);
    ASSERT_TRUE(space) << space.error().describe();
    SystemClock clock;
    const std::string path = folder_ + ".salvaged", restored = folder_ + ".restored";
    std::filesystem::remove(path);
    std::filesystem::remove_all(restored);
    BackupOptions what;
    what.salvage = true;
    const auto kept = backup_space(**space, path, clock, system_files(), what);
    ASSERT_TRUE(kept) << kept.error().describe();
    const auto made = restore_space(path, restored, system_files());
    ASSERT_TRUE(made) << made.error().describe();
    const auto report = verify_space(restored, system_files());
    ASSERT_TRUE(report) << report.error().describe();
    EXPECT_EQ(report->head.hash, head);
  }

  void expect_refused(const std::vector<std::string>& words) {
    for (const bool create : {false, true}) {
      SpaceOptions options;
      options.create = create;
      const auto space = Space::open(folder_, options);
      ASSERT_FALSE(space) << "opened for writing";
      EXPECT_EQ(space.error().code, ErrorCode::kCorrupt);
      for (const std::string& word : words) {
        EXPECT_NE(space.error().describe().find(word), std::string::npos)
            << word << " in: " << space.error().describe();
      }
    }
    const auto report = verify_space(folder_, system_files());
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::kCorrupt) << report.error().describe();
  }
  void expect_read_with_a_warning() {
    SpaceOptions options;
    options.read_only = true;
    const auto space = Space::open(folder_, options);
    ASSERT_TRUE(space) << space.error().describe();
    EXPECT_EQ((*space)->snapshot().value().sequence(), Sequence{6});
    ASSERT_FALSE((*space)->notes().empty());
  }

  TemporaryDirectory temporary_{"anima-lost"};
  std::string folder_ = temporary_.file("space");
  std::string early_;
};

TEST_F(LostLog, TheSharedHeadKnowsMoreThanTheLog) {
  add(*open(folder_), "late");
  lose_the_tail();
  expect_refused({"log.head", "entry 6", "7"});
  expect_read_with_a_warning();
  expect_refused({"log.head"});
}

TEST_F(LostLog, ABaseKnowsMoreThanTheLog) {
  {
    const auto space = open(folder_);
    add(*space, "late");
    ASSERT_TRUE(space->checkpoint());
  }
  lose_the_tail();
  forget_the_head();
  expect_refused({"base-7.anima", "entry 6"});
  expect_read_with_a_warning();
  EXPECT_TRUE(file_exists(system_files(), file("base-7.anima")));
}

TEST_F(LostLog, ABackupKnowsMoreThanTheLog) {
  SystemClock clock;
  {
    const auto space = open(folder_);
    add(*space, "late");
    ASSERT_TRUE(backup_space(*space, temporary_.file("monday"), clock, system_files()));
  }
  lose_the_tail();
  forget_the_head();
  expect_refused({"monday", "entry 6"});
  expect_read_with_a_warning();
  // The way back that the error names works.
  ASSERT_TRUE(restore_space(temporary_.file("monday"), temporary_.file("again"), system_files()));
  EXPECT_EQ(open(temporary_.file("again"))->snapshot().value().sequence(), Sequence{7});
}

TEST_F(LostLog, ASigningKeyKnowsMoreThanTheLog) {
  SystemRandom random;
  ASSERT_TRUE(obtain_signing_key(*open(folder_), kOrigin, system_files(), random));
  lose_the_tail();
  forget_the_head();
  const auto report = verify_space(folder_, system_files());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(report.error().describe().find("signing.key"), std::string::npos)
      << report.error().describe();
  // No second key is made in the place of the one that the log has lost.
  const auto space = Space::open(folder_, {});
  ASSERT_TRUE(space) << space.error().describe();
  EXPECT_FALSE(obtain_signing_key(**space, kOrigin, system_files(), random));
}

TEST_F(LostLog, ALogThatIsAheadOfItsHeadIsFine) {
  const std::string head = bytes("log.head");
  add(*open(folder_), "late");
  ASSERT_TRUE(replace_file(system_files(), file("log.head"), head));
  const auto space = open(folder_);
  EXPECT_EQ(space->snapshot().value().sequence(), Sequence{7});
  EXPECT_TRUE(space->notes().empty());
  EXPECT_TRUE(verify_space(folder_, system_files()));
  add(*space, "later");
  EXPECT_TRUE(verify_space(folder_, system_files()));
}

// Its writer died between the announcement of an entry and its commit.
TEST_F(LostLog, AnAnnouncementIsNoAcknowledgement) {
  {
    const auto shared = detail::SharedHead::open(file("log.head"), false);
    ASSERT_TRUE(shared);
    (*shared)->announce(Sequence{9});
  }
  EXPECT_TRUE(verify_space(folder_, system_files()));
  const auto space = open(folder_);
  ASSERT_NE(space, nullptr);
  add(*space, "late");
  EXPECT_TRUE(verify_space(folder_, system_files()));
}

TEST_F(LostLog, NoNewMemoryIsMadeOverALostLog) {
  const auto gone = [&](std::string_view left) {
    for (const bool create : {false, true}) {
      SpaceOptions options;
      options.create = create;
      const auto space = Space::open(folder_, options);
      ASSERT_FALSE(space) << "a new memory beside " << left;
      EXPECT_EQ(space.error().code, ErrorCode::kCorrupt);
      EXPECT_NE(space.error().describe().find(left), std::string::npos) << space.error().describe();
    }
    SpaceOptions options;
    options.read_only = true;
    EXPECT_EQ(Space::open(folder_, options).error().code, ErrorCode::kCorrupt);
    EXPECT_FALSE(verify_space(folder_, system_files()));
  };
  {
    const auto space = open(folder_);
    ASSERT_TRUE(space->checkpoint());
    ASSERT_TRUE(space->write_sealed(kOrigin, "alice", [](Transaction& transaction) {
      return transaction.upsert_concept(kEntityType, "secret").map([](EntityId) {});
    }));
  }
  for (const char* name : {"log.db", "log.db-wal", "log.db-shm"})
    (void)system_files().remove(file(name));
  gone("log.head");
  EXPECT_FALSE(file_exists(system_files(), file("log.db")));
  forget_the_head();
  gone("base-6.anima");
  ASSERT_TRUE(system_files().remove(file("base-6.anima")));
  gone("keys/");
  EXPECT_FALSE(file_exists(system_files(), file("log.db")));
  ASSERT_TRUE(remove_tree(system_files(), file("keys")));
  EXPECT_NE(open(folder_), nullptr) << "nothing is left of the old one";
}

// The file is there, and nothing in it.
TEST_F(LostLog, AnEmptiedLogIsNoNewSpace) {
  ASSERT_TRUE(open(folder_)->write_sealed(kOrigin, "alice", [](Transaction& transaction) {
    return transaction.upsert_concept(kEntityType, "secret").map([](EntityId) {});
  }));
  for (const char* name : {"log.db-wal", "log.db-shm", "log.head"})
    (void)system_files().remove(file(name));
  ASSERT_TRUE(replace_file(system_files(), file("log.db"), ""));
  expect_refused({"keys/"});
  EXPECT_EQ(bytes("log.db"), "");
  // Tables without entries: as a log whose first entries were lost, not as one that is being made.
  ASSERT_TRUE(system_files().remove(file("log.db")));
  {
    detail::SqliteLogOptions options;
    options.create = true;
    ASSERT_TRUE(detail::open_sqlite_log(folder_, options));
  }
  expect_refused({"keys/"});
}

// Its entries can be read, and whatever needs a free page of it fails.
TEST_F(LostLog, ADamagedFileAroundWholeEntriesIsNamed) {
  std::string damaged = bytes("log.db");
  constexpr std::size_t kFreePages = 36;  // of SQLite's header: how many there are
  damaged[kFreePages + 1] = static_cast<char>(damaged[kFreePages + 1] ^ 0x40);
  ASSERT_TRUE(replace_file(system_files(), file("log.db"), damaged));
  const auto report = verify_space(folder_, system_files());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(report.error().message.find("its file is damaged"), std::string::npos)
      << report.error().describe();
}

// Whatever byte of a page's frame is wrong: where each entry can be read, the file is made anew of
// them, and takes more.
TEST_F(LostLog, ADamagedFileAroundWholeEntriesIsMadeAnew) {
  {
    const auto space = open(folder_);
    for (int i = 0; i < 60; ++i) add(*space, "name " + std::to_string(i) + std::string(400, 'x'));
  }
  const auto whole_report = verify_space(folder_, system_files());
  ASSERT_TRUE(whole_report) << whole_report.error().describe();
  EXPECT_FALSE(mend_log_file(folder_, system_files()).value());
  const std::string whole = bytes("log.db"), head = bytes("log.head");
  constexpr std::size_t kPage = 4096, kFileHeader = 100;
  std::size_t mended = 0, of_entries = 0, elsewhere = 0;
  for (std::size_t page = 0; page * kPage < whole.size(); ++page) {
    for (const std::size_t at : {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 36, 39}) {
      std::string damaged = whole;
      const bool of_file = page == 0 && at > 30;
      char& byte = damaged[page * kPage + at + (page == 0 && !of_file ? kFileHeader : 0)];
      byte = static_cast<char>(byte ^ 0x41);
      ASSERT_TRUE(replace_file(system_files(), file("log.db"), damaged));
      ASSERT_TRUE(replace_file(system_files(), file("log.head"), head));
      (void)system_files().remove(file("log.db-wal"));
      (void)system_files().remove(file("log.db-shm"));
      const auto report = verify_space(folder_, system_files());
      if (report) continue;  // it says nothing that SQLite needs
      const auto anew = mend_log_file(folder_, system_files());
      const bool rows_are_whole =
          report.error().message.find("its entries are whole") != std::string::npos;
      SCOPED_TRACE("page " + std::to_string(page) + ", byte " + std::to_string(at) + ": " +
                   report.error().describe());
      if (!rows_are_whole) {
        EXPECT_FALSE(anew);
        ++of_entries;
        continue;
      }
      if (!anew) {  // the table of parts cannot be read, and no entry needs it
        EXPECT_NE(anew.error().hint.find("--salvage backup"), std::string::npos)
            << anew.error().describe();
        expect_salvaged(whole_report->head.hash);
        ++elsewhere;
        continue;
      }
      EXPECT_TRUE(*anew);
      ++mended;
      const auto after = verify_space(folder_, system_files());
      ASSERT_TRUE(after) << after.error().describe();
      EXPECT_EQ(after->head.hash, whole_report->head.hash);
      add(*open(folder_), "later");
    }
  }
  EXPECT_GE(mended, 10u);
  EXPECT_GE(elsewhere, 1u);
  EXPECT_GE(of_entries, 10u);
}

// A link to nothing in the place of a helper file is no lost log.
TEST_F(LostLog, IsNotWhatAFileBesideTheLogLacks) {
  for (const char* name : {"log.turn", "log.head"}) {
    SCOPED_TRACE(name);
    (void)system_files().remove(file(name));
    ASSERT_EQ(::symlink("/nonexistent/nothing", file(name).c_str()), 0);
    const auto space = Space::open(folder_);
    ASSERT_FALSE(space);
    EXPECT_EQ(space.error().code, ErrorCode::kIo) << space.error().describe();
    EXPECT_NE(space.error().hint.find("anima doctor"), std::string::npos);
    ASSERT_TRUE(system_files().remove(file(name)));
  }
  EXPECT_TRUE(Space::open(folder_));
}

// A space whose making was cut short before its first entry is made at the next try.
TEST(LostLogInit, ThatWasCutShortCanBeRepeated) {
  const TemporaryDirectory folder;
  {
    detail::SqliteLogOptions options;
    options.create = true;
    ASSERT_TRUE(detail::open_sqlite_log(folder.path(), options));
  }
  EXPECT_EQ(open(folder.path())->snapshot().value().sequence(), Sequence{1});
}

// What is left of a log belongs to that log: a restored one beside it would not be read back.
TEST_F(LostLog, ABackupIsNotRestoredOverWhatIsLeftOfAnotherLog) {
  SystemClock clock;
  const std::string backup = temporary_.file("monday");
  ASSERT_TRUE(backup_space(*open(folder_), backup, clock, system_files()));
  add(*open(folder_), "late");
  (void)system_files().remove(file("log.db"));
  const auto restored = restore_space(backup, folder_, system_files());
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::kAlreadyExists) << restored.error().describe();
  EXPECT_NE(restored.error().describe().find("log.head"), std::string::npos);
}

}  // namespace
}  // namespace anima::store::lost_log_test
