// The trace of calls that rules look at, over all processes of a space and from its log.
#include "govern/rules/call_trace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "govern/decide/executor.h"

namespace anima::govern::call_trace_test {
namespace {

using Kind = Outcome::Kind;

class Tools : public ToolRunner {
 public:
  Result<Json> run(std::string_view tool, const Json&, std::int64_t) override {
    ++runs;
    const auto body = inside;
    if (body) body(tool);
    return Json("done");
  }
  // Asked between the decision about a call and its announcement.
  bool has(std::string_view) const override {
    if (const auto body = std::exchange(decided, nullptr)) body();
    return true;
  }
  mutable std::function<void()> decided;
  std::atomic<int> runs = 0;
  std::function<void(std::string_view)> inside;
};

constexpr const char* kNothingAfterSecrets =
    "deny(Call, \"nothing is sent after a secret was read\") :- call(Call, \"sms:send\", _, _), "
    "call(Read, \"file:read\", _, _), argument(Read, \"path\", \"secrets\"), Read < Call.";
constexpr const char* kOneMessage =
    "deny(Call, \"one message only\") :- call(Call, \"sms:send\", _, _), "
    "call(Earlier, \"sms:send\", _, _), Earlier < Call.";

// One process: its own space object, executor and rules over the shared folder.
struct Process {
  Process(std::shared_ptr<store::Space> opened, Clock& clock, const std::string& rules,
          std::size_t window = 1000)
      : space(std::move(opened)),
        ledger(*space, clock, random),
        line(ledger),
        approvals(clock, random, ledger, &ledger, kPersonAnswers),
        policy(Policy::create({{"mine.mg", rules}}, {.window = window}).value()),
        executor(PermissionTable::of_the_source(), tools, ledger, line, events, clock, random,
                 {.approvals = &approvals, .policy = policy.get(), .ledger = &ledger}) {}
  Outcome act(std::string tool, Json arguments = Json::object()) {
    return executor.execute({.tool = std::move(tool),
                             .agent = "planner",
                             .trust = Trust::kOperator,
                             .arguments = std::move(arguments)});
  }
  Outcome read(std::string path) { return act("file:read", Json::object({{"path", path}})); }
  Outcome send(std::string to = "ada") { return act("sms:send", Json::object({{"to", to}})); }
  std::uint64_t head() { return static_cast<std::uint64_t>(space->log().head()->sequence); }

  SystemRandom random;
  std::shared_ptr<store::Space> space;
  Ledger ledger;
  StopSwitch line;
  bus::EventBus events;
  Tools tools;
  Approvals approvals;
  std::unique_ptr<Policy> policy;
  Executor executor;
};

class CallTraceTest : public ::testing::Test {
 protected:
  std::unique_ptr<Process> process(const std::string& rules, std::size_t window = 1000) {
    return std::make_unique<Process>(open(), clock_, rules, window);
  }
  std::shared_ptr<store::Space> open() {
    return store::Space::open(folder_.file("space"), {.create = true}).value();
  }
  int recorded(Process& process) {
    int count = 0;
    EXPECT_TRUE(process.ledger.read(kTraceRecord, {}, [&](const LedgerEntry&) -> Status {
      ++count;
      return {};
    }));
    return count;
  }

  TemporaryDirectory folder_{"anima-trace"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
};

TEST_F(CallTraceTest, ARuleSeesWhatOtherProcessesDidAndEarlierOnes) {
  const auto reader = process(kNothingAfterSecrets);
  const auto sender = process(kNothingAfterSecrets);
  EXPECT_EQ(reader->read("notes").kind, Kind::kDone);
  EXPECT_EQ(sender->send().kind, Kind::kDone);
  EXPECT_EQ(reader->read("secrets").kind, Kind::kDone);
  const Outcome stopped = sender->send();
  EXPECT_EQ(stopped.kind, Kind::kDenied);
  EXPECT_EQ(stopped.reason, "nothing is sent after a secret was read");
  EXPECT_EQ(process(kNothingAfterSecrets)->send().kind, Kind::kDenied);
  EXPECT_EQ(process("")->send().kind, Kind::kDone);
}

// Granted in another process than it was asked in, and while the rules still let it through.
TEST_F(CallTraceTest, AnApprovedCallIsJudgedByWhatItWasMadeFrom) {
  const std::string rules =
      "deny(Call, \"no address of a guest after a secret was read\") :- "
      "made_from(Call, \"path\", _, /standard), call(Read, \"file:read\", _, _), Read < Call.";
  const auto asking = process(rules);
  const auto ask = [&](const char* path) {
    const Outcome asked =
        asking->executor.execute({.tool = "file:delete",
                                  .agent = "planner",
                                  .trust = Trust::kOperator,
                                  .arguments = Json::object({{"path", path}}),
                                  .origins = {{"path", "page", Trust::kStandard}}});
    EXPECT_EQ(asked.kind, Kind::kWaiting) << asked.reason;
    return asked.approval_id;
  };
  const std::string first = ask("a"), second = ask("b");
  const auto answering = process(rules);
  EXPECT_EQ(answering->executor.approve(first, "operator")->kind, Kind::kDone);
  EXPECT_EQ(asking->read("secrets").kind, Kind::kDone);
  EXPECT_EQ(answering->executor.approve(second, "operator")->kind, Kind::kDenied);
}

TEST_F(CallTraceTest, HowACallWentOnIsSeenToo) {
  const std::string rules =
      "deny(Call, \"not after one that was refused\") :- call(Call, \"sms:send\", _, _), "
      "call(Earlier, \"file:write\", _, _), finished(Earlier, /denied), Earlier < Call. "
      "deny(Call, \"not twice\") :- call(Call, \"file:write\", _, _), "
      "call(Earlier, \"file:write\", _, _), finished(Earlier, /done), Earlier < Call. "
      "deny(Call, \"not while it waits\") :- call(Call, \"file:read\", _, _), "
      "call(Earlier, \"file:delete\", _, _), finished(Earlier, /waiting), Earlier < Call.";
  const auto one = process(rules);
  const auto other = process(rules);
  EXPECT_EQ(one->act("file:write").kind, Kind::kDone);
  EXPECT_EQ(other->send().kind, Kind::kDone);
  EXPECT_EQ(other->act("file:write").kind, Kind::kDenied);
  EXPECT_EQ(one->send().kind, Kind::kDenied);
  EXPECT_EQ(other->read("x").kind, Kind::kDone);
  EXPECT_EQ(one->act("file:delete").kind, Kind::kWaiting);
  EXPECT_EQ(other->read("x").kind, Kind::kDenied);
}

TEST_F(CallTraceTest, NumbersArePlacesOfTheLogAndOrderAllCalls) {
  const auto one = process(kOneMessage);
  const auto other = process(kOneMessage);
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    for (Process* each : {one.get(), other.get()}) {
      const std::uint64_t read = each->read("a").call;
      EXPECT_EQ(read, each->head());
      EXPECT_GT(read, last);
      last = each->act("file:write").call;
      EXPECT_EQ(last, each->head() - 1);  // where it was announced
    }
  }
}

TEST_F(CallTraceTest, AnActCostsTheEntriesThatItCostWithoutATrace) {
  for (const char* rules : {"", kOneMessage}) {
    const auto acting = process(rules);
    const auto entries = [&](const std::function<void()>& act) {
      const std::uint64_t before = acting->head();
      act();
      return acting->head() - before;
    };
    EXPECT_EQ(entries([&] { acting->read("a"); }), 1u);
    EXPECT_EQ(entries([&] { acting->act("file:write"); }), 2u);
    EXPECT_EQ(entries([&] { acting->act("audit:clear"); }), 1u);
    EXPECT_EQ(entries([&] { acting->act("file:delete", Json::object({{"path", rules}})); }), 1u);
    EXPECT_EQ(recorded(*acting), *rules == '\0' ? 0 : 5);
  }
}

// A call that waits is in the trace as often as it is made.
TEST_F(CallTraceTest, ACallThatWaitsAlreadyIsCountedAgain) {
  const auto acting = process(
      "deny(Call, \"three times\") :- call(Call, \"file:delete\", _, _), "
      "call(A, \"file:delete\", _, _), call(B, \"file:delete\", _, _), A < B, B < Call.");
  EXPECT_EQ(acting->act("file:delete").kind, Kind::kWaiting);
  EXPECT_EQ(acting->act("file:delete").kind, Kind::kWaiting);
  EXPECT_EQ(process("")->act("file:delete").kind, Kind::kWaiting);
  EXPECT_EQ(recorded(*acting), 3);
  EXPECT_EQ(acting->act("file:delete").kind, Kind::kDenied);
}

TEST_F(CallTraceTest, CallsOfAProcessWithoutSuchRulesAreSeenFromTheFirstThatOneDecided) {
  const auto plain = process("");
  EXPECT_EQ(plain->read("secrets").kind, Kind::kDone);
  const auto strict = process(kNothingAfterSecrets);
  EXPECT_EQ(strict->send().kind, Kind::kDone);
  EXPECT_EQ(recorded(*strict), 2);
  EXPECT_EQ(plain->read("secrets").kind, Kind::kDone);
  EXPECT_EQ(process("")->act("file:write").kind, Kind::kDone);
  EXPECT_EQ(recorded(*strict), 5);
  EXPECT_EQ(strict->send().kind, Kind::kDenied);
  // Nobody has such rules any more.
  clock_.advance(std::int64_t{30} * 24 * 3600 * 1'000'000);
  const int before = recorded(*plain);
  EXPECT_EQ(plain->read("secrets").kind, Kind::kDone);
  EXPECT_EQ(process("")->read("secrets").kind, Kind::kDone);
  EXPECT_EQ(recorded(*plain), before);
}

TEST_F(CallTraceTest, NoSecretStandsInTheLogAndAnErasureTakesTheArguments) {
  const std::string secret = "a very particular telephone number";
  const std::string rules =
      "deny(Call, \"said before\") :- call(Call, \"sms:send\", _, _), argument(Call, \"to\", X), "
      "call(Earlier, \"sms:send\", _, _), argument(Earlier, \"to\", X), Earlier < Call. "
      "deny(Call, \"no more\") :- call(Call, \"file:write\", _, _), "
      "call(Earlier, \"sms:send\", _, _), Earlier < Call.";
  {
    const auto sending = process(rules);
    EXPECT_EQ(sending->send(secret).kind, Kind::kDone);
    EXPECT_EQ(process(rules)->send(secret).kind, Kind::kDenied);
    const auto files = system_files().list(folder_.file("space"));
    ASSERT_TRUE(files);
    for (const DirectoryEntry& entry : *files) {
      if (entry.kind != FileInfo::Kind::kFile) continue;
      const auto bytes = read_file(system_files(), folder_.file("space/" + entry.name));
      EXPECT_EQ(bytes->find(secret), std::string::npos) << entry.name;
    }
    ASSERT_TRUE(sending->space->erase("trace"));
  }
  const auto later = process(rules);
  EXPECT_EQ(later->act("file:write").kind, Kind::kDenied);
  EXPECT_EQ(later->send(secret).kind, Kind::kDone);
  EXPECT_EQ(process(rules)->send(secret).kind, Kind::kDenied);
}

TEST_F(CallTraceTest, ALaterProcessSeesTheArgumentsAsTheyWereSeen) {
  const std::string carried_text(5000, 'x');
  const std::string choice(4096, 'y');
  const Json arguments = Json::object({{"to", Json::array({"ada", Json::array({"eve"})})},
                                       {"n", 7},
                                       {"r", 1.5},
                                       {"flag", true},
                                       {"none", nullptr},
                                       {"object", Json::object({{"a", 1}})},
                                       {"long", choice},
                                       {"text", carried_text}});
  const std::string rules =
      "seen(E) :- argument(E, \"to\", \"ada\"), argument(E, \"to\", \"eve\"), "
      "argument(E, \"n\", 7), argument(E, \"r\", 1.5), argument(E, \"flag\", /true), "
      "argument(E, \"object\", \"{\\\"a\\\":1}\"), argument(E, \"long\", \"" +
      choice + "\"), argument(E, \"text\", \"" + carried_text.substr(0, 1024) +
      "\"), carried(E, \"text\"), made_from(E, \"n\", \"files:a\", /untrusted), "
      "made_from(E, \"to\", \"caller\", /operator), tier(E, /write_safe), "
      "call(E, \"sms:send\", \"planner\", /operator), !argument(E, \"none\", _). "
      "deny(Call, \"seen\") :- call(Call, \"file:read\", _, _), seen(E), E < Call.";
  const auto acting = process(rules);
  CallRequest request{.tool = "sms:send",
                      .agent = "planner",
                      .trust = Trust::kOperator,
                      .arguments = arguments,
                      .origins = {{"n", "files:a", Trust::kUntrusted}}};
  acting->executor.execute(request);
  EXPECT_EQ(acting->read("a").reason, "seen");
  EXPECT_EQ(process(rules)->read("a").reason, "seen");
}

// Announced, and not ended: it runs, or its process was killed.
TEST_F(CallTraceTest, ACallWithoutAnEndIsACallThatHasNone) {
  const auto acting = process(kOneMessage);
  const auto strict = process(kOneMessage);
  const auto patient = process(
      "deny(Call, \"one message only\") :- call(Call, \"sms:send\", _, _), "
      "call(Earlier, \"sms:send\", _, _), finished(Earlier, _), Earlier < Call.");
  acting->tools.inside = [&](std::string_view) {
    acting->tools.inside = nullptr;
    EXPECT_EQ(strict->send().kind, Kind::kDenied);
    EXPECT_EQ(process(kOneMessage)->send().kind, Kind::kDenied);
  };
  EXPECT_EQ(acting->send().kind, Kind::kDone);
  EXPECT_EQ(patient->send().kind, Kind::kDenied);
}

TEST_F(CallTraceTest, WhatIsAnnouncedIsJudgedOverAllThatStandsBeforeIt) {
  const auto one = process(kOneMessage);
  const auto other = process(kOneMessage);
  one->tools.decided = [&] { EXPECT_EQ(other->send().kind, Kind::kDone); };
  const Outcome overruled = one->send();
  EXPECT_EQ(overruled.kind, Kind::kDenied);
  EXPECT_EQ(overruled.reason, "one message only");
  EXPECT_EQ(overruled.decision.layer, Layer::kPolicy);
  EXPECT_EQ(one->tools.runs, 0);
  // Nothing that only reads is judged again.
  one->tools.decided = [&] { other->read("a"); };
  EXPECT_EQ(one->read("a").kind, Kind::kDone);
}

TEST_F(CallTraceTest, AnApprovalIsNotSpentOnACallThatTheRulesThenDeny) {
  const std::string rules =
      "deny(Call, \"not after a message\") :- call(Call, \"file:delete\", _, _), "
      "call(Earlier, \"sms:send\", _, _), Earlier < Call.";
  const auto one = process(rules);
  const auto other = process(rules);
  const std::string id = one->act("file:delete").approval_id;
  ASSERT_TRUE(one->approvals.grant(id, "operator"));
  one->tools.decided = [&] { EXPECT_EQ(other->send().kind, Kind::kDone); };
  EXPECT_EQ(one->act("file:delete").reason, "not after a message");
  EXPECT_EQ(one->approvals.find(id)->status, ApprovalStatus::kApproved);
  EXPECT_EQ(one->tools.runs, 0);
}

TEST_F(CallTraceTest, ACallThatIsToBeAskedForByThenWaits) {
  const std::string rules =
      "ask(Call, \"a second message\") :- call(Call, \"sms:send\", _, _), "
      "call(Earlier, \"sms:send\", _, _), Earlier < Call.";
  const auto one = process(rules);
  const auto other = process(rules);
  one->tools.decided = [&] { EXPECT_EQ(other->send().kind, Kind::kDone); };
  const Outcome waiting = one->send();
  ASSERT_EQ(waiting.kind, Kind::kWaiting) << waiting.reason;
  ASSERT_TRUE(one->approvals.grant(waiting.approval_id, "operator"));
  EXPECT_EQ(one->send().kind, Kind::kDone);
}

// Two calls of one process do not refuse each other: the one that was decided first acts.
TEST_F(CallTraceTest, ACallIsNotRefusedForOneThatWasRefusedForIt) {
  const auto acting = process(kOneMessage);
  acting->tools.decided = [&] { EXPECT_EQ(acting->send().kind, Kind::kDenied); };
  EXPECT_EQ(acting->send().kind, Kind::kDone);
  EXPECT_EQ(acting->send().kind, Kind::kDenied);
  EXPECT_EQ(process(kOneMessage)->send().kind, Kind::kDenied);
}

// While somebody else has the writer's turn all decide; in the turn only one of them may act.
class AtOnce : public CallTraceTest {
 protected:
  void decide_at_once(const std::vector<std::function<void()>>& calls) {
    const auto other = open();
    auto turn = other->log().take_turn().value();
    std::vector<std::jthread> threads;
    for (const auto& call : calls) {
      threads.emplace_back(call);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    turn.reset();
  }
};

TEST_F(AtOnce, OfTwoProcessesOneActsAndTheOtherIsJudgedAgain) {
  const auto one = process(kOneMessage);
  const auto other = process(kOneMessage);
  EXPECT_EQ(one->read("a").kind, Kind::kDone);
  EXPECT_EQ(other->read("a").kind, Kind::kDone);
  std::atomic<int> done = 0;
  const auto send = [&done](Process& process) {
    const Outcome outcome = process.send();
    if (outcome.kind == Kind::kDone) ++done;
    EXPECT_TRUE(outcome.kind == Kind::kDone || outcome.reason == "one message only")
        << outcome.reason;
  };
  decide_at_once({[&] { send(*one); }, [&] { send(*other); }});
  EXPECT_EQ(done, 1);
  EXPECT_EQ(one->tools.runs + other->tools.runs, 3);
}

TEST_F(AtOnce, OfTwoExecutorsOverOneSpaceObjectOneActs) {
  const auto one = process(kOneMessage);
  Process other(one->space, clock_, kOneMessage);
  EXPECT_EQ(one->read("a").kind, Kind::kDone);
  EXPECT_EQ(other.read("a").kind, Kind::kDone);
  std::atomic<int> done = 0;
  decide_at_once({[&] { done += one->send().kind == Kind::kDone ? 1 : 0; },
                  [&] { done += other.send().kind == Kind::kDone ? 1 : 0; }});
  EXPECT_EQ(done, 1);
}

TEST_F(AtOnce, OfManyThreadsOneActs) {
  const auto acting = process(kOneMessage);
  std::atomic<int> done = 0;
  std::vector<std::function<void()>> sends;
  for (int i = 0; i < 8; ++i)
    sends.emplace_back([&] { done += acting->send().kind == Kind::kDone ? 1 : 0; });
  decide_at_once(sends);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(acting->tools.runs, 1);
  EXPECT_EQ(process(kOneMessage)->send().kind, Kind::kDenied);
}

TEST_F(CallTraceTest, TheLastCallsOfTheSpaceCountWhoeverMadeThem) {
  const auto one = process(kNothingAfterSecrets, 3);
  const auto other = process(kNothingAfterSecrets, 3);
  EXPECT_EQ(one->read("secrets").kind, Kind::kDone);
  EXPECT_EQ(other->act("file:write").kind, Kind::kDone);
  EXPECT_EQ(process(kNothingAfterSecrets, 3)->send().kind, Kind::kDenied);
  EXPECT_EQ(other->act("file:write").kind, Kind::kDone);
  for (Process* each : {one.get(), other.get()}) EXPECT_EQ(each->send().kind, Kind::kDone);
  EXPECT_EQ(process(kNothingAfterSecrets, 3)->send().kind, Kind::kDone);
}

TEST_F(CallTraceTest, AskingBeforehandSeesTheOthersAndLeavesNothing) {
  const auto reader = process(kNothingAfterSecrets);
  const auto asking = process(kNothingAfterSecrets);
  const CallRequest request{.tool = "sms:send", .agent = "planner", .trust = Trust::kOperator};
  EXPECT_EQ(asking->executor.decide(request).permission, Permission::kAllowed);
  reader->read("secrets");
  EXPECT_EQ(asking->executor.decide(request).permission, Permission::kDenied);
  EXPECT_EQ(recorded(*asking), 1);
}

// A call that another process refused because it could not be judged stops nobody; one that ran
// stops those whose rules cannot be evaluated over it, until it has left the trace.
TEST_F(CallTraceTest, WhatRulesCannotBeEvaluatedOverIsDenied) {
  const std::string sums =
      "deny(Call, \"never\") :- argument(Call, \"n\", X), call(Other, _, _, _), Other <= Call, "
      "fn:plus(X, 1) > 5.";
  const Json text = Json::object({{"n", "text"}});
  const auto strict = process(sums, 3);
  EXPECT_EQ(strict->act("file:read", text).kind, Kind::kDenied);
  const auto later = process(sums, 3);
  EXPECT_EQ(later->read("a").kind, Kind::kDone);
  EXPECT_EQ(strict->read("a").kind, Kind::kDone);
  EXPECT_EQ(process("")->act("file:read", text).kind, Kind::kDone);
  for (int i = 0; i < 2; ++i) {
    const Outcome stopped = later->read("a");
    EXPECT_EQ(stopped.kind, Kind::kDenied) << i;
    EXPECT_NE(stopped.reason.find("could not be evaluated"), std::string::npos) << stopped.reason;
  }
  const CallRequest reading{.tool = "file:read", .agent = "planner", .trust = Trust::kOperator};
  EXPECT_EQ(process(sums, 3)->executor.decide(reading).permission, Permission::kDenied);
  while (later->read("a").kind != Kind::kDone) ASSERT_LT(later->head(), 30u);
}

TEST_F(CallTraceTest, ARecordThatSaysNothingLetsNothingRun) {
  const auto acting = process(kOneMessage);
  EXPECT_EQ(acting->read("a").kind, Kind::kDone);
  ASSERT_TRUE(acting->space->write({}, [](store::Transaction& transaction) {
    return transaction.record(kTraceRecord, R"({"tool":"sms:send"})");
  }));
  for (const char* rules : {"", kOneMessage}) {
    const Outcome stopped = process(rules)->read("a");
    EXPECT_EQ(stopped.kind, Kind::kDenied);
    EXPECT_NE(stopped.reason.find("cannot be known"), std::string::npos) << stopped.reason;
    EXPECT_FALSE(stopped.audit_id.empty());
  }
  EXPECT_EQ(acting->read("a").kind, Kind::kDenied);
}

}  // namespace
}  // namespace anima::govern::call_trace_test
