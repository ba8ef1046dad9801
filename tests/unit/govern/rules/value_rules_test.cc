// The shipped rules over values (packs/policy/values.mg), one by one, and an owner's word on them.
#include <gtest/gtest.h>

#include "govern/decide/executor.h"
#include "govern/rules/detail/call_record.h"

namespace anima::govern::value_rules_test {
namespace {

class NoTools : public ToolRunner {
 public:
  Result<Json> run(std::string_view, const Json&, std::int64_t) override { return Json("done"); }
};

// A call of mail:send that the message asks for, to somebody whom it names.
struct Built {
  CallValues values{.message = "m",
                    .floor = Trust::kUntrusted,
                    .has_plan = true,
                    .planned = {{"mail:send", 1}},
                    .effects = {"sends"},
                    .arguments = {value("to", "recipient", "message", Trust::kOperator),
                                  value("body", "carried", "model", Trust::kUntrusted)}};
  static ArgumentValue value(std::string argument, std::string role, std::string source,
                             Trust trust) {
    ArgumentValue made;
    made.argument = std::move(argument);
    made.role = std::move(role);
    made.source = std::move(source);
    made.trust = trust;
    made.value = "some value";
    made.meant = Meant::kSurely;
    return made;
  }
};

class ValueRulesTest : public ::testing::Test {
 protected:
  void SetUp() override { use({}); }
  void use(std::vector<PolicySource> more) {
    std::vector<PolicySource> sources = Policy::shipped_sources();
    sources.insert(sources.end(), more.begin(), more.end());
    auto made = Policy::create(sources);
    ASSERT_TRUE(made) << made.error().describe();
    policy_ = std::move(*made);
  }
  Decision decide(const CallValues& values, Tier tier = Tier::kWriteSafe,
                  Trust caller = Trust::kOperator) {
    PermissionTable table = PermissionTable::of_the_source();
    table.set({.tool = "mail:send", .tier = tier, .agents = {"*"}, .carried = {"body"}});
    ExecutorOptions options;
    options.policy = policy_.get();
    Executor executor(std::move(table), tools_, audit_, line_, events_, clock_, random_, options);
    CallRequest request{.tool = "mail:send",
                        .agent = "planner",
                        .trust = caller,
                        .arguments = Json::object({{"to", "x"}, {"body", "y"}})};
    for (const ArgumentValue& each : values.arguments)
      request.origins.push_back({each.argument, each.source, each.trust});
    request.values = std::make_shared<const CallValues>(values);
    return executor.decide(request);
  }
  std::string asked(const CallValues& values) {
    const Decision decision = decide(values);
    EXPECT_NE(decision.permission, Permission::kDenied) << decision.reason;
    return decision.permission == Permission::kAllowed ? std::string() : decision.reason;
  }

  ManualClock clock_;
  SeededRandom random_{5};
  NoTools tools_;
  AuditChain audit_{clock_, random_};
  StopSwitch line_;
  bus::EventBus events_;
  std::unique_ptr<Policy> policy_;
};

TEST_F(ValueRulesTest, TheShippedRulesNeedNoTrace) { EXPECT_FALSE(policy_->sight().looks_back); }

TEST_F(ValueRulesTest, WhatTheMessageAsksForRuns) {
  EXPECT_EQ(asked(Built().values), "");
  // The label of the call stays: what it gives back is trusted no more than what it was made from.
  EXPECT_EQ(decide(Built().values).effective_trust, Trust::kOperator);
}

TEST_F(ValueRulesTest, AValueFromOutsideAsks) {
  for (const std::string role : {"plain", "recipient", "address", "handle", "amount", "command"}) {
    Built call;
    call.values.arguments[0] = Built::value("to", role, "call 3 mail:list", Trust::kUntrusted);
    EXPECT_EQ(asked(call.values), "a value from outside would choose what is done") << role;
    call.values.arguments[0].trust = Trust::kVerified;
    const std::string reason = asked(call.values);
    EXPECT_EQ(reason, "") << role;
  }
  Built call;
  call.values.arguments[0] = Built::value("to", "date", "model", Trust::kUntrusted);
  call.values.arguments[0].within = true;
  EXPECT_EQ(asked(call.values), "");
}

TEST_F(ValueRulesTest, ReadingIsFree) {
  Built call;
  call.values.effects = {"reads", "marks"};
  call.values.planned.clear();
  call.values.arguments[0] = Built::value("id", "handle", "model", Trust::kUntrusted);
  EXPECT_EQ(asked(call.values), "");
}

TEST_F(ValueRulesTest, WhatTheMessageDoesNotMeanAsks) {
  Built call;
  call.values.arguments[0] = Built::value("to", "recipient", "call 3 mail:list", Trust::kVerified);
  for (const Meant meant : {Meant::kNo, Meant::kLikely}) {
    call.values.arguments[0].meant = meant;
    EXPECT_EQ(asked(call.values), "the message does not name whom this goes to");
  }
  call.values.arguments[0].source = "contacts";
  EXPECT_EQ(asked(call.values), "");
  call.values.arguments[0] = Built::value("id", "handle", "call 3 mail:list", Trust::kVerified);
  call.values.arguments[0].meant = Meant::kLikely;
  EXPECT_EQ(asked(call.values), "the message does not name what this changes");
  call.values.effects = {"writes"};
  EXPECT_EQ(asked(call.values), "");
  call.values.arguments[0].meant = Meant::kNo;
  EXPECT_EQ(asked(call.values), "the message does not name what this changes");
  call.values.effects = {"deletes"};
  call.values.arguments[0].meant = Meant::kSurely;
  EXPECT_EQ(asked(call.values), "");
  call.values.has_plan = false;
  EXPECT_EQ(asked(call.values), "without a plan the message must name this itself");
  call = Built();
  call.values.arguments[1].meant = Meant::kNo;
  EXPECT_EQ(asked(call.values), "this text has nothing of what the message speaks of");
}

TEST_F(ValueRulesTest, AnAddressNeedsAContact) {
  Built call;
  call.values.arguments[0] = Built::value("to", "address", "call 3 mail:list", Trust::kStandard);
  EXPECT_EQ(asked(call.values), "nobody vouches for this address or command");
}

TEST_F(ValueRulesTest, ThePlanSaysWhichToolsAndHowOften) {
  Built call;
  call.values.ran = 1;
  EXPECT_EQ(asked(call.values), "the message asks for this tool less often");
  call.values.planned = {{"file:read", 1}};
  EXPECT_EQ(asked(call.values), "the message does not ask for this tool");
  call.values.planned.clear();
  EXPECT_EQ(asked(call.values), "the message does not ask for this tool");
  // Without a plan something of the call is the message's, or nothing from outside was read.
  call.values.has_plan = false;
  EXPECT_EQ(asked(call.values), "");
  call.values.arguments.erase(call.values.arguments.begin());
  EXPECT_EQ(asked(call.values),
            "nothing in this call comes from the message, and texts from outside were read");
  call.values.floor = Trust::kStandard;
  EXPECT_EQ(asked(call.values), "");
}

TEST_F(ValueRulesTest, WordsThatThePlanDoesNotHaveAsk) {
  Built call;
  call.values.arguments[1].off_plan = true;
  EXPECT_EQ(asked(call.values), "the plan has other words for this");
  call.values.arguments[1].trust = Trust::kVerified;  // nothing from outside was read
  EXPECT_EQ(asked(call.values), "");
  call.values.arguments[1] = Built::value("body", "carried", "plan", Trust::kOperator);
  EXPECT_EQ(asked(call.values), "");
}

TEST_F(ValueRulesTest, AmountsAndRemovals) {
  Built call;
  call.values.effects = {"pays"};
  call.values.arguments.push_back(
      Built::value("sum", "amount", "call 3 bank:bills", Trust::kVerified));
  EXPECT_EQ(asked(call.values), "the amount is above its limit and the message does not have it");
  call.values.arguments.back().within = true;
  EXPECT_EQ(asked(call.values), "");
  call.values.effects = {"deletes"};
  call.values.arguments.back() = Built::value("id", "handle", "call 3 mail:list", Trust::kVerified);
  EXPECT_EQ(asked(call.values), "");
  call.values.arguments.back().meant = Meant::kLikely;
  EXPECT_EQ(asked(call.values), "the message does not name what would be removed");
  call.values.arguments.back().source = "message";
  EXPECT_EQ(asked(call.values), "");
}

TEST_F(ValueRulesTest, APrivateValueAsks) {
  Built call;
  call.values.arguments[1].leaves_to = {"eve"};
  EXPECT_EQ(asked(call.values), "a private value would go to somebody who may not read it");
}

TEST_F(ValueRulesTest, TheOwnersRulesMayTakeAQuestionBack) {
  Built call;
  call.values.has_plan = false;
  call.values.planned.clear();
  call.values.arguments.erase(call.values.arguments.begin());
  EXPECT_NE(asked(call.values), "");
  use({{"mine.mg", "allow(Call, \"I trust my mails\") :- call(Call, \"mail:send\", _, _)."}});
  EXPECT_EQ(asked(call.values), "");
  EXPECT_TRUE(policy_->idle_rules().empty());
  EXPECT_FALSE(policy_->sight().looks_back);
  // Not one of his own, and not a denial.
  use({{"mine.mg",
        "allow(Call, \"all\") :- call(Call, _, _, _). ask(Call, \"mine\") :- "
        "role(Call, _, /recipient). deny(Call, \"never\") :- value_from(Call, _, _, \"model\", _, "
        "_), "
        "effect(Call, /pays)."}});
  EXPECT_EQ(asked(Built().values), "mine");
  Built pays;
  pays.values.effects = {"pays"};
  EXPECT_EQ(decide(pays.values).permission, Permission::kDenied);
}

TEST_F(ValueRulesTest, RulesSeeWhatTheyArePromised) {
  use({{"mine.mg", R"(
ask(Call, "message") :- message(Call, "m"), ran(Call, "mail:send", 5).
ask(Call, "value") :- argument_value(Call, "to", 0, "eve"), value_from(Call, "to", 0, "call 3 mail:list", "mails[].from", /verified), contact(Call, "eve").
ask(Call, "said") :- said(Call, "Bob"), floor(Call, /untrusted), valued(Call).
ask(Call, "leaves") :- leaves(Call, "body", _, "zoe").)"}});
  Built call;
  call.values.ran = 5;
  call.values.planned[0].most = 9;
  EXPECT_EQ(asked(call.values), "message");
  call.values.ran = 0;
  call.values.arguments[0].source = "call 3 mail:list";
  call.values.arguments[0].field = "mails[].from";
  call.values.arguments[0].trust = Trust::kVerified;
  call.values.arguments[0].contact = true;
  call.values.arguments[0].value = "eve";
  EXPECT_EQ(asked(call.values), "value");
  call.values.arguments[0].value = "Bob";
  call.values.arguments[0].said = "Bob";
  EXPECT_EQ(asked(call.values), "said");
}

TEST_F(ValueRulesTest, LayersGoByTheCallerAndGuestsStayGuests) {
  Built call;
  // Destructive calls are confirmed as ever, and an outsider's message has nothing done.
  EXPECT_EQ(decide(call.values, Tier::kWriteDestructive).permission, Permission::kNeedsApproval);
  EXPECT_EQ(decide(call.values, Tier::kWriteSafe, Trust::kUntrusted).permission,
            Permission::kDenied);
  EXPECT_EQ(decide(call.values, Tier::kWriteSafe, Trust::kStandard).permission,
            Permission::kNeedsApproval);
}

TEST_F(ValueRulesTest, WithoutRulesAPersonIsAsked) {
  PermissionTable table;
  table.set({.tool = "mail:send", .tier = Tier::kWriteSafe, .agents = {"*"}});
  Executor executor(std::move(table), tools_, audit_, line_, events_, clock_, random_, {});
  CallRequest request{.tool = "mail:send", .agent = "planner", .trust = Trust::kOperator};
  EXPECT_EQ(executor.decide(request).permission, Permission::kAllowed);
  request.values = std::make_shared<const CallValues>(Built().values);
  EXPECT_EQ(executor.decide(request).permission, Permission::kNeedsApproval);
  EXPECT_EQ(executor.execute(request).kind, Outcome::Kind::kWaiting);
}

TEST_F(ValueRulesTest, ACallIsKeptForTheTraceWithItsValues) {
  Built call;
  call.values.arguments[1].leaves_to = {"eve"};
  call.values.arguments[0].said = "Bob";
  call.values.arguments[0].within = true;
  CallRequest request{.tool = "mail:send", .agent = "planner", .trust = Trust::kOperator};
  request.values = std::make_shared<const CallValues>(call.values);
  const ToolPolicy tool{.tool = "mail:send", .tier = Tier::kWriteSafe, .agents = {}};
  const auto read =
      detail::recorded_call(detail::open_part(request, tool), detail::secret_part(request, tool));
  ASSERT_TRUE(read) << read.error().describe();
  ASSERT_NE(read->request.values, nullptr);
  EXPECT_EQ(read->request.values->to_json().dump(), call.values.to_json().dump());
  EXPECT_EQ(call.values.explain().size(), 1U);
}

}  // namespace
}  // namespace anima::govern::value_rules_test
