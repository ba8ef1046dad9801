// Calls that are rehearsed: what they would change decides, and what was approved is what is done.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files/file.h"
#include "bus/event_bus.h"
#include "govern/decide/executor.h"
#include "govern/ledger/audit_chain.h"

namespace anima::govern::rehearsal_test {
namespace {

// A tool whose next rehearsal changes what it is told to.
class Shell final : public ToolRunner, public Rehearser {
 public:
  Result<Json> run(std::string_view, const Json&, std::int64_t) override {
    ran_at_once = true;
    return Json("ran");
  }
  Rehearser* rehearser(std::string_view tool) override {
    return tool == "shell:execute" ? this : nullptr;
  }
  Result<Rehearsal> rehearse(const std::stop_token&, std::string_view, const Json&,
                             std::int64_t) override {
    ++rehearsed;
    if (!ends) return fail(ErrorCode::kTimeout, "it did not end");
    Rehearsal rehearsal;
    rehearsal.changes.all = changes;
    rehearsal.changes.overruns = overruns;
    rehearsal.result = Json("output");
    if (changes.empty()) return rehearsal;
    rehearsal.id = "id-" + std::to_string(rehearsed);
    rehearsal.shown = Json::object({{"id", rehearsal.id}, {"text", "the difference"}});
    return rehearsal;
  }
  Result<Json> conclude(const std::stop_token&, std::string_view, const Json&,
                        const Rehearsal& rehearsal, std::int64_t) override {
    if (!rehearsal.id.empty()) concluded.push_back(rehearsal.id);
    if (conflicts) return fail(ErrorCode::kConflict, "the folder changed");
    return rehearsal.result.is_null() ? Json("kept output") : rehearsal.result;
  }
  void forget(std::string_view, const Rehearsal& rehearsal) override {
    forgotten.push_back(rehearsal.id);
  }

  std::vector<CallChange> changes;
  std::vector<std::string> overruns, concluded, forgotten;
  int rehearsed = 0;
  bool ends = true, conflicts = false, ran_at_once = false;
};

class RehearsalTest : public testing::Test {
 protected:
  static std::unique_ptr<Policy> rules(std::string own) {
    std::vector<PolicySource> sources = Policy::shipped_sources();
    if (!own.empty()) sources.push_back({"own.mg", std::move(own)});
    auto policy = Policy::create(sources);
    EXPECT_TRUE(policy.has_value()) << policy.error().describe();
    return policy ? std::move(*policy) : nullptr;
  }
  Executor executor(Policy* policy) {
    return Executor(PermissionTable::of_the_source(), shell_, audit_, line_, events_, clock_,
                    random_, {.policy = policy});
  }
  static CallRequest call(Trust trust = Trust::kOperator, std::string command = "do it") {
    return {.tool = "shell:execute",
            .agent = "planner",
            .trust = trust,
            .arguments = Json::object({{"command", std::move(command)}})};
  }
  // What the shipped rules say of one change.
  std::string said_of(std::string kind, std::string path, bool leads_out = false) {
    const CallRequest request = call();
    CallRequest seen = request;
    seen.changes = std::make_shared<const CallChanges>(
        CallChanges{{{std::move(kind), std::move(path), leads_out}}, {}});
    const ToolPolicy tool = *PermissionTable::of_the_source().find("shell:execute");
    const PolicyVerdict verdict = policy_->decide_changes(seen, tool);
    return verdict.permission == Permission::kAllowed ? "runs" : verdict.reason;
  }

  ManualClock clock_{Timestamp{1'000'000}};
  SeededRandom random_{3};
  Shell shell_;
  AuditChain audit_{clock_, random_};
  StopSwitch line_;
  bus::EventBus events_;
  std::unique_ptr<Policy> policy_ = rules("");
};

using Kind = Outcome::Kind;

TEST_F(RehearsalTest, AdditionsAndEditsRunWithoutAQuestion) {
  Executor acting = executor(policy_.get());
  shell_.changes = {{"added", "out/a.o"},
                    {"edited", "src/main.c"},
                    {"mode", "run.sh"},
                    {"touched", "b"},
                    {"moved", "c"}};
  const Outcome outcome = acting.execute(call());
  EXPECT_EQ(outcome.kind, Kind::kDone) << outcome.reason;
  EXPECT_EQ(outcome.result.as_string(), "output");
  EXPECT_EQ(shell_.concluded, std::vector<std::string>{"id-1"});
  EXPECT_FALSE(shell_.ran_at_once);
}

TEST_F(RehearsalTest, ADeletionWaitsAndWhatWasShownIsDone) {
  Executor acting = executor(policy_.get());
  shell_.changes = {{"deleted", "thesis.tex"}};
  const Outcome waiting = acting.execute(call());
  ASSERT_EQ(waiting.kind, Kind::kWaiting);
  EXPECT_NE(waiting.reason.find("deletes files"), std::string::npos) << waiting.reason;
  EXPECT_TRUE(shell_.concluded.empty());
  const Approval approval = acting.approvals().at(0);
  EXPECT_EQ(approval.evidence.find("changes")->find("text")->as_string(), "the difference");
  // Made again it waits, and is not run again.
  EXPECT_EQ(acting.execute(call()).approval_id, waiting.approval_id);
  EXPECT_EQ(shell_.rehearsed, 1);
  // By now it would do something else.
  shell_.changes = {{"deleted", "everything"}};
  const auto done = acting.approve(waiting.approval_id, "arbiter");
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->kind, Kind::kDone) << done->reason;
  EXPECT_EQ(done->result.as_string(), "kept output");
  EXPECT_EQ(shell_.concluded, std::vector<std::string>{"id-1"});
  EXPECT_EQ(shell_.rehearsed, 1);
  // Once.
  EXPECT_EQ(acting.execute(call()).kind, Kind::kWaiting);
}

TEST_F(RehearsalTest, AGrantedCallThatIsMadeAgainIsDone) {
  Executor acting = executor(policy_.get());
  shell_.changes = {{"deleted", "a"}};
  const Outcome waiting = acting.execute(call());
  Approvals approvals(clock_, random_, audit_);
  Executor shared(PermissionTable::of_the_source(), shell_, audit_, line_, events_, clock_, random_,
                  {.approvals = &approvals, .policy = policy_.get()});
  const Outcome asked = shared.execute(call());
  ASSERT_TRUE(approvals.grant(asked.approval_id, "arbiter"));
  const Outcome done = shared.execute(call());
  EXPECT_EQ(done.kind, Kind::kDone) << done.reason;
  EXPECT_EQ(shell_.concluded, std::vector<std::string>{"id-2"});
}

TEST_F(RehearsalTest, WhoHasLessTrustWaitsWithTheEffectShownOrIsNotRehearsedAtAll) {
  Executor acting = executor(policy_.get());
  shell_.changes = {{"added", "a"}};
  const Outcome waiting = acting.execute(call(Trust::kStandard));
  EXPECT_EQ(waiting.kind, Kind::kWaiting);
  EXPECT_NE(acting.approvals().at(0).evidence.find("changes"), nullptr);
  for (const Trust trust : {Trust::kUntrusted, Trust::kHostile})
    EXPECT_EQ(acting.execute(call(trust, "other")).kind, Kind::kDenied);
  EXPECT_EQ(shell_.rehearsed, 1);
}

TEST_F(RehearsalTest, RulesOfOnesOwnDenyWhatTheySeeAndNothingIsKept) {
  const auto own = rules(
      "deny(Call, \"the sources are not written\") :- change_in(Call, _, \"\", \"src\").\n"
      "deny(Call, \"no keys\") :- change(Call, _, \"etc/key.pem\").");
  Executor acting = executor(own.get());
  shell_.changes = {{"edited", "src/main.c"}};
  const Outcome denied = acting.execute(call());
  EXPECT_EQ(denied.kind, Kind::kDenied);
  EXPECT_EQ(denied.reason, "the sources are not written");
  EXPECT_EQ(shell_.forgotten, std::vector<std::string>{"id-1"});
  shell_.changes = {{"added", "etc/key.pem"}};
  EXPECT_EQ(acting.execute(call()).reason, "no keys");
  shell_.changes = {{"added", "etc/key.pub"}};
  EXPECT_EQ(acting.execute(call()).kind, Kind::kDone);
}

// The call itself is not an earlier one, though it is in the trace when its changes are judged.
TEST_F(RehearsalTest, ARuleOverEarlierCallsSeesWhatThisOneChanges) {
  const auto own = rules(
      "deny(Call, \"not after another command\") :- change(Call, /edited, \"a\"), "
      "call(Earlier, \"shell:execute\", _, _), Earlier < Call.");
  Executor acting = executor(own.get());
  shell_.changes = {{"edited", "a"}};
  EXPECT_EQ(acting.execute(call()).kind, Kind::kDone);
  const Outcome second = acting.execute(call());
  EXPECT_EQ(second.kind, Kind::kDenied);
  EXPECT_EQ(second.reason, "not after another command");
  EXPECT_EQ(acting.preview(call()).permission, Permission::kDenied);
  // The shipped rules hold beside it.
  shell_.changes = {{"deleted", "b"}};
  EXPECT_EQ(acting.execute(call()).kind, Kind::kWaiting);
}

TEST_F(RehearsalTest, WithoutRulesEveryChangeWaits) {
  Executor acting = executor(nullptr);
  EXPECT_EQ(acting.execute(call()).kind, Kind::kDone);
  shell_.changes = {{"added", "a"}};
  EXPECT_EQ(acting.execute(call()).kind, Kind::kWaiting);
}

TEST_F(RehearsalTest, AFailureIsAResultAndAConflictChangesNothing) {
  Executor acting = executor(policy_.get());
  shell_.ends = false;
  const Outcome failed = acting.execute(call());
  EXPECT_EQ(failed.kind, Kind::kFailed);
  EXPECT_NE(failed.reason.find("did not end"), std::string::npos);
  EXPECT_FALSE(failed.audit_id.empty());
  shell_.ends = true;
  shell_.conflicts = true;
  shell_.changes = {{"added", "a"}};
  EXPECT_EQ(acting.execute(call()).kind, Kind::kFailed);
}

TEST_F(RehearsalTest, APreviewLeavesNothing) {
  Executor acting = executor(policy_.get());
  shell_.changes = {{"deleted", "a"}};
  const Decision decision = acting.preview(call());
  EXPECT_EQ(decision.permission, Permission::kNeedsApproval);
  EXPECT_NE(decision.evidence.find("changes"), nullptr);
  EXPECT_EQ(shell_.forgotten, std::vector<std::string>{"id-1"});
  EXPECT_TRUE(acting.approvals().empty());
  EXPECT_EQ(acting.decide(call()).permission, Permission::kAllowed);
  EXPECT_EQ(shell_.rehearsed, 1);
}

TEST_F(RehearsalTest, Row65NothingIsRehearsedWhileTheLineIsStopped) {
  Executor acting = executor(policy_.get());
  ASSERT_TRUE(line_.halt("operator", "lunch"));
  EXPECT_EQ(acting.execute(call()).kind, Kind::kHalted);
  EXPECT_EQ(shell_.rehearsed, 0);
}

TEST_F(RehearsalTest, TheShippedRulesAskAboutWhatCannotBeTakenLightly) {
  for (const char* kind : {"added", "edited", "mode", "touched", "moved"})
    EXPECT_EQ(said_of(kind, "a/b"), "runs") << kind;
  EXPECT_EQ(said_of("deleted", "a"), "it deletes files of the work folder");
  EXPECT_NE(said_of("replaced", "a"), "runs");
  EXPECT_EQ(said_of("added", "a", true), "it makes a link that leads out of the work folder");
  const std::string git = "it changes what git is told to do or to run (.git)";
  for (const char* path : {".git/config", "sub/.git/hooks/pre-commit", ".GIT/config", ".git",
                           "a/.git/info/attributes", ".git/objects/info/alternates",
                           ".git/rebase-merge/git-rebase-todo", ".git/modules/x/config"}) {
    EXPECT_EQ(said_of("added", path), git) << path;
  }
  for (const char* path :
       {".git/objects/ab/cdef", ".git/refs/heads/main", ".git/index", ".git/logs/HEAD", ".git/HEAD",
        ".git/COMMIT_EDITMSG", ".git/refs/remotes/origin/HEAD", ".gitignore", "a.git/x"}) {
    EXPECT_EQ(said_of("edited", path), "runs") << path;
  }
  EXPECT_EQ(said_of("deleted", ".git/refs/heads/main"), "it deletes files of the work folder");
  EXPECT_NE(said_of("added", "repo/HEAD"), "runs");
  EXPECT_NE(said_of("added", "outbox/1.json"), "runs");
  EXPECT_NE(said_of("added", "OUTBOX"), "runs");
  EXPECT_EQ(said_of("added", "letters/outbox/1.json"), "runs");
}

TEST_F(RehearsalTest, MoreThanRulesLookAtWaits) {
  Executor acting = executor(policy_.get());
  shell_.changes = {{"added", "a"}};
  shell_.overruns = {"it writes more than 128 MiB into the work folder"};
  const Outcome waiting = acting.execute(call());
  EXPECT_EQ(waiting.kind, Kind::kWaiting);
  EXPECT_EQ(waiting.reason, shell_.overruns[0]);
}

// Two thousand changes are judged within the time of a decision.
TEST_F(RehearsalTest, ManyChangesAreJudgedInTime) {
  Executor acting = executor(policy_.get());
  for (std::size_t i = 0; i < kMostChangesJudged; ++i)
    shell_.changes.push_back(
        {"added", "build/part" + std::to_string(i % 40) + "/f" + std::to_string(i) + ".o"});
  const Outcome outcome = acting.execute(call());
  EXPECT_EQ(outcome.kind, Kind::kDone) << outcome.reason;
}

}  // namespace
}  // namespace anima::govern::rehearsal_test
