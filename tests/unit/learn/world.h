// A folder of stores with a clock that stands still, for tests of learnings.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/files/file.h"
#include "learn/detail/database.h"
#include "learn/learner.h"

namespace anima::learn::test {

inline constexpr std::int64_t kSecond = kMicrosecondsPerSecond;
inline constexpr std::int64_t kDay = kMicrosecondsPerDay;

inline Json args(std::string_view text) {
  auto json = parse_json(text);
  EXPECT_TRUE(json.has_value()) << text;
  return json ? *json : Json();
}

class World : public ::testing::Test {
 protected:
  void SetUp() override {
    auto shipped = LearnableTable::shipped();
    ASSERT_TRUE(shipped.has_value()) << shipped.error().describe();
    table_ = *shipped;
    ASSERT_TRUE(table_
                    .extend("learnable(/rated, 2, [/string, /int]). learnable(/tagged, 3, [/name, "
                            "/int, /float]).",
                            "test")
                    .has_value());
    open();
  }

  // Another process: nothing is kept but the files.
  void open(StoreOptions options = {}, LearnerOptions learner = {}) {
    learner_.reset();
    store_ = std::make_unique<LearningStore>(folder(), table_, clock_, options);
    auto opened = Learner::open(*store_, std::move(learner));
    ASSERT_TRUE(opened.has_value()) << opened.error().describe();
    learner_ = std::move(*opened);
  }
  std::string folder() const { return files_.file("shards"); }

  SaveReport save(std::string_view shard, std::string predicate, std::string_view arguments,
                  store::Trust trust = store::Trust::kStandard) {
    auto saved = store_->save(shard, {std::move(predicate), args(arguments), {}, trust});
    EXPECT_TRUE(saved.has_value()) << saved.error().describe();
    return saved ? *saved : SaveReport();
  }
  Tracked reject(std::string_view shard, std::string_view action, std::string_view reason) {
    auto tracked = learner_->track_rejection(shard, action, reason);
    EXPECT_TRUE(tracked.has_value()) << tracked.error().describe();
    return tracked ? *tracked : Tracked();
  }
  Tracked accept(std::string_view shard, std::string_view action) {
    auto tracked = learner_->track_acceptance(shard, action);
    EXPECT_TRUE(tracked.has_value()) << tracked.error().describe();
    return tracked ? *tracked : Tracked();
  }
  std::vector<std::string> ask(std::string_view atom) {
    auto facts = learner_->query(atom);
    EXPECT_TRUE(facts.has_value()) << facts.error().describe();
    return facts ? *facts : std::vector<std::string>();
  }
  std::vector<Learning> visible(std::string_view shard) {
    auto loaded = store_->load(shard);
    EXPECT_TRUE(loaded.has_value()) << loaded.error().describe();
    return loaded ? loaded->learnings : std::vector<Learning>();
  }
  std::vector<Learning> everything(std::string_view shard) {
    auto loaded = store_->load_all(shard);
    EXPECT_TRUE(loaded.has_value()) << loaded.error().describe();
    return loaded ? loaded->learnings : std::vector<Learning>();
  }
  double confidence(std::string_view shard) {
    const auto rows = everything(shard);
    EXPECT_EQ(rows.size(), 1U);
    return rows.empty() ? -1.0 : store_->confidence_now(rows[0]);
  }
  DecayReport decay(std::string_view shard, double factor = 0.9) {
    auto report = store_->decay(shard, factor);
    EXPECT_TRUE(report.has_value()) << report.error().describe();
    return report ? *report : DecayReport();
  }
  // What a store cannot be brought to by its own door.
  void sql(std::string_view shard, const std::string& text) {
    using detail::Database;
    auto database = Database::open(store_->path_of(shard), Database::Mode::kCreate);
    ASSERT_TRUE(database) << database.error().describe();
    const Status done = database->execute(text);
    EXPECT_TRUE(done) << done.error().describe();
  }
  void pass(std::int64_t microseconds) { clock_.advance(microseconds); }

  TemporaryDirectory files_{"anima-learn"};
  ManualClock clock_{*parse_timestamp("2026-01-05T12:00:00Z")};
  LearnableTable table_;
  std::unique_ptr<LearningStore> store_;
  std::unique_ptr<Learner> learner_;
};

}  // namespace anima::learn::test
