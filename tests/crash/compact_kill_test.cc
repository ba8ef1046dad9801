// kill -9 while a space is compacted: the log verifies, everything that is known is what it was,
// and compacting once more ends where an undisturbed one does.
//
// ANIMA_TEST_FULL=1: 100 kills, at any moment and before every change of a file; otherwise a few.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "base/files/file.h"
#include "base/random.h"
#include "store/compact.h"
#include "store/history.h"
#include "store/space.h"
#include "store/verify/audit.h"
#include "store/verify/verify_views.h"
#include "support/small_space.h"
#include "support/watched_files.h"

namespace anima::store::compact_kill_test {
namespace {

using test::open_space;

namespace fs = std::filesystem;

const Origin kOrigin{"tester", "compact", Trust::kStandard, Sequence::kNone};
constexpr int kThings = 40, kRounds = 12;
constexpr Sequence kUntil{kThings * (kRounds - 1)};

void make_space(const std::string& folder) {
  const auto space = open_space(folder);
  int number = 0;
  std::vector<Change> changes;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kThings; ++i) {
      changes.emplace_back([round, i](Transaction& t) -> Status {
        const std::string name = "thing " + std::to_string(i);
        ANIMA_ASSIGN(const EntityId entity, t.upsert_concept(kEntityType, name));
        const std::string text = "what was said in round " + std::to_string(round) + " of " + name +
                                 std::string(400, 'x');
        ANIMA_ASSIGN(const Term term, t.term(Value::string(text).view()));
        ANIMA_TRY(t.set_attribute(entity, "note", std::span(&term, 1)));
        return i % 5 == 4 && round == kRounds - 3
                   ? t.retract_concept(entity, GraphId::kDefault, true)
                   : Status();
      });
    }
  }
  const auto next = [&]() -> const Change* {
    return number == static_cast<int>(changes.size())
               ? nullptr
               : &changes[static_cast<std::size_t>(number++)];
  };
  ASSERT_TRUE(space->write_series(kOrigin, next).status);
  ASSERT_TRUE(space->checkpoint());
}

std::set<std::string> known(const Snapshot& snapshot) {
  std::set<std::string> lines;
  for (const auto kind : {PredicateClass::kStructural, PredicateClass::kAttribute}) {
    Pattern pattern;
    pattern.predicate_class = kind;
    Cursor cursor = snapshot.scan(pattern);
    for (Triple triple; cursor.next({&triple, 1}) != 0;) {
      const StatementWords words = statement_words(snapshot, triple);
      lines.insert(words.subject + " " + words.predicate + " " + words.object + " " +
                   std::to_string(snapshot.history(triple.subject).size()));
    }
  }
  return lines;
}

Result<CompactReport> compact_it(Space& space) {
  Compaction what;
  what.until = kUntil;
  return compact(space, kOrigin, what, SystemClock().now(), false);
}

std::uint64_t log_bytes(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const char* name : {"log.db", "log.db-wal"}) {
    if (const auto info = system_files().info(join_path(folder, name))) bytes += info->size;
  }
  return bytes;
}

// Dies before the `step`-th change of a file, or at the latest after so long. How it ended.
int compact_and_die(const std::string& folder, int step, std::chrono::microseconds after) {
  const pid_t child = ::fork();
  if (child == 0) {
    int left = -1;
    WatchedFiles files([&](std::string_view, const std::string&) -> Status {
      if (left == 0) ::kill(::getpid(), SIGKILL);
      if (left > 0) --left;
      return {};
    });
    const auto space = open_space(folder, &files);
    left = step;
    _exit(space != nullptr && compact_it(*space) ? 0 : 1);
  }
  if (step < 0) {
    std::this_thread::sleep_for(after);
    ::kill(child, SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(CompactKill, NothingIsLostAndItIsFinished) {
  const char* full = std::getenv("ANIMA_TEST_FULL");
  const int kills = full != nullptr && *full != '\0' ? 100 : 10;
  const TemporaryDirectory folder;
  const std::string origin = folder.file("origin"), copy = folder.file("copy");
  make_space(origin);
  fs::copy(origin, copy, fs::copy_options::recursive);
  std::set<std::string> expected, at_until;
  const auto began = std::chrono::steady_clock::now();
  {
    const auto space = open_space(copy);
    expected = known(*space->snapshot());
    at_until = known(*space->snapshot()->as_of(kUntil));
    ASSERT_TRUE(compact_it(*space));
  }
  const auto lasts = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - began);
  const std::uint64_t small = log_bytes(copy);
  ASSERT_LT(small + 50'000, log_bytes(origin));
  SeededRandom random(static_cast<std::uint64_t>(::getpid()));
  int whole = 0, cut = 0, ended = 0;
  for (int run = 0; run < kills; ++run) {
    SCOPED_TRACE("kill " + std::to_string(run));
    fs::remove_all(copy);
    fs::copy(origin, copy, fs::copy_options::recursive);
    const bool by_step = run % 2 == 1;
    const auto moment =
        std::chrono::microseconds(random.below(static_cast<std::uint64_t>(lasts.count())));
    const int status = compact_and_die(copy, by_step ? run / 2 : -1, moment);
    ended += WIFEXITED(status) ? 1 : 0;
    const auto space = open_space(copy);
    ASSERT_NE(space, nullptr);
    const auto audited = verify_log(space->log());
    EXPECT_TRUE(audited) << audited.error().describe();
    const Snapshot now = space->snapshot().value();
    const bool done = oldest_state(now) == kUntil;
    ++(done ? cut : whole);
    EXPECT_EQ(known(now), expected);
    EXPECT_EQ(now.as_of(Sequence{3}).has_value(), !done) << "all of it or nothing";
    const auto again = compact_it(*space);
    ASSERT_TRUE(again) << again.error().describe();
    EXPECT_EQ(again->receipt.sequence == Sequence::kNone, done);
    EXPECT_EQ(known(*space->snapshot()->as_of(kUntil)), at_until);
    EXPECT_LE(log_bytes(copy), small + 8'192) << "what was free is given back";
    const auto views = verify_views(copy, system_files());
    EXPECT_TRUE(views) << views.error().describe();
    if (testing::Test::HasFailure()) return;
  }
  std::printf("killed %d times: %d before it counted, %d behind; %d ended before the kill\n", kills,
              whole, cut, ended);
}

}  // namespace
}  // namespace anima::store::compact_kill_test
