// Rows L1 to L12, L26 to L28 of the acceptance table: counters, promotion, rehydration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/campaign.h"
#include "unit/learn/world.h"

namespace anima::learn::learner_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Learning : public test::World {};

TEST_F(Learning, L1_KeysDivideAtTheFirstColon) {
  for (int i = 0; i < 3; ++i) reject("coder", "a:b", "r");
  const auto counts = store_->patterns("coder");
  ASSERT_TRUE(counts.has_value());
  ASSERT_EQ(counts->size(), 1U);
  EXPECT_EQ((*counts)[0].n, 3);
  const PatternParts parts = parts_of_key(PatternKind::kRejection, (*counts)[0].key);
  EXPECT_EQ(parts.first, "a:b");
  EXPECT_EQ(parts.second, "r");
  EXPECT_EQ(parts_of_key(PatternKind::kRejection, rejection_key("100%3A:x→y", "z:w")).first,
            "100%3A:x→y");
}

TEST_F(Learning, L2_TwoAreNoPattern) {
  reject("coder", "edit", "too long");
  EXPECT_THAT(reject("coder", "edit", "too long").saves, IsEmpty());
  EXPECT_THAT(ask("preference_signal(X)"), IsEmpty());
  EXPECT_THAT(everything("coder"), IsEmpty());
}

TEST_F(Learning, L3_ThreeStrikes) {
  for (int i = 0; i < 3; ++i) reject("coder", "edit", "too long");
  EXPECT_THAT(ask("preference_signal(X)"), ElementsAre(R"(preference_signal("edit:too long"))"));
  EXPECT_THAT(ask("promote_to_long_term(T, V)"),
              ElementsAre(R"(promote_to_long_term(/avoid_pattern,"too long"))"));
  const auto rows = everything("coder");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(describe(rows[0].predicate, rows[0].arguments), R"(avoid_pattern("too long"))");
  EXPECT_EQ(rows[0].confidence, 1.0);
}

TEST_F(Learning, L4_ThresholdsAreConfigured) {
  LearnerOptions options;
  options.thresholds.rejection = 5;
  open({}, options);
  for (int i = 0; i < 4; ++i) reject("coder", "edit", "too long");
  EXPECT_THAT(everything("coder"), IsEmpty());
  reject("coder", "edit", "too long");
  EXPECT_EQ(everything("coder").size(), 1U);
  options.thresholds.rejection = 0;
  EXPECT_FALSE(Learner::open(*store_, options).has_value());
}

TEST_F(Learning, L5_CountsSurvive) {
  reject("coder", "edit", "too long");
  reject("coder", "edit", "too long");
  open();
  reject("coder", "edit", "too long");
  EXPECT_EQ(everything("coder").size(), 1U);
  // What nobody saw for thirty days begins at nothing.
  reject("coder", "edit", "loud");
  reject("coder", "edit", "loud");
  pass(31 * test::kDay);
  EXPECT_EQ(reject("coder", "edit", "loud").n, 1);
}

TEST_F(Learning, L6_ReasonsAreNormalised) {
  for (const char* reason : {"open /tmp/a1: denied", "open /tmp/b2: denied", "open /x: denied"})
    reject("coder", "read", reason);
  const auto counts = store_->patterns("coder");
  ASSERT_EQ(counts->size(), 1U);
  EXPECT_EQ((*counts)[0].n, 3);
  EXPECT_EQ((*counts)[0].example, "open /x: denied");
  EXPECT_EQ(normalise_reason("open /tmp/a1: denied"), "open <path>: denied");
  EXPECT_EQ(normalise_reason("  Line 12,\tcolumn 7 of \"a b.cc\"  "),
            "line <n>, column <n> of <q>");
  EXPECT_EQ(normalise_reason("src/a/b.cc:12: don't"), "<path>:<n>: don't");
  EXPECT_EQ(normalise_reason("hash 9f86d081884c is a facade"), "hash <hex> is a facade");
  EXPECT_EQ(normalise_reason("STYLE:  Concise"), "style:concise");
  EXPECT_EQ(normalise_reason("ä" + std::string(200, 'x')).size(), 120U);
  const std::string cut = normalise_reason(std::string(119, 'x') + "ää");
  EXPECT_EQ(cut, std::string(119, 'x'));  // on a boundary
}

TEST_F(Learning, L7_CountFactsAreFunctional) {
  for (int i = 0; i < 3; ++i) reject("coder", "edit", "r");
  EXPECT_THAT(ask("rejection_count(P, N)"), ElementsAre(R"(rejection_count("edit:r",3))"));
  EXPECT_THAT(ask("shard_rejection_count(S, P, N)"),
              ElementsAre(R"(shard_rejection_count(/coder,"edit:r",3))"));
}

TEST_F(Learning, L8_ShardsAreNotAddedUp) {
  reject("coder", "edit", "r");
  reject("coder", "edit", "r");
  reject("tester", "edit", "r");
  EXPECT_THAT(ask("preference_signal(X)"), IsEmpty());
  EXPECT_THAT(ask("rejection_count(P, N)"), ElementsAre(R"(rejection_count("edit:r",2))"));
}

TEST_F(Learning, L9_ALearningLandsInItsShard) {
  reject("coder", "edit", "r");
  for (int i = 0; i < 3; ++i) reject("tester", "edit", "r");
  EXPECT_THAT(everything("coder"), IsEmpty());
  EXPECT_EQ(everything("tester").size(), 1U);
  EXPECT_TRUE(file_exists(system_files(), folder() + "/tester_learnings.db"));
}

TEST_F(Learning, L10_Classification) {
  const std::pair<const char*, const char*> rows[] = {
      {"style:concise", R"(style_preference("concise"))"},
      {"tool:ask first", R"(tool_preference("ask first"))"},
      {"lang:go:error_handling", R"(language_hint("go:error_handling"))"},
      {"pattern:unwrap", R"(avoid_pattern("unwrap"))"},
      {"lang:nothing more", R"(avoid_pattern("lang:nothing more"))"},
      {"too slow", R"(avoid_pattern("too slow"))"}};
  for (const auto& row : rows) {
    pass(test::kDay);
    for (int i = 0; i < 3; ++i) reject("coder", "edit", row.first);
    const auto all = everything("coder");
    EXPECT_TRUE(std::ranges::any_of(all, [&](const learn::Learning& each) {
      return describe(each.predicate, each.arguments) == row.second;
    })) << row.first;
  }
  for (int i = 0; i < 3; ++i) reject("tester", "manual_review", "whatever");
  EXPECT_EQ(describe("tool_preference", everything("tester")[0].arguments),
            R"(tool_preference("manual_review"))");
}

TEST_F(Learning, L11_Acceptance) {
  accept("coder", "edit");
  accept("coder", "edit");
  EXPECT_THAT(everything("coder"), IsEmpty());
  accept("coder", "edit");
  const auto rows = everything("coder");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(describe(rows[0].predicate, rows[0].arguments), R"(preferred_pattern("edit"))");
  EXPECT_THAT(ask("preference_signal(X)"), IsEmpty());
}

TEST_F(Learning, L12_FurtherHitsReinforce) {
  for (int i = 0; i < 3; ++i) reject("coder", "edit", "r");
  sql("coder", "UPDATE learnings SET confidence = 0.5");
  pass(3 * test::kDay);
  const Tracked more = reject("coder", "edit", "r");
  ASSERT_EQ(more.saves.size(), 1U);
  EXPECT_EQ(more.saves[0].end, SaveEnd::kReinforced);
  const auto rows = everything("coder");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_DOUBLE_EQ(rows[0].confidence, 0.6);
  EXPECT_EQ(rows[0].learned_at, clock_.now());
  EXPECT_EQ(rows[0].reinforcements, 1);
}

TEST_F(Learning, CorrectionsAndFailures) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(learner_->track_correction("coder", "a: b", "c").has_value());
    // What a tool says of its failure is never a wish, whatever it looks like.
    ASSERT_TRUE(learner_->track_failure("coder", "edit", "style:concise").has_value());
    ASSERT_TRUE(learner_->track_success("coder", "edit").has_value());
  }
  std::vector<std::string> facts;
  for (const auto& each : everything("coder"))
    facts.push_back(describe(each.predicate, each.arguments));
  EXPECT_THAT(facts, ElementsAre(R"(correction_pattern("a: b", "c"))",
                                 R"(failure_pattern("edit", "style:concise"))",
                                 R"(success_pattern("edit"))"));
  EXPECT_THAT(ask("preference_signal(X)"), IsEmpty());
}

TEST_F(Learning, L26_RehydrationAssertsFacts) {
  for (int i = 0; i < 3; ++i) reject("coder", "edit", "pattern:unwrap");
  open();
  ASSERT_TRUE(learner_->assert_fact(R"x(code_contains("a.rs", 7, ".unwrap()"))x").has_value());
  EXPECT_THAT(ask("code_style_violation(F, L, W)"), IsEmpty());
  ASSERT_TRUE(learner_->rehydrate("coder").has_value());
  EXPECT_THAT(ask("avoid_pattern(X)"), ElementsAre(R"(avoid_pattern("unwrap"))"));
  EXPECT_THAT(ask("code_style_violation(F, L, W)"),
              ElementsAre(R"(code_style_violation("a.rs",7,"avoid_pattern_unwrap"))"));
  EXPECT_EQ(ask("clarification_needed(X)").size(), 1U);
  // The source's own example of a further rule.
  LearnerOptions options;
  options.rules =
      "Decl writes(F). writes(\"x\"). next_action(/ask_first) :- writes(F), "
      "avoid_pattern(\"unwrap\").";
  open({}, options);
  ASSERT_TRUE(learner_->rehydrate("coder").has_value());
  EXPECT_THAT(ask("next_action(X)"), ElementsAre("next_action(/ask_first)"));
}

TEST_F(Learning, L27_TypesComeBack) {
  EXPECT_TRUE(save("coder", "tagged", R"(["/go", 3, 3.0])").saved());
  open();
  ASSERT_TRUE(learner_->rehydrate("coder").has_value());
  EXPECT_THAT(ask("tagged(A, B, C)"), ElementsAre("tagged(/go,3,3.0)"));
}

TEST_F(Learning, L28_OneMoreAfterARestartReinforces) {
  for (int i = 0; i < 3; ++i) reject("coder", "edit", "r");
  pass(40 * test::kDay);  // the counter is gone, the learning is not
  open();
  ASSERT_TRUE(learner_->rehydrate("coder").has_value());
  const Tracked more = reject("coder", "edit", "r");
  EXPECT_EQ(more.n, 4);
  ASSERT_EQ(more.saves.size(), 1U);
  EXPECT_EQ(more.saves[0].end, SaveEnd::kReinforced);
  EXPECT_EQ(everything("coder").size(), 1U);
}

TEST_F(Learning, WhatWasRefusedForItsRateIsSavedLater) {
  for (int i = 0; i < 10; ++i) save("coder", "avoid_pattern", "[\"x" + std::to_string(i) + "\"]");
  Tracked tracked;
  for (int i = 0; i < 3; ++i) tracked = reject("coder", "edit", "r");
  ASSERT_EQ(tracked.saves.size(), 1U);
  EXPECT_EQ(tracked.saves[0].end, SaveEnd::kRateLimited);
  EXPECT_EQ(everything("coder").size(), 10U);
  pass(60 * test::kSecond);
  Shard shard(*learner_, "coder");
  ASSERT_EQ(shard.persist_learnings()->size(), 1U);
  EXPECT_EQ(everything("coder").size(), 11U);
  EXPECT_THAT(*shard.persist_learnings(), IsEmpty());
}

TEST_F(Learning, OnlyTheOwnersWordCountsAsTheOwners) {
  const auto told = [&](store::Trust trust, int i) {
    return learner_->track_rejection("owner", "shell:execute rm", "no",
                                     {.trust = trust, .evidence = std::to_string(i)});
  };
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(told(store::Trust::kVerified, i)->counted);
    EXPECT_FALSE(told(store::Trust::kHostile, i)->counted);
  }
  EXPECT_THAT(everything("owner"), IsEmpty());
  EXPECT_THAT(*store_->patterns("owner"), IsEmpty());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(told(store::Trust::kOperator, i)->counted);
    EXPECT_FALSE(told(store::Trust::kOperator, i)->counted);  // the same is told of again
  }
  EXPECT_EQ(everything("owner").size(), 2U);
  for (const auto& each : everything("owner")) EXPECT_EQ(each.trust, store::Trust::kOperator);
}

TEST_F(Learning, WhatTheOwnerRefusedIsSetAsideUntilTakenBack) {
  const std::vector<std::pair<std::string, std::string>> proposals = {{"1", "shell:execute rm"},
                                                                      {"2", "shell:execute ls"}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(*learner_->set_aside(proposals), IsEmpty());
    ASSERT_TRUE(learner_
                    ->track_rejection("owner", "shell:execute rm", "too risky",
                                      {.trust = store::Trust::kOperator})
                    .has_value());
  }
  const auto aside = learner_->set_aside(proposals);
  ASSERT_EQ(aside->size(), 1U);
  EXPECT_EQ((*aside)[0].call, "1");
  EXPECT_EQ((*aside)[0].reason, "too risky");
  EXPECT_TRUE(*learner_->forget("owner", "avoid_action",
                                test::args(R"(["shell:execute rm", "too risky"])")));
  EXPECT_THAT(*learner_->set_aside(proposals), IsEmpty());
  open();  // and it does not come back
  ASSERT_TRUE(learner_->rehydrate("owner").has_value());
  EXPECT_THAT(*learner_->set_aside(proposals), IsEmpty());
  EXPECT_EQ(learner_
                ->track_rejection("owner", "shell:execute rm", "too risky",
                                  {.trust = store::Trust::kOperator})
                ->n,
            1);
  // What somebody else taught of the same action sets nothing aside.
  EXPECT_TRUE(save("owner", "avoid_action", R"(["shell:execute ls", "x"])").saved());
  ASSERT_TRUE(learner_->rehydrate("owner").has_value());
  EXPECT_THAT(*learner_->set_aside(proposals), IsEmpty());
}

TEST_F(Learning, ARejectionThatWasTakenBackIsNotCounted) {
  const auto told = [&](const char* id) {
    return learner_->track_rejection("owner", "a", "r",
                                     {.trust = store::Trust::kOperator, .evidence = id});
  };
  EXPECT_EQ(told("1")->n, 1);
  EXPECT_EQ(told("2")->n, 2);
  ASSERT_TRUE(learner_->take_back("owner", "2").has_value());
  ASSERT_TRUE(learner_->take_back("owner", "2").has_value());
  EXPECT_EQ(told("3")->n, 2);
  EXPECT_THAT(everything("owner"), IsEmpty());
}

TEST_F(Learning, G1_G2_APhaseThatWorkedOut) {
  CampaignLearner campaign(*learner_, "migrate");
  EXPECT_THAT(*campaign.phase({"p1", "schema", PhaseState::kRunning, true}), IsEmpty());
  EXPECT_THAT(*campaign.phase({"p1", "schema", PhaseState::kFailed, true}), IsEmpty());
  // G2: without its checkpoint it teaches nothing.
  EXPECT_THAT(*campaign.phase({"p1", "schema", PhaseState::kCompleted, false}), IsEmpty());
  EXPECT_THAT(everything("campaign"), IsEmpty());
  EXPECT_EQ(campaign.phase({"p1", "schema", PhaseState::kCompleted, true})->size(), 1U);
  const auto rows = everything("campaign");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].predicate, "phase_success");
  EXPECT_EQ(rows[0].arguments.dump(), R"(["schema"])");
  EXPECT_EQ(rows[0].campaign, "migrate");
}

TEST_F(Learning, G3_AFailedTask) {
  CampaignLearner campaign(*learner_, "migrate");
  EXPECT_THAT(*campaign.phase({"p1", "schema", PhaseState::kRunning, false}), IsEmpty());
  EXPECT_THAT(*campaign.task({"t1", "p1", "test", false, ""}), IsEmpty());
  EXPECT_EQ(campaign.task({"t2", "p1", "test", true, "3 of 9 failed"})->size(), 1U);
  const auto rows = everything("campaign");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].predicate, "avoid_error");
  EXPECT_EQ(rows[0].arguments.dump(), R"(["test","<n> of <n> failed"])");
}

TEST_F(Learning, G4_AFailedTaskOfAnotherCampaignSaysNothing) {
  CampaignLearner other(*learner_, "other"), mine(*learner_, "mine");
  ASSERT_TRUE(
      other.task({"t", "p", "fetch", true, "lost"}).has_value());  // of a phase nobody began
  EXPECT_THAT(*mine.phase({"p", "plan", PhaseState::kRunning, false}), IsEmpty());
  EXPECT_THAT(everything("campaign"), IsEmpty());
  // What it fails of is its own, whoever looks next.
  EXPECT_EQ(other.phase({"p", "plan", PhaseState::kRunning, false})->size(), 1U);
  EXPECT_THAT(*mine.phase({"p", "plan", PhaseState::kFailed, false}), IsEmpty());
  ASSERT_EQ(everything("campaign").size(), 1U);
  EXPECT_EQ(everything("campaign")[0].campaign, "other");
}

TEST_F(Learning, G5_AgainIsNoNews) {
  CampaignLearner campaign(*learner_, "migrate");
  ASSERT_TRUE(campaign.phase({"p1", "schema", PhaseState::kCompleted, true}).has_value());
  ASSERT_TRUE(campaign.task({"t1", "p1", "test", true, "lost"}).has_value());
  for (int i = 0; i < 10; ++i) {
    pass(test::kSecond);
    EXPECT_THAT(*campaign.phase({"p1", "schema", PhaseState::kCompleted, true}), IsEmpty());
    EXPECT_THAT(*campaign.task({"t1", "p1", "test", true, "lost"}), IsEmpty());
  }
  EXPECT_EQ(ask("campaign_learning(C, T, TT, E, At)").size(), 1U);
  ASSERT_EQ(everything("campaign").size(), 2U);
  for (const auto& each : everything("campaign")) EXPECT_EQ(each.reinforcements, 0);
}

TEST_F(Learning, G6_TheSameErrorOfAnotherPath) {
  CampaignLearner first(*learner_, "migrate"), second(*learner_, "migrate again");
  ASSERT_TRUE(first.phase({"p1", "schema", PhaseState::kRunning, false}).has_value());
  EXPECT_EQ(first.task({"t1", "p1", "shell:execute", true, "open /tmp/a: denied"})->size(), 1U);
  // Within one campaign it is said once.
  EXPECT_THAT(*first.task({"t2", "p1", "shell:execute", true, "open /tmp/b: denied"}), IsEmpty());
  ASSERT_TRUE(second.phase({"p1", "schema", PhaseState::kRunning, false}).has_value());
  const auto again = second.task({"t1", "p1", "shell:execute", true, "open /var/c: denied"});
  ASSERT_EQ(again->size(), 1U);
  EXPECT_EQ((*again)[0].end, SaveEnd::kReinforced);
  ASSERT_EQ(everything("campaign").size(), 1U);
  EXPECT_EQ(everything("campaign")[0].reinforcements, 1);
}

TEST_F(Learning, G7_TheNextPlanIsWarned) {
  CampaignLearner first(*learner_, "migrate");
  ASSERT_TRUE(first.phase({"p1", "schema", PhaseState::kCompleted, true}).has_value());
  ASSERT_TRUE(first.task({"t1", "p1", "shell:execute", true, "open /tmp/a: denied"}).has_value());
  open();
  ASSERT_TRUE(learner_->rehydrate("campaign").has_value());
  CampaignLearner second(*learner_, "migrate again");
  const auto advice = second.advise({{"1", "shell:execute"}, {"2", "schema"}, {"3", "other"}});
  ASSERT_EQ(advice->warnings.size(), 1U);
  EXPECT_EQ(advice->warnings[0].step, "1");
  EXPECT_EQ(advice->warnings[0].text, "open <path>: denied");
  ASSERT_EQ(advice->hints.size(), 1U);
  EXPECT_EQ(advice->hints[0].step, "2");
  const auto again = second.phase({"p1", "schema", PhaseState::kCompleted, true});
  ASSERT_EQ(again->size(), 1U);
  EXPECT_EQ((*again)[0].end, SaveEnd::kReinforced);
}

}  // namespace
}  // namespace anima::learn::learner_test
