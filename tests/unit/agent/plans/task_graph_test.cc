// Governance table rows 43-47, 49, 50.
#include "agent/plans/task_graph.h"

#include <gtest/gtest.h>

namespace anima::agent::task_graph_test {
namespace {

Task task(std::string id, std::vector<std::string> dependencies = {}) {
  return {.id = std::move(id), .dependencies = std::move(dependencies)};
}

// "Send a meeting summary to the team": 1 calendar, 2 summarise, {3 team list, 4 format}, 5 send.
TaskGraph meeting_summary() {
  TaskGraph graph;
  EXPECT_TRUE(graph.add(task("1")));
  EXPECT_TRUE(graph.add(task("2", {"1"})));
  EXPECT_TRUE(graph.add(task("3")));
  EXPECT_TRUE(graph.add(task("4", {"2"})));
  EXPECT_TRUE(graph.add(task("5", {"3", "4"})));
  return graph;
}

TEST(TaskGraph, Row44TopologicalOrderTiesByInsertion) {
  EXPECT_EQ(meeting_summary().order(), (std::vector<std::string>{"1", "2", "3", "4", "5"}));
}

TEST(TaskGraph, Row45CycleIsRefusedAndChangesNothing) {
  TaskGraph graph = meeting_summary();
  const std::string before = graph.to_json().dump();
  const auto status = graph.add_dependency("1", "5");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("would create a circular dependency"), std::string::npos);
  EXPECT_EQ(graph.to_json().dump(), before);
}

TEST(TaskGraph, Row46SelfDependency) {
  TaskGraph graph;
  EXPECT_EQ(graph.add(task("1", {"1"})).error().code, ErrorCode::kConflict);
  EXPECT_TRUE(graph.add(task("1")));
  EXPECT_FALSE(graph.add_dependency("1", "1"));
}

TEST(TaskGraph, Row47UnknownDependency) {
  TaskGraph graph;
  EXPECT_EQ(graph.add(task("1", {"9"})).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(graph.tasks().empty());
}

TEST(TaskGraph, Row49OnlyRootsAreReadyAtFirst) {
  TaskGraph graph = meeting_summary();
  EXPECT_EQ(graph.ready(), (std::vector<std::string>{"1", "3"}));
  EXPECT_TRUE(graph.start("1"));
  EXPECT_TRUE(graph.complete("1"));
  EXPECT_EQ(graph.ready(), (std::vector<std::string>{"2", "3"}));
  EXPECT_FALSE(graph.complete("5"));
}

TEST(TaskGraph, Row50FailureSkipsDependents) {
  TaskGraph graph = meeting_summary();
  for (const char* id : {"1", "3"}) {
    EXPECT_TRUE(graph.start(id));
    EXPECT_TRUE(graph.complete(id));
  }
  EXPECT_TRUE(graph.start("2"));
  EXPECT_TRUE(graph.mark_failed("2"));
  EXPECT_EQ(graph.find("4")->status, TaskStatus::kSkipped);
  EXPECT_EQ(graph.find("5")->status, TaskStatus::kSkipped);
  EXPECT_TRUE(graph.ready().empty());
  EXPECT_EQ(graph.status(), GraphStatus::kFailed);
}

TEST(TaskGraph, CompletedPlan) {
  TaskGraph graph = meeting_summary();
  EXPECT_EQ(TaskGraph().status(), GraphStatus::kInProgress);
  for (const std::string& id : graph.order()) {
    EXPECT_EQ(graph.status(), GraphStatus::kInProgress);
    EXPECT_TRUE(graph.start(id));
    EXPECT_TRUE(graph.complete(id));
  }
  EXPECT_EQ(graph.status(), GraphStatus::kCompleted);
}

}  // namespace
}  // namespace anima::agent::task_graph_test
