// Governance table rows 83-97.
#include "govern/council/council.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "govern/council/governor.h"
#include "govern/decide/stop_switch.h"
#include "govern/rules/constitution.h"

namespace anima::govern::council_test {
namespace {

Vote open_vote(VoteRisk risk = VoteRisk::kMedium) { return {"v1", "a topic", risk, Timestamp{0}}; }

// Casts the same ballot for members [first, last).
void cast(Vote& vote, std::size_t first, std::size_t last, Ballot ballot) {
  for (std::size_t i = first; i < last; ++i) {
    EXPECT_TRUE(vote.cast(council_members()[i].agent, ballot, Timestamp{1}));
  }
}

TEST(Council, FifteenMembersEightVetoes) {
  EXPECT_EQ(council_members().size(), 15u);
  EXPECT_EQ(std::ranges::count_if(council_members(),
                                  [](const auto& m) { return !m.veto_domain.empty(); }),
            8);
  std::map<std::string_view, int> pillars;
  for (const auto& member : council_members()) ++pillars[member.pillar];
  EXPECT_EQ(
      pillars,
      (std::map<std::string_view, int>{
          {"infrastructure", 3}, {"protection", 2}, {"strategy", 3}, {"domains", 5}, {"meta", 2}}));
}

TEST(Constitution, Row83EachRuleIsNamed) {
  const ActionContext fine{.trust = Trust::kStandard};
  EXPECT_TRUE(judge(fine).empty());
  std::vector<ActionContext> bad(6, fine);
  bad[0].against_creator = true;
  bad[1].host = "0.0.0.0";
  bad[2].external = bad[2].treat_as_command = true;
  bad[3].operation = "delete";
  bad[3].target = "audit";
  bad[4].destructive = true;
  bad[5].trust.reset();
  for (int rule = 0; rule < 6; ++rule) {
    const auto violations = judge(bad[static_cast<std::size_t>(rule)]);
    ASSERT_EQ(violations.size(), 1u) << rule;
    EXPECT_EQ(violations[0].rule, rule);
  }
  ActionContext file_delete = fine;
  file_delete.operation = "delete";
  file_delete.target = "file";
  EXPECT_TRUE(judge(file_delete).empty());
}

// What each rule lets through, next to what it does not.
TEST(Constitution, Row83TheOtherSideOfEachRule) {
  const ActionContext fine{.trust = Trust::kStandard};
  const auto rules_of = [](const ActionContext& context) {
    std::vector<int> rules;
    for (const Violation& violation : judge(context)) rules.push_back(violation.rule);
    return rules;
  };
  const std::vector<int> none;
  ActionContext one = fine;
  one.host = "127.0.0.1";
  EXPECT_EQ(rules_of(one), none);
  for (const char* host : {"localhost", "127.0.0.2", "::1", "127.0.0.1 ", "2130706433"}) {
    one.host = host;
    EXPECT_EQ(rules_of(one), std::vector<int>{1}) << host;
  }
  ActionContext outside = fine;
  outside.external = true;
  EXPECT_EQ(rules_of(outside), none);
  outside = fine;
  outside.treat_as_command = true;
  EXPECT_EQ(rules_of(outside), none);
  ActionContext audit = fine;
  audit.target = "audit";
  for (const char* operation : {"read", "append"}) {
    audit.operation = operation;
    EXPECT_EQ(rules_of(audit), none) << operation;
  }
  audit.operation = "modify";
  EXPECT_EQ(rules_of(audit), std::vector<int>{3});
  ActionContext destructive = fine;
  destructive.destructive = destructive.approved = true;
  EXPECT_EQ(rules_of(destructive), none);
  ActionContext sensitive = fine;
  sensitive.sensitive = true;
  EXPECT_EQ(rules_of(sensitive), std::vector<int>{5});
  sensitive.trust = Trust::kVerified;
  EXPECT_EQ(rules_of(sensitive), none);
  for (const Trust trust : {Trust::kHostile, Trust::kUntrusted, Trust::kSystem})
    EXPECT_EQ(rules_of({.trust = trust}), none);
}

TEST(Constitution, Row84AllViolationsAreReported) {
  const auto violations =
      judge({.host = "10.0.0.1", .destructive = true, .trust = Trust::kOperator});
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].rule, 1);
  EXPECT_EQ(violations[1].rule, 4);
}

TEST(Council, Row85NineOfFifteenPass) {
  Vote vote = open_vote();
  cast(vote, 0, 8, Ballot::kApprove);
  EXPECT_EQ(vote.status(), VoteStatus::kOpen);
  cast(vote, 8, 9, Ballot::kApprove);
  EXPECT_EQ(vote.status(), VoteStatus::kPassed);
}

TEST(Council, Row86EightOfFifteenFail) {
  Vote vote = open_vote();
  cast(vote, 0, 8, Ballot::kApprove);
  cast(vote, 8, 15, Ballot::kReject);
  EXPECT_EQ(vote.status(), VoteStatus::kFailed);
  EXPECT_FALSE(vote.approved());
  // The quorum is reached, the approvals are not.
  Vote abstained = open_vote(VoteRisk::kMedium);
  cast(abstained, 0, 8, Ballot::kApprove);
  cast(abstained, 8, 14, Ballot::kAbstain);
  EXPECT_EQ(abstained.status(), VoteStatus::kOpen);
  EXPECT_EQ(abstained.tally().abstain, 6);
  EXPECT_EQ(abstained.tally().reject, 0);
  cast(abstained, 14, 15, Ballot::kAbstain);
  EXPECT_EQ(abstained.status(), VoteStatus::kFailed);
}

TEST(Council, Row87NoQuorumExpires) {
  Vote vote = open_vote();
  cast(vote, 0, 8, Ballot::kApprove);
  vote.expire(Timestamp{60 * 60'000'000LL + 1});
  EXPECT_EQ(vote.status(), VoteStatus::kExpired);
  EXPECT_EQ(vote.reason(), "no_quorum");
  EXPECT_FALSE(vote.approved());
  Vote short_of = open_vote();
  cast(short_of, 0, 5, Ballot::kApprove);
  cast(short_of, 5, 9, Ballot::kReject);
  short_of.expire(Timestamp{60 * 60'000'000LL});
  EXPECT_EQ(short_of.status(), VoteStatus::kOpen);
  short_of.expire(Timestamp{60 * 60'000'000LL + 1});
  EXPECT_EQ(short_of.reason(), "below_threshold");
  EXPECT_FALSE(short_of.approved());
}

TEST(Council, Row88SupermajorityNeedsTen) {
  Vote vote = open_vote(VoteRisk::kHigh);
  cast(vote, 0, 9, Ballot::kApprove);
  EXPECT_EQ(vote.status(), VoteStatus::kOpen);
  cast(vote, 9, 15, Ballot::kReject);
  EXPECT_EQ(vote.status(), VoteStatus::kFailed);
  Vote ten = open_vote(VoteRisk::kHigh);
  cast(ten, 0, 10, Ballot::kApprove);
  EXPECT_EQ(ten.status(), VoteStatus::kPassed);
}

TEST(Council, Row89UnanimityEndsWithOneRejectOrAbstention) {
  Vote rejected = open_vote(VoteRisk::kCritical);
  cast(rejected, 0, 1, Ballot::kReject);
  EXPECT_EQ(rejected.status(), VoteStatus::kFailed);
  Vote abstained = open_vote(VoteRisk::kCritical);
  cast(abstained, 0, 14, Ballot::kApprove);
  cast(abstained, 14, 15, Ballot::kAbstain);
  EXPECT_EQ(abstained.status(), VoteStatus::kFailed);
}

TEST(Council, Row90SevenRejectsFailAtOnce) {
  Vote vote = open_vote();
  cast(vote, 0, 6, Ballot::kReject);
  EXPECT_EQ(vote.status(), VoteStatus::kOpen);
  cast(vote, 6, 7, Ballot::kReject);
  EXPECT_EQ(vote.status(), VoteStatus::kFailed);
}

TEST(Council, Row91VetoByTheRightMemberOnly) {
  Vote vote = open_vote();
  EXPECT_EQ(vote.veto("executor", "security", "no", Timestamp{1}).error().code, ErrorCode::kDenied);
  EXPECT_EQ(vote.status(), VoteStatus::kOpen);
  EXPECT_TRUE(vote.veto("guardian", "security", "leaks keys", Timestamp{1}));
  EXPECT_EQ(vote.status(), VoteStatus::kVetoed);
  EXPECT_EQ(vote.veto("guardian", "security", "again", Timestamp{1}).error().code,
            ErrorCode::kConflict);
  EXPECT_EQ(vote.cast("router", Ballot::kApprove, Timestamp{1}).error().code, ErrorCode::kConflict);
  for (const CouncilMember& member : council_members()) {
    for (const CouncilMember& other : council_members()) {
      Vote each = open_vote();
      const bool own = !member.veto_domain.empty() && member.veto_domain == other.veto_domain;
      EXPECT_EQ(each.veto(member.agent, other.veto_domain, "no", Timestamp{1}).has_value(), own);
      EXPECT_EQ(each.status() == VoteStatus::kVetoed, own) << member.agent;
    }
  }
  Vote late = open_vote();
  EXPECT_EQ(late.veto("guardian", "security", "no", Timestamp{60 * 60'000'000LL + 1}).error().code,
            ErrorCode::kTimeout);
  EXPECT_EQ(late.status(), VoteStatus::kExpired);
}

TEST(Council, Row92SecondBallotReplacesTheFirst) {
  Vote vote = open_vote();
  cast(vote, 0, 1, Ballot::kReject);
  cast(vote, 0, 1, Ballot::kApprove);
  EXPECT_EQ(vote.tally().approve, 1);
  EXPECT_EQ(vote.tally().reject, 0);
  EXPECT_EQ(vote.tally().ballots(), 1);
  // Nine ballots of one member are one.
  for (int i = 0; i < 9; ++i) cast(vote, 0, 1, Ballot::kApprove);
  EXPECT_EQ(vote.tally().ballots(), 1);
  EXPECT_EQ(vote.status(), VoteStatus::kOpen);
  cast(vote, 0, 1, Ballot::kAbstain);
  EXPECT_EQ(vote.tally().approve, 0);
  EXPECT_EQ(vote.to_json().find("abstain")->as_integer(), 1);
}

TEST(Council, Row93OutsidersAreRefused) {
  Vote vote = open_vote();
  EXPECT_EQ(vote.cast("core", Ballot::kApprove, Timestamp{1}).error().code, ErrorCode::kDenied);
  EXPECT_EQ(vote.tally().ballots(), 0);
}

TEST(Council, Row94LateBallotExpiresTheVote) {
  Vote vote = open_vote();
  EXPECT_TRUE(vote.cast("executor", Ballot::kApprove, Timestamp{60 * 60'000'000LL}));
  EXPECT_FALSE(vote.cast("router", Ballot::kApprove, Timestamp{60 * 60'000'000LL + 1}));
  EXPECT_EQ(vote.tally().ballots(), 1);
  EXPECT_EQ(vote.status(), VoteStatus::kExpired);
}

TEST(Overseer, Row96FiveGatesMissingFails) {
  ReleaseEvidence evidence{.tests_passed = true,
                           .audit_valid = true,
                           .critical_events = 0,
                           .build_clean = std::nullopt,
                           .documents = std::vector<std::string>{"README.md", "CHANGELOG.md"},
                           .required_documents = {"README.md"}};
  ManualClock clock{Timestamp{1'767'225'600'000'000}};
  SeededRandom random{4};
  AuditChain audit{clock, random};
  bus::EventBus events;
  std::vector<std::string> told;
  const auto listening = events.subscribe("overseer:gate", [&](const bus::Event& event) {
    told.push_back(event.payload.find("gateId")->as_string());
  });
  Governor governor(audit, random, &events);
  const Release refused = governor.judge_release(evidence, "overseer", Trust::kSystem).value();
  EXPECT_FALSE(refused.allowed());
  EXPECT_EQ(refused.blockers(), std::vector<std::string>{"build_clean: no evidence"});
  EXPECT_EQ(told, (std::vector<std::string>{"test_coverage", "audit_integrity", "security_scan",
                                            "build_clean", "documentation"}));
  EXPECT_EQ(audit.entries().back().action, "gates_evaluated");
  evidence.build_clean = true;
  EXPECT_TRUE(governor.judge_release(evidence, "overseer", Trust::kSystem)->allowed());
  EXPECT_EQ(governor.judge_release({}, "overseer", Trust::kSystem)->blockers().size(), 5u);
}

TEST(Arbiter, ARulingIsWrittenDownAndTold) {
  ManualClock clock{Timestamp{1'767'225'600'000'000}};
  SeededRandom random{4};
  AuditChain audit{clock, random};
  bus::EventBus events;
  std::vector<std::string> told;
  const auto listening = events.subscribe("*", [&](const bus::Event& event) {
    const Json* rule = event.payload.find("rule");
    told.push_back(event.type + (rule == nullptr ? "" : " " + rule->dump()));
  });
  Governor governor(audit, random, &events);
  const Ruling fine =
      governor.rule("tidy up", {.trust = Trust::kStandard}, "planner", Trust::kStandard).value();
  EXPECT_TRUE(fine.allowed());
  EXPECT_EQ(audit.entries().back().action, "arbiter_evaluation");
  EXPECT_EQ(told, std::vector<std::string>{"arbiter:ruling"});
  told.clear();
  const Ruling broken =
      governor
          .rule("open up", {.host = "0.0.0.0", .destructive = true}, "planner", Trust::kStandard)
          .value();
  EXPECT_EQ(broken.violations.size(), 3u);  // 1, 4, 5
  EXPECT_EQ(broken.to_json().find("decision")->as_string(), "VIOLATION");
  EXPECT_EQ(audit.entries().back().id, broken.audit_id);
  EXPECT_EQ(audit.entries().back().action, "constitutional_violation");
  EXPECT_EQ(told, (std::vector<std::string>{"governance:rule_violated 1", "security:alert",
                                            "governance:rule_violated 4", "security:alert",
                                            "governance:rule_violated 5", "security:alert",
                                            "arbiter:ruling"}));
}

TEST(StopSwitch, Row97HaltAndResumeRights) {
  StopSwitch line;
  EXPECT_FALSE(line.halt("planner"));
  EXPECT_TRUE(line.halt("guardian"));
  EXPECT_TRUE(line.halted());
  EXPECT_EQ(line.resume("guardian").error().code, ErrorCode::kDenied);
  EXPECT_TRUE(line.halted());
  EXPECT_TRUE(line.resume("operator"));
  EXPECT_FALSE(line.halted());
  EXPECT_TRUE(line.emergency("planner"));
  EXPECT_FALSE(line.resume("operator"));
  EXPECT_TRUE(line.lift_emergency("operator", "ada"));
  EXPECT_TRUE(line.halted());
  EXPECT_TRUE(line.lift_emergency("arbiter", "grace"));
  EXPECT_FALSE(line.halted());
}

TEST(StopSwitch, OnePersonInTwoRolesLiftsNoEmergency) {
  StopSwitch line;
  ASSERT_TRUE(line.emergency("planner"));
  EXPECT_EQ(line.lift_emergency("operator", "").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(line.lift_emergency("guardian", "ada").error().code, ErrorCode::kDenied);
  EXPECT_TRUE(line.lift_emergency("operator", "ada"));
  EXPECT_TRUE(line.lift_emergency("operator", "ada"));  // again: nothing new
  EXPECT_EQ(line.lift_emergency("arbiter", "ada").error().code, ErrorCode::kDenied);
  EXPECT_TRUE(line.halted());
  // A later emergency begins anew: who lifted this one has lifted nothing of that.
  ASSERT_TRUE(line.emergency("guardian"));
  EXPECT_TRUE(line.lift_emergency("arbiter", "grace"));
  EXPECT_TRUE(line.halted());
  EXPECT_TRUE(line.lift_emergency("operator", "ada"));
  EXPECT_FALSE(line.halted());
  EXPECT_EQ(line.lift_emergency("operator", "ada").error().code, ErrorCode::kConflict);
}

}  // namespace
}  // namespace anima::govern::council_test
