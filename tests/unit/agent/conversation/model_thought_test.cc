// The loop with a language model: it asks the model where it plans, the model's calls are governed,
// and the run is repeated from the log without anybody being called.
#include "agent/conversation/model_thought.h"

#include <gtest/gtest.h>

#include "agent/conversation/recorded_calls.h"
#include "agent/loop/replay.h"
#include "agent/mind/scoring.h"
#include "base/files/file.h"
#include "support/called_model.h"
#include "support/links.h"

namespace anima::agent::model_thought_test {
namespace {

test::ServerAnswer says(std::string_view text) { return test::json_answer(test::chat_reply(text)); }
test::ServerAnswer calls(std::string_view name, const Json& arguments) {
  const Json call =
      Json::object({{"id", "call_1"},
                    {"type", "function"},
                    {"function", Json::object({{"name", name}, {"arguments", arguments.dump()}})}});
  return test::json_answer(Json::object(
      {{"choices", Json::array({Json::object(
                       {{"finish_reason", "tool_calls"},
                        {"message", Json::object({{"content", nullptr},
                                                  {"tool_calls", Json::array({call})}})}})})}}));
}

class ModelThoughtTest : public ::testing::Test {
 protected:
  void SetUp() override {
    test::link(*space_, {{"Earth", "orbits", "Sun"}, {"Mars", "orbits", "Sun"}});
    ASSERT_TRUE(system_files().make_directories(folder_.file("work")));
    ASSERT_TRUE(replace_file(system_files(), folder_.file("work/old.txt"), "x"));
    called_.config.attempts = 1;
    called_.keeper = &keeper_;
    AgentConfig config;
    config.clock = clock_;
    agent_ = house_->start_agent(compartments_, system_files(), std::move(config)).value();
    agent_->tools().add(make_model_thought(*house_, called_.model(), {asker_.get(), {}, "run"}));
  }
  std::vector<CycleReport> work(const std::string& goal, std::uint64_t cycles = 10) {
    std::vector<CycleReport> reports;
    goal_ = *agent_->add_goal(goal);
    const auto end = agent_->run_until_complete(cycles, [&](const CycleReport& report) {
      reports.push_back(report);
      return report.goal_status == GoalStatus::kActive;
    });
    EXPECT_TRUE(end) << end.error().describe();
    return reports;
  }
  void expect_replay() {
    const std::size_t asked = called_.server.count();
    const auto report = replay_run(*space_, system_files(), agent_->run());
    ASSERT_TRUE(report) << report.error().describe();
    EXPECT_FALSE(report->difference) << report->difference->difference;
    EXPECT_EQ(report->repeated, report->run.steps);
    EXPECT_EQ(called_.server.count(), asked);
  }

  TemporaryDirectory folder_{"anima-thought"};
  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(Timestamp{1'767'225'600'000'000});
  SeededRandom random_{6};
  std::shared_ptr<store::Space> space_ = [this] {
    store::SpaceOptions options;
    options.create = true;
    options.clock = clock_;
    return store::Space::open(folder_.file("space"), options).value();
  }();
  std::unique_ptr<GovernedHouse> house_ =
      GovernedHouse::open(space_, *clock_, random_,
                          {.tools = {.work_folder = folder_.file("work")}})
          .value();
  memory::CompartmentManager compartments_{*space_, system_files(), "/nowhere"};
  std::unique_ptr<SpaceAsker> asker_ = SpaceAsker::open(space_, system_files()).value();
  test::CalledModel called_;
  RecordedCalls keeper_{*space_, {}, "run"};
  std::unique_ptr<Agent> agent_;
  std::string goal_;
};

TEST_F(ModelThoughtTest, TheModelAnswersWhatNothingHereServes) {
  called_.server.otherwise([](const test::ServerRequest&) { return says("Fog on a fjord."); });
  const auto reports = work("compose a haiku");
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.back().chosen().tool, kModelThink);
  EXPECT_EQ(reports.back().progress.reason, "the model answered");
  EXPECT_EQ(agent_->goals().find(goal_)->status, GoalStatus::kCompleted);
  EXPECT_EQ(agent_->goals().find(goal_)->answer, "Fog on a fjord.");
  EXPECT_EQ(called_.server.count(), 1U);
  expect_replay();
}

TEST_F(ModelThoughtTest, ItsCallsAreGovernedAndWait) {
  called_.server.otherwise([](const test::ServerRequest&) {
    return calls("file_delete", Json::object({{"path", "old.txt"}}));
  });
  const auto reports = work("tidy the attic", 3);
  ASSERT_FALSE(reports.empty());
  bool waited = false;
  for (const CycleReport& report : reports)
    waited = waited || report.result.starts_with(tools::kWaitsForApproval);
  EXPECT_TRUE(waited);
  EXPECT_TRUE(file_exists(system_files(), folder_.file("work/old.txt")));
  expect_replay();
}

TEST_F(ModelThoughtTest, AModelThatFailsFailsTheGoalAndNotTheRun) {
  called_.server.otherwise(
      [](const test::ServerRequest&) { return test::http_answer(400, "text/plain", "no"); });
  work("compose a haiku", 20);
  EXPECT_NE(agent_->goals().find(goal_)->status, GoalStatus::kCompleted);
  expect_replay();
}

}  // namespace
}  // namespace anima::agent::model_thought_test
