// The record of old runs goes, runs with a name stay, and who goes on misses nothing.
#include "agent/loop/run_retention.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/loop/agent.h"
#include "base/files/file.h"
#include "store/verify/audit.h"
#include "support/links.h"

namespace anima::agent {
namespace {

constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000;
const store::Origin kOrigin{"ada", "retention test", store::Trust::kOperator,
                            store::Sequence::kNone};

class RunRetention : public ::testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.clock = clock_;
    options.create = true;
    space_ = *store::Space::open(folder_.file("space"), options);
    manager_ = std::make_unique<memory::CompartmentManager>(*space_, system_files(), "/nowhere");
    for (int i = 0; i < 30; ++i) {
      test::link(*space_, {{"package-" + std::to_string(i), "depends-on",
                            "package-" + std::to_string((i * 7 + 1) % 30)}});
    }
  }
  // A run of a few cycles, a day after the one before.
  store::Sequence work(bool fresh = false) {
    clock_->set({clock_->now().microseconds + kDay});
    AgentConfig config;
    config.clock = clock_;
    config.fresh = fresh;
    auto agent = Agent::create(*space_, *manager_, system_files(), std::move(config));
    EXPECT_TRUE(agent.has_value());
    const std::string goal = "find out about package-" + std::to_string(++goals_);
    EXPECT_TRUE((*agent)->add_goal(goal, 128, "wording that never occurs").has_value());
    for (int i = 0; i < 12; ++i) (void)(*agent)->run_cycle();
    return (*agent)->run();
  }
  PrunePlan plan_of(std::int64_t days) {
    const auto plan = plan_pruning(*space_, {clock_->now().microseconds - days * kDay});
    EXPECT_TRUE(plan.has_value());
    return plan.value_or(PrunePlan{});
  }
  void prune(const PrunePlan& plan) {
    const auto report = prune_runs(*space_, kOrigin, plan, clock_->now(), true);
    ASSERT_TRUE(report.has_value()) << report.error().describe();
    EXPECT_EQ(report->entries, plan.entries.size());
  }
  void expect_identical(store::Sequence run) {
    const auto report = replay_run(*space_, system_files(), run);
    ASSERT_TRUE(report.has_value()) << report.error().describe();
    EXPECT_FALSE(report->difference.has_value()) << report->difference->difference;
    EXPECT_EQ(report->repeated, report->run.steps);
  }
  std::string state() {
    const auto session = read_session(*space_, AgentConfig{}.name, 64);
    EXPECT_TRUE(session.has_value());
    EXPECT_TRUE(session->warnings.empty());
    return session->memory.to_json().dump() + session->goals.to_json().dump();
  }

  TemporaryDirectory folder_;
  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(Timestamp{1'700'000'000'000'000}, 1000);
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<memory::CompartmentManager> manager_;
  int goals_ = 0;
};

TEST_F(RunRetention, OldRunsGoAndTheLogStaysProved) {
  const store::Sequence first = work(), second = work(), third = work();
  const PrunePlan plan = plan_of(1);
  EXPECT_EQ(plan.runs, 2U);
  EXPECT_GT(plan.bytes, 10'000U);
  const std::uint64_t before = *space_->log().stored_bytes();
  const std::string resumed = state();
  prune(plan);
  EXPECT_LT(*space_->log().stored_bytes(), before);
  const auto verified = store::verify_log(space_->log());
  EXPECT_TRUE(verified.has_value()) << verified.error().describe();
  EXPECT_EQ(state(), resumed);
  for (const store::Sequence gone : {first, second}) {
    const auto report = replay_run(*space_, system_files(), gone);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, ErrorCode::kNotFound);
    EXPECT_NE(report.error().message.find("pruned"), std::string::npos);
  }
  expect_identical(third);
  const auto runs = list_runs(*space_);
  ASSERT_TRUE(runs.has_value());
  ASSERT_EQ(runs->size(), 1U);  // also of those of which an entry is needed, nothing is listed
  EXPECT_EQ(runs->back().run, third);
}

TEST_F(RunRetention, ARunWithANameStaysReplayable) {
  work();
  const store::Sequence kept = work();
  ASSERT_TRUE(keep_run(*space_, kOrigin, kept, "before-the-move").has_value());
  work();
  const store::Sequence last = work();
  const PrunePlan plan = plan_of(0);
  ASSERT_EQ(plan.kept.size(), 1U);
  EXPECT_EQ(plan.kept[0].name, "before-the-move");
  EXPECT_GT(plan.needed, 0U);
  prune(plan);
  expect_identical(kept);
  EXPECT_TRUE(plan_of(0).entries.empty());
  // The newest state is needed to go on, its run is no longer whole.
  EXPECT_FALSE(state().empty());
  EXPECT_EQ(list_runs(*space_)->size(), 1U);
  EXPECT_EQ(keep_run(*space_, kOrigin, last, "last").error().code, ErrorCode::kNotFound);
  const store::Sequence next = work();
  EXPECT_NE(next, last);
  expect_identical(next);
}

TEST_F(RunRetention, NamesAreGivenOnceAndTakenBack) {
  const store::Sequence first = work(), second = work();
  ASSERT_TRUE(keep_run(*space_, kOrigin, first, "mine").has_value());
  EXPECT_TRUE(keep_run(*space_, kOrigin, first, "mine").has_value());
  EXPECT_EQ(keep_run(*space_, kOrigin, second, "mine").error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(keep_run(*space_, kOrigin, second, "12").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(keep_run(*space_, kOrigin, store::Sequence{2}, "other").error().code,
            ErrorCode::kNotFound);
  ASSERT_EQ(kept_runs(*space_)->size(), 1U);
  ASSERT_TRUE(release_run(*space_, kOrigin, "mine").has_value());
  EXPECT_TRUE(kept_runs(*space_)->empty());
  EXPECT_EQ(release_run(*space_, kOrigin, "mine").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(plan_of(0).runs, 2U);
}

TEST_F(RunRetention, NothingIsOldInAFreshSpaceAndTheTimeOfAPruningIsKnown) {
  EXPECT_TRUE(plan_of(0).entries.empty());
  EXPECT_EQ(last_pruning(*space_)->microseconds, 0);
  work();
  EXPECT_TRUE(plan_of(5).entries.empty());
  prune(plan_of(5));
  EXPECT_GT(last_pruning(*space_)->microseconds, 0);
}

}  // namespace
}  // namespace anima::agent
