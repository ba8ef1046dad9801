// Labels, carried arguments, the policy over the trace, and what a refused call lacks.
#include "govern/rules/policy.h"

#include <gtest/gtest.h>

#include "govern/decide/executor.h"

namespace anima::govern::policy_test {
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

TEST_F(PolicyTest, WhetherRulesOfTheTraceReadArgumentsIsKnown) {
  const std::string head = "deny(C, \"no\") :- call(C, _, _, _), call(E, _, _, _), E < C, ";
  for (const char* reads : {"argument(E, \"to\", \"eve\").", "made_from(E, _, \"x\", _).",
                            "!carried(E, \"text\").", "recipient(E, /hostile)."}) {
    use({{"mine.mg", head + reads}});
    EXPECT_TRUE(policy_->sight().reads_arguments) << reads;
  }
  // A rule of one call reads those of its own call alone.
  use({{"mine.mg",
        head + "finished(E, /failed). deny(C, \"x\") :- argument(C, \"to\", \"eve\")."}});
  EXPECT_TRUE(policy_->sight().looks_back);
  EXPECT_FALSE(policy_->sight().reads_arguments);
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

TEST_F(PolicyTest, RulesOfOneCallThatDoNotEndInTimeDeny) {
  std::string rules =
      "ask(Call, \"never\") :- call(Call, _, _, _), n(A), n(B), n(C), fn:plus(A, B, C) < 0.\n";
  for (int i = 0; i < 2000; ++i) rules += "n(" + std::to_string(i) + ").\n";
  const auto made =
      Policy::create({{"long.mg", rules}}, {.window = 1, .deadline_milliseconds = 1}).value();
  std::uint64_t call = 0;
  const PolicyVerdict verdict =
      made->decide(message("m", Trust::kOperator), *table().find("sms:send"), call);
  EXPECT_EQ(verdict.permission, Permission::kDenied);
  EXPECT_NE(verdict.reason.find("deadline"), std::string::npos) << verdict.reason;
}

// What stands first in an argument does not push the rest of it out of the rules' sight.
TEST_F(PolicyTest, WhatRulesDoNotSeeWholeIsDeniedWhereTheyRead) {
  const auto verdict = [&](std::string to, std::string text = "x") {
    CallRequest request = message("m", Trust::kOperator);
    request.arguments = Json::object({{"to", std::move(to)}, {"text", std::move(text)}});
    std::uint64_t call = 0;
    return policy_->decide(request, *table().find("any:send"), call);
  };
  use({{"test",
        "deny(Call, \"no keys\") :- argument(Call, \"to\", V), :string:contains(V, \"key\")."}});
  EXPECT_EQ(verdict("a").permission, Permission::kAllowed);
  EXPECT_EQ(verdict(std::string(2000, '.') + "key").reason, "no keys");
  const PolicyVerdict unseen = verdict(std::string(5000, '.') + "key");
  EXPECT_EQ(unseen.permission, Permission::kDenied);
  EXPECT_NE(unseen.reason.find("'to'"), std::string::npos) << unseen.reason;
  // What is only carried chooses nothing, and where no rule reads nothing is refused.
  EXPECT_EQ(verdict("a", std::string(5000, '.')).permission, Permission::kAllowed);
  use({{"test", "deny(Call, \"never\") :- argument(Call, \"other\", \"y\")."}});
  EXPECT_EQ(verdict(std::string(5000, '.')).permission, Permission::kAllowed);
}

TEST_F(PolicyTest, APathIsKnownByItsPlainFormToo) {
  const auto policy =
      Policy::create({{"test", "deny(Call, \"closed\") :- argument(Call, \"path\", \"a/b.txt\")."}},
                     {.work_folder = "/space/work"})
          .value();
  const auto denied = [&](const char* path) {
    CallRequest request = message("m", Trust::kOperator);
    request.arguments = Json::object({{"path", path}});
    return policy->would_decide(request, *table().find("any:send")).permission ==
           Permission::kDenied;
  };
  for (const char* path : {"a/b.txt", "./a/b.txt", "a//b.txt", "a/./b.txt", "a/x/../b.txt",
                           "/space/work/a/b.txt", "/space/work//x/../a/b.txt", "a/b.txt/"})
    EXPECT_TRUE(denied(path)) << path;
  for (const char* path : {"b.txt", "/a/b.txt", "../a/b.txt", "/space/workx/a/b.txt", "", "/"})
    EXPECT_FALSE(denied(path)) << path;
}

TEST_F(PolicyTest, AWorkFolderIsKnownHoweverItIsSpelled) {
  const auto policy =
      Policy::create({{"test", "deny(Call, \"closed\") :- argument(Call, \"path\", \"a\")."}},
                     {.work_folder = "/space/work//"})
          .value();
  CallRequest request = message("m", Trust::kOperator);
  request.arguments = Json::object({{"path", "/space/work/a"}});
  EXPECT_EQ(policy->would_decide(request, *table().find("any:send")).permission,
            Permission::kDenied);
}

TEST_F(PolicyTest, ARuleAboutARecipientIsMetWhoeverElseIsNamed) {
  const auto policy =
      Policy::create({{"test", "deny(Call, \"no\") :- argument(Call, \"to\", \"eve\")."}}, {})
          .value();
  const auto denied = [&](const Json& to) {
    CallRequest request = message("m", Trust::kOperator);
    request.arguments = Json::object({{"to", to}, {"text", "eve, hello"}});
    return policy->would_decide(request, *table().find("any:send")).permission ==
           Permission::kDenied;
  };
  for (const char* to : {"eve", "ada, eve", " eve", "eve;", "- ada\n- eve", "* eve"})
    EXPECT_TRUE(denied(to)) << to;
  EXPECT_TRUE(denied(Json::array({"ada", "bob;eve"})));
  for (const char* to : {"ada", "evelyn", "ada eve"}) EXPECT_FALSE(denied(to)) << to;
}

TEST_F(PolicyTest, ALongListIsJudgedItemByItem) {
  const auto policy = Policy::create({{"list.mg",
                                       "known(\"p1\"). known(\"p2\"). "
                                       "unknown(Call, V) :- argument(Call, \"to\", V), !known(V). "
                                       "deny(Call, V) :- unknown(Call, V), V != \"p3\"."}},
                                     {.window = 1, .deadline_milliseconds = 0})
                          .value();
  CallRequest request = message("m", Trust::kOperator);
  Json people = Json::array();
  for (int i = 0; i < 60'000; ++i) people.push_back("p" + std::to_string(1 + i % 3));
  const auto decide = [&] {
    request.arguments.set("to", people);
    return policy->would_decide(request, *table().find("sms:send"));
  };
  EXPECT_EQ(decide().permission, Permission::kAllowed);
  for (int i = 60'000; i > 4; --i) people.push_back("p" + std::to_string(i));
  EXPECT_EQ(decide().reason, "p10");
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

// A change that the engine refuses leaves the trace whole: what should have left with it leaves
// with the next.
TEST_F(PolicyTest, ACallThatCannotBeJudgedLeavesNothingBehind) {
  const auto policy =
      Policy::create({{"w.mg",
                       "deny(C, \"too soon\") :- call(C, \"any:send\", _, _), "
                       "call(D, \"file:delete\", _, _), D < C.\n"
                       "ask(C, \"never\") :- argument(C, \"n\", X), call(D, _, _, _), D <= C, "
                       "fn:plus(X, 1) > 5."}},
                     {.window = 2, .deadline_milliseconds = 0})
          .value();
  const PermissionTable tools = table();
  const auto decide = [&](std::string tool, Json n) {
    CallRequest request = message("m", Trust::kOperator);
    request.tool = std::move(tool);
    request.arguments.set("n", std::move(n));
    std::uint64_t call = 0;
    return policy->decide(request, *tools.find("sms:send"), call).permission;
  };
  EXPECT_EQ(decide("file:delete", 1), Permission::kAllowed);
  EXPECT_EQ(decide("any:send", 1), Permission::kDenied);
  EXPECT_EQ(decide("file:read", "text"), Permission::kDenied);
  EXPECT_EQ(decide("any:send", 1), Permission::kAllowed);
  EXPECT_EQ(decide("file:delete", 1), Permission::kAllowed);
  EXPECT_EQ(decide("any:send", 1), Permission::kDenied);
}

// The rules of one call, written so that each looks at the trace (at the call itself): the engine
// then decides, and says the same.
std::vector<PolicySource> through_the_trace(std::vector<PolicySource> sources) {
  for (PolicySource& source : sources) {
    for (const std::string decision : {"deny(Call, ", "ask(Call, "}) {
      for (std::size_t at = 0; (at = source.text.find(decision, at)) != std::string::npos; ++at) {
        const std::size_t body = source.text.find(" :- ", at);
        source.text.insert(body + 4, "call(Call, _, _, _), call(Other, _, _, _), Other <= Call, ");
      }
    }
  }
  return sources;
}

TEST_F(PolicyTest, RulesOfOneCallDecideTheSameWithoutATrace) {
  std::vector<PolicySource> sources = Policy::shipped_sources();
  sources.push_back({"more.mg",
                     "listed(\"v0\", 1). listed(\"v1\", 2). listed(\"v1\", 3). on(). "
                     "several(V) :- listed(V, A), listed(V, B), A < B. "
                     "ask(Call, Reason) :- argument(Call, \"path\", V), several(V), "
                     "Reason = fn:string:concat(\"several of \", V). "
                     "ask(Call, \"a list\") :- argument(Call, Name, V), argument(Call, Name, W), "
                     "V != W, on(). "
                     "ask(Call, \"a text\") :- argument(Call, Name, V), "
                     ":string:starts_with(V, \"v\"), !carried(Call, Name), Name != \"n\", "
                     "!listed(V, _). "
                     "deny(Call, \"a sum\") :- argument(Call, \"n\", N), listed(_, M), "
                     "S = fn:plus(N, M), S > 7."});
  const PolicyOptions patient{.window = 4, .deadline_milliseconds = 0};
  const auto alone = Policy::create(sources, patient).value();
  const auto traced = Policy::create(through_the_trace(sources), patient).value();
  const PermissionTable tools = table();
  SeededRandom random(11);
  std::size_t held = 0;
  const auto line_of = [](const std::string& where) { return where.substr(0, where.rfind(':')); };
  for (int i = 0; i < 2000; ++i) {
    static constexpr const char* kTools[] = {"any:send", "sms:send", "file:read", "notion:create"};
    static constexpr const char* kNames[] = {"to", "url", "command", "text", "ballot", "path"};
    const auto trust = [&] { return static_cast<Trust>(random.below(6)); };
    CallRequest request{.tool = kTools[random.below(4)], .agent = "planner", .trust = trust()};
    for (std::uint64_t n = random.below(4); n > 0; --n) {
      const std::string name = kNames[random.below(6)];
      Json list = Json::array();
      list.push_back("v" + std::to_string(random.below(3)));
      list.push_back(random.below(2) == 0 ? Json("v1") : Json(true));
      request.arguments.set(name, random.below(3) == 0 ? list : list.as_array()[0]);
      if (random.below(3) != 0)
        request.origins.push_back({name, random.below(2) == 0 ? "self" : "files:a", trust()});
    }
    if (random.below(2) == 0) request.arguments.set("n", random.below(7));
    std::uint64_t call = 0;
    const PolicyVerdict one = alone->decide(request, *tools.find(request.tool), call);
    const PolicyVerdict other = traced->decide(request, *tools.find(request.tool), call);
    EXPECT_EQ(one.permission, other.permission) << request.arguments.dump();
    EXPECT_EQ(one.reason, other.reason);
    EXPECT_EQ(line_of(one.rule), line_of(other.rule));
    EXPECT_EQ(alone->would_decide(request, *tools.find(request.tool)).reason, one.reason);
    if (one.permission != Permission::kAllowed) ++held;
  }
  EXPECT_GT(held, 300u);
  EXPECT_LT(held, 1950u);
}

TEST_F(PolicyTest, AnErrorInEitherSortOfRulesDenies) {
  for (const char* further : {"", "call(Call, _, _, _), call(Other, _, _, _), Other <= Call, "}) {
    use({{"bad.mg", std::string("ask(Call, \"never\") :- ") + further +
                        "argument(Call, \"text\", X), Y = fn:plus(X, 1), Y > 0."}});
    const Outcome outcome = executor_->execute(message("message", Trust::kOperator));
    EXPECT_EQ(outcome.kind, Outcome::Kind::kDenied);
    EXPECT_NE(outcome.reason.find("bad.mg:1"), std::string::npos) << outcome.reason;
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

TEST_F(PolicyTest, RulesThatDecideNothingAreNamed) {
  std::vector<PolicySource> sources = Policy::shipped_sources();
  EXPECT_TRUE(Policy::create(sources).value()->idle_rules().empty());
  sources.push_back({"mine.mg",
                     "known(X) :- call(_, X, _, _).\n"
                     "deny(Call, \"new\") :- call(Call, Tool, _, _), !known(Tool).\n"
                     "dney(Call, \"never\") :- call(Call, _, _, _).\n"});
  const auto policy = Policy::create(sources);
  ASSERT_TRUE(policy) << policy.error().describe();
  const std::vector<std::string> idle = (*policy)->idle_rules();
  ASSERT_EQ(idle.size(), 1u);
  EXPECT_TRUE(idle[0].starts_with("mine.mg:3:")) << idle[0];
  EXPECT_NE(idle[0].find("'dney'"), std::string::npos) << idle[0];
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

TEST_F(PolicyTest, NoFormOfAnArgumentHidesIt) {
  use({{"mine.mg", "deny(Call, \"no links\") :- argument(Call, \"url\", _)."}});
  CallRequest request = message("message", Trust::kOperator);
  for (const Json& value : {Json("http://a"), Json(std::string(5000, 'x')), Json(1), Json(true),
                            Json::object({{"to", "http://a"}}), Json::array({Json::object({})})}) {
    request.arguments = Json::object({{"to", "ada"}, {"text", "x"}, {"url", value}});
    EXPECT_EQ(executor_->execute(request).kind, Outcome::Kind::kDenied)
        << value.dump().substr(0, 40);
  }
}

TEST_F(PolicyTest, WhatTheTraceCouldNotTakeDeniesTheNextCall) {
  use({{"mine.mg",
        "worth(Call, Sum) :- finished(Call, Outcome), Sum = fn:plus(Outcome, 1).\n"
        "deny(Call, \"once only\") :- call(Call, \"any:send\", _, _), worth(Earlier, _), "
        "Earlier < Call."}});
  CallRequest request = message("message", Trust::kOperator);
  request.tool = "any:send";
  EXPECT_EQ(executor_->execute(request).kind, Outcome::Kind::kDone);
  const Outcome second = executor_->execute(request);
  EXPECT_EQ(second.kind, Outcome::Kind::kDenied);
  EXPECT_NE(second.reason.find("could not be evaluated"), std::string::npos) << second.reason;
  EXPECT_EQ(executor_->decide(request).permission, Permission::kDenied);
}

}  // namespace
}  // namespace anima::govern::policy_test
