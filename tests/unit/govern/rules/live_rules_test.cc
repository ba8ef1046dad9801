// Rule files that are changed while a process acts by them: real files and a real log.
#include <gtest/gtest.h>

#include <thread>

#include "govern/decide/executor.h"

namespace anima::govern::live_rules_test {
namespace {

using Kind = Outcome::Kind;

class Tools : public ToolRunner {
 public:
  Result<Json> run(std::string_view, const Json&, std::int64_t) override {
    if (inside) inside();
    return Json("done");
  }
  std::function<void()> inside;
};

class LiveRulesTest : public ::testing::Test {
 protected:
  void SetUp() override { start(); }
  void start() {
    auto made = Policy::following({rules_});
    ASSERT_TRUE(made) << made.error().describe();
    policy_ = *std::move(made);
    executor_ = std::make_unique<Executor>(
        PermissionTable::of_the_source(), tools_, ledger_, line_, events_, clock_, random_,
        ExecutorOptions{.policy = policy_.get(), .ledger = &ledger_});
  }
  void put(std::string_view text, const std::string& name = "mine.mg") const {
    ASSERT_TRUE(system_files().make_directories(rules_));
    ASSERT_TRUE(replace_file(system_files(), join_path(rules_, name), text));
  }
  static CallRequest request(std::string tool, Json arguments) {
    return {.tool = std::move(tool),
            .agent = "planner",
            .trust = Trust::kOperator,
            .arguments = std::move(arguments)};
  }
  static CallRequest sending(const std::string& to) {
    return request("sms:send", Json::object({{"to", to}, {"text", "hello"}}));
  }
  Outcome send(const std::string& to = "ada") { return executor_->execute(sending(to)); }
  Outcome read(const std::string& path) {
    return executor_->execute(request("file:read", Json::object({{"path", path}})));
  }

  TemporaryDirectory folder_{"anima-live-rules"};
  std::string rules_ = folder_.file("policy");
  SystemClock clock_;
  SystemRandom random_;
  std::shared_ptr<store::Space> space_ =
      store::Space::open(folder_.file("space"), {.create = true}).value();
  Ledger ledger_{*space_, clock_, random_};
  StopSwitch line_{ledger_};
  bus::EventBus events_;
  Tools tools_;
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<Executor> executor_;
};

constexpr const char* kNotToEve =
    "deny(Call, \"not to eve\") :- argument(Call, \"to\", \"eve\").\n";

TEST_F(LiveRulesTest, TheNextCallGoesByWhatTheFilesSay) {
  EXPECT_EQ(send("eve").kind, Kind::kDone);
  put(kNotToEve);
  const Outcome stopped = send("eve");
  EXPECT_EQ(stopped.kind, Kind::kDenied);
  EXPECT_EQ(stopped.reason, "not to eve");
  EXPECT_NE(stopped.decision.rule.find("mine.mg:1"), std::string::npos) << stopped.decision.rule;
  put("ask(Call, \"who is that?\") :- argument(Call, \"to\", \"eve\").\n");
  EXPECT_EQ(executor_->decide(sending("eve")).permission, Permission::kNeedsApproval);
  ASSERT_TRUE(system_files().remove(join_path(rules_, "mine.mg")));
  EXPECT_EQ(send("eve").kind, Kind::kDone);
}

TEST_F(LiveRulesTest, RulesThatCannotBeReadStopWhatActsUntilTheyAreMended) {
  put(kNotToEve);
  EXPECT_EQ(send().kind, Kind::kDone);
  put("deny(Call, \"never\") :- call(Call, _, _, _).\ndeny(Call", "new.mg");
  const Outcome stopped = send();
  EXPECT_EQ(stopped.kind, Kind::kDenied);
  EXPECT_NE(stopped.reason.find("new.mg:2"), std::string::npos) << stopped.reason;
  EXPECT_EQ(stopped.decision.layer, Layer::kPolicy);
  ASSERT_EQ(stopped.decision.missing.size(), 1U);
  EXPECT_NE(stopped.decision.missing[0].find("new.mg:2"), std::string::npos);
  EXPECT_EQ(executor_->decide(sending("ada")).permission, Permission::kDenied);
  put("", "new.mg");
  EXPECT_EQ(send().kind, Kind::kDone);
  EXPECT_EQ(send("eve").kind, Kind::kDenied);
}

TEST_F(LiveRulesTest, WhatIsNoRuleFileStopsWhatActsToo) {
  ASSERT_TRUE(system_files().make_directories(join_path(rules_, "folder.mg")));
  EXPECT_EQ(send().kind, Kind::kDenied);
  ASSERT_TRUE(system_files().remove(join_path(rules_, "folder.mg")));
  EXPECT_EQ(send().kind, Kind::kDone);
}

constexpr const char* kOneMessage =
    "deny(Call, \"one message only\") :- call(Call, \"sms:send\", _, _), "
    "call(Earlier, \"sms:send\", _, _), finished(Earlier, /done), Earlier < Call.\n";

// Also of texts that no rule read when the call was made.
TEST_F(LiveRulesTest, NewRulesSeeTheCallsBeforeThem) {
  put(kOneMessage);
  start();
  EXPECT_EQ(read("secrets").kind, Kind::kDone);
  EXPECT_EQ(send("ada").kind, Kind::kDone);
  EXPECT_EQ(send("ada").kind, Kind::kDenied);
  put("deny(Call, \"nothing is sent after a secret was read\") :- call(Call, \"sms:send\", _, _), "
      "call(Read, \"file:read\", _, _), argument(Read, \"path\", \"secrets\"), Read < Call.\n");
  const Outcome stopped = send("eve");
  EXPECT_EQ(stopped.reason, "nothing is sent after a secret was read");
  // And those of before come back with theirs.
  put(kOneMessage);
  EXPECT_EQ(send("eve").reason, "one message only");
}

// A tool that runs while its rules are changed: its call is in the trace once, with its end.
TEST_F(LiveRulesTest, ACallThatRunsMeanwhileIsSeenByTheNewRules) {
  put(kOneMessage);
  start();
  tools_.inside = [&] {
    put("deny(Call, \"after a read\") :- call(Call, \"sms:send\", _, _), "
        "call(Read, \"file:read\", _, _), finished(Read, /done), Read < Call.\n");
    tools_.inside = nullptr;
    EXPECT_EQ(send().kind, Kind::kDone);  // the read has not ended
  };
  EXPECT_EQ(read("notes").kind, Kind::kDone);
  EXPECT_EQ(send().reason, "after a read");
}

// Between the decision and the entry that announces the call.
TEST_F(LiveRulesTest, ACallThatWasJudgedByOtherRulesIsJudgedAgain) {
  for (const char* before : {"", kOneMessage}) {
    put(before);
    start();
    CallTrace trace(policy_.get(), &ledger_, clock_);
    const CallRequest asked = sending("eve");
    const PermissionTable table = PermissionTable::of_the_source();
    CallTrace::Call call(asked, table.find(asked.tool));
    EXPECT_EQ(trace.decide(call).permission, Permission::kAllowed);
    put(kNotToEve);
    EXPECT_FALSE(ledger_.announce("planner", asked.trust, Json::object(), trace.announcing(call)));
    ASSERT_TRUE(call.overruled);
    EXPECT_EQ(call.overruled->reason, "not to eve");
  }
}

// The calls that run while the rules are read anew are in the trace of the new ones.
TEST_F(LiveRulesTest, OneActsHoweverOftenTheRulesAreReadAnew) {
  const std::string once =
      "same(Call, Earlier) :- argument(Call, \"to\", To), argument(Earlier, \"to\", To), "
      "Earlier < Call. "
      "deny(Call, \"once\") :- same(Call, Earlier), finished(Earlier, /done). "
      "deny(Call, \"one at a time\") :- same(Call, Earlier), !ended(Earlier). "
      "ended(Call) :- finished(Call, _).\n";
  put(once);
  start();
  std::atomic<bool> stop = false;
  std::jthread editor([&] {
    for (int i = 0; !stop; ++i) put(once + "# edition " + std::to_string(i) + "\n");
  });
  for (int round = 0; round < 40; ++round) {
    std::atomic<int> done = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
          for (int n = 0; n < 3; ++n)
            done += send("person " + std::to_string(round)).kind == Kind::kDone ? 1 : 0;
        });
      }
    }
    EXPECT_EQ(done, 1) << round;
  }
  stop = true;
}

TEST_F(LiveRulesTest, RulesChangeUnderManyThreads) {
  put(kOneMessage);
  start();
  std::atomic<bool> stop = false;
  std::atomic<int> denied = 0, strange = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        while (!stop) {
          const Outcome outcome = read("notes");
          if (outcome.kind == Kind::kDenied) ++denied;
          strange += outcome.kind != Kind::kDone && outcome.reason != "closed" ? 1 : 0;
        }
      });
    }
    for (int round = 0; round < 20; ++round) {
      const int before = denied;
      put("deny(Call, \"closed\") :- call(Call, \"file:read\", _, _).\n");
      EXPECT_EQ(read("notes").reason, "closed");
      while (denied < before + 3) std::this_thread::yield();
      put(kOneMessage);
      EXPECT_EQ(read("notes").kind, Kind::kDone);
    }
    stop = true;
  }
  EXPECT_EQ(strange, 0);
}

}  // namespace
}  // namespace anima::govern::live_rules_test
