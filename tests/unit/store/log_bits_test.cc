// Every single bit of everything that the log stores, flipped: the audit must notice and name the
// place.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/log/sqlite_log.h"
#include "store/verify/audit.h"

namespace anima::store::log_bits_test {
namespace {

class EveryBit : public testing::Test {
 protected:
  static constexpr int kEntries = 6;

  void SetUp() override {
    detail::SqliteLogOptions options;
    options.create = true;
    options.part_bytes = 24;
    auto log = detail::open_sqlite_log(folder_.path(), options);
    ASSERT_TRUE(log);
    for (int i = 0; i < kEntries; ++i) {
      auto turn = (*log)->take_turn();
      LogEntry entry;
      entry.origin.author = "a";
      entry.format = 0;  // of no reader: records are not looked for
      entry.seal = "k#1";
      entry.payload = std::string(i == 3 ? 40 : 5, 'p');  // one in parts
      ASSERT_TRUE((*turn)->append(entry, Timestamp{i}));
      ASSERT_TRUE((*turn)->commit());
    }
    log->reset();
    ASSERT_EQ(sqlite3_open(detail::log_path(folder_.path()).c_str(), &handle_), SQLITE_OK);
    run("PRAGMA synchronous=OFF");
    log_ = *open_log(folder_.path());
    ASSERT_TRUE(verify_log(*log_));
  }
  void TearDown() override {
    log_.reset();
    sqlite3_close(handle_);
  }
  bool run(const std::string& statement) {
    return sqlite3_exec(handle_, statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  // Damages, looks, and mends again.
  void expect_noticed(const std::string& damage, const std::string& what) {
    ASSERT_TRUE(run("BEGIN"));
    const bool done = run(damage);
    const int changed = sqlite3_changes(handle_);
    ASSERT_TRUE(run("ROLLBACK"));
    if (!done || changed == 0) return;  // the key is taken: that is the swap, tested elsewhere
    ASSERT_TRUE(
        run("BEGIN; DELETE FROM log_copy; DELETE FROM part_copy;"
            "INSERT INTO log_copy SELECT * FROM log;"
            "INSERT INTO part_copy SELECT * FROM part; COMMIT"));
    ASSERT_TRUE(run(damage));
    const auto report = verify_log(*log_);
    EXPECT_FALSE(report) << what << " went unnoticed";
    if (!report) {
      ++noticed_;
      EXPECT_EQ(report.error().code, ErrorCode::kCorrupt) << what;
      EXPECT_NE(report.error().where.find("log entry "), std::string::npos) << what;
    }
    ASSERT_TRUE(
        run("BEGIN; DELETE FROM log; DELETE FROM part;"
            "INSERT INTO log SELECT * FROM log_copy;"
            "INSERT INTO part SELECT * FROM part_copy; COMMIT"));
  }
  std::string blob(const std::string& query) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle_, query.c_str(), -1, &statement, nullptr);
    std::string bytes;
    if (sqlite3_step(statement) == SQLITE_ROW) {
      bytes.assign(static_cast<const char*>(sqlite3_column_blob(statement, 0)),
                   static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
    }
    sqlite3_finalize(statement);
    return bytes;
  }
  void flip_all(const std::string& table, const std::string& column, const std::string& where) {
    const std::string bytes = blob("SELECT " + column + " FROM " + table + " WHERE " + where);
    ASSERT_FALSE(bytes.empty());
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      expect_noticed(
          "UPDATE " + table + " SET " + column + " = x'" + to_hex(damaged) + "' WHERE " + where,
          table + " " + where + " bit " + std::to_string(bit));
      if (HasFailure()) return;
    }
  }
  void flip_number(const std::string& table, const std::string& column, const std::string& where) {
    for (int bit = 0; bit < 63; ++bit) {
      const std::string mask = std::to_string(std::int64_t{1} << bit);
      expect_noticed("UPDATE " + table + " SET " + column + " = (" + column + " | " + mask +
                         ") - (" + column + " & " + mask + ") WHERE " + where,
                     table + "." + column + " " + where + " bit " + std::to_string(bit));
    }
  }

  TemporaryDirectory folder_;
  sqlite3* handle_ = nullptr;
  std::unique_ptr<Log> log_;
  int noticed_ = 0;
};

TEST_F(EveryBit, OfEveryColumnIsNoticed) {
  ASSERT_TRUE(
      run("CREATE TEMP TABLE log_copy AS SELECT * FROM log;"
          "CREATE TEMP TABLE part_copy AS SELECT * FROM part"));
  const char* value = std::getenv("ANIMA_TEST_FULL");
  const bool full = value != nullptr && *value != '\0';
  for (int sequence = 1; sequence <= kEntries; ++sequence) {
    const std::string where = "sequence = " + std::to_string(sequence);
    flip_number("log", "sequence", where);
    if (full || sequence == 2 || sequence == 4) flip_all("log", "entry", where);
    if (HasFailure()) return;
  }
  for (int number = 0; number < 2; ++number) {
    const std::string where = "number = " + std::to_string(number);
    flip_all("part", "bytes", where);
    flip_number("part", "number", where);
    flip_number("part", "sequence", where);
  }
  EXPECT_TRUE(verify_log(*log_)) << "mended";
  EXPECT_GT(noticed_, 2000);
}

// Any two entries in each other's place.
TEST_F(EveryBit, SwappedEntriesAreNoticed) {
  ASSERT_TRUE(
      run("CREATE TEMP TABLE log_copy AS SELECT * FROM log;"
          "CREATE TEMP TABLE part_copy AS SELECT * FROM part"));
  for (int a = 1; a <= kEntries; ++a) {
    for (int b = a + 1; b <= kEntries; ++b) {
      const std::string left = std::to_string(a);
      const std::string right = std::to_string(b);
      expect_noticed(
          "UPDATE log SET entry = (SELECT c.entry FROM log_copy c WHERE c.sequence = " + left +
              " + " + right + " - log.sequence) WHERE sequence IN (" + left + ", " + right + ")",
          "swap " + left + " " + right);
    }
    if (a < kEntries) {
      expect_noticed("DELETE FROM log WHERE sequence = " + std::to_string(a),
                     "removal " + std::to_string(a));
    }
  }
}

// The same on the file itself, SQLite's own bytes included: either the damage is reported, or it
// hit something that nobody reads and every entry is as it was.
TEST_F(EveryBit, OfTheFileIsNoticedOrHarmless) {
  ASSERT_TRUE(run("PRAGMA wal_checkpoint(TRUNCATE)"));
  const Digest root = verify_log(*log_)->root;
  log_.reset();
  sqlite3_close(handle_);
  handle_ = nullptr;
  const std::string path = detail::log_path(folder_.path());
  const std::string bytes = *read_file(system_files(), path);
  const TemporaryDirectory other;
  const std::string damaged_path = detail::log_path(other.path());
  int reported = 0;
  for (std::size_t bit = 3; bit < bytes.size() * 8; bit += 61) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    for (const char* suffix : {"-wal", "-shm"}) (void)system_files().remove(damaged_path + suffix);
    const auto file = system_files().open(damaged_path, OpenMode::kTruncate);
    ASSERT_TRUE(file && (*file)->append(damaged));
    const auto log = open_log(other.path());
    const Result<AuditReport> report =
        log ? verify_log(**log) : Result<AuditReport>(fail(log.error()));
    if (report) {
      EXPECT_EQ(report->root, root) << "bit " << bit;
    } else {
      ++reported;
      EXPECT_FALSE(report.error().message.empty());
    }
  }
  EXPECT_GT(reported, 20);
  for (std::size_t size = 0; size < bytes.size(); size += 512) {
    const auto file = system_files().open(damaged_path, OpenMode::kTruncate);
    ASSERT_TRUE(file && (*file)->append(std::string_view(bytes).substr(0, size)));
    const auto log = open_log(other.path());
    EXPECT_FALSE(log && verify_log(**log)) << "cut at " << size;
  }
}

}  // namespace
}  // namespace anima::store::log_bits_test
