// Goals, progress and reflection: rows A15-A18 and F1-F7.
#include "agent/mind/goals.h"

#include <gtest/gtest.h>

#include "agent/mind/reflection.h"

namespace anima::agent {
namespace {

TEST(Goals, LongDescriptionsOfOneBeginningStayTwoGoals) {
  const std::string head(60, 'a');
  EXPECT_NE(goal_label(head + "1"), goal_label(head + "2"));
  EXPECT_EQ(goal_label("short"), "goal:short");
}

TEST(Goals, ByPriorityThenCreation) {
  GoalList goals;
  goals.add("first", 128, {}, {}, 0);
  goals.add("second", 200, {}, {}, 0);
  goals.add("third", 128, {}, {}, 0);
  std::vector<std::string> order;
  for (const Goal* goal : goals.active()) order.push_back(goal->description);
  EXPECT_EQ(order, (std::vector<std::string>{"second", "first", "third"}));
  goals.find("goal:second")->blocked_by = {"goal:first"};
  EXPECT_EQ(goals.top()->description, "first");
}

TEST(Goals, A15_KeywordProgress) {
  const auto kind = [](std::string_view text, bool symbols) {
    return measure_progress("alpha bravo charlie delta", text, symbols, {}).kind;
  };
  EXPECT_EQ(kind("found Alpha and BRAVO", false), ProgressKind::kCompleted);
  EXPECT_EQ(kind("found alpha", false), ProgressKind::kAdvanced);
  EXPECT_EQ(kind("nothing", true), ProgressKind::kAdvanced);
  EXPECT_EQ(kind("nothing", false), ProgressKind::kNoChange);
  EXPECT_EQ(measure_progress("alpha bravo", "", false, {"Alpha", "x"}).kind,
            ProgressKind::kCompleted);
  EXPECT_EQ(measure_progress("", "x", true, {}).kind, ProgressKind::kAdvanced);
  EXPECT_EQ(measure_progress("", "x", false, {}).kind, ProgressKind::kNoChange);
}

TEST(Goals, A16_StalledGoalIsTakenApart) {
  GoalList goals;
  goals.add("collect facts, compare them", 128, {}, {}, 0);
  const std::string label = goal_label("collect facts, compare them");
  Goal& goal = *goals.find(label);
  goal.cycles_worked = 5;
  EXPECT_FALSE(GoalList::stalled(goal, 4));
  EXPECT_TRUE(GoalList::stalled(goal, 5));
  goal.last_progress_cycle = 1;
  EXPECT_FALSE(GoalList::stalled(goal, 5));
  const auto children = goals.take_apart(label, {}, 6);
  EXPECT_EQ(children, (std::vector<std::string>{"goal:collect facts", "goal:compare them"}));
  EXPECT_EQ(goals.find(label)->status, GoalStatus::kSuspended);
  EXPECT_EQ(goals.find("goal:collect facts")->parent, label);
}

TEST(Goals, A17_PartsHavePrioritiesFromTwoHundredDown) {
  const auto parts = decompose("a b c, d e f and g h i");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].description, "a b c");
  EXPECT_EQ(parts[0].priority, 200);
  EXPECT_EQ(parts[1].priority, 190);
  EXPECT_EQ(parts[2].description, "g h i");
  EXPECT_EQ(parts[2].priority, 180);
  const auto generic = decompose("understand");
  ASSERT_EQ(generic.size(), 2U);
  EXPECT_EQ(generic[0].priority, 200);
  EXPECT_EQ(generic[1].priority, 180);
}

TEST(Goals, A18_ParentReturnsWhenAllChildrenAreDone) {
  GoalList goals;
  goals.add("collect facts, compare them", 128, {}, {}, 0);
  const std::string label = goal_label("collect facts, compare them");
  goals.take_apart(label, {}, 6);
  goals.set_status("goal:collect facts", GoalStatus::kCompleted);
  EXPECT_EQ(goals.find(label)->status, GoalStatus::kSuspended);
  goals.set_status("goal:compare them", GoalStatus::kCompleted);
  EXPECT_EQ(goals.find(label)->status, GoalStatus::kActive);
}

TEST(Goals, StoredAndReadBack) {
  GoalList goals;
  goals.add("collect facts, compare them", 128, "many facts", {}, 3);
  goals.take_apart(goal_label("collect facts, compare them"), {}, 6);
  goals.all()[0].known = {"Sun"};
  const auto read = GoalList::from_json(*parse_json(goals.to_json().dump()));
  ASSERT_TRUE(read.has_value()) << read.error().describe();
  EXPECT_EQ(*read, goals);
}

Goal working(std::uint64_t worked, std::uint64_t last_progress, std::uint8_t priority = 128) {
  Goal goal;
  goal.label = "goal:x";
  goal.description = "x";
  goal.priority = priority;
  goal.cycles_worked = worked;
  goal.last_progress_cycle = last_progress;
  return goal;
}

std::vector<AdjustmentKind> kinds(const Reflection& reflection) {
  std::vector<AdjustmentKind> list;
  for (const auto& adjustment : reflection.adjustments) list.push_back(adjustment.kind);
  return list;
}

TEST(Reflection, F1_Interval) {
  const ReflectionConfig every_five;
  for (std::uint64_t cycle = 0; cycle <= 12; ++cycle) {
    EXPECT_EQ(reflection_due(every_five, cycle), cycle == 5 || cycle == 10) << cycle;
    EXPECT_FALSE(reflection_due({.every_n_cycles = 0}, cycle));
  }
}

TEST(Reflection, F3_IneffectiveTools) {
  const ToolUse edges[] = {{"a", 10, 3}, {"b", 10, 2}, {"c", 2, 1}};
  const Reflection edge = reflect(edges, {}, 0, 5, {});
  EXPECT_FALSE(edge.tools[0].ineffective);  // exactly the minimum
  EXPECT_TRUE(edge.tools[1].ineffective);
  EXPECT_FALSE(edge.tools[2].ineffective);
  const ToolUse uses[] = {{"reason", 2, 0}, {"kg_query", 1, 0}};
  const Reflection result = reflect(uses, {}, 0.42, 5, {});
  ASSERT_EQ(result.tools.size(), 2U);
  EXPECT_FALSE(result.tools[0].ineffective);  // kg_query
  EXPECT_TRUE(result.tools[1].ineffective);
  EXPECT_EQ(result.strategy_diversity, 2U);
  EXPECT_EQ(result.summary(),
            "Reflection at cycle 5: 2 tools used (1 ineffective), 0 goals (0 stagnant), memory "
            "pressure 42%, 0 adjustments recommended.");
}

TEST(Reflection, F4_StagnantAfterEightAndEight) {
  for (const auto& [worked, cycle, stagnant] :
       {std::tuple{8U, 8U, true}, std::tuple{7U, 8U, false}, std::tuple{8U, 7U, false}}) {
    const Goal goals[] = {working(worked, 0)};
    EXPECT_EQ(reflect({}, goals, 0, cycle, {}).goals[0].stagnant, stagnant) << worked << cycle;
  }
}

TEST(Reflection, F5_AbandonIsOnlySuggested) {
  GoalList goals;
  goals.put(working(16, 0, 20));
  const Reflection result = reflect({}, goals.all(), 0, 20, {});
  EXPECT_EQ(kinds(result), (std::vector<AdjustmentKind>{AdjustmentKind::kSuggestAbandon,
                                                        AdjustmentKind::kSuggestNewGoal}));
  EXPECT_EQ(result.abandon_suggestions(), 1U);
  apply_priorities(result, goals);
  EXPECT_EQ(goals.all()[0].status, GoalStatus::kActive);
}

TEST(Reflection, F6_StagnantGoalsSink) {
  GoalList goals;
  goals.put(working(8, 0, 128));
  const Reflection result = reflect({}, goals.all(), 0, 8, {});
  EXPECT_EQ(kinds(result), (std::vector<AdjustmentKind>{AdjustmentKind::kDecreasePriority,
                                                        AdjustmentKind::kSuggestNewGoal}));
  EXPECT_EQ(result.adjustments[1].description, "Decompose: x");
  EXPECT_EQ(result.adjustments[1].priority, 138);
  apply_priorities(result, goals);
  EXPECT_EQ(goals.all()[0].priority, 98);
  goals.all()[0].priority = 20;
  EXPECT_EQ(kinds(reflect({}, goals.all(), 0, 8, {})),
            (std::vector<AdjustmentKind>{AdjustmentKind::kSuggestNewGoal}));
  goals.all()[0].priority = 25;
  apply_priorities(reflect({}, goals.all(), 0, 8, {}), goals);
  EXPECT_EQ(goals.all()[0].priority, 0);
}

TEST(Reflection, F7_OneProgressRaisesOnce) {
  GoalList goals;
  Goal goal = working(3, 3);
  goal.progress_count = 1;
  goals.put(goal);
  apply_priorities(reflect({}, goals.all(), 0, 5, {}), goals);
  EXPECT_EQ(goals.all()[0].priority, 148);
  apply_priorities(reflect({}, goals.all(), 0, 10, {}), goals);
  EXPECT_EQ(goals.all()[0].priority, 148);
  goals.all()[0].progress_count = 2;
  apply_priorities(reflect({}, goals.all(), 0, 10, {}), goals);
  EXPECT_EQ(goals.all()[0].priority, 168);
}

}  // namespace
}  // namespace anima::agent
