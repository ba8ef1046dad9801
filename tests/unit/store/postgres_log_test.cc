// What only a log in PostgreSQL meets: connections that end, answers that are lost, a server that
// goes and comes back, other people's tables and rights.
#include "store/postgres/postgres_log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "store/log/stored_rows.h"
#include "store/place/log_place.h"
#include "store/postgres/postgres_tables.h"
#include "store/space.h"
#include "store/space_place.h"
#include "support/log_kinds.h"
#include "support/needs.h"
#include "support/postgres_proxy.h"

namespace anima::store::postgres_log_test {
namespace {

using test::PostgresProxy;

class PostgresLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kPostgres, test::shared_postgres().there());
    static int number = 0;
    schema_ = "only" + std::to_string(++number);
  }
  Result<std::unique_ptr<Log>> open_at(const std::string& server,
                                       detail::PostgresLogOptions options) {
    ANIMA_ASSIGN(const PostgresAddress address,
                 detail::parse_log_address(server + "&schema=" + schema_));
    return detail::open_postgres_log(address, options);
  }
  std::unique_ptr<Log> opened(const std::string& server, std::int64_t wait = 30'000) {
    detail::PostgresLogOptions options;
    options.create = true;
    options.wait.milliseconds = wait;
    auto log = open_at(server, options);
    EXPECT_TRUE(log) << log.error().describe();
    return log ? std::move(*log) : nullptr;
  }
  std::unique_ptr<Log> opened() { return opened(test::shared_postgres().address()); }

  static Status write(Log& log, std::string payload) {
    ANIMA_ASSIGN(const auto turn, log.take_turn());
    LogEntry entry;
    entry.payload = std::move(payload);
    ANIMA_TRY(turn->append(std::move(entry), Timestamp{1}));
    return turn->commit();
  }
  static std::uint64_t head_of(Log& log) {
    const auto head = log.head();
    EXPECT_TRUE(head) << head.error().describe();
    return head ? static_cast<std::uint64_t>(head->sequence) : 0;
  }
  // Entries, each chained to the one before.
  static std::uint64_t whole(Log& log) {
    std::uint64_t count = 0;
    const Status read = log.read(Sequence{1}, [&](const LogEntry&) -> Status {
      ++count;
      return {};
    });
    EXPECT_TRUE(read) << read.error().describe();
    return count;
  }
  // Ends every connection that has this schema as its path.
  void kill_connections() {
    ASSERT_TRUE(test::shared_postgres().sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        " AND datname = 'postgres' AND application_name = 'anima'"));
  }
  bool sql(const std::string& text) { return test::shared_postgres().sql(text); }

  std::string schema_;
};

TEST_F(PostgresLogTest, AConnectionThatEndedBetweenCallsIsOpenedAgain) {
  const auto log = opened();
  ASSERT_TRUE(write(*log, "one"));
  EXPECT_EQ(head_of(*log), 1u);
  kill_connections();
  EXPECT_EQ(head_of(*log), 1u);
  const Status written = write(*log, "two");
  ASSERT_TRUE(written) << written.error().describe();
  EXPECT_EQ(head_of(*log), 2u);
}

TEST_F(PostgresLogTest, ATurnWhoseConnectionEndedWritesNothing) {
  const auto log = opened();
  ASSERT_TRUE(write(*log, "one"));
  auto turn = *log->take_turn();
  LogEntry entry;
  entry.payload = "never";
  ASSERT_TRUE(turn->append(entry, Timestamp{1}));
  kill_connections();
  const Status committed = turn->commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::kBusy) << committed.error().describe();
  EXPECT_NE(committed.error().message.find("written"), std::string::npos)
      << committed.error().describe();
  turn.reset();
  EXPECT_EQ(head_of(*log), 1u);
  ASSERT_TRUE(write(*log, "two"));
  EXPECT_EQ(log->entry(Sequence{2})->payload, "two");
}

TEST_F(PostgresLogTest, AnotherWriterGoesOnBehindALostTurn) {
  const auto log = opened(), other = opened();
  auto turn = *log->take_turn();
  LogEntry entry;
  entry.payload = "late";
  ASSERT_TRUE(turn->append(entry, Timestamp{1}));
  kill_connections();
  ASSERT_TRUE(write(*other, "first"));
  const Status committed = turn->commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::kBusy);
  turn.reset();
  EXPECT_EQ(other->entry(Sequence{1})->payload, "first");
  EXPECT_EQ(head_of(*other), 1u);
  ASSERT_TRUE(write(*log, "late"));
  EXPECT_EQ(whole(*log), 2u);
}

TEST_F(PostgresLogTest, ACommitWhoseAnswerWasLostIsKnownToBeThere) {
  PostgresProxy proxy(test::shared_postgres().socket_folder());
  const auto log = opened(proxy.address());
  ASSERT_TRUE(write(*log, "one"));
  auto turn = *log->take_turn();
  LogEntry entry;
  entry.payload = "two";
  ASSERT_TRUE(turn->append(entry, Timestamp{1}));
  proxy.set(PostgresProxy::Mode::kLoseAnswer);
  const Status committed = turn->commit();
  EXPECT_TRUE(committed) << committed.error().describe();
  EXPECT_EQ(proxy.lost_answers(), 1);
  turn.reset();
  EXPECT_EQ(head_of(*log), 2u);
  ASSERT_TRUE(write(*log, "three"));
  EXPECT_EQ(whole(*log), 3u);
}

// A writer who goes on asks for its next turn along with its commit.
TEST_F(PostgresLogTest, AWriterWhoStopsGivesItsNextTurnBack) {
  const auto log = opened(), other = opened(test::shared_postgres().address(), 1'000);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(write(*log, "one"));
  const Status written = write(*other, "two");
  ASSERT_TRUE(written) << written.error().describe();
  ASSERT_TRUE(write(*log, "three"));
  EXPECT_EQ(whole(*log), 22u);
}

TEST_F(PostgresLogTest, WritersWhoGoOnTakeTurns) {
  const auto log = opened(), other = opened();
  const auto go_on = [](Log& mine) {
    for (int i = 0; i < 200; ++i) {
      const Status written = write(mine, "line");
      ASSERT_TRUE(written) << written.error().describe();
    }
  };
  std::thread another([&] { go_on(*other); });
  go_on(*log);
  another.join();
  EXPECT_EQ(whole(*log), 400u);
}

TEST_F(PostgresLogTest, AConnectionThatEndsWithATurnAheadIsOpenedAgain) {
  const auto log = opened();
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(write(*log, "line"));
    kill_connections();
    Status written = write(*log, "line");
    // On a busy machine the connection may end within the commit, which says so.
    if (!written && written.error().code == ErrorCode::kBusy) written = write(*log, "line");
    ASSERT_TRUE(written) << written.error().describe();
  }
  EXPECT_EQ(whole(*log), 40u);
}

TEST_F(PostgresLogTest, ALostAnswerOfAWriterWhoGoesOnIsFound) {
  PostgresProxy proxy(test::shared_postgres().socket_folder());
  const auto log = opened(proxy.address());
  for (std::uint64_t round = 1; round <= 5; ++round) {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(write(*log, "line"));
    auto turn = *log->take_turn();
    LogEntry entry;
    entry.payload = "in doubt";
    ASSERT_TRUE(turn->append(entry, Timestamp{1}));
    proxy.set(PostgresProxy::Mode::kLoseAnswer);
    const Status committed = turn->commit();
    ASSERT_TRUE(committed) << committed.error().describe();
    turn.reset();
    EXPECT_EQ(head_of(*log), round * 4);
  }
  EXPECT_EQ(proxy.lost_answers(), 5);
  EXPECT_EQ(whole(*log), 20u);
}

TEST_F(PostgresLogTest, ACommitThatNobodyCanAskAboutIsSaidToBeUnknown) {
  PostgresProxy proxy(test::shared_postgres().socket_folder());
  const auto log = opened(proxy.address(), 300);
  ASSERT_TRUE(write(*log, "one"));
  auto turn = *log->take_turn();
  LogEntry entry;
  entry.payload = "two";
  ASSERT_TRUE(turn->append(entry, Timestamp{1}));
  proxy.set(PostgresProxy::Mode::kLoseAnswers);
  const Status committed = turn->commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::kIo);
  EXPECT_NE(committed.error().message.find("not known whether log entry 2"), std::string::npos)
      << committed.error().describe();
  turn.reset();
  const auto nothing = log->head();
  ASSERT_FALSE(nothing) << "no answer is better than an old one";
  EXPECT_EQ(nothing.error().code, ErrorCode::kIo);
  proxy.set(PostgresProxy::Mode::kPass);
  EXPECT_EQ(head_of(*log), 2u) << "it had been written";
}

TEST_F(PostgresLogTest, ASpaceKnowsAfterALostAnswerWhatItHolds) {
  PostgresProxy proxy(test::shared_postgres().socket_folder());
  const TemporaryDirectory folder("anima-pg-space");
  SpaceOptions options;
  options.create = true;
  options.turn_wait_milliseconds = 300;
  const auto space = Space::open(
      proxy.address() + "&schema=" + schema_ + "&folder=" + folder.file("part"), options);
  ASSERT_TRUE(space) << space.error().describe();
  const auto name = [](std::string text) {
    return [text](Transaction& transaction) {
      return transaction.upsert_type(text).map([](EntityId) {});
    };
  };
  ASSERT_TRUE((*space)->write({}, name("first")));
  bool lost = false;
  const auto unknown = (*space)->write({}, [&](Transaction& transaction) {
    lost = true;
    proxy.set(PostgresProxy::Mode::kLoseAnswers);
    return name("second")(transaction);
  });
  ASSERT_TRUE(lost);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("not known"), std::string::npos)
      << unknown.error().describe();
  EXPECT_FALSE((*space)->snapshot());
  proxy.set(PostgresProxy::Mode::kPass);
  const auto now = (*space)->snapshot();
  ASSERT_TRUE(now) << now.error().describe();
  EXPECT_EQ(now->sequence(), Sequence{3});
  EXPECT_TRUE((*space)->write({}, name("third")));
}

TEST_F(PostgresLogTest, ASilentNetworkCanBeLeft) {
  PostgresProxy proxy(test::shared_postgres().socket_folder());
  std::atomic<bool> stop{false};
  detail::PostgresLogOptions options;
  options.create = true;
  options.wait.stop = &stop;
  const auto log = open_at(proxy.address(), options);
  ASSERT_TRUE(log) << log.error().describe();
  ASSERT_TRUE(write(**log, "one"));
  proxy.set(PostgresProxy::Mode::kSilence);
  auto waiting = std::async(std::launch::async, [&] { return (*log)->take_turn(); });
  stop = true;
  const auto stopped = waiting.get();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  proxy.set(PostgresProxy::Mode::kPass);
  stop = false;
  EXPECT_TRUE(write(**log, "two"));
}

TEST_F(PostgresLogTest, AFollowerOutlivesItsConnection) {
  const auto log = opened(), writer = opened();
  ASSERT_TRUE(write(*writer, "one"));
  ASSERT_TRUE(*log->follow(Sequence::kNone, 0));
  kill_connections();
  EXPECT_TRUE(*log->follow(Sequence::kNone, 0)) << "an idle one is opened again";
  auto follower = std::async(std::launch::async, [&] { return log->follow(Sequence{1}, 60'000); });
  ASSERT_TRUE(write(*writer, "two"));
  EXPECT_TRUE(*follower.get());
}

TEST_F(PostgresLogTest, AServerThatIsAwayIsAnErrorAndComesBack) {
  test::PostgresServer server;
  ASSERT_TRUE(server.there());
  const auto log = opened(server.address());
  ASSERT_TRUE(write(*log, "one"));
  for (const char* how : {"fast", "immediate"}) {
    const std::uint64_t before = head_of(*log);
    server.stop(how);
    const auto head = log->head();
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().code, ErrorCode::kIo) << head.error().describe();
    EXPECT_FALSE(write(*log, "away"));
    EXPECT_FALSE(log->follow(Sequence::kNone, 10));
    server.start();
    ASSERT_TRUE(server.there());
    EXPECT_EQ(head_of(*log), before);
    const Status written = write(*log, "again");
    EXPECT_TRUE(written) << written.error().describe();
    EXPECT_EQ(head_of(*log), before + 1);
  }
}

TEST_F(PostgresLogTest, ARowOfAStrangerIsNotOverwritten) {
  const auto log = opened();
  ASSERT_TRUE(write(*log, "one"));
  auto turn = *log->take_turn();
  LogEntry entry;
  entry.payload = "two";
  ASSERT_TRUE(turn->append(entry, Timestamp{1}));
  auto address =
      detail::parse_log_address(test::shared_postgres().address() + "&schema=" + schema_);
  auto stranger = detail::PostgresTables(*address, {}).connect();
  ASSERT_TRUE((*stranger)->execute("INSERT INTO log SELECT 2, entry FROM log WHERE sequence = 1"));
  const Status committed = turn->commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::kConflict) << committed.error().describe();
}

TEST_F(PostgresLogTest, WhoMayOnlyReadIsDenied) {
  ASSERT_TRUE(write(*opened(), "one"));
  ASSERT_TRUE(sql("CREATE ROLE reader_" + schema_ + " LOGIN"));
  ASSERT_TRUE(sql("GRANT USAGE ON SCHEMA " + schema_ + " TO reader_" + schema_));
  ASSERT_TRUE(sql("GRANT SELECT ON ALL TABLES IN SCHEMA " + schema_ + " TO reader_" + schema_));
  const std::string address =
      "postgresql:///postgres?host=" + test::shared_postgres().socket_folder() + "&user=reader_" +
      schema_;
  const auto log = open_at(address, {});
  ASSERT_TRUE(log) << log.error().describe();
  EXPECT_EQ((*log)->entry(Sequence{1})->payload, "one");
  const Status written = write(**log, "two");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kDenied) << written.error().describe();
}

TEST_F(PostgresLogTest, WhoMayOnlyAppendAppends) {
  ASSERT_TRUE(write(*opened(), "one"));
  ASSERT_TRUE(sql("CREATE ROLE writer_" + schema_ + " LOGIN"));
  ASSERT_TRUE(sql("GRANT USAGE ON SCHEMA " + schema_ + " TO writer_" + schema_));
  ASSERT_TRUE(
      sql("GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA " + schema_ + " TO writer_" + schema_));
  const std::string address =
      "postgresql:///postgres?host=" + test::shared_postgres().socket_folder() + "&user=writer_" +
      schema_;
  const auto log = open_at(address, {});
  ASSERT_TRUE(log) << log.error().describe();
  const Status written = write(**log, "two");
  EXPECT_TRUE(written) << written.error().describe();
  auto turn = *(*log)->take_turn();
  EXPECT_EQ(turn->drop_attachment(Sequence{1}).error().code, ErrorCode::kDenied);
}

TEST_F(PostgresLogTest, WhoMayNotEnterIsDenied) {
  ASSERT_TRUE(write(*opened(), "one"));
  ASSERT_TRUE(sql("CREATE ROLE stranger_" + schema_ + " LOGIN"));
  const std::string address =
      "postgresql:///postgres?host=" + test::shared_postgres().socket_folder() + "&user=stranger_" +
      schema_;
  for (const bool create : {false, true}) {
    detail::PostgresLogOptions options;
    options.create = create;
    const auto log = open_at(address, options);
    ASSERT_FALSE(log);
    EXPECT_EQ(log.error().code, ErrorCode::kDenied) << log.error().describe();
  }
}

TEST_F(PostgresLogTest, TablesOfSomebodyElseAreNoLog) {
  ASSERT_TRUE(sql("CREATE SCHEMA " + schema_));
  ASSERT_TRUE(sql("CREATE TABLE " + schema_ + ".about(name TEXT, value TEXT)"));
  detail::PostgresLogOptions options;
  options.create = true;
  const auto log = open_at(test::shared_postgres().address(), options);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::kCorrupt) << log.error().describe();
}

TEST_F(PostgresLogTest, TwoWhoMakeALogMakeOne) {
  auto one = std::async(std::launch::async, [&] { return opened(); });
  auto two = std::async(std::launch::async, [&] { return opened(); });
  const auto first = one.get(), second = two.get();
  ASSERT_TRUE(write(*first, "one"));
  EXPECT_EQ(head_of(*second), 1u);
  EXPECT_EQ(first->rows()->identity(), second->rows()->identity());
}

TEST_F(PostgresLogTest, NamesOfSchemasAreChecked) {
  for (const char* bad : {"", "pg_mine", "a\"b", "a;b", "a b"}) {
    const auto address = detail::parse_log_address(std::string("postgres://h/d?schema=") + bad);
    ASSERT_FALSE(address) << bad;
    EXPECT_EQ(address.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(PostgresLogTest, AServerThatIsNotDurableIsSaidToBeSo) {
  opened();
  const auto address =
      detail::parse_log_address(test::shared_postgres().address() + "&schema=" + schema_);
  EXPECT_NE(detail::postgres_weakness(*address)->find("fsync = off"), std::string::npos);
  ASSERT_TRUE(sql("ALTER DATABASE postgres SET synchronous_commit = off"));
  auto connection = detail::PostgresTables(*address, {}).connect();
  const auto waits = (*connection)->ask("SELECT current_setting('synchronous_commit')");
  EXPECT_EQ(waits->bytes(0, 0), "on") << "a commit of ours waits for the disk";
  ASSERT_TRUE(sql("ALTER DATABASE postgres RESET synchronous_commit"));
}

}  // namespace
}  // namespace anima::store::postgres_log_test
