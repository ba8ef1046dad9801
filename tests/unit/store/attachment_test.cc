// Records that are attached to an entry: read with it, proved by it, and taken away without it.
#include "store/log/attachment.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/archive.h"
#include "store/backup.h"
#include "store/place/log_place.h"
#include "store/prune.h"
#include "store/verify/audit.h"

namespace anima::store::attachment_test {
namespace {

const Origin kOrigin{"ada", "attachment test", Trust::kStandard, Sequence::kNone};
constexpr std::string_view kSecret = "a thought that nobody needs for ever";

class Attachment : public testing::Test {
 protected:
  std::shared_ptr<Space> open(bool create = false) {
    SpaceOptions options;
    options.create = create;
    options.log_tuning = std::make_shared<const detail::LogTuning>(detail::LogTuning{{}, 2000});
    const auto space = Space::open(path_, options);
    EXPECT_TRUE(space) << (space ? "" : space.error().describe());
    return space ? *space : nullptr;
  }
  // A fact, a record that stays and two that may go; gives the entry.
  static Sequence think(Space& space, const std::string& about, std::size_t payload = 10) {
    const auto receipt = space.write(kOrigin, [&](Transaction& t) -> Status {
      ANIMA_TRY(t.upsert_concept(kEntityType, about).map([](EntityId) {}));
      ANIMA_TRY(t.record(RecordKind::kEvent, "stays" + std::string(payload, '.')));
      ANIMA_TRY(t.attach(RecordKind::kDecision, std::string(kSecret) + " of " + about));
      return t.attach(RecordKind::kRun, "second");
    });
    EXPECT_TRUE(receipt) << receipt.error().describe();
    return receipt ? receipt->sequence : Sequence::kNone;
  }
  static std::vector<std::string> records(Space& space, Sequence sequence) {
    std::vector<std::string> found;
    const auto entry = space.log().entry(sequence);
    EXPECT_TRUE(entry);
    if (!entry) return found;
    EXPECT_TRUE(visit_all_records(space.log(), *entry, [&](RecordKind, std::string_view text) {
      found.emplace_back(text);
      return Status{};
    }));
    return found;
  }
  void sql(const std::string& statement) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open((path_ + "/log.db").c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }
  std::string log_text() {
    std::string text;
    for (const char* name : {"/log.db", "/log.db-wal"}) {
      if (const auto bytes = read_file(system_files(), path_ + name, 100 << 20)) text += *bytes;
    }
    return text;
  }

  TemporaryDirectory folder_;
  std::string path_ = folder_.file("space");
};

TEST_F(Attachment, ItsRecordsComeBehindThoseOfThePayloadAndOutliveAReopening) {
  Sequence small{}, large{};
  {
    const auto space = open(true);
    small = think(*space, "tea");
    large = think(*space, "coffee", 9'000);  // the payload lies in parts
  }
  const auto space = open();
  const auto of_small = records(*space, small);
  ASSERT_EQ(of_small.size(), 3U);
  EXPECT_EQ(of_small[1], std::string(kSecret) + " of tea");
  EXPECT_EQ(of_small[2], "second");
  ASSERT_EQ(records(*space, large).size(), 3U);
  EXPECT_EQ(records(*space, large)[0].size(), 9'005U);
  EXPECT_TRUE(verify_log(space->log()));
  ASSERT_TRUE(space->log().entry(small)->payload.find(kSecret) == std::string::npos);
}

TEST_F(Attachment, AnEntryMayHoldNothingElse) {
  const auto space = open(true);
  const auto receipt = space->write(
      kOrigin, [](Transaction& t) { return t.attach(RecordKind::kDecision, "only this"); });
  ASSERT_TRUE(receipt);
  EXPECT_TRUE(receipt->changed);
  EXPECT_EQ(records(*space, receipt->sequence), std::vector<std::string>{"only this"});
}

TEST_F(Attachment, ARolledBackChangeLeavesNoneForTheNextEntry) {
  const auto space = open(true);
  EXPECT_FALSE(space->write(kOrigin, [](Transaction& t) -> Status {
    ANIMA_TRY(t.attach(RecordKind::kDecision, "never"));
    return fail(ErrorCode::kInvalidArgument, "no");
  }));
  const auto receipt = space->write(kOrigin, [](Transaction& t) {
    return t.upsert_concept(kEntityType, "tea").map([](EntityId) {});
  });
  ASSERT_TRUE(receipt);
  EXPECT_TRUE(records(*space, receipt->sequence).empty());
  EXPECT_FALSE(has_attachment(*space->log().entry(receipt->sequence)));
}

TEST_F(Attachment, ABranchTakesItsOwnAlong) {
  const auto space = open(true);
  const auto branch = space->what_if(*space->snapshot());
  ASSERT_TRUE(branch->transaction().upsert_concept(kEntityType, "tea"));
  ASSERT_TRUE(branch->transaction().attach(RecordKind::kDecision, "of the branch"));
  const auto receipt = space->commit(kOrigin, *branch);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(records(*space, receipt->sequence), std::vector<std::string>{"of the branch"});
}

TEST_F(Attachment, InASealedEntryItIsARecordLikeAnyOther) {
  const auto space = open(true);
  const auto receipt = space->write_sealed(
      kOrigin, "key", [](Transaction& t) { return t.attach(RecordKind::kDecision, kSecret); });
  ASSERT_TRUE(receipt);
  EXPECT_TRUE(space->log().attachment(receipt->sequence)->empty());
  std::vector<std::string> found;
  ASSERT_TRUE(space->changes(Sequence{static_cast<std::uint64_t>(receipt->sequence) - 1},
                             [&](const LogEntry& entry) {
                               return visit_records(entry, [&](RecordKind, std::string_view text) {
                                 found.emplace_back(text);
                                 return Status{};
                               });
                             }));
  EXPECT_EQ(found, std::vector<std::string>{std::string(kSecret)});
  EXPECT_EQ(log_text().find(kSecret), std::string::npos);
}

TEST_F(Attachment, PruningTakesTheBytesAndLeavesTheEntryAndItsProof) {
  Sequence first{}, second{};
  Digest hash{};
  {
    const auto space = open(true);
    first = think(*space, "tea");
    second = think(*space, "coffee");
    hash = space->log().entry(first)->hash;
    const std::vector<Sequence> entries{first};
    const auto report = prune_attachments(*space, kOrigin, entries, true);
    ASSERT_TRUE(report) << report.error().describe();
    EXPECT_EQ(report->entries, 1U);
    EXPECT_GT(report->bytes, kSecret.size());
  }
  const auto space = open();
  EXPECT_EQ(records(*space, first).size(), 1U);
  EXPECT_EQ(records(*space, second).size(), 3U);
  EXPECT_TRUE(has_attachment(*space->log().entry(first)));
  EXPECT_EQ(space->log().entry(first)->hash, hash);
  const auto verified = verify_log(space->log());
  EXPECT_TRUE(verified) << verified.error().describe();
  EXPECT_EQ(log_text().find(std::string(kSecret) + " of tea"), std::string::npos);
  EXPECT_NE(log_text().find(std::string(kSecret) + " of coffee"), std::string::npos);
  EXPECT_TRUE(space->snapshot()->find_concept(kEntityType, "tea"));
}

// The log says first what goes; when nothing more happened, the next pruning takes it.
TEST_F(Attachment, AnInterruptedPruningIsFinishedByTheNext) {
  const auto space = open(true);
  const std::vector<Sequence> entries{think(*space, "tea"), think(*space, "coffee")};
  ASSERT_TRUE(space->write(
      {"ada", std::string(detail::kPruneSource), Trust::kOperator, {}},
      [&](Transaction& t) { return t.record(RecordKind::kAudit, detail::prune_record(entries)); }));
  EXPECT_TRUE(verify_log(space->log()));
  const auto report = prune_attachments(*space, kOrigin, entries, false);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->entries, 2U);
  const auto again = prune_attachments(*space, kOrigin, entries, false);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->entries, 0U);
  EXPECT_TRUE(verify_log(space->log()));
}

TEST_F(Attachment, WhatIsTakenOrChangedByAStrangerIsFound) {
  Sequence entry{};
  {
    const auto space = open(true);
    entry = think(*space, "tea");
    think(*space, "coffee");
  }
  sql("UPDATE part SET bytes = bytes || x'00' WHERE number = -1 AND sequence = " +
      std::to_string(static_cast<std::uint64_t>(entry)));
  const auto changed = verify_log(open()->log());
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kCorrupt);
  sql("DELETE FROM part WHERE number = -1 AND sequence = " +
      std::to_string(static_cast<std::uint64_t>(entry)));
  const auto taken = verify_log(open()->log());
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(taken.error().message.find("no entry says that it was pruned"), std::string::npos);
}

TEST_F(Attachment, ABackupHasThemAndAnArchiveLeavesTheirEntriesAlone) {
  Sequence entry{};
  {
    const auto space = open(true);
    entry = think(*space, "tea");
    SystemClock clock;
    ASSERT_TRUE(backup_space(*space, folder_.file("backup.db"), clock, system_files()));
    const auto archived =
        archive_entries(*space, entry, folder_.file("archive.db"), system_files());
    EXPECT_TRUE(!archived || archived->last < entry);
    EXPECT_EQ(records(*space, entry).size(), 3U);
  }
  const auto restored =
      restore_space(folder_.file("backup.db"), folder_.file("again"), system_files());
  ASSERT_TRUE(restored) << restored.error().describe();
  const auto space = Space::open(folder_.file("again"));
  ASSERT_TRUE(space);
  EXPECT_EQ(records(**space, entry).size(), 3U);
}

TEST_F(Attachment, WorksInMemory) {
  const auto space = *Space::in_memory();
  const std::vector<Sequence> entries{think(*space, "tea")};
  EXPECT_EQ(records(*space, entries[0]).size(), 3U);
  EXPECT_TRUE(verify_log(space->log()));
  ASSERT_TRUE(prune_attachments(*space, kOrigin, entries, true));
  EXPECT_EQ(records(*space, entries[0]).size(), 1U);
  EXPECT_TRUE(verify_log(space->log()));
}

}  // namespace
}  // namespace anima::store::attachment_test
