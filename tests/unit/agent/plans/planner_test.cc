// Governance table rows 42, 43, 44 and 48.
#include "agent/plans/planner.h"

#include <gtest/gtest.h>

namespace anima::agent::planner_test {
namespace {

constexpr Timestamp kNow{1'767'225'600'000'000};  // 2026-01-01T00:00:00Z

RequestPlan plan(std::string_view text) { return plan_request(text, kNow).value(); }

TEST(Planner, Row42OneClauseIsOneTask) {
  const RequestPlan read = plan("read file x");
  EXPECT_EQ(read.intent, Intent::kAtomic);
  ASSERT_EQ(read.graph.tasks().size(), 1u);
  EXPECT_EQ(read.graph.tasks()[0].tool, "file:read");
  EXPECT_EQ(read.graph.tasks()[0].parameters, Json::object({{"path", "x"}}));
}

TEST(Planner, Row43MeetingSummaryIsFiveTasks) {
  const RequestPlan summary = plan("Send a meeting summary to the team");
  EXPECT_EQ(summary.intent, Intent::kMultiStep);
  ASSERT_EQ(summary.graph.tasks().size(), 5u);
  const auto depends = [&](const char* id) { return summary.graph.find(id)->dependencies; };
  EXPECT_TRUE(depends("1").empty());
  EXPECT_EQ(depends("2"), std::vector<std::string>{"1"});
  EXPECT_TRUE(depends("3").empty());
  EXPECT_EQ(depends("4"), std::vector<std::string>{"2"});
  EXPECT_EQ(depends("5"), (std::vector<std::string>{"3", "4"}));
  EXPECT_EQ(summary.graph.order(), (std::vector<std::string>{"1", "2", "3", "4", "5"}));
}

TEST(Planner, Row48WhatIsUnclearIsAskedBack) {
  for (const char* text : {"do it", "delete it", "", "How are you?", "write \"x\"", "send hello",
                           "read a.txt and then juggle"}) {
    const RequestPlan unclear = plan(text);
    EXPECT_EQ(unclear.intent, Intent::kAmbiguous) << text;
    EXPECT_FALSE(unclear.question.empty()) << text;
    EXPECT_FALSE(unclear.options.empty()) << text;
    EXPECT_TRUE(unclear.graph.tasks().empty()) << text;
  }
}

TEST(Planner, SeveralClausesWaitForEachOther) {
  const RequestPlan steps = plan("1. read a.txt\n2. write \"x; y then z\" to b.txt\n3. delete it");
  ASSERT_EQ(steps.graph.tasks().size(), 3u) << steps.question;
  EXPECT_EQ(steps.intent, Intent::kMultiStep);
  EXPECT_EQ(steps.graph.tasks()[1].parameters,
            Json::object({{"content", "x; y then z"}, {"path", "b.txt"}}));
  EXPECT_EQ(steps.graph.tasks()[2].parameters, Json::object({{"path", "b.txt"}}));
  EXPECT_EQ(steps.graph.tasks()[2].dependencies, std::vector<std::string>{"2"});
  const RequestPlan then = plan("Please read the file notes/a.txt, then search tides.");
  ASSERT_EQ(then.graph.tasks().size(), 2u) << then.question;
  EXPECT_EQ(then.graph.tasks()[0].parameters, Json::object({{"path", "notes/a.txt"}}));
  EXPECT_EQ(then.graph.tasks()[1].tool, "memory:search");
}

TEST(Planner, ADotThatIsANameEndsNoSentence) {
  for (const char* command :
       {"ls .", "ls -la ..", "find . -name notes", "cp a.txt ../b/.", "ls a/..", "ls ?"}) {
    const RequestPlan one = plan(std::string("run ") + command);
    ASSERT_EQ(one.graph.tasks().size(), 1u) << command << one.question;
    EXPECT_EQ(one.graph.tasks()[0].parameters, Json::object({{"command", command}}));
  }
  EXPECT_EQ(plan("Run ls notes.").graph.tasks()[0].parameters,
            Json::object({{"command", "ls notes"}}));
  EXPECT_EQ(plan("read the file a.txt...").graph.tasks()[0].parameters,
            Json::object({{"path", "a.txt"}}));
  EXPECT_EQ(plan("read a.txt. Then search tides!").graph.tasks().size(), 2u);
}

TEST(Planner, CommandsRecipientsAndPages) {
  EXPECT_EQ(plan("Run ls command").graph.tasks()[0].parameters, Json::object({{"command", "ls"}}));
  EXPECT_EQ(plan("run `ls; rm x`").graph.tasks()[0].parameters,
            Json::object({{"command", "ls; rm x"}}));
  EXPECT_EQ(plan("send \"back at five\" to Ada").graph.tasks()[0].parameters,
            Json::object({{"text", "back at five"}, {"to", "Ada"}}));
  EXPECT_EQ(plan("create page Ideas with \"first\"").graph.tasks()[0].parameters,
            Json::object({{"title", "Ideas"}, {"text", "first"}}));
}

TEST(Planner, FoldersAndPagesOfTheWeb) {
  EXPECT_EQ(plan("list files").graph.tasks()[0].tool, "file:list");
  EXPECT_EQ(plan("list files").graph.tasks()[0].parameters, Json::object());
  EXPECT_EQ(plan("show my files in notes/old").graph.tasks()[0].parameters,
            Json::object({{"path", "notes/old"}}));
  EXPECT_EQ(plan("list the folder notes").graph.tasks()[0].parameters,
            Json::object({{"path", "notes"}}));
  EXPECT_EQ(plan("fetch https://example.org/a").graph.tasks()[0].parameters,
            Json::object({{"url", "https://example.org/a"}}));
}

TEST(Planner, SchedulingFillsInTheTime) {
  const RequestPlan open = plan("Schedule meeting with team");
  ASSERT_EQ(open.graph.tasks().size(), 2u);
  EXPECT_EQ(open.graph.tasks()[1].parameters.find("start")->as_string(), "2026-01-02T09:00:00Z");
  EXPECT_EQ(open.graph.tasks()[1].parameters.find("title")->as_string(), "Meeting with team");
  EXPECT_EQ(open.done, "Meeting scheduled: Meeting with team, 2026-01-02T09:00:00Z");
  const RequestPlan fixed = plan("schedule a review with Ada on 2026-03-01 at 14:30");
  EXPECT_EQ(fixed.graph.tasks()[1].parameters.find("start")->as_string(), "2026-03-01T14:30:00Z");
  EXPECT_EQ(fixed.graph.tasks()[1].parameters.find("title")->as_string(), "Review with Ada");
  EXPECT_EQ(plan("schedule a review at noonish").intent, Intent::kAmbiguous);
}

// Letters that are longer in their other case, and words without a blank behind them.
TEST(Planner, SchedulingReadsWhateverIsWritten) {
  const Timestamp now{1'767'225'600'000'000};
  const std::string wide = "\u023A\u023A\u023A\u023A\u023A\u023A\u023A\u023A";
  const auto wide_title = plan_request("schedule " + wide + " AT 10:00", now);
  ASSERT_TRUE(wide_title) << wide_title.error().describe();
  ASSERT_EQ(wide_title->graph.tasks().size(), 2U);
  const Json& event = wide_title->graph.tasks()[1].parameters;
  EXPECT_EQ(event.find("title")->as_string(), wide);
  EXPECT_EQ(event.find("start")->as_string().substr(0, 16), "2026-01-02T10:00");
  for (const char* text :
       {"schedule\tmeeting", "schedule-meeting", "book,lunch at", "arrange\u00a0x"})
    EXPECT_TRUE(plan_request(text, now)) << text;
}

TEST(Planner, LimitsAreErrors) {
  EXPECT_EQ(plan_request(std::string(70'000, 'x'), kNow).error().code, ErrorCode::kLimitExceeded);
  std::string many;
  for (int i = 0; i < 65; ++i) many += "read a;";
  EXPECT_EQ(plan_request(many, kNow).error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace anima::agent::planner_test
