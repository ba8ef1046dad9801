// What every log keeps, whatever holds it: order, turns, durability, followers, attachments, parts.
// What its rows keep beside that: log_rows_contract_test.cc.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "store/log.h"
#include "store/log/attachment.h"
#include "store/log/redacted.h"
#include "store/log/stored_rows.h"
#include "support/log_kinds.h"

namespace anima::store::log_contract_test {
namespace {

using detail::LogOpening;

class LogContract : public test::LogKind {
 protected:
  static LogEntry entry_of(std::string payload) {
    LogEntry entry;
    entry.origin = {"tester", "test", Trust::kStandard, Sequence::kNone};
    entry.payload = std::move(payload);
    return entry;
  }
  static Head append(Log& log, LogEntry entry, std::int64_t time = 1) {
    auto turn = log.take_turn();
    EXPECT_TRUE(turn) << turn.error().describe();
    if (!turn) return {};
    const auto head = (*turn)->append(std::move(entry), Timestamp{time});
    EXPECT_TRUE(head) << head.error().describe();
    const Status committed = (*turn)->commit();
    EXPECT_TRUE(committed) << committed.error().describe();
    return head ? *head : Head{};
  }
  static Head append(Log& log, std::string payload, std::int64_t time = 1) {
    return append(log, entry_of(std::move(payload)), time);
  }
  static std::vector<LogEntry> all(Log& log, std::uint64_t first = 1) {
    std::vector<LogEntry> found;
    const Status read = log.read(Sequence{first}, [&](const LogEntry& entry) -> Status {
      found.push_back(entry);
      return {};
    });
    EXPECT_TRUE(read) << read.error().describe();
    return found;
  }
  static std::uint64_t head_of(Log& log) {
    const auto head = log.head();
    EXPECT_TRUE(head) << head.error().describe();
    return head ? static_cast<std::uint64_t>(head->sequence) : 0;
  }
  // Runs in a process of its own, with a log of its own. Its status.
  template <typename Work>
  int in_child(const Work& work) {
    const pid_t child = fork();
    if (child == 0) _exit(work());
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
};

// --- order --------------------------------------------------------------------------------------

TEST_P(LogContract, ANewLogIsEmpty) {
  const auto log = opened();
  EXPECT_EQ(head_of(*log), 0u);
  EXPECT_TRUE(all(*log).empty());
}

TEST_P(LogContract, TheFirstEntryIsNumberOne) {
  const auto log = opened();
  const Head head = append(*log, "one");
  EXPECT_EQ(head.sequence, Sequence{1});
  EXPECT_EQ(head_of(*log), 1u);
  EXPECT_EQ(log->head()->hash, head.hash);
}

TEST_P(LogContract, NumbersHaveNoGaps) {
  const auto log = opened();
  for (int i = 1; i <= 20; ++i) append(*log, "entry " + std::to_string(i));
  const auto entries = all(*log);
  ASSERT_EQ(entries.size(), 20u);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].sequence, Sequence{i + 1});
    EXPECT_EQ(entries[i].payload, "entry " + std::to_string(i + 1));
  }
}

TEST_P(LogContract, SeveralEntriesOfOneTurnAreInOrder) {
  const auto log = opened();
  auto turn = *log->take_turn();
  EXPECT_EQ(turn->head().sequence, Sequence::kNone);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(turn->append(entry_of(std::to_string(i)), Timestamp{1}));
    EXPECT_EQ(turn->head().sequence, Sequence{i});
  }
  ASSERT_TRUE(turn->commit());
  turn.reset();
  EXPECT_EQ(all(*log).size(), 3u);
}

TEST_P(LogContract, EntriesAreChained) {
  const auto log = opened();
  for (int i = 0; i < 5; ++i) append(*log, std::to_string(i));
  Digest previous{};
  for (const LogEntry& entry : all(*log)) {
    EXPECT_EQ(entry.previous, previous);
    EXPECT_NE(entry.hash, previous);
    previous = entry.hash;
  }
  EXPECT_EQ(log->head()->hash, previous);
}

TEST_P(LogContract, TheHashDoesNotDependOnTheKindOfLog) {
  const auto log = opened();
  const auto memory = detail::make_memory_log();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(append(*log, std::to_string(i), 7).hash, append(*memory, std::to_string(i), 7).hash);
  }
}

TEST_P(LogContract, TimeNeverGoesBack) {
  const auto log = opened();
  EXPECT_EQ(append(*log, "a", 50).time, Timestamp{50});
  EXPECT_EQ(append(*log, "b", 20).time, Timestamp{50});
  EXPECT_EQ(append(*log, "c", 60).time, Timestamp{60});
  EXPECT_EQ(all(*log)[1].time, Timestamp{50});
}

TEST_P(LogContract, TimesBeforeNineteenSeventyAreKept) {
  const auto log = opened();
  append(*log, "a", -5);
  EXPECT_EQ(log->head()->time, Timestamp{0}) << "the head of an empty log has the time 0";
}

// --- reading ------------------------------------------------------------------------------------

TEST_P(LogContract, ReadingStartsWhereItIsTold) {
  const auto log = opened();
  for (int i = 1; i <= 9; ++i) append(*log, std::to_string(i));
  const auto rest = all(*log, 7);
  ASSERT_EQ(rest.size(), 3u);
  EXPECT_EQ(rest.front().payload, "7");
  EXPECT_EQ(all(*log, 0).size(), 9u);
}

TEST_P(LogContract, NothingLiesBehindTheEnd) {
  const auto log = opened();
  append(*log, "one");
  EXPECT_TRUE(all(*log, 2).empty());
  EXPECT_TRUE(all(*log, 1000).empty());
}

TEST_P(LogContract, AVisitorEndsTheReading) {
  const auto log = opened();
  for (int i = 1; i <= 5; ++i) append(*log, std::to_string(i));
  int seen = 0;
  const Status read = log->read(Sequence{1}, [&](const LogEntry&) -> Status {
    if (++seen == 2) return fail(ErrorCode::kCancelled, "enough");
    return {};
  });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(seen, 2);
}

TEST_P(LogContract, AVisitorMayAskTheLog) {
  const auto log = opened();
  for (int i = 1; i <= 5; ++i) append(*log, std::to_string(i));
  ASSERT_TRUE(log->read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    ANIMA_ASSIGN(const LogEntry again, log->entry(entry.sequence));
    EXPECT_EQ(again.hash, entry.hash);
    return {};
  }));
}

TEST_P(LogContract, ManyEntriesComeInBatches) {
  const auto log = opened();
  auto turn = *log->take_turn();
  for (int i = 1; i <= 3000; ++i)
    ASSERT_TRUE(turn->append(entry_of(std::string(200, 'x') + std::to_string(i)), Timestamp{1}));
  ASSERT_TRUE(turn->commit());
  turn.reset();
  const auto entries = all(*log);
  ASSERT_EQ(entries.size(), 3000u);
  EXPECT_TRUE(entries.back().payload.ends_with("x3000"));
  EXPECT_EQ(all(*log, 2990).size(), 11u);
}

TEST_P(LogContract, LongPayloadsComeBack) {
  const auto log = opened();
  std::string bytes(3'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 >> 3);
  append(*log, "before");
  append(*log, bytes);
  append(*log, "after");
  EXPECT_EQ(log->entry(Sequence{2})->payload, bytes);
  const auto entries = all(*log);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[1].payload, bytes);
  EXPECT_EQ(entries[2].payload, "after");
}

TEST_P(LogContract, OneEntryByItsNumber) {
  const auto log = opened();
  append(*log, "one");
  append(*log, "two");
  EXPECT_EQ(log->entry(Sequence{2})->payload, "two");
  EXPECT_EQ(log->entry(Sequence{1})->payload, "one");
}

TEST_P(LogContract, AnEntryThatIsNotThereIsNotFound) {
  const auto log = opened();
  append(*log, "one");
  for (const std::uint64_t none : {0u, 2u, 100u}) {
    const auto entry = log->entry(Sequence{none});
    ASSERT_FALSE(entry) << none;
    EXPECT_EQ(entry.error().code, ErrorCode::kNotFound);
  }
}

TEST_P(LogContract, EveryFieldComesBack) {
  const auto log = opened();
  append(*log, "cause");
  LogEntry entry = entry_of(std::string("\0pay\xff load\n", 11));
  entry.origin = {"O'Neill \"x\" \xc3\xa9", "line\nbreak", Trust::kVerified, Sequence{1}};
  entry.seal = "alice#00";
  const Head head = append(*log, entry, 12345);
  const LogEntry back = *log->entry(Sequence{2});
  EXPECT_EQ(back.origin.author, entry.origin.author);
  EXPECT_EQ(back.origin.source, entry.origin.source);
  EXPECT_EQ(back.origin.trust, Trust::kVerified);
  EXPECT_EQ(back.origin.cause, Sequence{1});
  EXPECT_EQ(back.seal, "alice#00");
  EXPECT_EQ(back.format, 1u);
  EXPECT_EQ(back.payload, entry.payload);
  EXPECT_EQ(back.time, Timestamp{12345});
  EXPECT_EQ(back.hash, head.hash);
}

TEST_P(LogContract, AnEmptyPayloadIsAnEntryToo) {
  const auto log = opened();
  append(*log, "");
  EXPECT_EQ(log->entry(Sequence{1})->payload, "");
  EXPECT_EQ(all(*log).size(), 1u);
}

TEST_P(LogContract, StoredBytesGrow) {
  const auto log = opened();
  const std::uint64_t before = *log->stored_bytes();
  append(*log, std::string(1'000'000, 'x'));
  EXPECT_GE(*log->stored_bytes(), before + 900'000);
}

// --- turns --------------------------------------------------------------------------------------

TEST_P(LogContract, NothingIsThereWithoutACommit) {
  const auto log = opened();
  append(*log, "one");
  {
    auto turn = *log->take_turn();
    ASSERT_TRUE(turn->append(entry_of("gone"), Timestamp{1}));
  }
  EXPECT_EQ(head_of(*log), 1u);
  EXPECT_EQ(all(*log).size(), 1u);
}

TEST_P(LogContract, TheNumberOfWhatWasRolledBackIsUsedAgain) {
  const auto log = opened();
  {
    auto turn = *log->take_turn();
    ASSERT_TRUE(turn->append(entry_of("gone"), Timestamp{1}));
  }
  EXPECT_EQ(append(*log, "stays").sequence, Sequence{1});
  EXPECT_EQ(all(*log)[0].payload, "stays");
}

TEST_P(LogContract, AnEmptyTurnCommitsNothing) {
  const auto log = opened();
  append(*log, "one");
  {
    auto turn = *log->take_turn();
    EXPECT_EQ(turn->head().sequence, Sequence{1});
    EXPECT_TRUE(turn->commit());
  }
  EXPECT_EQ(head_of(*log), 1u);
  EXPECT_EQ(append(*log, "two").sequence, Sequence{2});
}

TEST_P(LogContract, WhatIsNotCommittedNobodySees) {
  const auto log = opened();
  append(*log, "one");
  auto turn = *log->take_turn();
  ASSERT_TRUE(turn->append(entry_of("two"), Timestamp{1}));
  EXPECT_EQ(head_of(*log), 1u);
  EXPECT_EQ(all(*log).size(), 1u);
  EXPECT_FALSE(log->entry(Sequence{2}));
  ASSERT_TRUE(turn->commit());
  EXPECT_EQ(head_of(*log), 2u);
}

TEST_P(LogContract, ATurnKnowsTheHeadThatTheOneBeforeLeft) {
  const auto log = opened();
  const Head first = append(*log, "one", 9);
  auto turn = *log->take_turn();
  EXPECT_EQ(turn->head().sequence, first.sequence);
  EXPECT_EQ(turn->head().hash, first.hash);
  EXPECT_EQ(turn->head().time, first.time);
}

TEST_P(LogContract, TurnsOfOneProcessWaitForEachOther) {
  const auto log = opened();
  auto turn = *log->take_turn();
  std::atomic<bool> taken{false};
  std::thread other([&] {
    append(*log, "second");
    taken = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(taken);
  ASSERT_TRUE(turn->append(entry_of("first"), Timestamp{1}));
  ASSERT_TRUE(turn->commit());
  turn.reset();
  other.join();
  const auto entries = all(*log);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].payload, "first");
}

TEST_P(LogContract, ThreadsLoseNothing) {
  const auto log = opened();
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 25; ++i) append(*log, std::to_string(writer) + "/" + std::to_string(i));
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::set<std::string> seen;
  for (const LogEntry& entry : all(*log)) seen.insert(entry.payload);
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_EQ(head_of(*log), 100u);
}

TEST_P(LogContract, AReaderSeesAPrefixWhileOthersWrite) {
  const auto log = opened();
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 60; ++i) append(*log, std::to_string(i));
    done = true;
  });
  std::size_t before = 0;
  while (!done) {
    const auto entries = all(*log);
    EXPECT_GE(entries.size(), before);
    before = entries.size();
    for (std::size_t i = 0; i < entries.size(); ++i)
      EXPECT_EQ(entries[i].payload, std::to_string(i));
  }
  writer.join();
  EXPECT_EQ(all(*log).size(), 60u);
}

TEST_P(LogContract, ALargeTurnIsOneTurn) {
  const auto log = opened();
  {
    auto turn = *log->take_turn();
    for (int i = 0; i < 2000; ++i)
      ASSERT_TRUE(turn->append(entry_of(std::string(100, 'y')), Timestamp{1}));
  }
  EXPECT_EQ(head_of(*log), 0u) << "all of it was rolled back";
  auto turn = *log->take_turn();
  for (int i = 0; i < 2000; ++i)
    ASSERT_TRUE(turn->append(entry_of(std::string(100, 'y')), Timestamp{1}));
  ASSERT_TRUE(turn->commit());
  EXPECT_EQ(head_of(*log), 2000u);
}

// --- several openings ---------------------------------------------------------------------------

TEST_P(LogContract, AnotherOpeningSeesACommitAtOnce) {
  const auto one = opened(), other = opened();
  for (std::uint64_t i = 1; i <= 10; ++i) {
    append(i % 2 == 0 ? *one : *other, std::to_string(i));
    EXPECT_EQ(head_of(*one), i);
    EXPECT_EQ(head_of(*other), i);
  }
  EXPECT_EQ(all(*one).size(), 10u);
}

TEST_P(LogContract, KnownHeadsAreNeverOld) {
  const auto one = opened(), other = opened();
  for (std::uint64_t i = 1; i <= 10; ++i) {
    append(*one, std::to_string(i));
    const auto known = other->known_head();
    EXPECT_EQ(known.value_or(Sequence{i}), Sequence{i});
  }
}

TEST_P(LogContract, AllIsThereAfterReopening) {
  if (in_memory()) GTEST_SKIP() << "it ends with the process";
  Digest hash;
  {
    const auto log = opened();
    append(*log, "one", 5);
    hash = append(*log, "two", 6).hash;
  }
  const auto log = opened({});
  EXPECT_EQ(log->head()->hash, hash);
  EXPECT_EQ(log->head()->time, Timestamp{6});
  EXPECT_EQ(append(*log, "three").sequence, Sequence{3});
}

TEST_P(LogContract, ATurnThatDoesNotComeIsBusy) {
  if (in_memory()) GTEST_SKIP() << "one process";
  const auto holder = opened();
  const auto turn = *holder->take_turn();
  LogOpening hasty;
  hasty.wait.milliseconds = 60;
  const auto other = opened(hasty);
  const auto refused = other->take_turn();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_NE(refused.error().message.find("60 ms"), std::string::npos) << refused.error().describe();
}

TEST_P(LogContract, ATurnThatWasBusyComesLater) {
  if (in_memory()) GTEST_SKIP() << "one process";
  const auto holder = opened();
  auto turn = *holder->take_turn();
  LogOpening hasty;
  hasty.wait.milliseconds = 30;
  const auto other = opened(hasty);
  EXPECT_FALSE(other->take_turn());
  EXPECT_FALSE(other->take_turn());
  ASSERT_TRUE(turn->append(entry_of("one"), Timestamp{1}));
  ASSERT_TRUE(turn->commit());
  turn.reset();
  EXPECT_EQ(append(*other, "two").sequence, Sequence{2});
}

TEST_P(LogContract, WaitingForATurnCanBeStopped) {
  if (in_memory()) GTEST_SKIP() << "one process";
  const auto holder = opened();
  auto turn = *holder->take_turn();
  std::atomic<bool> stop{false};
  LogOpening opening;
  opening.wait.stop = &stop;
  const auto other = opened(opening);
  auto waiting = std::async(std::launch::async, [&] { return other->take_turn(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  stop = true;
  const auto stopped = waiting.get();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  stop = false;
  ASSERT_TRUE(turn->append(entry_of("one"), Timestamp{1}));
  ASSERT_TRUE(turn->commit());
  turn.reset();
  EXPECT_EQ(append(*other, "two").sequence, Sequence{2});
}

TEST_P(LogContract, OpeningsLoseNothing) {
  const auto one = opened(), other = opened();
  std::thread writer([&] {
    for (int i = 0; i < 40; ++i) append(*one, "a" + std::to_string(i));
  });
  for (int i = 0; i < 40; ++i) append(*other, "b" + std::to_string(i));
  writer.join();
  std::set<std::string> seen;
  for (const LogEntry& entry : all(*one)) seen.insert(entry.payload);
  EXPECT_EQ(seen.size(), 80u);
  EXPECT_EQ(all(*one).size(), 80u);
}

TEST_P(LogContract, ProcessesLoseNothing) {
  if (in_memory()) GTEST_SKIP() << "one process";
  opened();
  std::vector<pid_t> children;
  for (int writer = 0; writer < 3; ++writer) {
    const pid_t child = fork();
    if (child == 0) {
      auto log = open({});
      if (!log) _exit(1);
      for (int i = 0; i < 20; ++i) {
        auto turn = (*log)->take_turn();
        if (!turn || !(*turn)->append(entry_of(std::to_string(writer) + "/" + std::to_string(i)),
                                      Timestamp{1}))
          _exit(2);
        if (!(*turn)->commit()) _exit(3);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const auto log = opened({});
  std::set<std::string> seen;
  for (const LogEntry& entry : all(*log)) seen.insert(entry.payload);
  EXPECT_EQ(seen.size(), 60u);
  EXPECT_EQ(all(*log).size(), 60u);
}

TEST_P(LogContract, AKilledHolderLosesItsTurn) {
  if (in_memory()) GTEST_SKIP() << "one process";
  const auto log = opened();
  append(*log, "one");
  const int status = in_child([&] {
    auto mine = open({});
    if (!mine) return 1;
    auto turn = (*mine)->take_turn();
    if (!turn || !(*turn)->append(entry_of("never"), Timestamp{1})) return 2;
    kill(getpid(), SIGKILL);
    return 3;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(append(*log, "two").sequence, Sequence{2});
  EXPECT_EQ(log->entry(Sequence{2})->payload, "two");
}

TEST_P(LogContract, TurnsOfOtherLogsDoNotMatter) {
  if (in_memory()) GTEST_SKIP() << "there is one";
  const auto log = opened();
  const auto turn = *log->take_turn();
  detail::LogPlace second = place_;
  second.folder = folder_.file("second");
  ASSERT_TRUE(system_files().make_directories(second.folder, 0700));
  if (in_postgres()) second.database->own["schema"] = schema_ + "_second";
  const auto other = detail::open_log_at(second, {.create = true});
  ASSERT_TRUE(other) << other.error().describe();
  EXPECT_EQ(append(**other, "mine").sequence, Sequence{1});
  EXPECT_EQ(head_of(*log), 0u);
}

TEST_P(LogContract, WhoOnlyReadsTakesNoTurn) {
  if (in_memory()) GTEST_SKIP() << "it is always writable";
  append(*opened(), "one");
  const auto log = opened({.read_only = true});
  EXPECT_EQ(head_of(*log), 1u);
  const auto turn = log->take_turn();
  ASSERT_FALSE(turn);
  EXPECT_EQ(turn.error().code, ErrorCode::kDenied);
}

TEST_P(LogContract, WhatIsNotThereIsNotFound) {
  if (in_memory()) GTEST_SKIP() << "it is always there";
  for (const bool read_only : {false, true}) {
    const auto log = open({.read_only = read_only});
    ASSERT_FALSE(log);
    EXPECT_EQ(log.error().code, ErrorCode::kNotFound);
    EXPECT_FALSE(log.error().hint.empty());
  }
}

TEST_P(LogContract, MakingItTwiceKeepsWhatIsThere) {
  const auto log = opened();
  append(*log, "one");
  EXPECT_EQ(head_of(*opened()), 1u);
}

// --- followers ----------------------------------------------------------------------------------

TEST_P(LogContract, FollowingEndsWithItsTime) {
  const auto log = opened();
  append(*log, "one");
  const auto moved = log->follow(Sequence{1}, 30);
  ASSERT_TRUE(moved) << moved.error().describe();
  EXPECT_FALSE(*moved);
}

TEST_P(LogContract, WhatIsThereIsNotWaitedFor) {
  const auto log = opened();
  append(*log, "one");
  EXPECT_TRUE(*log->follow(Sequence::kNone, 60'000));
  EXPECT_TRUE(*log->follow(Sequence::kNone, 0));
}

TEST_P(LogContract, ACommitWakesAFollower) {
  const auto log = opened(), writer = opened();
  append(*log, "one");
  auto follower = std::async(std::launch::async, [&] { return log->follow(Sequence{1}, 60'000); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  append(*writer, "two");
  const auto moved = follower.get();
  ASSERT_TRUE(moved) << moved.error().describe();
  EXPECT_TRUE(*moved);
}

TEST_P(LogContract, ACommitWakesAllFollowers) {
  const auto log = opened();
  std::vector<std::future<Result<bool>>> followers;
  for (int i = 0; i < 3; ++i) {
    followers.push_back(
        std::async(std::launch::async, [&] { return log->follow(Sequence::kNone, 60'000); }));
  }
  append(*log, "one");
  for (auto& follower : followers) EXPECT_TRUE(*follower.get());
}

TEST_P(LogContract, ARolledBackTurnWakesNobody) {
  const auto log = opened();
  {
    auto turn = *log->take_turn();
    ASSERT_TRUE(turn->append(entry_of("gone"), Timestamp{1}));
  }
  EXPECT_FALSE(*log->follow(Sequence::kNone, 30));
}

// --- attachments --------------------------------------------------------------------------------

TEST_P(LogContract, AnAttachmentComesBack) {
  const auto log = opened();
  LogEntry entry = entry_of("with");
  entry.attachment = std::string("salt\0bytes\xfe", 11);
  append(*log, entry);
  EXPECT_EQ(*log->attachment(Sequence{1}), entry.attachment);
  EXPECT_EQ(log->entry(Sequence{1})->payload, "with");
  EXPECT_EQ(log->entry(Sequence{1})->attachment, "") << "it is asked for apart";
}

TEST_P(LogContract, NothingAttachedIsEmpty) {
  const auto log = opened();
  append(*log, "without");
  EXPECT_EQ(*log->attachment(Sequence{1}), "");
  EXPECT_EQ(*log->attachment(Sequence{9}), "");
}

TEST_P(LogContract, AnAttachmentIsRolledBackWithItsEntry) {
  const auto log = opened();
  {
    auto turn = *log->take_turn();
    LogEntry entry = entry_of("with");
    entry.attachment = "bytes";
    ASSERT_TRUE(turn->append(entry, Timestamp{1}));
  }
  EXPECT_EQ(*log->attachment(Sequence{1}), "");
}

TEST_P(LogContract, ADroppedAttachmentIsGone) {
  const auto log = opened();
  LogEntry entry = entry_of("with");
  entry.attachment = "123456789";
  append(*log, entry);
  append(*log, entry);
  const Digest hash = log->head()->hash;
  auto turn = *log->take_turn();
  EXPECT_EQ(*turn->drop_attachment(Sequence{1}), 9u);
  ASSERT_TRUE(turn->commit());
  turn.reset();
  EXPECT_EQ(*log->attachment(Sequence{1}), "");
  EXPECT_EQ(*log->attachment(Sequence{2}), "123456789");
  EXPECT_EQ(log->head()->hash, hash);
  EXPECT_EQ(all(*log).size(), 2u);
}

TEST_P(LogContract, WhatIsNotAttachedIsNotDropped) {
  const auto log = opened();
  append(*log, "without");
  auto turn = *log->take_turn();
  EXPECT_EQ(*turn->drop_attachment(Sequence{1}), 0u);
  EXPECT_EQ(*turn->drop_attachment(Sequence{7}), 0u);
  EXPECT_TRUE(turn->commit());
}

TEST_P(LogContract, ADropIsRolledBack) {
  const auto log = opened();
  LogEntry entry = entry_of("with");
  entry.attachment = "stays";
  append(*log, entry);
  {
    auto turn = *log->take_turn();
    EXPECT_EQ(*turn->drop_attachment(Sequence{1}), 5u);
  }
  EXPECT_EQ(*log->attachment(Sequence{1}), "stays");
}

TEST_P(LogContract, DroppingAndAppendingIsOneTurn) {
  const auto log = opened();
  LogEntry entry = entry_of("with");
  entry.attachment = "bytes";
  append(*log, entry);
  auto turn = *log->take_turn();
  EXPECT_EQ(*turn->drop_attachment(Sequence{1}), 5u);
  ASSERT_TRUE(turn->append(entry_of("tells of it"), Timestamp{1}));
  ASSERT_TRUE(turn->commit());
  EXPECT_EQ(*log->attachment(Sequence{1}), "");
  EXPECT_EQ(head_of(*log), 2u);
}

// --- parts --------------------------------------------------------------------------------------

TEST_P(LogContract, PayloadsInPartsComeBack) {
  const auto log = opened({.create = true, .tuning = {{}, 100}});
  std::vector<std::string> payloads;
  for (const std::size_t size : {0u, 1u, 99u, 100u, 101u, 200u, 201u, 5000u}) {
    std::string payload;
    for (std::size_t i = 0; i < size; ++i) payload += static_cast<char>('a' + i % 23);
    append(*log, payload);
    payloads.push_back(payload);
  }
  const auto entries = all(*log);
  ASSERT_EQ(entries.size(), payloads.size());
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    EXPECT_EQ(entries[i].payload, payloads[i]) << payloads[i].size();
    EXPECT_EQ(log->entry(Sequence{i + 1})->payload, payloads[i]);
  }
}

TEST_P(LogContract, PartsAreReadWhateverTheirLengthIsNow) {
  if (in_memory()) GTEST_SKIP() << "it has no parts";
  append(*opened({.create = true, .tuning = {{}, 50}}), std::string(500, 'p'));
  const auto log = opened({});
  EXPECT_EQ(log->entry(Sequence{1})->payload, std::string(500, 'p'));
}

TEST_P(LogContract, PartsAndAnAttachmentDoNotMeet) {
  const auto log = opened({.create = true, .tuning = {{}, 100}});
  LogEntry entry = entry_of(std::string(350, 'q'));
  entry.attachment = std::string(700, 'r');
  append(*log, entry);
  EXPECT_EQ(log->entry(Sequence{1})->payload, entry.payload);
  EXPECT_EQ(*log->attachment(Sequence{1}), entry.attachment);
  auto turn = *log->take_turn();
  EXPECT_EQ(*turn->drop_attachment(Sequence{1}), 700u);
  ASSERT_TRUE(turn->commit());
  EXPECT_EQ(log->entry(Sequence{1})->payload, entry.payload);
}

TEST_P(LogContract, PartsAreRolledBack) {
  const auto log = opened({.create = true, .tuning = {{}, 100}});
  {
    auto turn = *log->take_turn();
    ASSERT_TRUE(turn->append(entry_of(std::string(350, 'q')), Timestamp{1}));
  }
  append(*log, std::string(250, 'z'));
  EXPECT_EQ(log->entry(Sequence{1})->payload, std::string(250, 'z'));
}

// --- redaction ----------------------------------------------------------------------------------

// What is left of an entry: the same header and hash, another payload.
LogEntry left_of(LogEntry entry, std::string payload) {
  entry.format =
      entry.format == detail::kAttachedFormat ? detail::kTakenAttachedFormat : detail::kTakenFormat;
  entry.payload = std::move(payload);
  return entry;
}

TEST_P(LogContract, ARedactedEntryKeepsItsPlace) {
  const auto log = opened();
  for (const char* payload : {"one", "secret", "three"}) append(*log, payload);
  const LogEntry before = *log->entry(Sequence{2});
  auto turn = *log->take_turn();
  auto* const redacting = dynamic_cast<detail::RedactingTurn*>(turn.get());
  ASSERT_NE(redacting, nullptr);
  ASSERT_TRUE(redacting->redact(left_of(before, "rest")));
  ASSERT_TRUE(turn->append(entry_of("tells of it"), Timestamp{1}));
  ASSERT_TRUE(turn->commit());
  turn.reset();
  const auto entries = all(*log);
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[1].payload, "rest");
  EXPECT_EQ(entries[1].hash, before.hash);
  EXPECT_TRUE(detail::is_redacted(entries[1]));
  EXPECT_EQ(entries[2].payload, "three");
}

TEST_P(LogContract, ARedactionIsRolledBack) {
  const auto log = opened();
  append(*log, "stays");
  {
    auto turn = *log->take_turn();
    auto* const redacting = dynamic_cast<detail::RedactingTurn*>(turn.get());
    ASSERT_TRUE(redacting->redact(left_of(*log->entry(Sequence{1}), "")));
  }
  EXPECT_EQ(log->entry(Sequence{1})->payload, "stays");
  EXPECT_FALSE(detail::is_redacted(*log->entry(Sequence{1})));
}

TEST_P(LogContract, ARedactedEntryLosesItsAttachment) {
  const auto log = opened();
  LogEntry entry = entry_of("with");
  entry.format = detail::kAttachedFormat;
  entry.attachment = "secret";
  append(*log, entry);
  append(*log, entry);
  auto turn = *log->take_turn();
  auto* const redacting = dynamic_cast<detail::RedactingTurn*>(turn.get());
  LogEntry bare = left_of(*log->entry(Sequence{1}), "x");
  bare.format = detail::kTakenFormat;
  ASSERT_TRUE(redacting->redact(bare));
  ASSERT_TRUE(redacting->redact(left_of(*log->entry(Sequence{2}), "y")));
  ASSERT_TRUE(turn->append(entry_of("tells of it"), Timestamp{1}));
  ASSERT_TRUE(turn->commit());
  EXPECT_EQ(*log->attachment(Sequence{1}), "");
  EXPECT_EQ(*log->attachment(Sequence{2}), "secret");
}

TEST_P(LogContract, ARedactedPayloadInPartsIsGone) {
  const auto log = opened({.create = true, .tuning = {{}, 100}});
  append(*log, std::string(450, 's'));
  auto turn = *log->take_turn();
  auto* const redacting = dynamic_cast<detail::RedactingTurn*>(turn.get());
  ASSERT_TRUE(redacting->redact(left_of(*log->entry(Sequence{1}), std::string(120, 't'))));
  ASSERT_TRUE(turn->append(entry_of("tells of it"), Timestamp{1}));
  ASSERT_TRUE(turn->commit());
  turn.reset();
  EXPECT_EQ(log->entry(Sequence{1})->payload, std::string(120, 't'));
  if (in_memory()) return;
  EXPECT_EQ(log->rows()->stored(Sequence{1})->parts.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LogContract, ::testing::Values("Sqlite", "Memory", "Postgres"),
                         test::kind_name);

}  // namespace
}  // namespace anima::store::log_contract_test
