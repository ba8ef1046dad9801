// Decide and plan: rows A2-A7, A9-A11 and B1-B3, with the worked numbers of the specification.
#include "agent/mind/scoring.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "agent/mind/plan.h"
#include "agent/mind/word_vectors.h"
#include "tools/workbench.h"

namespace anima::agent {
namespace {

tools::ToolTable graph_tools() {
  tools::ToolTable table;
  tools::add_graph_tools(table);
  return table;
}

// A tool that a later room would register.
class NamedTool final : public tools::Tool {
 public:
  NamedTool(std::string name, std::vector<std::string> concepts,
            tools::Danger danger = tools::Danger::kDangerous) {
    info_.name = std::move(name);
    info_.concepts = std::move(concepts);
    info_.danger = danger;
  }
  const tools::ToolInfo& info() const override { return info_; }
  Result<tools::ToolOutput> run(const tools::ToolInput&, tools::Workbench&) const override {
    return tools::ToolOutput{};
  }

 private:
  tools::ToolInfo info_;
};

DecisionFacts fresh_goal() {
  DecisionFacts facts;
  facts.goal = "xyzzy plugh";  // shares no word with any tool
  facts.goal_label = "goal:xyzzy plugh";
  return facts;
}

DecisionFacts informed_goal() {
  DecisionFacts facts = fresh_goal();
  facts.knowledge = {{"Earth", "orbits", "Sun", 1.0}};
  facts.inferences = {{"Sun", 1.0, 5, false}};
  facts.tool_history = {"kg_query"};
  return facts;
}

const Candidate* find(const Decision& decision, std::string_view tool) {
  for (const Candidate& candidate : decision.candidates) {
    if (candidate.tool == tool) return &candidate;
  }
  return nullptr;
}
double score(const Decision& decision, std::string_view tool) {
  const Candidate* candidate = find(decision, tool);
  return candidate == nullptr ? -1 : candidate->terms.total();
}

TEST(Scoring, A2_FreshGoalInAnEmptyGraph) {
  const Decision decision = decide(fresh_goal(), graph_tools(), Psyche());
  EXPECT_EQ(decision.candidates[0].tool, "kg_query");
  EXPECT_NEAR(score(decision, "kg_query"), 0.98, 1e-9);
  EXPECT_NEAR(score(decision, "gap_analysis"), 0.50, 0.02);
  const std::string text = reasoning(decision.candidates[0]);
  EXPECT_NE(text.find("[score=0.98: base=0.80 recency=-0.00 novelty=+0.15 episodic=+0.00 "
                      "pressure=+0.00 archetype=+0.030]"),
            std::string::npos)
      << text;
}

TEST(Scoring, A3_PrintedPartsAddUp) {
  static const std::regex kParts(
      R"(\[score=([0-9.]+): base=([0-9.]+) recency=-([0-9.]+) novelty=\+([0-9.]+) episodic=\+([0-9.]+) pressure=\+([0-9.]+) archetype=([+-][0-9.]+)\])");
  for (DecisionFacts facts : {fresh_goal(), informed_goal()}) {
    facts.recalled_episodes = {"reason: something"};
    facts.pressure = 0.9;
    for (const Candidate& candidate : decide(facts, graph_tools(), Psyche()).candidates) {
      std::smatch match;
      const std::string text = reasoning(candidate);
      ASSERT_TRUE(std::regex_search(text, match, kParts)) << text;
      double parts[8];
      for (std::size_t i = 1; i < 8; ++i) parts[i] = std::stod(match[i].str());
      const double sum = parts[2] - parts[3] + parts[4] + parts[5] + parts[6] + parts[7];
      EXPECT_NEAR(std::max(0.0, sum), parts[1], 0.0101) << text;
    }
  }
}

TEST(Scoring, A4_Recency) {
  const std::vector<std::string> history = {"a", "b", "c", "d"};
  EXPECT_EQ(recency_penalty("d", history), 0.4);
  EXPECT_EQ(recency_penalty("c", history), 0.2);
  EXPECT_EQ(recency_penalty("b", history), 0.1);
  EXPECT_EQ(recency_penalty("a", history), 0.0);
  EXPECT_EQ(recency_penalty("a", std::vector<std::string>{"a", "b", "a"}), 0.4);
}

TEST(Scoring, A5_NoveltyOnlyAtFirstUse) {
  const Decision decision = decide(informed_goal(), graph_tools(), Psyche());
  EXPECT_EQ(find(decision, "kg_query")->terms.novelty, 0.0);
  EXPECT_EQ(find(decision, "reason")->terms.novelty, 0.15);
}

TEST(Scoring, A6_EpisodeThatNamesATool) {
  DecisionFacts facts = informed_goal();
  facts.recalled_episodes = {"reason: it helped", "reasons abound"};
  const Decision decision = decide(facts, graph_tools(), Psyche());
  EXPECT_EQ(find(decision, "reason")->terms.episodic, 0.20);
  EXPECT_EQ(find(decision, "kg_query")->terms.episodic, 0.0);
  facts.recalled_episodes = {"reasons abound"};
  EXPECT_EQ(find(decide(facts, graph_tools(), Psyche()), "reason")->terms.episodic, 0.0);
}

TEST(Scoring, A7_PressureIsStrictAndForRecallOnly) {
  DecisionFacts facts = informed_goal();
  facts.recalled_episodes = {"x"};
  facts.pressure = 0.70;
  EXPECT_EQ(find(decide(facts, graph_tools(), Psyche()), "memory_recall")->terms.pressure, 0.0);
  facts.pressure = 0.71;
  const Decision decision = decide(facts, graph_tools(), Psyche());
  EXPECT_EQ(find(decision, "memory_recall")->terms.pressure, 0.15);
  EXPECT_EQ(find(decision, "reason")->terms.pressure, 0.0);
}

TEST(Scoring, A9_SecondCycle) {
  const Decision decision = decide(informed_goal(), graph_tools(), Psyche());
  EXPECT_EQ(decision.candidates[0].tool, "kg_mutate");
  EXPECT_NEAR(score(decision, "kg_query"), 0.03, 1e-9);
  EXPECT_NEAR(score(decision, "kg_mutate"), 0.88, 1e-9);
  EXPECT_NEAR(score(decision, "similarity_search"), 0.685, 1e-9);
  EXPECT_NEAR(score(decision, "reason"), 0.68, 1e-9);
  EXPECT_NEAR(score(decision, "infer_rules"), 0.63, 0.02);
  const tools::ToolInput& input = decision.candidates[0].input;
  EXPECT_EQ(input.at("subject"), "goal:xyzzy plugh");
  EXPECT_EQ(input.at("predicate"), "agent:concerns");
  EXPECT_EQ(input.at("object"), "Sun");
  EXPECT_EQ(input.at("confidence"), "0.7");
}

TEST(Scoring, ConnectedInferencesAreNotConnectedAgain) {
  DecisionFacts facts = informed_goal();
  facts.inferences[0].connected = true;
  EXPECT_EQ(find(decide(facts, graph_tools(), Psyche()), "kg_mutate"), nullptr);
}

TEST(Scoring, A10_TiesByDangerThenName) {
  DecisionFacts facts = fresh_goal();
  facts.goal = "alpha bravo charlie delta";
  std::vector<std::string> concepts = {"alpha", "bravo", "charlie", "delta"};
  for (int run = 0; run < 100; ++run) {
    std::vector<std::pair<std::string, tools::Danger>> order = {
        {"b_tool", tools::Danger::kSafe},
        {"a_tool", tools::Danger::kCritical},
        {"c_tool", tools::Danger::kSafe}};
    std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(run)));
    tools::ToolTable table;
    for (const auto& [name, danger] : order) {
      table.add(std::make_unique<NamedTool>(name, concepts, danger));
    }
    const Decision decision = decide(facts, table, Psyche());
    ASSERT_EQ(decision.candidates.size(), 3U);
    EXPECT_EQ(decision.candidates[0].tool, "b_tool");
    EXPECT_EQ(decision.candidates[1].tool, "c_tool");
    EXPECT_EQ(decision.candidates[2].tool, "a_tool");
  }
}

TEST(Scoring, A11_ExternalToolsNeedARealArgument) {
  tools::ToolTable table = graph_tools();
  const std::vector<std::string> words = {"fetch", "page", "download"};
  table.add(std::make_unique<NamedTool>("http_fetch", words));
  table.add(std::make_unique<NamedTool>("file_io", words));
  table.add(std::make_unique<NamedTool>("shell_exec", words));
  DecisionFacts facts = fresh_goal();
  facts.goal = "fetch the page download";
  for (const char* tool : {"http_fetch", "file_io", "shell_exec"}) {
    EXPECT_EQ(find(decide(facts, table, Psyche()), tool), nullptr) << tool;
  }
  facts.goal = "fetch the page, download https://example.org/x.";
  const Decision offered = decide(facts, table, Psyche());
  const Candidate* fetch = find(offered, "http_fetch");
  ASSERT_NE(fetch, nullptr);
  EXPECT_EQ(fetch->input.at("url"), "https://example.org/x");
}

TEST(Scoring, ExternalArguments) {
  const ExternalArguments given =
      external_arguments("read \"/etc/hosts\", then run `ls -l /tmp` and see (https://a.b/c).");
  EXPECT_EQ(given.path, "/etc/hosts");
  EXPECT_EQ(given.url, "https://a.b/c");
  EXPECT_EQ(given.command, "ls -l /tmp");
  EXPECT_FALSE(external_arguments("either/or").path.has_value());
}

TEST(Scoring, ExcludedActionsAreNotOffered) {
  DecisionFacts facts = fresh_goal();
  const Candidate first = decide(facts, graph_tools(), Psyche()).candidates[0];
  facts.excluded.insert(action_key(first.tool, first.input));
  EXPECT_EQ(find(decide(facts, graph_tools(), Psyche()), "kg_query"), nullptr);
}

TEST(Scoring, ImpasseIsSaid) {
  DecisionFacts facts = fresh_goal();
  facts.tool_history = {"gap_analysis", "kg_query"};
  const Decision decision = decide(facts, tools::ToolTable(), Psyche());
  EXPECT_TRUE(decision.impasse);
  EXPECT_EQ(decision.candidates[0].tool, "kg_query");
}

TEST(Scoring, CodeQuestionsByWholeWords) {
  EXPECT_TRUE(is_code_question("what does the function parse do"));
  EXPECT_FALSE(is_code_question("what type of mode is modern"));
}

// Measured in the specification: 15 profile words against 6 goal words, and 8 against 4.
TEST(Scoring, Oddity47_SharedWordsMoveSimilarity) {
  const auto words = [](char tag, std::size_t from, std::size_t count) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < count; ++i) {
      list.push_back(std::string(1, tag) + "word" + std::to_string(from + i));
    }
    std::sort(list.begin(), list.end());
    return list;
  };
  const auto measured = [&](std::size_t profile, std::size_t goal, std::size_t shared) {
    double sum = 0;
    for (char tag = 'a'; tag < 'k'; ++tag) {
      sum += similarity(words(tag, 0, profile), words(tag, profile - shared, goal));
    }
    return sum / 10;
  };
  const double expected_15_6[] = {.499, .537, .567, .605, .619};
  for (std::size_t shared = 0; shared < 5; ++shared) {
    EXPECT_NEAR(measured(15, 6, shared), expected_15_6[shared], 0.015) << shared;
  }
  const double expected_8_4[] = {.498, .552, .603, .658, .712};
  for (std::size_t shared = 0; shared < 5; ++shared) {
    EXPECT_NEAR(measured(8, 4, shared), expected_8_4[shared], 0.02) << shared;
  }
  EXPECT_EQ(similarity(std::vector<std::string>{}, words('a', 0, 3)), 0.5);
}

TEST(Plan, B1_StrategiesAlternate) {
  DecisionFacts facts = fresh_goal();
  facts.goal = "find out about planets";
  const Plan first = make_plan(facts, graph_tools(), 0);
  EXPECT_EQ(first.steps.front().tool, "kg_query");
  EXPECT_EQ(first.strategy, "Attempt 1: kg_query → similarity_search");
  const Plan second = make_plan(facts, graph_tools(), 1);
  EXPECT_EQ(second.steps.front().tool, "memory_recall");
  EXPECT_EQ(second.strategy, "Attempt 2: memory_recall → kg_query");
}

TEST(Plan, NeedsComeFromTheText) {
  DecisionFacts facts = informed_goal();
  facts.goal = "reason about planets and create links between similar ones";
  std::vector<std::string> steps;
  for (const PlanStep& step : make_plan(facts, graph_tools(), 0).steps) steps.push_back(step.tool);
  EXPECT_EQ(steps, (std::vector<std::string>{"similarity_search", "reason", "kg_mutate"}));
}

TEST(Plan, B2_OnlyItsOwnToolCompletesAStep) {
  Plan plan = make_plan(fresh_goal(), graph_tools(), 0);
  plan.completed("gap_analysis");
  EXPECT_EQ(plan.steps[0].status, StepStatus::kPending);
  plan.completed("kg_query");
  EXPECT_EQ(plan.steps[0].status, StepStatus::kCompleted);
  EXPECT_EQ(plan.status, PlanStatus::kActive);
}

TEST(Plan, B3_SkippedStepsCountAsDone) {
  Plan plan;
  plan.goal = "goal:x";
  plan.steps = {{"kg_query", {}, "", StepStatus::kSkipped},
                {"reason", {}, "", StepStatus::kPending}};
  plan.completed("reason");
  EXPECT_EQ(plan.status, PlanStatus::kCompleted);
}

TEST(Plan, FailureSkipsTheRest) {
  Plan plan = make_plan(fresh_goal(), graph_tools(), 0);
  plan.failed("kg_query");
  EXPECT_EQ(plan.status, PlanStatus::kFailed);
  EXPECT_EQ(plan.steps[1].status, StepStatus::kSkipped);
}

TEST(Plan, RetriesSkipAFirstStepThatRan) {
  DecisionFacts facts = fresh_goal();
  facts.tool_history = {"memory_recall"};
  EXPECT_EQ(make_plan(facts, graph_tools(), 1).steps[0].status, StepStatus::kSkipped);
}

}  // namespace
}  // namespace anima::agent
