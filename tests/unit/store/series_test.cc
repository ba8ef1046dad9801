// A series of changes: entries of their own that share one turn and one sync.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "store/space.h"
#include "store/verify/audit.h"

namespace anima::store::series_test {
namespace {

const Origin kAda{"ada", "test", Trust::kStandard, Sequence::kNone};

std::uint64_t to_number(Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

std::shared_ptr<Space> open(const std::string& folder, SpaceOptions options = {}) {
  options.create = true;
  return Space::open(folder, options).value();
}

// A concept of type Entity.
Status add(Transaction& transaction, std::string_view name) {
  return transaction.upsert_concept(kEntityType, name).map([](EntityId) {});
}

bool has(const Snapshot& snapshot, std::string_view name) {
  return snapshot.find_concept(kEntityType, name).has_value();
}

// Gives the changes one by one, then null.
std::function<const Change*()> one_by_one(const std::vector<Change>& changes) {
  return [&changes, at = std::size_t{0}]() mutable -> const Change* {
    return at < changes.size() ? &changes[at++] : nullptr;
  };
}

TEST(SpaceSeries, EachChangeIsAnEntryAndTheFirstFailureEndsIt) {
  const auto space = Space::in_memory().value();
  const std::uint64_t before = to_number(space->snapshot().value().sequence());
  const auto named = [](const char* name) -> Change {
    return [name](Transaction& transaction) { return add(transaction, name); };
  };
  const Change fails = [](Transaction& transaction) -> Status {
    ANIMA_TRY(add(transaction, "half"));
    return fail(ErrorCode::kCancelled, "not this one");
  };
  const std::vector<Change> changes{named("a"), named("a"), named("b"), fails, named("c")};
  const SeriesResult series = space->write_series(kAda, one_by_one(changes));
  ASSERT_EQ(series.receipts.size(), 3u);
  EXPECT_FALSE(series.receipts[1].changed);
  EXPECT_EQ(to_number(series.receipts[2].sequence), before + 2);
  ASSERT_FALSE(series.status);
  EXPECT_EQ(series.status.error().code, ErrorCode::kCancelled);
  const Snapshot now = space->snapshot().value();
  EXPECT_EQ(to_number(now.sequence()), before + 2);
  EXPECT_TRUE(has(now, "a") && has(now, "b"));
  EXPECT_FALSE(has(now, "half") || has(now, "c"));
}

TEST(SpaceSeries, AnEmptyOneWritesNothing) {
  const auto space = Space::in_memory().value();
  const auto before = space->snapshot().value().sequence();
  const SeriesResult series = space->write_series(kAda, [] { return nullptr; });
  EXPECT_TRUE(series.receipts.empty());
  EXPECT_TRUE(series.status);
  EXPECT_EQ(space->snapshot().value().sequence(), before);
}

TEST(SpaceSeries, IsThereAfterOpeningAgainAndVerifies) {
  const TemporaryDirectory folder;
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back("n" + std::to_string(i));
  {
    const auto space = open(folder.path());
    std::vector<Change> changes;
    for (const std::string& name : names)
      changes.emplace_back([&name](Transaction& transaction) { return add(transaction, name); });
    const SeriesResult series = space->write_series(kAda, one_by_one(changes));
    EXPECT_TRUE(series.status);
    EXPECT_EQ(series.receipts.size(), names.size());
  }
  const auto space = open(folder.path());
  for (const std::string& name : names) EXPECT_TRUE(has(space->snapshot().value(), name)) << name;
  EXPECT_TRUE(verify_log(space->log()));
}

TEST(SpaceSeries, WritersOfManyThreadsAndASeriesGetAlong) {
  const TemporaryDirectory folder;
  const auto space = open(folder.path());
  const std::uint64_t before = to_number(space->snapshot().value().sequence());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::string> names;
      std::vector<Change> changes;
      for (int i = 0; i < 20; ++i) names.push_back(std::to_string(t) + "/" + std::to_string(i));
      for (const std::string& name : names)
        changes.emplace_back([&name](Transaction& transaction) { return add(transaction, name); });
      if (t % 2 == 0) {
        EXPECT_EQ(space->write_series(kAda, one_by_one(changes)).receipts.size(), 20u);
      } else {
        for (const Change& change : changes) EXPECT_TRUE(space->write(kAda, change));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(to_number(space->snapshot().value().sequence()), before + 80);
  for (int t = 0; t < 4; ++t)
    EXPECT_TRUE(has(space->snapshot().value(), std::to_string(t) + "/19"));
}

// The quota ends a series where it is reached; what fitted stays.
TEST(SpaceSeries, AQuotaEndsIt) {
  const TemporaryDirectory folder;
  const auto space = open(folder.path(), {.max_log_bytes = 200'000});
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back(std::string(5000, 'x') + std::to_string(i));
  std::vector<Change> changes;
  for (const std::string& name : names)
    changes.emplace_back([&name](Transaction& transaction) { return add(transaction, name); });
  const SeriesResult series = space->write_series(kAda, one_by_one(changes));
  ASSERT_FALSE(series.status);
  EXPECT_EQ(series.status.error().code, ErrorCode::kLimitExceeded);
  ASSERT_FALSE(series.receipts.empty());
  EXPECT_TRUE(has(space->snapshot().value(), names[series.receipts.size() - 1]));
  EXPECT_FALSE(has(space->snapshot().value(), names[series.receipts.size()]));
  EXPECT_TRUE(verify_log(space->log()));
}

}  // namespace
}  // namespace anima::store::series_test
