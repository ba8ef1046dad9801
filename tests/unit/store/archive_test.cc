// Payloads of old entries go to an archive and come back; what is left still proves itself.
#include "store/archive.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/backup.h"
#include "store/place/log_place.h"
#include "store/verify/audit.h"

namespace anima::store::archive_test {
namespace {

const Origin kOrigin{"ada", "archive test", Trust::kStandard, Sequence::kNone};

class Archive : public testing::Test {
 protected:
  std::shared_ptr<Space> open(bool create = false) {
    SpaceOptions options;
    options.create = create;
    options.checkpoint_after_rows = 0;
    options.log_tuning = std::make_shared<const detail::LogTuning>(
        detail::LogTuning{{}, 2000});  // some payloads lie in parts
    auto space = Space::open(path_, options);
    if (!space) {
      last_error_ = space.error();
      return nullptr;
    }
    return *space;
  }
  static Status put(Space& space, const std::string& name, const std::string& text) {
    return space
        .write(kOrigin,
               [&](Transaction& t) -> Status {
                 ANIMA_ASSIGN(const EntityId id, t.upsert_concept(kEntityType, name));
                 ANIMA_ASSIGN(const Term term, t.term(Value::string(text).view()));
                 return t.set_attribute(id, "text", {&term, 1});
               })
        .map([](const Receipt&) {});
  }
  void SetUp() override {
    const auto space = open(true);
    ASSERT_NE(space, nullptr);
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(put(*space, "n" + std::to_string(i % 7),
                      std::string(static_cast<std::size_t>(i) * 300, 'x') + std::to_string(i)));
    }
    ASSERT_TRUE(space->write(kOrigin,
                             [](Transaction& t) { return t.record(RecordKind::kEvent, "stays"); }));
    ASSERT_TRUE(space->write_sealed(kOrigin, "key", [](Transaction& t) {
      return t.upsert_concept(kEntityType, "secret").map([](EntityId) {});
    }));
    before_ = entries(*space);
  }
  std::vector<std::string> entries(Space& space) {
    std::vector<std::string> found;
    EXPECT_TRUE(space.log().read(Sequence{1}, [&](const LogEntry& entry) -> Status {
      found.push_back(entry_to_json(entry).dump());
      return {};
    }));
    return found;
  }
  std::string text_of(const Snapshot& snapshot, const std::string& name) {
    const auto id = snapshot.find_concept(kEntityType, name);
    if (!id) return "no such concept";
    const auto term = snapshot.attribute(*id, "text");
    return term ? std::string(snapshot.value(*term).text) : "no text";
  }
  void remove_bases() {
    const auto found = system_files().list(path_);
    ASSERT_TRUE(found);
    for (const DirectoryEntry& entry : *found) {
      if (!entry.name.starts_with("base-")) continue;
      ASSERT_TRUE(system_files().remove(join_path(path_, entry.name)));
    }
  }
  void sql(const std::string& statement) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(join_path(path_, "log.db").c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }

  TemporaryDirectory folder_;
  const std::string path_ = folder_.file("space");
  const std::string file_ = folder_.file("old.archive");
  std::vector<std::string> before_;
  Error last_error_;
};

TEST_F(Archive, LeavesTheStateTheProofsAndTheRecords) {
  const auto space = open();
  const auto proof = prove_entry(space->log(), Sequence{5});
  ASSERT_TRUE(proof);
  const auto report = archive_entries(*space, Sequence{23}, file_, system_files());
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(report->entries, 21u) << "all but the record and the sealed one";
  EXPECT_TRUE(has_archived_payloads(*schema_version(path_)));
  ASSERT_TRUE(put(*space, "n1", "after"));
  const auto audit = verify_log(space->log());
  ASSERT_TRUE(audit) << audit.error().describe();
  EXPECT_EQ(audit->entries, 25u);
  EXPECT_EQ(prove_entry(space->log(), Sequence{5})->hash, proof->hash);
  int records = 0;
  ASSERT_TRUE(space->changes(Sequence::kNone, [&](const LogEntry& entry) {
    return visit_records(entry, [&](RecordKind kind, std::string_view) -> Status {
      records += kind == RecordKind::kEvent ? 1 : 0;
      return {};
    });
  }));
  EXPECT_EQ(records, 1);
  const auto again = open();
  ASSERT_NE(again, nullptr) << last_error_.describe();
  EXPECT_EQ(text_of(again->snapshot().value(), "n1"), "after");
  EXPECT_EQ(text_of(*again->snapshot().value().as_of(Sequence{2}), "n0"), "0");
  EXPECT_EQ(text_of(*again->snapshot().value().as_of(Sequence{9}), "n0").size(), 7u * 300 + 1);
  EXPECT_TRUE(again->snapshot().value().find_concept(kEntityType, "secret"));
}

TEST_F(Archive, ComesBackByteByByte) {
  {
    const auto space = open();
    ASSERT_TRUE(archive_entries(*space, Sequence{10}, file_, system_files()));
    ASSERT_TRUE(archive_entries(*space, Sequence{20}, file_ + "2", system_files()));
    EXPECT_FALSE(archive_entries(*space, Sequence{20}, file_ + "3", system_files()));
    EXPECT_FALSE(file_exists(system_files(), file_ + "3"));
    const auto audit = verify_log(space->log());
    ASSERT_TRUE(audit) << audit.error().describe();
  }
  ASSERT_TRUE(verify_archive(path_, file_, system_files()));
  // Without its base the space says which entry is missing.
  remove_bases();
  EXPECT_EQ(open(), nullptr);
  EXPECT_EQ(last_error_.code, ErrorCode::kNotFound);
  EXPECT_EQ(last_error_.where, "log entry 1");
  EXPECT_NE(last_error_.hint.find("--restore"), std::string::npos);
  ASSERT_TRUE(restore_archive(path_, file_, system_files()));
  EXPECT_TRUE(has_archived_payloads(*schema_version(path_)));
  EXPECT_EQ(open(), nullptr);
  EXPECT_EQ(last_error_.where, "log entry 11");
  ASSERT_TRUE(restore_archive(path_, file_ + "2", system_files()));
  EXPECT_FALSE(has_archived_payloads(*schema_version(path_)));
  const auto space = open();
  ASSERT_NE(space, nullptr) << last_error_.describe();
  auto now = entries(*space);
  now.resize(before_.size());
  EXPECT_EQ(now, before_);
  EXPECT_TRUE(verify_log(space->log()));
  EXPECT_EQ(text_of(space->snapshot().value(), "n6"), text_of(open()->snapshot().value(), "n6"));
}

TEST_F(Archive, WhatIsLeftOfAnEntryIsUnderTheRecord) {
  {
    const auto space = open();
    ASSERT_TRUE(archive_entries(*space, Sequence{12}, file_, system_files()));
  }
  sqlite3_int64 size = 0;
  {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(join_path(path_, "log.db").c_str(), &handle), SQLITE_OK);
    sqlite3_stmt* query = nullptr;
    sqlite3_prepare_v2(handle, "SELECT length(entry) FROM log WHERE sequence = 4", -1, &query,
                       nullptr);
    ASSERT_EQ(sqlite3_step(query), SQLITE_ROW);
    size = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    sqlite3_close(handle);
  }
  sql("CREATE TABLE kept AS SELECT entry FROM log WHERE sequence = 4");
  for (sqlite3_int64 at = 1; at <= size; ++at) {
    const std::string place = std::to_string(at);
    sql("UPDATE log SET entry = (SELECT CAST(substr(entry, 1, " + place +
        " - 1) || CASE WHEN hex(substr(entry, " + place +
        ", 1)) = '41' THEN x'42' ELSE x'41' END "
        "|| substr(entry, " +
        place + " + 1) AS BLOB) FROM kept) WHERE sequence = 4");
    const auto log = open_log(path_);
    ASSERT_TRUE(log);
    const auto audit = verify_log(**log);
    ASSERT_FALSE(audit) << "byte " << at;
    EXPECT_EQ(audit.error().code, ErrorCode::kCorrupt) << audit.error().describe();
  }
  sql("UPDATE log SET entry = (SELECT entry FROM kept) WHERE sequence = 4; DROP TABLE kept");
  const auto log = open_log(path_);
  ASSERT_TRUE(log);
  EXPECT_TRUE(verify_log(**log));
}

TEST_F(Archive, DamagedOnesAreRefused) {
  {
    const auto space = open();
    ASSERT_TRUE(archive_entries(*space, Sequence{12}, file_, system_files()));
  }
  std::string bytes = *read_file(system_files(), file_);
  const std::size_t place = bytes.find(std::string(600, 'x'));
  ASSERT_NE(place, std::string::npos);
  bytes[place + 3] = 'y';
  ASSERT_TRUE(replace_file(system_files(), file_ + "-bad", bytes, 0600));
  const auto verified = verify_archive(path_, file_ + "-bad", system_files());
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().code, ErrorCode::kCorrupt);
  EXPECT_TRUE(verified.error().where.starts_with("log entry")) << verified.error().describe();
  EXPECT_FALSE(restore_archive(path_, file_ + "-bad", system_files()));
  EXPECT_TRUE(has_archived_payloads(*schema_version(path_))) << "nothing of it was taken";
  EXPECT_EQ(restore_archive(path_, file_, system_files())->changed, 12u);
}

TEST_F(Archive, OfAnotherProcessIsFollowed) {
  const auto idle = open();
  const std::uint64_t seen = static_cast<std::uint64_t>(idle->snapshot().value().sequence());
  const auto busy = open();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(put(*busy, "late", std::to_string(i)));
  ASSERT_TRUE(archive_entries(*busy, Sequence{seen + 3}, file_, system_files()));
  ASSERT_TRUE(put(*busy, "later", "still"));
  EXPECT_EQ(text_of(idle->snapshot().value(), "late"), "4");
  ASSERT_TRUE(put(*idle, "idle", "writes"));
  EXPECT_EQ(text_of(busy->snapshot().value(), "idle"), "writes");
  EXPECT_TRUE(verify_log(busy->log()));
}

TEST_F(Archive, AnErasureAsksForItFirst) {
  const auto space = open();
  ASSERT_TRUE(archive_entries(*space, Sequence{12}, file_, system_files()));
  const Status erased = space->erase("key");
  ASSERT_FALSE(erased);
  EXPECT_EQ(erased.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(space->snapshot().value().find_concept(kEntityType, "secret"));
  ASSERT_TRUE(restore_archive(path_, file_, system_files()));
  ASSERT_TRUE(space->erase("key"));
  EXPECT_FALSE(space->snapshot().value().find_concept(kEntityType, "secret"));
  EXPECT_TRUE(verify_log(space->log()));
}

}  // namespace
}  // namespace anima::store::archive_test
