// Governance table rows 40 and 51-65.
#include "govern/decide/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>

#include "govern/ledger/ledger.h"
#include "govern/rules/constitution.h"

namespace anima::govern::executor_test {
namespace {

class Tools : public ToolRunner {
 public:
  Result<Json> run(std::string_view tool, const Json& arguments, std::int64_t timeout) override {
    ran.push_back(std::string(tool) + arguments.dump());
    last_timeout = timeout;
    const auto body = inside;
    return body ? body() : Result<Json>(Json("done"));
  }
  bool has(std::string_view tool) const override { return tool != "sms:send" || sends; }
  bool sends = true;
  std::vector<std::string> ran;
  std::int64_t last_timeout = 0;
  std::function<Result<Json>()> inside;
};

class ExecutorTest : public ::testing::Test {
 protected:
  CallRequest call(std::string tool, Trust trust, std::string agent = "planner") {
    return {.tool = std::move(tool),
            .agent = std::move(agent),
            .trust = trust,
            .arguments = Json::object({{"path", "x"}, {"command", "rm x"}})};
  }
  Outcome::Kind kind(std::string tool, Trust trust) {
    return executor_.execute(call(std::move(tool), trust)).kind;
  }

  ManualClock clock_{Timestamp{1'000'000}};
  SeededRandom random_{3};
  Tools tools_;
  AuditChain audit_{clock_, random_};
  StopSwitch line_;
  bus::EventBus events_;
  Executor executor_{
      PermissionTable::of_the_source(), tools_, audit_, line_, events_, clock_, random_};
};

using Kind = Outcome::Kind;

TEST_F(ExecutorTest, Row51AllowListComesFirst) {
  PermissionTable table;
  table.set({.tool = "file:delete", .tier = Tier::kWriteDestructive, .agents = {"librarian"}});
  const Decision decision = table.decide(call("file:delete", Trust::kHostile));
  EXPECT_EQ(decision.permission, Permission::kDenied);
  EXPECT_EQ(decision.layer, Layer::kAllowList);
  EXPECT_EQ(table.decide(call("file:delete", Trust::kHostile, "librarian")).layer, Layer::kTrust);
  table.set({.tool = "file:read", .tier = Tier::kReadOnly, .agents = {}});
  EXPECT_EQ(table.decide(call("file:read", Trust::kSystem)).layer, Layer::kAllowList);
}

TEST_F(ExecutorTest, Row52ReadOnlyIsForAnybody) {
  EXPECT_EQ(kind("file:read", Trust::kHostile), Kind::kDone);
}

TEST_F(ExecutorTest, Row53SafeWritesNeedStandard) {
  EXPECT_EQ(kind("file:write", Trust::kUntrusted), Kind::kDenied);
  EXPECT_TRUE(tools_.ran.empty());
  EXPECT_EQ(kind("file:write", Trust::kStandard), Kind::kDone);
  EXPECT_EQ(tools_.ran.size(), 1u);
}

TEST_F(ExecutorTest, Row54DestructiveWaitsForConfirmation) {
  const Outcome first = executor_.execute(call("file:delete", Trust::kOperator));
  ASSERT_EQ(first.kind, Kind::kWaiting);
  EXPECT_TRUE(tools_.ran.empty());
  const auto confirmed = executor_.approve(first.approval_id, "operator");
  ASSERT_TRUE(confirmed) << confirmed.error().describe();
  EXPECT_EQ(confirmed->kind, Kind::kDone);
  EXPECT_EQ(tools_.ran,
            std::vector<std::string>{"file:delete{\"path\":\"x\",\"command\":\"rm x\"}"});
  const Outcome second = executor_.execute(call("file:delete", Trust::kOperator));
  EXPECT_TRUE(executor_.reject(second.approval_id, "operator", "not today"));
  EXPECT_EQ(tools_.ran.size(), 1u);
  EXPECT_EQ(audit_.entries().back().action, "approval_rejected");
  const auto all = executor_.approvals();
  const auto answered = std::ranges::find(all, second.approval_id, &Approval::id);
  ASSERT_NE(answered, all.end());
  EXPECT_EQ(answered->status, ApprovalStatus::kRejected);
  // Made again by the operator it is a new question.
  const Outcome third = executor_.execute(call("file:delete", Trust::kOperator));
  EXPECT_EQ(third.kind, Kind::kWaiting);
  EXPECT_NE(third.approval_id, second.approval_id);
}

TEST_F(ExecutorTest, WhoMakesARejectedCallAgainIsToldTheAnswer) {
  CallRequest removal = call("file:delete", Trust::kStandard);
  const Outcome first = executor_.execute(removal);
  ASSERT_EQ(first.kind, Kind::kWaiting);
  ASSERT_TRUE(executor_.reject(first.approval_id, "operator", "not today"));
  const Outcome second = executor_.execute(removal);
  ASSERT_EQ(second.kind, Kind::kDenied);
  EXPECT_EQ(second.decision.layer, Layer::kApproval);
  EXPECT_NE(second.reason.find("operator rejected it: not today"), std::string::npos)
      << second.reason;
  CallRequest other = removal;
  other.arguments.set("path", "y");
  EXPECT_EQ(executor_.execute(other).kind, Kind::kWaiting);
  removal.trust = Trust::kVerified;  // who is trusted further is asked about on his own
  EXPECT_EQ(executor_.execute(removal).kind, Kind::kWaiting);
  removal.trust = Trust::kStandard;
  clock_.advance(ApprovalOptions{}.use_milliseconds * 1000);
  const Outcome late = executor_.execute(removal);
  EXPECT_EQ(late.kind, Kind::kWaiting);
  EXPECT_NE(late.approval_id, first.approval_id);
}

TEST_F(ExecutorTest, AnAnswerCanBeTakenBackWhileItCounts) {
  const CallRequest removal = call("file:delete", Trust::kOperator);
  Approvals approvals(clock_, random_, audit_);
  Decision decision;
  decision.effective_trust = Trust::kOperator;
  const std::string id = approvals.ask(removal, decision)->approval.id;
  ASSERT_TRUE(approvals.reject(id, "operator", "no"));
  EXPECT_EQ(approvals.grant(id, "arbiter").error().code, ErrorCode::kDenied);
  EXPECT_EQ(approvals.reject(id, "operator", "no").error().code, ErrorCode::kConflict);
  ASSERT_TRUE(approvals.grant(id, "operator"));
  EXPECT_EQ(*approvals.granted_for(removal, Trust::kOperator), id);
  EXPECT_EQ(approvals.grant(id, "operator").error().code, ErrorCode::kConflict);
  ASSERT_TRUE(approvals.reject(id, "overseer", "on second thoughts"));
  EXPECT_EQ(*approvals.granted_for(removal, Trust::kOperator), "");
  EXPECT_EQ(approvals.redeem(id, removal, Trust::kOperator).error().code, ErrorCode::kConflict);
  ASSERT_TRUE(approvals.grant(id, "overseer"));
  ASSERT_TRUE(approvals.redeem(id, removal, Trust::kOperator));
  EXPECT_EQ(approvals.reject(id, "operator", "").error().code, ErrorCode::kConflict);
  const std::string late = approvals.ask(removal, decision)->approval.id;
  ASSERT_TRUE(approvals.reject(late, "operator", "no"));
  clock_.advance(ApprovalOptions{}.use_milliseconds * 1000);
  EXPECT_EQ(approvals.grant(late, "operator").error().code, ErrorCode::kConflict);
}

TEST_F(ExecutorTest, EachAnswerIsTold) {
  std::vector<std::string> told;
  const auto listening = events_.subscribe("*", [&](const bus::Event& event) {
    if (!event.type.starts_with("permission:")) return;
    const Json* request = event.payload.find("requestId");
    told.push_back(event.type + (request == nullptr || *request == Json("") ? "" : " asked"));
    EXPECT_NE(event.payload.find("toolId"), nullptr) << event.type;
    EXPECT_NE(event.payload.find("agentId"), nullptr) << event.type;
    if (event.type != "permission:approval_required") return;
    EXPECT_EQ(event.payload.find("permissionTier")->as_string(), "WRITE_DESTRUCTIVE");
    EXPECT_EQ(event.payload.find("parameters")->find("path")->as_string(), "x");
  });
  const CallRequest removal = call("file:delete", Trust::kOperator);
  executor_.execute(call("file:read", Trust::kStandard));
  ASSERT_TRUE(executor_.approve(executor_.execute(removal).approval_id, "operator"));
  ASSERT_TRUE(executor_.reject(executor_.execute(removal).approval_id, "operator", "no"));
  executor_.execute(removal);
  clock_.advance(30'000'000);
  executor_.expire();
  executor_.execute(call("file:write", Trust::kUntrusted));
  EXPECT_EQ(told, (std::vector<std::string>{
                      "permission:granted", "permission:approval_required asked",
                      "permission:approved asked", "permission:granted asked",
                      "permission:approval_required asked", "permission:rejected asked",
                      "permission:approval_required asked", "permission:expired asked",
                      "permission:denied"}));
}

TEST_F(ExecutorTest, EventsOfOneCallBelongTogether) {
  std::vector<std::pair<std::string, std::string>> told;
  const auto listening = events_.subscribe("*", [&](const bus::Event& event) {
    if (const Json* id = event.payload.find("callId"))
      told.emplace_back(event.type, id->as_string());
    if (event.type == "tool:end") {
      EXPECT_EQ(event.payload.find("auditId")->as_string(), audit_.entries().back().id);
    }
  });
  executor_.execute(call("file:read", Trust::kStandard));
  executor_.execute(call("file:write", Trust::kUntrusted));
  executor_.execute(call("file:delete", Trust::kOperator));
  ASSERT_EQ(told.size(), 5u);
  EXPECT_EQ(told[2].first, "tool:end");
  EXPECT_EQ(told[0].second, told[1].second);
  EXPECT_EQ(told[0].second, told[2].second);
  EXPECT_NE(told[3].second, told[0].second);
  EXPECT_EQ(told[3].first, "permission:denied");
  EXPECT_EQ(told[4].first, "permission:approval_required");
  EXPECT_NE(told[4].second, told[3].second);
}

TEST_F(ExecutorTest, Row55EscalationBelowPointEight) {
  const std::tuple<Trust, int, Kind> expected[] = {{Trust::kVerified, 450, Kind::kWaiting},
                                                   {Trust::kStandard, 600, Kind::kWaiting},
                                                   {Trust::kUntrusted, 900, Kind::kDenied},
                                                   {Trust::kHostile, 1200, Kind::kDenied}};
  for (const auto& [trust, severity, outcome] : expected) {
    const Decision decision = executor_.permissions().decide(call("file:delete", trust));
    EXPECT_EQ(decision.severity_thousandths, severity);
    EXPECT_EQ(decision.layer, Layer::kTrust);
    EXPECT_EQ(kind("file:delete", trust), outcome) << severity;
  }
  EXPECT_TRUE(tools_.ran.empty());
}

TEST_F(ExecutorTest, Row56AdminNeedsSystem) {
  const std::tuple<Trust, int, Kind> expected[] = {{Trust::kOperator, 540, Kind::kWaiting},
                                                   {Trust::kVerified, 675, Kind::kWaiting},
                                                   {Trust::kStandard, 900, Kind::kDenied},
                                                   {Trust::kUntrusted, 1350, Kind::kDenied}};
  for (const auto& [trust, severity, outcome] : expected) {
    const Decision decision = executor_.permissions().decide(call("config:modify", trust));
    EXPECT_EQ(decision.severity_thousandths, severity);
    EXPECT_EQ(decision.layer, Layer::kTrust);
    EXPECT_EQ(kind("config:modify", trust), outcome) << severity;
  }
  // Who may is asked to confirm.
  const Outcome confirmed = executor_.execute(call("config:modify", Trust::kSystem));
  EXPECT_EQ(confirmed.kind, Kind::kWaiting);
  EXPECT_EQ(confirmed.decision.layer, Layer::kTier);
  EXPECT_TRUE(tools_.ran.empty());
}

// Rows 40 and 57.
// No log of decisions offers a way to take an entry back, and nobody is let near one.
template <typename Log>
constexpr bool kOnlyAppends = !requires(Log & log) {
  log.clear();
}
&&!requires(Log & log) { log.erase(std::string_view()); }
&&!requires(Log & log) { log.remove(std::string_view()); }
&&!requires(Log & log) { log.update(std::string_view(), Json()); }
&&!requires(Log & log) { log.truncate(std::size_t{0}); }
&&!requires(Log & log) { log.entries().clear(); };
static_assert(kOnlyAppends<AuditLog> && kOnlyAppends<AuditChain> && kOnlyAppends<Ledger> &&
              kOnlyAppends<store::Log>);

TEST_F(ExecutorTest, Row40TheAuditIsAppendOnlyForEveryTrustLevel) {
  for (int level = 0; level < 6; ++level) {
    const std::size_t before = audit_.entries().size();
    const Outcome outcome = executor_.execute({.tool = "audit:clear",
                                               .agent = "planner",
                                               .trust = static_cast<Trust>(level),
                                               .arguments = Json::object()});
    EXPECT_EQ(outcome.kind, Outcome::Kind::kDenied) << level;
    EXPECT_TRUE(outcome.approval_id.empty());
    ASSERT_EQ(audit_.entries().size(), before + 1) << level;
    EXPECT_EQ(audit_.entries().back().action, "permission_denied");
    EXPECT_TRUE(verify_audit(audit_.entries()).valid);
  }
  for (const char* operation : {"delete", "modify"}) {
    const auto violations =
        judge({.operation = operation, .target = "audit", .trust = Trust::kSystem});
    ASSERT_EQ(violations.size(), 1u) << operation;
    EXPECT_EQ(violations[0].rule, 3);
  }
}

TEST_F(ExecutorTest, Row57AuditClearIsImpossible) {
  for (const Trust trust : {Trust::kHostile, Trust::kUntrusted, Trust::kStandard, Trust::kVerified,
                            Trust::kOperator, Trust::kSystem}) {
    CallRequest request = call("audit:clear", trust);
    EXPECT_EQ(executor_.execute(request).kind, Kind::kDenied);
    request.confirmed = true;
    EXPECT_EQ(executor_.permissions().decide(request).permission, Permission::kDenied);
  }
}

TEST_F(ExecutorTest, Row58ApprovalExpiresAfterThirtySeconds) {
  const Outcome waiting = executor_.execute(call("shell:execute", Trust::kOperator));
  clock_.advance(29'999'999);
  executor_.expire();
  EXPECT_EQ(executor_.approvals()[0].status, ApprovalStatus::kPending);
  clock_.advance(1);
  const auto late = executor_.approve(waiting.approval_id, "operator");
  EXPECT_FALSE(late);
  EXPECT_EQ(executor_.approvals()[0].status, ApprovalStatus::kExpired);
  EXPECT_EQ(audit_.entries().back().action, "approval_expired");
  EXPECT_TRUE(tools_.ran.empty());
}

TEST_F(ExecutorTest, WhatWaitedTooLongIsShownSoBeforeAnybodyWritesItDown) {
  const std::string first = executor_.execute(call("file:delete", Trust::kOperator)).approval_id;
  CallRequest other = call("file:delete", Trust::kVerified);
  other.arguments.set("path", "y");
  other.origins = {{"path", "files:list.txt", Trust::kVerified}};
  clock_.advance(20'000'000);
  const std::string second = executor_.execute(other).approval_id;
  clock_.advance(10'000'000);
  const std::vector<Approval> all = executor_.approvals();
  ASSERT_EQ(all.size(), 2u);
  // What waits stands first.
  EXPECT_EQ(all[0].id, second);
  EXPECT_EQ(all[0].status, ApprovalStatus::kPending);
  const Json shown = all[0].to_json();
  EXPECT_EQ(shown.find("evidence")->find("labels")->as_array()[0].find("source")->as_string(),
            "files:list.txt");
  EXPECT_EQ(all[1].id, first);
  EXPECT_EQ(all[1].status, ApprovalStatus::kExpired);
  EXPECT_EQ(executor_.approve(first, "operator").error().code, ErrorCode::kConflict);
  EXPECT_EQ(executor_.reject(first, "operator", "late").error().code, ErrorCode::kConflict);
}

TEST_F(ExecutorTest, Row59WhoApproves) {
  const Outcome waiting = executor_.execute(call("shell:execute", Trust::kOperator, "overseer"));
  EXPECT_EQ(executor_.approve(waiting.approval_id, "planner").error().code, ErrorCode::kDenied);
  EXPECT_EQ(executor_.approve(waiting.approval_id, "overseer").error().code, ErrorCode::kDenied);
  EXPECT_TRUE(executor_.approve(waiting.approval_id, "arbiter"));
}

TEST_F(ExecutorTest, Row60EleventhIsRefused) {
  int depth = 0;
  std::optional<Kind> eleventh;
  tools_.inside = [&]() -> Result<Json> {
    if (++depth < 10) {
      executor_.execute(call("file:read", Trust::kStandard));
    } else {
      tools_.inside = nullptr;
      eleventh = executor_.execute(call("file:read", Trust::kStandard)).kind;
    }
    return Json("done");
  };
  executor_.execute(call("file:read", Trust::kStandard));
  EXPECT_EQ(eleventh, Kind::kBusy);
  EXPECT_EQ(kind("file:read", Trust::kStandard), Kind::kDone);
}

TEST_F(ExecutorTest, AnApprovalIsNotSpentOnACallThatFindsNoSlot) {
  Executor narrow(PermissionTable::of_the_source(), tools_, audit_, line_, events_, clock_, random_,
                  {.max_concurrent = 1});
  const CallRequest removal = call("file:delete", Trust::kOperator);
  const std::string by_call = narrow.execute(removal).approval_id;
  CallRequest other = removal;
  other.arguments.set("path", "y");
  const std::string at_once = narrow.execute(other).approval_id;
  tools_.inside = [&]() -> Result<Json> {
    tools_.inside = nullptr;
    EXPECT_EQ(narrow.approve(by_call, "operator")->kind, Kind::kBusy);
    EXPECT_EQ(narrow.execute(removal).kind, Kind::kBusy);
    EXPECT_EQ(narrow.approve(at_once, "operator")->kind, Kind::kBusy);
    return Json("done");
  };
  EXPECT_EQ(narrow.execute(call("file:read", Trust::kStandard)).kind, Kind::kDone);
  EXPECT_EQ(tools_.ran.size(), 1u);
  EXPECT_EQ(narrow.execute(removal).kind, Kind::kDone);
  EXPECT_EQ(narrow.execute(other).kind, Kind::kDone);
  EXPECT_EQ(narrow.execute(removal).kind, Kind::kWaiting);
}

TEST_F(ExecutorTest, Row61HangingToolFails) {
  tools_.inside = [] {
    return Result<Json>(fail(ErrorCode::kTimeout, "the tool took longer than 30000 ms"));
  };
  const Outcome outcome = executor_.execute(call("file:read", Trust::kStandard));
  EXPECT_EQ(outcome.kind, Kind::kFailed);
  EXPECT_EQ(tools_.last_timeout, 30'000);
  EXPECT_EQ(audit_.entries().back().action, "tool_executed");
  EXPECT_FALSE(audit_.entries().back().details->find("success")->as_bool());
}

TEST_F(ExecutorTest, Row62UnknownToolIsDeniedAndAudited) {
  const Outcome outcome = executor_.execute(call("rocket:launch", Trust::kSystem));
  EXPECT_EQ(outcome.kind, Kind::kDenied);
  EXPECT_EQ(outcome.decision.layer, Layer::kUnknownTool);
  ASSERT_EQ(audit_.entries().size(), 1u);
  EXPECT_EQ(audit_.entries().back().action, "permission_denied");
  EXPECT_TRUE(tools_.ran.empty());
}

TEST_F(ExecutorTest, NobodyIsAskedForAToolThatIsNotThere) {
  tools_.sends = false;
  const Outcome outcome = executor_.execute(call("sms:send", Trust::kOperator));
  EXPECT_EQ(outcome.kind, Kind::kDenied);
  EXPECT_EQ(outcome.decision.layer, Layer::kUnknownTool);
  EXPECT_EQ(outcome.decision.missing.size(), 1u);
  EXPECT_TRUE(tools_.ran.empty());
}

TEST_F(ExecutorTest, AskingBeforehandSaysWhatACallWouldBeTold) {
  tools_.sends = false;
  const auto same = [&](const CallRequest& request) {
    const Decision asked = executor_.decide(request);
    const Decision told = executor_.execute(request).decision;
    EXPECT_EQ(asked.permission, told.permission) << request.tool;
    EXPECT_EQ(asked.layer, told.layer) << request.tool;
    EXPECT_EQ(asked.missing, told.missing) << request.tool;
  };
  for (const char* tool : {"file:read", "file:write", "file:delete", "sms:send", "config:modify",
                           "audit:clear", "rocket:launch"}) {
    for (const Trust trust :
         {Trust::kHostile, Trust::kUntrusted, Trust::kStandard, Trust::kOperator, Trust::kSystem})
      same(call(tool, trust));
  }
  ASSERT_TRUE(line_.halt("operator"));
  same(call("file:read", Trust::kOperator));
}

TEST_F(ExecutorTest, Row63OneEntryForEachOutcome) {
  executor_.execute(call("file:write", Trust::kUntrusted));
  EXPECT_EQ(audit_.entries().size(), 1u);
  executor_.execute(call("file:read", Trust::kStandard));
  EXPECT_EQ(audit_.entries().size(), 2u);
  tools_.inside = [] { return Result<Json>(fail(ErrorCode::kIo, "broken")); };
  executor_.execute(call("file:read", Trust::kStandard));
  EXPECT_EQ(audit_.entries().size(), 3u);
  EXPECT_TRUE(verify_audit(audit_.entries()).valid);
}

// Takes entries until the disk is full.
class FullDisk : public AuditLog {
 public:
  explicit FullDisk(int room) : room_(room) {}
  Result<std::string> write(std::string_view action, std::string_view, Trust, Json,
                            const EntryPart&) override {
    if (room_-- <= 0) return fail(ErrorCode::kDiskFull, "no room");
    actions.emplace_back(action);
    return std::string("id");
  }
  Status announce(std::string_view actor, Trust trust, const Json& details,
                  const EntryPart& part) override {
    ANIMA_TRY(write("announced", actor, trust, details, part));
    return {};
  }
  std::vector<std::string> actions;

 private:
  int room_;
};

TEST_F(ExecutorTest, WhatCannotBeAuditedDoesNotRun) {
  FullDisk audit(0);
  Executor executor(PermissionTable::of_the_source(), tools_, audit, line_, events_, clock_,
                    random_);
  const Outcome outcome = executor.execute(call("file:write", Trust::kOperator));
  EXPECT_EQ(outcome.kind, Kind::kBusy);
  EXPECT_NE(outcome.reason.find("cannot be audited"), std::string::npos);
  EXPECT_TRUE(tools_.ran.empty());
  // A result that cannot be entered reaches nobody; that is no stop.
  const Outcome read = executor.execute(call("file:read", Trust::kOperator));
  EXPECT_EQ(read.kind, Kind::kFailed);
  EXPECT_TRUE(read.result.is_null());
  EXPECT_FALSE(line_.halted());
}

TEST_F(ExecutorTest, WhatChangesSomethingIsEnteredBeforeItRuns) {
  FullDisk audit(1);
  Executor executor(PermissionTable::of_the_source(), tools_, audit, line_, events_, clock_,
                    random_);
  tools_.inside = [&] {
    EXPECT_EQ(audit.actions, std::vector<std::string>{"announced"});
    return Result<Json>(Json("done"));
  };
  EXPECT_EQ(executor.execute(call("file:write", Trust::kOperator)).kind, Kind::kFailed);
  EXPECT_EQ(tools_.ran.size(), 1u);
  EXPECT_FALSE(line_.halted());
}

// The constitution comes last, and nothing that let a call through takes it back.
TEST_F(ExecutorTest, TheConstitutionSeesEveryCall) {
  PermissionTable table = PermissionTable::of_the_source();
  table.set({.tool = "audit:trim", .tier = Tier::kWriteSafe, .agents = {"*"}});
  table.set({.tool = "job:look", .tier = Tier::kReadOnly, .agents = {"*"}});
  Executor executor(std::move(table), tools_, audit_, line_, events_, clock_, random_);
  const Outcome trimmed = executor.execute(call("audit:trim", Trust::kOperator));
  EXPECT_EQ(trimmed.kind, Kind::kDenied);
  EXPECT_EQ(trimmed.decision.layer, Layer::kConstitution);
  EXPECT_NE(trimmed.reason.find("append-only"), std::string::npos) << trimmed.reason;
  EXPECT_FALSE(trimmed.audit_id.empty());
  CallRequest job = call("job:look", Trust::kOperator);
  job.arguments = Json::object({{"command", "rm"}});
  job.origins = {{"command", "files:a.txt", Trust::kUntrusted}};
  EXPECT_EQ(executor.execute(job).decision.rule, "constitution: content is no command");
  EXPECT_EQ(executor.decide(job).layer, Layer::kConstitution);
  job.origins = {{"command", "files:a.txt", Trust::kStandard}};
  EXPECT_EQ(executor.execute(job).kind, Kind::kDone);
  EXPECT_EQ(tools_.ran.size(), 1u);
}

TEST_F(ExecutorTest, Row64TokensAreBoundAndSingleUse) {
  TokenIssuer issuer(clock_, random_);
  const Json arguments = Json::object({{"b", 2}, {"a", Json::object({{"d", 1}, {"c", 0}})}});
  const Json reordered = Json::object({{"a", Json::object({{"c", 0}, {"d", 1}})}, {"b", 2}});
  CallToken token = issuer.issue("file:delete", "planner", arguments, "operator");
  EXPECT_FALSE(issuer.redeem(token, "file:delete", "planner", Json::object({{"b", 3}})));
  EXPECT_FALSE(issuer.redeem(token, "file:delete", "other", arguments));
  EXPECT_TRUE(issuer.redeem(token, "file:delete", "planner", reordered));
  EXPECT_FALSE(issuer.redeem(token, "file:delete", "planner", arguments));
  CallToken expired = issuer.issue("file:delete", "planner", arguments, "operator");
  const auto refuses = [&](const std::function<void(CallToken&)>& forge) {
    CallToken forged = issuer.issue("file:delete", "planner", arguments, "operator");
    forge(forged);
    return !issuer.redeem(forged, forged.tool, forged.agent, arguments);
  };
  EXPECT_FALSE(refuses([](CallToken&) {}));
  EXPECT_TRUE(refuses([](CallToken& token) { token.expires.microseconds += 1; }));
  EXPECT_TRUE(refuses([](CallToken& token) { token.tool = "audit:clear"; }));
  EXPECT_TRUE(refuses([](CallToken& token) { token.agent = "executor"; }));
  EXPECT_TRUE(refuses([](CallToken& token) { token.signature.clear(); }));
  EXPECT_TRUE(refuses([](CallToken& token) { token.signature.pop_back(); }));
  EXPECT_TRUE(refuses([](CallToken& token) { token.signature += "00"; }));
  EXPECT_TRUE(refuses([](CallToken& token) { token.signature[0] ^= 1; }));
  TokenIssuer stranger(clock_, random_);
  const CallToken foreign = stranger.issue("file:delete", "planner", arguments, "operator");
  EXPECT_FALSE(issuer.redeem(foreign, "file:delete", "planner", arguments));
  CallToken last = issuer.issue("file:delete", "planner", arguments, "operator");
  clock_.advance(5 * 60 * 1'000'000LL);
  EXPECT_TRUE(issuer.redeem(last, "file:delete", "planner", arguments));
  clock_.advance(1);
  EXPECT_FALSE(issuer.redeem(expired, "file:delete", "planner", arguments));
}

// A number, a text and the same text in another normal form are other arguments.
TEST_F(ExecutorTest, AnApprovalFitsExactlyTheArgumentsItWasGivenFor) {
  const auto with = [&](Json value) {
    CallRequest request = call("file:delete", Trust::kOperator);
    request.arguments = Json::object({{"path", std::move(value)}, {"count", 1}});
    return request;
  };
  const CallRequest asked = with("caf\u00e9");
  const std::string id = executor_.execute(asked).approval_id;
  std::vector<CallRequest> others = {with("cafe\u0301"),
                                     with("caf\u00e9 "),
                                     with("CAF\u00c9"),
                                     with(Json::array({"caf\u00e9"})),
                                     asked,
                                     asked,
                                     asked,
                                     asked};
  others[4].arguments.set("count", 1.0);
  others[5].arguments.set("count", "1");
  others[6].arguments.set("force", Json());
  others[7].agent = "executor";
  for (const CallRequest& other : others) {
    const Outcome outcome = executor_.execute(other);
    EXPECT_EQ(outcome.kind, Kind::kWaiting) << other.arguments.dump();
    EXPECT_NE(outcome.approval_id, id) << other.arguments.dump();
  }
  CallRequest reordered = asked;
  reordered.arguments = Json::object({{"count", 1}, {"path", "caf\u00e9"}});
  EXPECT_EQ(executor_.execute(reordered).approval_id, id);
  ASSERT_TRUE(executor_.approve(id, "operator"));
  for (const CallRequest& other : others) EXPECT_NE(executor_.execute(other).kind, Kind::kDone);
  EXPECT_EQ(tools_.ran.size(), 1U);
}

// What is only carried lowers no trust, so that each such argument is named here.
TEST_F(ExecutorTest, WhatTheSourcesToolsOnlyCarry) {
  const PermissionTable table = PermissionTable::of_the_source();
  for (const std::string tool :
       {"file:read", "calendar:query", "notion:read", "file:write", "calendar:create",
        "notion:create", "sms:send", "file:delete", "calendar:delete", "shell:execute",
        "config:modify", "trust:escalate", "audit:clear"}) {
    std::vector<std::string> carried;
    ASSERT_NE(table.find(tool), nullptr) << tool;
    if (table.find(tool)->tier == Tier::kWriteSafe)
      carried = {"text", "content", "title", "body", "message", "description"};
    if (tool == "calendar:create") carried.insert(carried.end(), {"start", "end"});
    EXPECT_EQ(table.find(tool)->carried, carried) << tool;
    for (const char* chooses : {"path", "to", "url", "command", "location", "uid", "id", "name"})
      EXPECT_FALSE(is_carried(*table.find(tool), chooses)) << tool << " " << chooses;
  }
}

TEST_F(ExecutorTest, Row65NothingRunsWhileHalted) {
  ASSERT_TRUE(line_.halt("guardian"));
  EXPECT_EQ(kind("file:read", Trust::kSystem), Kind::kHalted);
  EXPECT_FALSE(line_.resume("guardian"));
  EXPECT_EQ(kind("file:read", Trust::kSystem), Kind::kHalted);
  EXPECT_TRUE(tools_.ran.empty());
  ASSERT_TRUE(line_.resume("operator"));
  EXPECT_EQ(kind("file:read", Trust::kSystem), Kind::kDone);
}

TEST_F(ExecutorTest, TheLowestLabelOfTheArgumentsCounts) {
  CallRequest request = call("sms:send", Trust::kOperator);
  EXPECT_EQ(executor_.execute(request).kind, Kind::kDone);
  request.argument_labels = {Trust::kSystem, Trust::kUntrusted};
  const Outcome outcome = executor_.execute(request);
  EXPECT_EQ(outcome.kind, Kind::kDenied);
  EXPECT_NE(outcome.reason.find("lowest among"), std::string::npos);
  EXPECT_EQ(outcome.decision.missing,
            std::vector<std::string>{"a source of at least standard trust"});
}

TEST_F(ExecutorTest, NobodyConfirmsTheirOwnCall) {
  CallRequest request = call("shell:execute", Trust::kOperator);
  request.confirmed = true;
  EXPECT_EQ(executor_.execute(request).kind, Kind::kDenied);
  EXPECT_TRUE(tools_.ran.empty());
}

}  // namespace
}  // namespace anima::govern::executor_test
