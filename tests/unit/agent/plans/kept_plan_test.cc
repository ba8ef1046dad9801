// A plan that waits, or was stopped half-way, goes on where it stopped: with the real tools, rules
// and approvals over a folder, and a second house on the same space in place of another process.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "agent/house/governed_house.h"
#include "base/files/file.h"

namespace anima::agent::kept_plan_test {
namespace {

using govern::Trust;

constexpr std::int64_t kMinute = 60'000'000;
constexpr const char* kThreeSteps =
    "write \"y\" to new.txt, then delete old.txt, then read new.txt";
constexpr const char* kSummary = "Send a meeting summary to the team";

class KeptPlanTest : public ::testing::Test {
 protected:
  KeptPlanTest() { put("old.txt", "x"); }
  std::shared_ptr<store::Space> open_space() {
    return store::Space::open(folder_.file("space"), {.create = true, .clock = clock_}).value();
  }
  std::unique_ptr<GovernedHouse> open_house() {
    auto house = GovernedHouse::open(open_space(), *clock_, random_,
                                     {.tools = {.work_folder = folder_.file("work")}});
    EXPECT_TRUE(house) << house.error().describe();
    return std::move(*house);
  }
  Reply say(const std::string& content, const std::string& session = "default") {
    govern::IncomingMessage message{.content = content, .channel = "terminal"};
    message.session = session;
    auto reply = house_->handle(message);
    EXPECT_TRUE(reply) << reply.error().describe();
    if (reply) {
      EXPECT_TRUE(house_->delivered(*reply));
    }
    return reply ? *reply : Reply();
  }
  Reply waiting(const std::string& content = kThreeSteps) {
    Reply reply = say(content);
    EXPECT_EQ(reply.kind, ReplyKind::kWaiting) << reply.text;
    return reply;
  }
  void grant(const Reply& reply) {
    ASSERT_TRUE(house_->approvals().grant(reply.approval_id, "operator"));
  }
  KeptPlan plan(const std::string& id) { return house_->plans().find(id).value(); }
  void put(const std::string& name, std::string_view text) {
    ASSERT_TRUE(system_files().make_directories(folder_.file("work")));
    ASSERT_TRUE(replace_file(system_files(), folder_.file("work/" + name), text));
  }
  void put_rule(std::string_view rule) {
    ASSERT_TRUE(system_files().make_directories(folder_.file("space/policy")));
    ASSERT_TRUE(replace_file(system_files(), folder_.file("space/policy/mine.mg"), rule));
  }
  std::string work(const std::string& name) {
    return read_file(system_files(), folder_.file("work/" + name)).value_or("none");
  }
  std::string remember(std::string content, Trust trust) {
    memory::NewMemory item;
    item.content = std::move(content);
    item.trust = trust;
    return house_->memory().store(item).value().id;
  }
  std::vector<std::string> audited() {
    std::vector<std::string> actions;
    const auto chain = govern::audit_chain_of(house_->space().log());
    for (const auto& placed : *chain) actions.push_back(placed.entry.action);
    return actions;
  }
  // Begins a step as the executor does, and has the process end then.
  void begin_step(const KeptPlan& plan, const std::string& step) {
    SeededRandom random(8);
    auto space = open_space();
    govern::Ledger ledger(*space, *clock_, random);
    govern::Approvals approvals(*clock_, random, ledger, &ledger);
    PlanBook book(ledger, approvals, *clock_);
    ASSERT_TRUE(
        ledger.write_part("executor", Trust::kOperator, book.parts(plan, step, true).starting));
  }

  TemporaryDirectory folder_{"anima-kept-plan"};
  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(Timestamp{1'767'225'600'000'000}, 1000);
  SeededRandom random_{6};
  std::unique_ptr<GovernedHouse> house_ = open_house();
};

TEST_F(KeptPlanTest, WhatIsDoneIsNotDoneAgain) {
  const Reply first = waiting();
  EXPECT_EQ(plan(first.approval_id).id, first.plan_id);
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kWaiting);
  put("new.txt", "changed since");
  EXPECT_EQ(waiting().approval_id, first.approval_id);  // nobody answered: nothing new
  grant(first);
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kReady);
  std::vector<std::string> told;
  const auto listening =
      house_->events().subscribe("*", [&](const bus::Event& event) { told.push_back(event.type); });
  const Reply rest = say(kThreeSteps);
  EXPECT_EQ(rest.kind, ReplyKind::kAnswered);
  EXPECT_EQ(rest.text, "changed since");
  EXPECT_EQ(rest.plan_id, first.plan_id);
  ASSERT_EQ(rest.tasks.size(), 3u);
  EXPECT_TRUE(rest.tasks[0].earlier);
  EXPECT_FALSE(rest.tasks[1].earlier);
  EXPECT_EQ(work("old.txt"), "none");
  EXPECT_EQ(std::ranges::count(audited(), "tool_executed"), 3);
  EXPECT_EQ(std::ranges::count(told, "executor:task_complete"), 2);
  EXPECT_EQ(std::ranges::count(told, "planner:task_ready"), 1);
  EXPECT_EQ(told.back(), "core:response");
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kOver);
  // What was gone on with to its end is over: the message is a new one.
  put("old.txt", "x");
  const Reply anew = waiting();
  EXPECT_NE(anew.plan_id, first.plan_id);
  EXPECT_EQ(work("new.txt"), "y");
}

TEST_F(KeptPlanTest, AnotherProcessGoesOnByTheIdOfTheApproval) {
  const Reply first = waiting();
  grant(first);
  house_ = open_house();
  const Reply rest = house_->go_on(first.approval_id.substr(0, 8)).value();
  ASSERT_TRUE(house_->delivered(rest));
  EXPECT_EQ(rest.kind, ReplyKind::kAnswered);
  EXPECT_EQ(rest.text, "y");
  EXPECT_EQ(house_->go_on(first.plan_id).error().code, ErrorCode::kConflict);
  EXPECT_EQ(house_->go_on("nothing").error().code, ErrorCode::kNotFound);
}

TEST_F(KeptPlanTest, OtherMessagesDoNotGoOnWithIt) {
  const Reply first = waiting();
  grant(first);
  put_rule("deny(Call, \"no\") :- call(Call, \"file:write\", _, _).\n");
  EXPECT_EQ(say(kThreeSteps, "another session").kind, ReplyKind::kDenied);
  govern::IncomingMessage message{.content = kThreeSteps, .channel = "terminal"};
  message.session = "default";
  message.sender = "somebody else";
  EXPECT_EQ(house_->handle(message)->kind, ReplyKind::kDenied);
  message.sender = "anonymous";
  message.source = "standard";
  EXPECT_NE(house_->handle(message)->kind, ReplyKind::kAnswered);
  EXPECT_EQ(work("old.txt"), "x");
  EXPECT_EQ(say(kThreeSteps).kind, ReplyKind::kAnswered);
}

TEST_F(KeptPlanTest, OutputsOfBeforeAreUsedWithTheirLabels) {
  EXPECT_EQ(say("Schedule harbour talk on 2026-03-01 at 09:30").kind, ReplyKind::kAnswered);
  remember("Team: ada@example.org", Trust::kOperator);
  put_rule("ask(Call, \"shall it go out?\") :- call(Call, \"sms:send\", _, _).\n");
  const Reply first = waiting(kSummary);
  ASSERT_EQ(first.tasks.size(), 5u);
  const Json labels = *house_->approvals().find(first.approval_id)->evidence.find("labels");
  grant(first);
  EXPECT_EQ(say("Schedule something else on 2026-03-02 at 09:30").kind, ReplyKind::kAnswered);
  house_ = open_house();
  const Reply rest = say(kSummary);
  ASSERT_EQ(rest.kind, ReplyKind::kAnswered) << rest.text;
  EXPECT_EQ(rest.text, "Meeting summary sent");
  const std::string path = rest.tasks.back().outcome.result.find("path")->as_string();
  const Json message = parse_json(work(path)).value();
  const std::string text = message.find("text")->as_string();
  EXPECT_NE(text.find("Harbour talk"), std::string::npos);
  EXPECT_EQ(text.find("something else"), std::string::npos);
  // What would have been asked for is what was granted: the same origins and trusts.
  const auto approval = house_->approvals().find(first.approval_id);
  EXPECT_EQ(approval->status, govern::ApprovalStatus::kUsed);
  EXPECT_EQ(*approval->evidence.find("labels"), labels);
  EXPECT_EQ(rest.tasks.back().outcome.decision.effective_trust, approval->effective_trust);
  ASSERT_EQ(rest.tasks.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string& task = rest.tasks[i].task;
    const auto before = std::ranges::find(first.tasks, task, &TaskReport::task);
    EXPECT_EQ(rest.tasks[i].outcome.output_trust, before->outcome.output_trust) << task;
  }
}

TEST_F(KeptPlanTest, WhatIsTrustedLessByNowIsNotUsedAsBefore) {
  remember("old team: x@example.org", Trust::kOperator);
  const std::string team = remember("Team: ada@example.org", Trust::kOperator);
  put_rule("ask(Call, \"shall it go out?\") :- call(Call, \"sms:send\", _, _).\n");
  const Reply first = waiting(kSummary);
  grant(first);
  ASSERT_TRUE(house_->memory().forget(team, "operator"));
  const Reply rest = say(kSummary);
  EXPECT_EQ(rest.kind, ReplyKind::kDenied) << rest.text;  // a recipient that nobody vouches for
  EXPECT_EQ(work("outbox"), "none");
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kOver);
}

TEST_F(KeptPlanTest, ARefusedApprovalEndsThePlanAndSaysWhatWasDone) {
  const Reply first = waiting();
  ASSERT_TRUE(house_->approvals().reject(first.approval_id, "operator", "not this one"));
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kRefused);
  const Reply told = say(kThreeSteps);
  EXPECT_EQ(told.kind, ReplyKind::kDenied);
  EXPECT_NE(told.text.find("refused by operator: not this one"), std::string::npos) << told.text;
  EXPECT_NE(told.text.find("Done before: step 1"), std::string::npos) << told.text;
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kOver);
  EXPECT_EQ(work("old.txt"), "x");
  EXPECT_NE(waiting().plan_id, first.plan_id);
}

TEST_F(KeptPlanTest, WhereNothingWasDoneAnExpiredApprovalIsAskedForAnew) {
  const Reply first = waiting("delete old.txt");
  clock_->advance(16 * kMinute);
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kExpired);
  const Reply again = waiting("delete old.txt");
  EXPECT_NE(again.approval_id, first.approval_id);
  EXPECT_NE(again.plan_id, first.plan_id);
}

TEST_F(KeptPlanTest, AnExpiredApprovalEndsThePlan) {
  const Reply first = waiting();
  clock_->advance(16 * kMinute);
  const Reply told = house_->go_on(first.plan_id).value();
  ASSERT_TRUE(house_->delivered(told));
  EXPECT_EQ(told.kind, ReplyKind::kDenied);
  EXPECT_NE(told.text.find("was not answered in time"), std::string::npos) << told.text;
  const Reply second = waiting();
  grant(second);
  clock_->advance(6 * kMinute);
  const Reply unused = say(kThreeSteps);
  EXPECT_EQ(unused.kind, ReplyKind::kDenied);
  EXPECT_NE(unused.text.find("was not used in time"), std::string::npos) << unused.text;
  EXPECT_EQ(work("old.txt"), "x");
}

TEST_F(KeptPlanTest, AHaltHoldsItUpAndNothingIsLost) {
  const Reply first = waiting();
  grant(first);
  ASSERT_TRUE(house_->line().halt("operator", "a look"));
  EXPECT_EQ(say(kThreeSteps).kind, ReplyKind::kHalted);
  EXPECT_EQ(work("old.txt"), "x");
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kReady);
  ASSERT_TRUE(house_->line().resume("operator"));
  EXPECT_EQ(say(kThreeSteps).kind, ReplyKind::kAnswered);
  EXPECT_EQ(std::ranges::count(audited(), "tool_executed"), 3);
}

TEST_F(KeptPlanTest, EveryStepIsJudgedByTheRulesOfNow) {
  const Reply first = waiting();
  grant(first);
  put_rule("deny(Call, \"nothing goes\") :- call(Call, \"file:delete\", _, _).\n");
  const Reply denied = say(kThreeSteps);
  EXPECT_EQ(denied.kind, ReplyKind::kDenied);
  EXPECT_EQ(denied.text, "nothing goes");
  EXPECT_EQ(work("old.txt"), "x");
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kOver);
  clock_->advance(6 * kMinute);  // what was granted is not there to be used any more
  // A later step too, which then waits itself.
  put_rule("ask(Call, \"why read?\") :- call(Call, \"file:read\", _, _).\n");
  const Reply second = waiting();
  grant(second);
  const Reply later = say(kThreeSteps);
  EXPECT_EQ(later.kind, ReplyKind::kWaiting);
  EXPECT_EQ(later.text, "why read?");
  EXPECT_EQ(work("old.txt"), "none");
  EXPECT_NE(later.approval_id, second.approval_id);
  EXPECT_EQ(plan(later.approval_id).id, second.plan_id);
  grant(later);
  EXPECT_EQ(say(kThreeSteps).text, "y");
}

TEST_F(KeptPlanTest, OneProcessAloneGoesOn) {
  const Reply first = waiting();
  grant(first);
  auto other = open_house();
  {
    const auto hold = other->plans().hold(first.plan_id);
    ASSERT_TRUE(hold);
    EXPECT_EQ(say(kThreeSteps).kind, ReplyKind::kBusy);
    EXPECT_EQ(house_->go_on(first.plan_id).error().code, ErrorCode::kBusy);
    EXPECT_EQ(house_->plans().abandon(first.plan_id, "operator").error().code, ErrorCode::kBusy);
    EXPECT_EQ(work("old.txt"), "x");
  }
  EXPECT_EQ(say(kThreeSteps).kind, ReplyKind::kAnswered);
}

TEST_F(KeptPlanTest, AStepWithoutAnEndIsAskedAbout) {
  const Reply first = waiting();
  begin_step(plan(first.plan_id), "2");
  ASSERT_EQ(plan(first.plan_id).state, PlanState::kUnknown);
  const Reply asked = say(kThreeSteps);
  EXPECT_EQ(asked.kind, ReplyKind::kClarify);
  EXPECT_NE(asked.text.find("step 2 (delete old.txt) was begun"), std::string::npos) << asked.text;
  EXPECT_NE(asked.text.find("Left: step 3"), std::string::npos) << asked.text;
  EXPECT_EQ(asked.options.size(), 3u);
  EXPECT_EQ(work("old.txt"), "x");
  const Reply rest = house_->go_on(first.plan_id, StepAnswer::kDone).value();
  ASSERT_TRUE(house_->delivered(rest));
  EXPECT_EQ(rest.kind, ReplyKind::kAnswered);
  EXPECT_EQ(rest.text, "y");
  EXPECT_EQ(work("old.txt"), "x");  // it was said to be done
}

TEST_F(KeptPlanTest, AStepThatIsToBeDoneAgainNeedsAnApprovalAgain) {
  const Reply first = waiting();
  begin_step(plan(first.plan_id), "2");
  const Reply again = house_->go_on(first.plan_id, StepAnswer::kAgain).value();
  EXPECT_EQ(again.kind, ReplyKind::kWaiting);
  grant(again);
  EXPECT_EQ(say(kThreeSteps).kind, ReplyKind::kAnswered);
  EXPECT_EQ(work("old.txt"), "none");
  EXPECT_EQ(house_->go_on(first.plan_id, StepAnswer::kDone).error().code, ErrorCode::kConflict);
}

TEST_F(KeptPlanTest, AStepWhoseOutputIsNeededCannotBeCalledDone) {
  remember("Team: ada@example.org", Trust::kOperator);
  put_rule("ask(Call, \"shall it go out?\") :- call(Call, \"sms:send\", _, _).\n");
  const Reply first = waiting(kSummary);
  KeptPlan damaged = plan(first.plan_id);
  damaged.id = "another";
  damaged.graph = {};
  ASSERT_TRUE(damaged.graph.add({.id = "1", .tool = "memory:lookup"}));
  ASSERT_TRUE(damaged.graph.add(
      {.id = "2",
       .tool = "sms:send",
       .parameters = Json::object({{"to", Json::object({{"task", "1"}})}, {"text", "hi"}})}));
  damaged.waits.clear();
  begin_step(damaged, "1");
  const auto refused = house_->go_on("another", StepAnswer::kDone);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

// Its process was killed between the last step and the answer, or while it told it.
TEST_F(KeptPlanTest, AnAnswerThatNobodyGotIsGivenAgain) {
  const Reply first = waiting();
  grant(first);
  const Reply lost = house_->go_on(first.plan_id).value();
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kReady);
  put("old.txt", "x");
  put("new.txt", "z");
  const Reply answer = say(kThreeSteps);
  EXPECT_EQ(answer.kind, ReplyKind::kAnswered);
  EXPECT_EQ(answer.text, lost.text);
  EXPECT_EQ(work("old.txt"), "x");
  EXPECT_EQ(std::ranges::count(audited(), "tool_executed"), 3);
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kOver);
}

TEST_F(KeptPlanTest, ALongAnswerIsNotKept) {
  for (int i = 0; i < 400; ++i) {
    const std::string name = std::to_string(i) + std::string(200, 'x');
    ASSERT_TRUE(std::ofstream(folder_.file("work/" + name)));
  }
  const std::string content = "write \"y\" to new.txt, then list files";
  const auto lost = house_->handle({.content = content, .channel = "terminal"});
  ASSERT_EQ(lost->kind, ReplyKind::kAnswered) << lost->text;
  EXPECT_GT(lost->text.size(), 80'000u);
  const Reply told = say(content);
  EXPECT_EQ(told.kind, ReplyKind::kAnswered);
  EXPECT_EQ(told.text, "All is done. What the last step gave was not kept.");
}

TEST_F(KeptPlanTest, AFailureThatNobodyWasToldOfIsToldAgain) {
  const std::string content = "write \"y\" to new.txt, then read missing.txt";
  ASSERT_EQ(house_->handle({.content = content, .channel = "terminal"})->kind, ReplyKind::kFailed);
  const Reply told = say(content);
  EXPECT_EQ(told.kind, ReplyKind::kFailed);
  EXPECT_EQ(told.text, "step 2 (read missing.txt) failed or was refused");
  EXPECT_EQ(std::ranges::count(audited(), "tool_executed"), 2);
  say(content);
  EXPECT_EQ(std::ranges::count(audited(), "tool_executed"), 4);
}

TEST_F(KeptPlanTest, AnAbandonedPlanIsOver) {
  const Reply first = waiting();
  ASSERT_TRUE(house_->plans().abandon(first.plan_id, "operator"));
  EXPECT_EQ(plan(first.plan_id).reason, "abandoned");
  EXPECT_EQ(house_->plans().abandon(first.plan_id, "operator").error().code, ErrorCode::kConflict);
  EXPECT_EQ(std::ranges::count(audited(), "plan_ended"), 1);
  EXPECT_NE(waiting().plan_id, first.plan_id);
}

TEST_F(KeptPlanTest, ADayLaterItIsOver) {
  const Reply first = waiting();
  begin_step(plan(first.plan_id), "2");
  clock_->advance(23 * 60 * kMinute);
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kUnknown);
  clock_->advance(61 * kMinute);
  EXPECT_EQ(waiting().kind, ReplyKind::kWaiting);
  EXPECT_EQ(house_->plans().find(first.plan_id).error().code, ErrorCode::kNotFound);
}

TEST_F(KeptPlanTest, AnErasedPlanIsOver) {
  const Reply first = waiting();
  ASSERT_TRUE(house_->space().erase("plans"));
  EXPECT_EQ(plan(first.plan_id).state, PlanState::kOver);
  EXPECT_NE(waiting().plan_id, first.plan_id);
}

TEST_F(KeptPlanTest, WhatItHoldsIsSealed) {
  put("old.txt", "x");
  waiting("write \"a very private word\" to new.txt, then delete old.txt");
  const auto log = house_->space().log().head()->sequence;
  for (std::uint64_t at = 1; at <= static_cast<std::uint64_t>(log); ++at) {
    const auto entry = house_->space().log().entry(store::Sequence{at}).value();
    if (!entry.seal.empty()) continue;
    ASSERT_TRUE(store::visit_records(
        entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
          if (kind == govern::kPlanRecord) {
            EXPECT_EQ(payload.find("private"), std::string_view::npos) << payload;
          }
          return {};
        }));
  }
}

TEST_F(KeptPlanTest, NoMorePlansWaitThanAnybodyReads) {
  const Reply first = waiting("delete old.txt");
  KeptPlan another = plan(first.plan_id);
  another.waits.clear();
  govern::Ledger ledger(house_->space(), *clock_, random_);
  const auto wait = [&](int from, int to) {
    return ledger.write_part(
        "planner", Trust::kOperator,
        [&](govern::WriterTurn& turn) -> Result<std::vector<govern::LedgerRecord>> {
          turn.approval_id = first.approval_id;
          std::vector<govern::LedgerRecord> all;
          for (int i = from; i < to; ++i) {
            another.id = "plan " + std::to_string(i);
            ANIMA_ASSIGN(const auto records,
                         house_->plans().parts(another, "1", true).asking(turn));
            all.insert(all.end(), records.begin(), records.end());
          }
          return all;
        });
  };
  ASSERT_TRUE(wait(1, 1023));
  ASSERT_TRUE(wait(1023, 1024));
  EXPECT_EQ(wait(1024, 1025).error().code, ErrorCode::kLimitExceeded);
  const Reply refused = say("write \"a\" to a.txt, then delete b.txt");
  EXPECT_EQ(refused.kind, ReplyKind::kDenied);  // what cannot be kept does not begin
  EXPECT_EQ(work("a.txt"), "none");
  EXPECT_EQ(say("write \"a\" to a.txt").kind, ReplyKind::kAnswered);
  clock_->advance(61 * kMinute);
  EXPECT_EQ(say("write \"a\" to b.txt, then read b.txt").kind, ReplyKind::kAnswered);
}

TEST_F(KeptPlanTest, WhatIsTooLongToBeKeptIsNotMadeUp) {
  remember("Team: ada@example.org", Trust::kOperator);
  put_rule("ask(Call, \"shall it go out?\") :- call(Call, \"sms:send\", _, _).\n");
  const Reply first = waiting(kSummary);
  grant(first);
  // As if the text had been longer than what is kept.
  KeptPlan lost = plan(first.plan_id);
  lost.id = "lost";
  lost.message.session = "lost";
  lost.outputs["4"].kept = false;
  ASSERT_TRUE(house_->plans().waits(lost, "5", first.approval_id));
  const Reply reply = say(kSummary, "lost");
  EXPECT_EQ(reply.kind, ReplyKind::kFailed);
  EXPECT_NE(reply.text.find("too long to be kept"), std::string::npos) << reply.text;
  EXPECT_EQ(plan("lost").state, PlanState::kOver);
  EXPECT_EQ(work("outbox"), "none");
}

TEST_F(KeptPlanTest, APlanOfReadingAloneLeavesNothing) {
  put("a.txt", "a");
  EXPECT_EQ(say("read a.txt, then read a.txt").kind, ReplyKind::kAnswered);
  EXPECT_EQ(say("write \"b\" to b.txt").kind, ReplyKind::kAnswered);
  EXPECT_TRUE(house_->plans().list()->empty());
}

}  // namespace
}  // namespace anima::agent::kept_plan_test
