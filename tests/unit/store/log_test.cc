// The log behind its interface: chain, damage, parts, turns, following, versions.
#include "store/log.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/files/file.h"
#include "store/log/entry_codec.h"
#include "store/log/memory_log.h"
#include "store/log/sqlite_log.h"

namespace anima::store::log_test {
namespace {

LogEntry entry_of(std::string payload) {
  LogEntry entry;
  entry.origin.author = "alice";
  entry.origin.source = "test";
  entry.origin.trust = Trust::kStandard;
  entry.payload = std::move(payload);
  return entry;
}

Head append(Log& log, std::string payload, std::int64_t now = 1000) {
  auto turn = log.take_turn();
  EXPECT_TRUE(turn) << turn.error().describe();
  auto head = (*turn)->append(entry_of(std::move(payload)), Timestamp{now});
  EXPECT_TRUE(head) << head.error().describe();
  const Status committed = (*turn)->commit();
  EXPECT_TRUE(committed) << committed.error().describe();
  return *head;
}

std::vector<LogEntry> all(Log& log, Sequence first = Sequence{1}) {
  std::vector<LogEntry> entries;
  const Status status = log.read(first, [&](const LogEntry& entry) -> Status {
    entries.push_back(entry);
    return {};
  });
  EXPECT_TRUE(status) << status.error().describe();
  return entries;
}

void sql(const std::string& folder, const std::string& statement) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(detail::log_path(folder).c_str(), &handle), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << (message != nullptr ? message : "");
  sqlite3_close(handle);
}

std::unique_ptr<Log> open_log(const std::string& folder, std::uint64_t part_bytes = 1 << 20) {
  detail::SqliteLogOptions options;
  options.create = true;
  options.part_bytes = part_bytes;
  auto log = detail::open_sqlite_log(folder, options);
  EXPECT_TRUE(log) << log.error().describe();
  return log ? std::move(*log) : nullptr;
}

// Every kind of log, same contract.
class AnyLog : public testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Log> make() {
    return GetParam() ? open_log(folder_.path()) : detail::make_memory_log();
  }
  TemporaryDirectory folder_;
};

TEST_P(AnyLog, ChainsEntriesAndKeepsEveryField) {
  const auto log = make();
  EXPECT_EQ(log->head()->sequence, Sequence::kNone);
  LogEntry entry = entry_of("first");
  entry.format = 7;
  entry.seal = "key-1";
  entry.origin.cause = Sequence{0};
  auto turn = log->take_turn();
  ASSERT_TRUE((*turn)->append(entry, Timestamp{500}));
  ASSERT_TRUE((*turn)->append(entry_of(""), Timestamp{400}));
  ASSERT_TRUE((*turn)->commit());
  const auto entries = all(*log);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].payload, "first");
  EXPECT_EQ(entries[0].format, 7u);
  EXPECT_EQ(entries[0].seal, "key-1");
  EXPECT_EQ(entries[0].origin.author, "alice");
  EXPECT_EQ(entries[0].origin.source, "test");
  EXPECT_EQ(entries[0].origin.trust, Trust::kStandard);
  EXPECT_EQ(entries[0].previous, Digest{});
  EXPECT_EQ(entries[1].previous, entries[0].hash);
  EXPECT_EQ(entries[1].time, Timestamp{500}) << "time never goes back";
  EXPECT_EQ(log->head()->hash, entries[1].hash);
  EXPECT_EQ(log->known_head(), Sequence{2});
}

TEST_P(AnyLog, ATurnThatEndsWithoutCommitLeavesNothing) {
  const auto log = make();
  append(*log, "kept");
  {
    auto turn = log->take_turn();
    ASSERT_TRUE((*turn)->append(entry_of("dropped"), Timestamp{1}));
  }
  EXPECT_EQ(all(*log).size(), 1u);
  EXPECT_EQ(append(*log, "next").sequence, Sequence{2});
}

TEST_P(AnyLog, FollowsWhatAnotherThreadWrites) {
  const auto log = make();
  append(*log, "a");
  EXPECT_FALSE(*log->follow(Sequence{1}, 1));
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    append(*log, "b");
  });
  EXPECT_TRUE(*log->follow(Sequence{1}, 10'000));
  writer.join();
}

TEST_P(AnyLog, ReadsFromAnySequence) {
  const auto log = make();
  for (int i = 1; i <= 5; ++i) append(*log, std::to_string(i));
  EXPECT_EQ(all(*log, Sequence{4}).size(), 2u);
  EXPECT_EQ(all(*log, Sequence{6}).size(), 0u);
  EXPECT_EQ(all(*log, Sequence{99}).size(), 0u);
  EXPECT_EQ(log->entry(Sequence{3})->payload, "3");
  EXPECT_EQ(log->entry(Sequence{9}).error().code, ErrorCode::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnyLog, testing::Bool(),
                         [](const auto& info) { return info.param ? "sqlite" : "memory"; });

// The hash of the first entry, computed over bytes laid out by hand from the documented format.
TEST(EntryCodec, HashesTheDocumentedBytes) {
  LogEntry entry = entry_of("PAY");
  entry.sequence = Sequence{1};
  entry.time = Timestamp{2};
  std::string row;
  detail::encode_entry(entry, 100, row);
  std::string body(32, '\0');
  body += '\x01';                                // layout
  body += std::string("\x01\0\0\0\0\0\0\0", 8);  // sequence
  body += std::string("\x02\0\0\0\0\0\0\0", 8);  // time
  body += '\x02';                                // trust: standard
  body += '\x01';                                // format
  body += std::string("\0", 1);                  // cause
  body +=
      "\x05"
      "alice"
      "\x04"
      "test";
  body += std::string("\0", 1);  // seal
  body += '\x03';                // payload size
  body += std::string("\0", 1);  // not in parts
  body += "PAY";
  EXPECT_EQ(row.substr(32), body);
  EXPECT_EQ(entry.hash, sha256(body));
  const auto decoded = detail::decode_row(Sequence{1}, row);
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(detail::check_hash(*decoded, {}));
  EXPECT_EQ(decoded->entry.payload, "PAY");
}

// Every bit of a stored row: decoding or the hash must notice.
TEST(EntryCodec, NoticesEveryFlippedBit) {
  LogEntry entry = entry_of("some payload");
  entry.sequence = Sequence{3};
  entry.seal = "k";
  std::string row;
  detail::encode_entry(entry, 100, row);
  for (std::size_t bit = 0; bit < row.size() * 8; ++bit) {
    std::string damaged = row;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto decoded = detail::decode_row(Sequence{3}, damaged);
    if (decoded && detail::check_hash(*decoded, {})) {
      FAIL() << "bit " << bit << " went unnoticed";
    }
  }
  for (std::size_t size = 0; size < row.size(); ++size) {
    EXPECT_FALSE(detail::decode_row(Sequence{3}, row.substr(0, size)));
  }
}

TEST(SqliteLog, KeepsEntriesOverReopening) {
  const TemporaryDirectory folder;
  append(*open_log(folder.path()), "one");
  const auto log = open_log(folder.path());
  EXPECT_EQ(log->known_head(), Sequence{1});
  EXPECT_EQ(append(*log, "two").sequence, Sequence{2});
  EXPECT_EQ(all(*log).size(), 2u);
}

TEST(SqliteLog, CutsLongPayloadsIntoPartsAndChecksThem) {
  const TemporaryDirectory folder;
  std::string big(1000, 'x');
  for (std::size_t i = 0; i < big.size(); ++i) big[i] = static_cast<char>(i * 31);
  append(*open_log(folder.path(), 64), big);
  append(*open_log(folder.path(), 64), "small");
  EXPECT_EQ(all(*open_log(folder.path()))[0].payload, big);
  sql(folder.path(), "UPDATE part SET bytes = zeroblob(64) WHERE number = 3");
  auto damaged =
      open_log(folder.path())->read(Sequence{1}, [](const LogEntry&) { return Status(); });
  EXPECT_EQ(damaged.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(damaged.error().where, "log entry 1");
  sql(folder.path(), "DELETE FROM part WHERE number = 3");
  damaged = open_log(folder.path())->read(Sequence{1}, [](const LogEntry&) { return Status(); });
  EXPECT_EQ(damaged.error().code, ErrorCode::kCorrupt);
}

// Nothing after the damage is handed out, and the damage is named.
void expect_damage(const std::string& folder, std::uint64_t sequence) {
  std::uint64_t read = 0;
  const Status status = open_log(folder)->read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    read = detail::to_number(entry.sequence);
    return {};
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(status.error().where, "log entry " + std::to_string(sequence));
  EXPECT_EQ(read, sequence - 1);
}

class DamagedLog : public testing::Test {
 protected:
  void SetUp() override {
    const auto log = open_log(folder_.path());
    for (int i = 1; i <= 6; ++i) append(*log, "entry " + std::to_string(i));
  }
  TemporaryDirectory folder_;
};

TEST_F(DamagedLog, FlippedBit) {
  sql(folder_.path(),
      "UPDATE log SET entry = CAST(substr(entry, 1, 40) || x'ff' || substr(entry, 42) AS BLOB) "
      "WHERE sequence = 4");
  expect_damage(folder_.path(), 4);
}

TEST_F(DamagedLog, RemovedEntry) {
  sql(folder_.path(), "DELETE FROM log WHERE sequence = 3");
  expect_damage(folder_.path(), 3);
}

// Whoever reads on from an entry relies on the one before.
TEST_F(DamagedLog, EntryBeforeTheFirstThatIsAskedFor) {
  const auto read_from_4 = [&] {
    int read = 0;
    const Status status =
        open_log(folder_.path())->read(Sequence{4}, [&](const LogEntry&) -> Status {
          ++read;
          return {};
        });
    EXPECT_EQ(read, status ? 3 : 0);
    return status;
  };
  EXPECT_TRUE(read_from_4());
  sql(folder_.path(), "UPDATE log SET entry = CAST(entry || x'00' AS BLOB) WHERE sequence = 3");
  EXPECT_EQ(read_from_4().error().where, "log entry 3");
  sql(folder_.path(), "DELETE FROM log WHERE sequence = 3");
  EXPECT_EQ(read_from_4().error().code, ErrorCode::kCorrupt);
}

TEST_F(DamagedLog, FirstEntryRemoved) {
  sql(folder_.path(), "DELETE FROM log WHERE sequence = 1");
  expect_damage(folder_.path(), 1);
}

TEST_F(DamagedLog, SwappedEntries) {
  sql(folder_.path(),
      "UPDATE log SET sequence = -2 WHERE sequence = 2; UPDATE log SET sequence = 2 WHERE sequence "
      "= 3;"
      "UPDATE log SET sequence = 3 WHERE sequence = -2");
  expect_damage(folder_.path(), 2);
}

TEST_F(DamagedLog, RowThatIsNoBlob) {
  sql(folder_.path(), "UPDATE log SET entry = 'text' WHERE sequence = 5");
  expect_damage(folder_.path(), 5);
}

TEST_F(DamagedLog, RenumberedRow) {
  sql(folder_.path(), "UPDATE log SET sequence = 60 WHERE sequence = 6");
  expect_damage(folder_.path(), 6);
}

TEST(SqliteLog, RefusesOtherVersionsAndOtherFiles) {
  const TemporaryDirectory folder;
  append(*open_log(folder.path()), "one");
  sql(folder.path(), "PRAGMA user_version = 99");
  const auto newer = detail::open_sqlite_log(folder.path(), {});
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kVersionMismatch);
  sql(folder.path(), "PRAGMA application_id = 5");
  EXPECT_EQ(detail::open_sqlite_log(folder.path(), {}).error().code, ErrorCode::kCorrupt);
  const TemporaryDirectory other;
  EXPECT_EQ(detail::open_sqlite_log(other.path(), {}).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(replace_file(system_files(), detail::log_path(other.path()), std::string(4096, 'z')));
  EXPECT_EQ(detail::open_sqlite_log(other.path(), {}).error().code, ErrorCode::kCorrupt);
}

TEST(SqliteLog, ReadOnlyReadsAndDoesNotWrite) {
  const TemporaryDirectory folder;
  append(*open_log(folder.path()), "one");
  detail::SqliteLogOptions options;
  options.read_only = true;
  const auto log = detail::open_sqlite_log(folder.path(), options);
  ASSERT_TRUE(log) << log.error().describe();
  EXPECT_EQ(all(**log).size(), 1u);
  EXPECT_EQ((*log)->take_turn().error().code, ErrorCode::kDenied);
  append(*open_log(folder.path()), "two");
  EXPECT_EQ((*log)->known_head(), Sequence{2});
}

// Two Log objects are as two processes: their own connections and lock descriptions.
TEST(SqliteLog, TwoOpenersTakeTurns) {
  const TemporaryDirectory folder;
  const auto first = open_log(folder.path());
  const auto second = open_log(folder.path());
  constexpr int kEach = 200;
  const auto work = [](Log& log) {
    for (int i = 0; i < kEach; ++i) append(log, "x");
  };
  std::thread other([&] { work(*second); });
  work(*first);
  other.join();
  EXPECT_EQ(all(*first).size(), 2u * kEach);
  EXPECT_EQ(first->known_head(), Sequence{2 * kEach});
  EXPECT_EQ(second->head()->sequence, Sequence{2 * kEach});
}

}  // namespace
}  // namespace anima::store::log_test
