// What the rows of every stored log keep: damage is found and named, copies are whole, versions
// hold. Each test runs over SQLite and PostgreSQL.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "store/log/archived.h"
#include "store/log/attachment.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"
#include "store/log/salvaged_log.h"
#include "store/log/stored_rows.h"
#include "support/log_kinds.h"

namespace anima::store::log_rows_contract_test {
namespace {

class LogRowsContract : public test::LogKind {
 protected:
  // Five entries; the third lies in parts, the fourth has something attached.
  void write() {
    log_ = opened({.create = true, .tuning = {{}, 1000}});
    for (int i = 1; i <= 5; ++i) {
      auto turn = *log_->take_turn();
      LogEntry entry;
      entry.origin.author = "tester";
      entry.payload = i == 3 ? std::string(3500, 'p') : "entry " + std::to_string(i);
      if (i == 4) {
        entry.format = detail::kAttachedFormat;
        entry.attachment = "attached";
      }
      ASSERT_TRUE(turn->append(std::move(entry), Timestamp{i}));
      ASSERT_TRUE(turn->commit());
    }
  }
  void reopen() {
    log_.reset();
    log_ = opened({.read_only = true});
    ASSERT_NE(log_, nullptr);
  }
  // Changes what lies in the rows of an entry, as a damage would.
  void damage(std::uint64_t sequence, const std::function<void(detail::EntryRows&)>& change) {
    auto entry = log_->rows()->stored(Sequence{sequence});
    ASSERT_TRUE(entry) << entry.error().describe();
    change(*entry);
    auto turn = *log_->take_turn();
    detail::RowTurn* const rows = *detail::rows_of(*turn);
    ASSERT_TRUE(rows->put(Sequence{sequence}, *entry));
    ASSERT_TRUE(turn->commit());
    turn.reset();
    reopen();
  }
  static std::uint64_t whole(Log& log) {
    std::uint64_t count = 0;
    const Status read = log.read(Sequence{1}, [&](const LogEntry&) -> Status {
      ++count;
      return {};
    });
    EXPECT_TRUE(read) << read.error().describe();
    return count;
  }
  Error read_error(std::uint64_t* seen = nullptr) {
    std::uint64_t count = 0;
    const Status read = log_->read(Sequence{1}, [&](const LogEntry&) -> Status {
      ++count;
      return {};
    });
    if (seen != nullptr) *seen = count;
    EXPECT_FALSE(read);
    return read ? Error{} : read.error();
  }
  std::shared_ptr<Log> log_;
};

TEST_P(LogRowsContract, AWholeLogIsRead) {
  write();
  EXPECT_EQ(whole(*log_), 5u);
}

TEST_P(LogRowsContract, AFlippedByteIsFound) {
  write();
  damage(2, [](detail::EntryRows& entry) { entry.row.back() ^= 1; });
  std::uint64_t seen = 0;
  const Error error = read_error(&seen);
  EXPECT_EQ(error.code, ErrorCode::kCorrupt);
  EXPECT_EQ(error.where, "log entry 2");
  EXPECT_EQ(seen, 1u);
  EXPECT_EQ(log_->entry(Sequence{2}).error().code, ErrorCode::kCorrupt);
  EXPECT_TRUE(log_->entry(Sequence{3}));
}

TEST_P(LogRowsContract, AFlippedByteOfTheHeaderIsFound) {
  write();
  damage(2, [](detail::EntryRows& entry) { entry.row[74] ^= 1; });
  EXPECT_EQ(read_error().where, "log entry 2");
}

TEST_P(LogRowsContract, ARowThatWasCutIsFound) {
  write();
  damage(4, [](detail::EntryRows& entry) { entry.row.resize(entry.row.size() - 3); });
  EXPECT_EQ(read_error().where, "log entry 4");
}

TEST_P(LogRowsContract, AnEmptyRowIsFound) {
  write();
  damage(4, [](detail::EntryRows& entry) { entry.row.clear(); });
  EXPECT_EQ(read_error().code, ErrorCode::kCorrupt);
}

TEST_P(LogRowsContract, AMissingRowIsFound) {
  write();
  sql("DELETE FROM log WHERE sequence = 3");
  reopen();
  const Error error = read_error();
  EXPECT_EQ(error.code, ErrorCode::kCorrupt);
  EXPECT_EQ(error.where, "log entry 3");
  EXPECT_NE(error.message.find("log entry 4"), std::string::npos);
}

TEST_P(LogRowsContract, AMissingFirstRowIsFound) {
  write();
  sql("DELETE FROM log WHERE sequence = 1");
  reopen();
  EXPECT_EQ(read_error().where, "log entry 1");
}

TEST_P(LogRowsContract, ARowInThePlaceOfAnotherIsFound) {
  write();
  const auto other = log_->rows()->stored(Sequence{5});
  damage(2, [&](detail::EntryRows& entry) { entry.row = other->row; });
  EXPECT_EQ(read_error().where, "log entry 2");
}

// Whole in itself, but of another history.
TEST_P(LogRowsContract, AnEntryThatIsNotChainedIsFound) {
  write();
  LogEntry forged = *log_->entry(Sequence{2});
  forged.payload = "forged";
  std::string row;
  detail::encode_entry(forged, detail::kPartBytes, row);
  damage(2, [&](detail::EntryRows& entry) { entry.row = row; });
  EXPECT_TRUE(log_->entry(Sequence{2})) << "its own hash holds";
  EXPECT_EQ(read_error().where, "log entry 3");
}

TEST_P(LogRowsContract, AFlippedByteOfAPartIsFound) {
  write();
  damage(3, [](detail::EntryRows& entry) { entry.parts[1][7] ^= 1; });
  EXPECT_EQ(read_error().where, "log entry 3");
}

TEST_P(LogRowsContract, AMissingPartIsFound) {
  write();
  sql("DELETE FROM part WHERE sequence = 3 AND number = 1");
  reopen();
  const Error error = read_error();
  EXPECT_EQ(error.where, "log entry 3");
  EXPECT_EQ(error.code, ErrorCode::kCorrupt);
}

TEST_P(LogRowsContract, AMissingLastPartIsFound) {
  write();
  sql("DELETE FROM part WHERE sequence = 3 AND number = 3");
  reopen();
  EXPECT_EQ(read_error().where, "log entry 3");
}

TEST_P(LogRowsContract, NobodyWritesBehindALostTail) {
  write();
  log_.reset();
  sql("DELETE FROM log WHERE sequence = 5");
  const auto log = open({});
  ASSERT_FALSE(log) << "it knows of entry 5";
  EXPECT_EQ(log.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(log.error().message.find("entry 5"), std::string::npos) << log.error().describe();
  EXPECT_TRUE(open({.read_only = true})) << "what is left can be read";
}

TEST_P(LogRowsContract, ATailThatIsLostMeanwhileIsFoundByTheNextTurn) {
  write();
  // A writer who goes on has asked for its next turn, and the head was read with it. Another's turn
  // comes when that one was given back.
  ASSERT_TRUE(opened()->take_turn());
  sql("DELETE FROM log WHERE sequence = 5");
  const auto turn = log_->take_turn();
  ASSERT_FALSE(turn);
  EXPECT_EQ(turn.error().code, ErrorCode::kCorrupt);
}

TEST_P(LogRowsContract, ADamagedHeadIsAnErrorOfTheTurn) {
  write();
  auto entry = log_->rows()->stored(Sequence{5});
  entry->row[64] = 77;  // no layout
  {
    auto turn = *log_->take_turn();
    ASSERT_TRUE((*detail::rows_of(*turn))->put(Sequence{5}, *entry));
    ASSERT_TRUE(turn->commit());
  }
  EXPECT_EQ(log_->head().error().code, ErrorCode::kCorrupt);
  const auto turn = log_->take_turn();
  ASSERT_FALSE(turn);
  EXPECT_EQ(turn.error().code, ErrorCode::kCorrupt);
}

TEST_P(LogRowsContract, WhatComesBeforeADamageIsSalvaged) {
  write();
  damage(4, [](detail::EntryRows& entry) { entry.row.back() ^= 1; });
  log_.reset();
  auto damaged = detail::open_log_at(place_, {.read_only = true});
  ASSERT_TRUE(damaged);
  auto salvaged = detail::salvage_log(std::move(*damaged));
  ASSERT_TRUE(salvaged) << salvaged.error().describe();
  EXPECT_EQ(salvaged->log->head()->sequence, Sequence{3});
  EXPECT_EQ(salvaged->damage->where, "log entry 4");
  EXPECT_EQ(whole(*salvaged->log), 3u);
}

TEST_P(LogRowsContract, ACopyIsALogOfItsOwn) {
  write();
  const std::string folder = folder_.file("copy");
  ASSERT_TRUE(system_files().make_directories(folder, 0700));
  const Status copied =
      log_->rows()->copy_to(detail::log_path(folder), [&](std::uint64_t done, std::uint64_t all) {
        EXPECT_LE(done, all);
        return true;
      });
  ASSERT_TRUE(copied) << copied.error().describe();
  detail::SqliteLogOptions options;
  options.read_only = true;
  const auto copy = detail::open_sqlite_log(folder, options);
  ASSERT_TRUE(copy) << copy.error().describe();
  EXPECT_EQ(whole(**copy), 5u);
  EXPECT_EQ((*copy)->head()->hash, log_->head()->hash);
  EXPECT_EQ(*(*copy)->attachment(Sequence{4}), "attached");
  for (std::uint64_t i = 1; i <= 5; ++i) {
    EXPECT_EQ((*copy)->rows()->stored(Sequence{i})->row, log_->rows()->stored(Sequence{i})->row);
  }
}

TEST_P(LogRowsContract, ACopyCanBeStopped) {
  write();
  // More than what is copied between two questions.
  log_ = opened({});
  auto turn = *log_->take_turn();
  LogEntry entry;
  entry.payload = std::string(12'000'000, 'x');
  ASSERT_TRUE(turn->append(std::move(entry), Timestamp{9}));
  ASSERT_TRUE(turn->commit());
  turn.reset();
  const Status copied = log_->rows()->copy_to(folder_.file("copy.db"),
                                              [](std::uint64_t, std::uint64_t) { return false; });
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ErrorCode::kCancelled);
}

TEST_P(LogRowsContract, AnArchivedEntryKeepsItsPlaceAndComesBack) {
  write();
  const auto whole = log_->rows()->stored(Sequence{3});
  const LogEntry before = *log_->entry(Sequence{3});
  {
    auto turn = *log_->take_turn();
    detail::RowTurn* const rows = *detail::rows_of(*turn);
    ASSERT_TRUE(rows->put(Sequence{3}, {detail::encode_archived(before), {}, {}}));
    ASSERT_TRUE(rows->set_schema_version(detail::kArchivedSchema));
    ASSERT_TRUE(turn->commit());
  }
  EXPECT_TRUE(detail::is_archived(*log_->entry(Sequence{3})));
  EXPECT_EQ(log_->entry(Sequence{3})->hash, before.hash);
  EXPECT_EQ(*log_->rows()->schema_version(), detail::kArchivedSchema);
  {
    auto turn = *log_->take_turn();
    ASSERT_TRUE((*detail::rows_of(*turn))->put(Sequence{3}, *whole));
    ASSERT_TRUE(turn->commit());
  }
  EXPECT_EQ(log_->entry(Sequence{3})->payload, before.payload);
}

TEST_P(LogRowsContract, PuttingIsRolledBack) {
  write();
  {
    auto turn = *log_->take_turn();
    detail::RowTurn* const rows = *detail::rows_of(*turn);
    ASSERT_TRUE(rows->put(Sequence{1}, {"damage", {"part"}, "attachment"}));
    ASSERT_TRUE(rows->set_schema_version(detail::kCompactedSchema));
  }
  EXPECT_EQ(log_->entry(Sequence{1})->payload, "entry 1");
  EXPECT_EQ(*log_->rows()->schema_version(), detail::kLogSchema);
}

TEST_P(LogRowsContract, ANewLogHasTheVersionOfThisProgram) {
  write();
  EXPECT_EQ(*log_->rows()->schema_version(), detail::kLogSchema);
}

TEST_P(LogRowsContract, RedactionsChangeTheVersion) {
  write();
  const auto redact = [&](bool compacts) {
    auto turn = *log_->take_turn();
    detail::RowTurn* const rows = *detail::rows_of(*turn);
    LogEntry left = *log_->entry(Sequence{1});
    left.format = detail::kTakenFormat;
    left.payload = compacts ? "" : "l";
    ASSERT_TRUE(rows->redact(left));
    const Status marked = compacts ? rows->mark_compacted() : Status();
    ASSERT_TRUE(marked);
    ASSERT_TRUE(turn->append({}, Timestamp{9}));
    ASSERT_TRUE(turn->commit());
  };
  redact(false);
  EXPECT_EQ(*log_->rows()->schema_version(), detail::kRedactedSchema);
  redact(true);
  EXPECT_EQ(*log_->rows()->schema_version(), detail::kCompactedSchema);
  log_.reset();
  EXPECT_TRUE(open({}));
}

TEST_P(LogRowsContract, ANewerVersionIsNotRead) {
  write();
  {
    auto turn = *log_->take_turn();
    ASSERT_TRUE((*detail::rows_of(*turn))->set_schema_version(77));
    ASSERT_TRUE(turn->commit());
  }
  log_.reset();
  for (const bool read_only : {false, true}) {
    const auto log = open({.read_only = read_only});
    ASSERT_FALSE(log);
    EXPECT_EQ(log.error().code, ErrorCode::kVersionMismatch) << log.error().describe();
    EXPECT_FALSE(log.error().hint.empty());
  }
}

TEST_P(LogRowsContract, SweepingKeepsEveryByte) {
  write();
  const Digest hash = log_->head()->hash;
  for (const bool shrink : {false, true}) {
    const auto swept = log_->rows()->sweep(shrink);
    ASSERT_TRUE(swept) << swept.error().describe();
    EXPECT_EQ(log_->head()->hash, hash);
    EXPECT_EQ(whole(*log_), 5u);
  }
}

TEST_P(LogRowsContract, StoredRowsAreTheSameBytesInEveryKind) {
  write();
  const auto entry = detail::whole_entry(Sequence{3}, *log_->rows()->stored(Sequence{3}));
  ASSERT_TRUE(entry) << entry.error().describe();
  EXPECT_EQ(entry->payload, std::string(3500, 'p'));
  EXPECT_EQ(log_->rows()->stored(Sequence{3})->parts.size(), 4u);
  EXPECT_EQ(*log_->rows()->stored(Sequence{4})->attachment, "attached");
  EXPECT_EQ(log_->rows()->stored(Sequence{9}).error().code, ErrorCode::kCorrupt);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LogRowsContract, ::testing::Values("Sqlite", "Postgres"),
                         test::kind_name);

TEST(MemoryLogRows, AreNone) {
  const auto log = detail::make_memory_log();
  EXPECT_EQ(detail::rows_of(*log).error().code, ErrorCode::kUnsupported);
  auto turn = *log->take_turn();
  EXPECT_EQ(detail::rows_of(*turn).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace anima::store::log_rows_contract_test
