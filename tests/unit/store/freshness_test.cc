// That a snapshot is as new as what was acknowledged, that waiting ends, and that processes share
// their bases.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "base/files/file.h"
#include "store/bulk.h"
#include "store/log/sqlite_log.h"
#include "store/space.h"
#include "support/forwarding_files.h"
#include "support/needs.h"

namespace anima::store::freshness_test {
namespace {

using detail::to_number;

const Origin kAda{"ada", "test", Trust::kOperator, Sequence::kNone};

std::shared_ptr<Space> open(const std::string& folder, SpaceOptions options = {}) {
  options.create = !options.read_only;
  auto space = Space::open(folder, options);
  EXPECT_TRUE(space) << space.error().describe();
  return space ? *space : nullptr;
}

Result<Receipt> add(Space& space, const std::string& name) {
  return space.write(kAda, [&](Transaction& transaction) {
    return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
  });
}

bool has(const Snapshot& snapshot, std::string_view name) {
  return snapshot.find_concept(kEntityType, name).has_value();
}

std::size_t bases(const std::string& folder) {
  std::size_t found = 0;
  const auto listed = system_files().list(folder).value();
  for (const DirectoryEntry& entry : listed) {
    if (entry.name.starts_with("base-") && entry.name.ends_with(".anima")) ++found;
  }
  return found;
}

// Work of the background has no other end to wait for.
bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 1000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// --- 6: fresh and honest ------------------------------------------------------------------------

// Two spaces of one folder are two processes to each other. The newest entry of the one is damaged
// before the other has seen it.
class Unfollowed : public testing::Test {
 protected:
  void SetUp() override {
    reader_ = open(folder_.path());
    const auto writer = open(folder_.path());
    ASSERT_TRUE(add(*writer, "good"));
    const auto now = reader_->snapshot();
    ASSERT_TRUE(now && has(*now, "good"));
    const auto receipt = add(*writer, "bad");
    ASSERT_TRUE(receipt);
    bad_ = receipt->sequence;
  }
  void sql(const std::string& statement) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(detail::log_path(folder_.path()).c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }
  std::string bad() const { return std::to_string(to_number(bad_)); }
  // Whatever reads, and not once only.
  void expect_errors(ErrorCode code) {
    for (int i = 0; i < 2; ++i) {
      const auto now = reader_->snapshot();
      ASSERT_FALSE(now);
      EXPECT_EQ(now.error().code, code) << now.error().describe();
      const Status changes =
          reader_->changes(Sequence::kNone, [](const LogEntry&) -> Status { return {}; });
      ASSERT_FALSE(changes);
      EXPECT_EQ(changes.error().code, code) << changes.error().describe();
      const Status written = reader_->visit_written(Sequence::kNone, bad_,
                                                    [](const WrittenKey&) -> Status { return {}; });
      ASSERT_FALSE(written);
      EXPECT_EQ(written.error().code, code) << written.error().describe();
      EXPECT_FALSE(add(*reader_, "more"));
    }
  }

  TemporaryDirectory folder_;
  std::shared_ptr<Space> reader_;
  Sequence bad_ = Sequence::kNone;
};

TEST_F(Unfollowed, ADamagedEntryIsAnErrorOfTheSnapshot) {
  sql("UPDATE log SET entry = CAST(substr(entry, 1, length(entry) - 1) || x'ff' AS BLOB)"
      " WHERE sequence = " +
      bad());
  expect_errors(ErrorCode::kCorrupt);
}

TEST_F(Unfollowed, AnEntryThatIsGoneIsAnErrorOfTheSnapshot) {
  sql("DELETE FROM log WHERE sequence = " + bad());
  const auto now = reader_->snapshot();
  ASSERT_FALSE(now);
  EXPECT_EQ(now.error().code, ErrorCode::kCorrupt) << now.error().describe();
}

TEST_F(Unfollowed, ALogThatCannotBeReadIsAnErrorOfTheSnapshot) {
  sql("ALTER TABLE log RENAME TO elsewhere");
  const auto now = reader_->snapshot();
  ASSERT_FALSE(now);
  EXPECT_FALSE(reader_->changes(Sequence::kNone, [](const LogEntry&) -> Status { return {}; }));
  sql("ALTER TABLE elsewhere RENAME TO log");
  const auto again = reader_->snapshot();  // the error does not stay longer than its cause
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_TRUE(has(*again, "bad"));
}

TEST_F(Unfollowed, ALogThatWasCutShortIsAnErrorOfTheSnapshot) {
  sql("PRAGMA wal_checkpoint(TRUNCATE)");
  ASSERT_EQ(truncate(detail::log_path(folder_.path()).c_str(), 5000), 0);
  EXPECT_FALSE(reader_->snapshot());
  EXPECT_FALSE(reader_->changes(Sequence::kNone, [](const LogEntry&) -> Status { return {}; }));
}

// Two spaces of one folder are two processes to each other. Each commit of the one is asked for in
// the other, which writes all the time.
TEST(Freshness, AnAcknowledgedCommitIsInTheNextSnapshotOfABusyWriter) {
  TemporaryDirectory folder;
  SpaceOptions options;
  options.checkpoint_after_rows = 200;
  const auto busy = open(folder.path(), options);
  const auto other = open(folder.path(), options);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; !stop.load(); ++i) EXPECT_TRUE(add(*busy, "busy " + std::to_string(i)));
  });
  const int rounds = std::getenv("ANIMA_TEST_FULL") != nullptr ? 20'000 : 100;
  for (int i = 0; i < rounds; ++i) {
    const auto receipt = add(*other, "other " + std::to_string(i));
    ASSERT_TRUE(receipt) << receipt.error().describe();
    const auto now = busy->snapshot().value();
    ASSERT_GE(to_number(now.sequence()), to_number(receipt->sequence));
  }
  stop = true;
  writer.join();
}

// As another process that takes the writer's turn and is stopped there.
class StoppedHolder {
 public:
  explicit StoppedHolder(const std::string& folder) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    child_ = fork();
    if (child_ == 0) {
      const auto log = detail::open_sqlite_log(folder, {});
      const auto turn = (*log)->take_turn();
      [[maybe_unused]] const auto told = ::write(ready[1], turn ? "y" : "n", 1);
      raise(SIGSTOP);
      _exit(0);
    }
    char answer = 'n';
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    close(ready[0]);
    close(ready[1]);
  }
  ~StoppedHolder() { end(); }
  void end() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }
  pid_t child() const { return child_; }

 private:
  pid_t child_ = 0;
};

TEST(Freshness, AStoppedProcessDoesNotFreezeTheOthers) {
  TemporaryDirectory folder;
  open(folder.path()).reset();
  StoppedHolder holder(folder.path());
  SpaceOptions options;
  options.turn_wait_milliseconds = 150;
  const auto space = open(folder.path(), options);
  ASSERT_NE(space, nullptr);
  const auto refused = add(*space, "Ada");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_NE(refused.error().message.find("150 ms"), std::string::npos)
      << refused.error().describe();
  EXPECT_NE(refused.error().hint.find(std::to_string(holder.child())), std::string::npos)
      << refused.error().describe();
  holder.end();
  EXPECT_TRUE(add(*space, "Ada"));
}

TEST(TurnStopped, AWaitForTheTurnCanBeStopped) {
  TemporaryDirectory folder;
  open(folder.path()).reset();
  StoppedHolder holder(folder.path());
  std::atomic<bool> stop{false};
  SpaceOptions options;
  options.turn_wait_milliseconds = 600'000;
  options.stop = &stop;
  const auto space = open(folder.path(), options);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  const auto refused = add(*space, "Ada");
  later.join();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCancelled) << refused.error().describe();
}

TEST(Freshness, AStrangersLockOnTheFileIsWaitedForAsLong) {
  TemporaryDirectory folder;
  SpaceOptions options;
  options.turn_wait_milliseconds = 150;
  const auto space = open(folder.path(), options);
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(detail::log_path(folder.path()).c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto refused = add(*space, "Ada");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_NE(refused.error().message.find("150 ms"), std::string::npos)
      << refused.error().describe();
  sqlite3_close(handle);
  EXPECT_TRUE(add(*space, "Ada"));
}

// Neither a checkpoint nor the end of a space waits for ever for a base that somebody else writes.
TEST(Freshness, AHeldCheckpointLockEndsTheWaitToo) {
  TemporaryDirectory folder;
  const auto lock =
      system_files().lock(folder.path() + "/checkpoint.lock", LockMode::kExclusive, true);
  ASSERT_TRUE(lock);
  SpaceOptions options;
  options.turn_wait_milliseconds = 100;
  options.checkpoint_after_rows = 10;
  auto space = open(folder.path(), options);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(add(*space, std::to_string(i)));
  const Status refused = space->checkpoint();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy) << refused.error().describe();
  space.reset();  // hung here
  EXPECT_EQ(bases(folder.path()), 0u);
}

TEST(Freshness, AWriterThatMayNotWriteTheSharedHeadIsToldSo) {
  ANIMA_NEEDS(test::kNoRoot, geteuid() != 0);
  TemporaryDirectory folder;
  open(folder.path()).reset();
  ASSERT_EQ(chmod(folder.file("log.head").c_str(), 0444), 0);
  EXPECT_FALSE(Space::open(folder.path()));
}

// --- 8: bases by work, shared by processes ------------------------------------------------------

// What a reopening reads again, as rows.
std::uint64_t owed(const std::string& folder) {
  SpaceOptions options;
  options.read_only = true;
  return open(folder, options)->stats().replay_rows;
}

TEST(BasesOfOthers, ManySmallEntriesOfAnotherProcessLeaveLittleToReplay) {
  TemporaryDirectory folder;
  const SpaceOptions defaults;
  {
    const auto space = open(folder.path());
    const Change change = [i = 0](Transaction& transaction) mutable {
      return transaction.upsert_concept(kEntityType, "n" + std::to_string(i++)).map([](EntityId) {
      });
    };
    int left = 10'000;
    const auto series = space->write_series(
        kAda, [&]() -> const Change* { return left-- > 0 ? &change : nullptr; });
    ASSERT_TRUE(series.status);
  }
  EXPECT_LT(owed(folder.path()), defaults.checkpoint_after_rows);
  SpaceOptions options;
  options.read_only = true;
  const SpaceStats stats = open(folder.path(), options)->stats();
  EXPECT_LT(stats.replay_bytes, defaults.checkpoint_after_bytes);
  EXPECT_LT(stats.entries - to_number(stats.base_sequence), 6'000u);
}

TEST(BasesOfOthers, OneLargeEntryIsWorkToo) {
  TemporaryDirectory folder;
  SpaceOptions options;
  options.checkpoint_after_rows = 1000;
  {
    const auto space = open(folder.path(), options);
    ASSERT_TRUE(space->write(kAda, [](Transaction& transaction) -> Status {
      for (int i = 0; i < 2000; ++i) {
        ANIMA_TRY(transaction.upsert_concept(kEntityType, "n" + std::to_string(i)));
      }
      return {};
    }));
  }
  EXPECT_EQ(owed(folder.path()), 0u);
}

// A big bulk becomes a base in memory at once, which spares nobody who opens the space anything.
TEST(BasesOfOthers, ABulkThatIsABaseInMemoryIsOwedToo) {
  for (const bool asked : {false, true}) {
    TemporaryDirectory folder;
    {
      const auto space = open(folder.path());
      const auto written = space->write(kAda, [](Transaction& transaction) -> Status {
        ANIMA_ASSIGN(const EntityId knows, transaction.upsert_predicate("knows", {}));
        BulkWriter bulk(transaction, {});
        ANIMA_ASSIGN(const EntityId ada, bulk.upsert_concept(kEntityType, "Ada"));
        for (int i = 0; i < 25'000; ++i) {
          ANIMA_ASSIGN(const EntityId other, bulk.upsert_concept(kEntityType, std::to_string(i)));
          bulk.add({ada, Predicate::link(knows), Term::entity(other)});
        }
        return bulk.finish();
      });
      ASSERT_TRUE(written) << written.error().describe();
      if (asked) {
        ASSERT_TRUE(space->checkpoint());
      }
    }
    EXPECT_EQ(bases(folder.path()), 1U) << asked;
    EXPECT_EQ(owed(folder.path()), 0U) << asked;
  }
}

TEST(BasesOfOthers, WhatIsRolledBackIsNoWork) {
  TemporaryDirectory folder;
  const auto space = open(folder.path());
  const std::uint64_t before = space->stats().replay_rows;
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(space->write(kAda, [](Transaction& transaction) -> Status {
      ANIMA_TRY(transaction.upsert_concept(kEntityType, "Ada"));
      return fail(ErrorCode::kCancelled, "no");
    }));
  }
  EXPECT_EQ(space->stats().replay_rows, before);
}

TEST(BasesOfOthers, EveryProcessAdoptsTheBaseOfAnother) {
  TemporaryDirectory folder;
  SpaceOptions never;
  never.checkpoint_after_rows = 0;
  const auto writer = open(folder.path(), never);
  SpaceOptions often;
  often.checkpoint_after_rows = 100;
  SpaceOptions reading = often;
  reading.read_only = true;
  const auto reader = open(folder.path(), reading);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(add(*writer, "a" + std::to_string(i)));
  (void)reader->snapshot().value();
  EXPECT_GE(reader->stats().replay_rows, 100u);
  ASSERT_TRUE(writer->checkpoint());
  ASSERT_EQ(writer->stats().replay_rows, 0u);
  // A reader that only reads what came, and a process that never looked at the space's content.
  int more = 0;
  EXPECT_TRUE(eventually([&] {
    EXPECT_TRUE(add(*writer, "b" + std::to_string(more++)));
    (void)reader->snapshot().value();
    return to_number(reader->stats().base_sequence) > 1;
  }));
  EXPECT_TRUE(has(reader->snapshot().value(), "a299"));
  EXPECT_TRUE(has(reader->snapshot().value(), "b0"));
  EXPECT_EQ(reader->snapshot().value().sequence(), writer->snapshot().value().sequence());
}

// Counts the bases that are written.
class CountingFiles : public ForwardingFiles {
 public:
  std::atomic<int> written{0};
  std::function<void(const std::string&)> before_map;

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode,
                                     std::uint32_t permissions) override {
    if (path.find("/base-") != std::string::npos && path.ends_with(".new")) ++written;
    return beneath_.open(path, mode, permissions);
  }
  Result<std::unique_ptr<MappedFile>> map(const std::string& path) override {
    if (before_map) before_map(path);
    return beneath_.map(path);
  }
};

TEST(BasesOfOthers, WhoComesLaterFindsTheBaseOfWhoWasFirst) {
  TemporaryDirectory folder;
  CountingFiles files;
  SpaceOptions options;
  options.files = &files;
  SpaceOptions never = options;
  never.checkpoint_after_rows = 0;
  const auto first = open(folder.path(), never);
  const auto second = open(folder.path(), never);
  const auto third = open(folder.path(), never);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(add(*first, std::to_string(i)));
  ASSERT_TRUE(first->checkpoint());
  ASSERT_TRUE(second->checkpoint());
  ASSERT_TRUE(third->checkpoint());
  ASSERT_TRUE(first->checkpoint());
  EXPECT_EQ(files.written, 1);
  EXPECT_EQ(third->stats().base_sequence, first->stats().base_sequence);
  EXPECT_EQ(third->stats().replay_rows, 0u);
  EXPECT_TRUE(has(third->snapshot().value(), "99"));
}

TEST(BasesOfOthers, ABaseThatVanishesIsLookedForAgain) {
  TemporaryDirectory folder;
  SpaceOptions never;
  never.checkpoint_after_rows = 0;
  const auto other = open(folder.path(), never);
  ASSERT_TRUE(add(*other, "Ada"));
  ASSERT_TRUE(other->checkpoint());
  CountingFiles files;
  bool once = true;
  files.before_map = [&](const std::string& path) {
    if (path.find("/base-") == std::string::npos || !std::exchange(once, false)) return;
    ASSERT_TRUE(add(*other, "Ben"));
    ASSERT_TRUE(other->checkpoint());  // takes the older one away
  };
  SpaceOptions options;
  options.files = &files;
  options.read_only = true;
  const auto space = open(folder.path(), options);
  EXPECT_FALSE(once);
  EXPECT_EQ(space->stats().base_sequence, other->stats().base_sequence);
  EXPECT_TRUE(space->notes().empty());
}

// A base costs what it holds, so a large one is not written again for a few rows.
TEST(BasesOfOthers, ALargeBaseIsNotWrittenForLittle) {
  TemporaryDirectory folder;
  CountingFiles files;
  SpaceOptions options;
  options.files = &files;
  options.checkpoint_after_rows = 10;
  {
    const auto space = open(folder.path(), options);
    ASSERT_TRUE(space->write(kAda, [](Transaction& transaction) -> Status {
      for (int i = 0; i < 5000; ++i) {
        ANIMA_TRY(transaction.upsert_concept(kEntityType, "n" + std::to_string(i)));
      }
      return {};
    }));
  }
  const int before = files.written;
  {
    const auto space = open(folder.path(), options);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(add(*space, std::to_string(i)));
  }
  EXPECT_EQ(files.written, before);
}

}  // namespace
}  // namespace anima::store::freshness_test
