// What-if before acting, contradictions in what an agent reads, and what may become an episode.
#include <gtest/gtest.h>

#include "agent/loop/agent.h"
#include "agent/loop/detail/effects.h"
#include "agent/loop/replay.h"
#include "memory/names.h"
#include "memory/provenance.h"
#include "store/symbols.h"

namespace anima::agent {
namespace {

// Proposes one statement whenever it is asked.
tools::Proposal road(std::string from, std::string to) {
  tools::Proposal proposal(store::Trust::kOperator);
  proposal.subject = std::move(from);
  proposal.predicate = "road";
  proposal.object = std::move(to);
  return proposal;
}

class Scribe final : public tools::Tool {
 public:
  explicit Scribe(tools::Proposal proposal) : proposal_(std::move(proposal)) {
    info_.name = "scribe";
    info_.capabilities = {"WriteGraph"};
    info_.concepts = {"write", "down", "roads", "towns"};
  }
  const tools::ToolInfo& info() const override { return info_; }
  Result<tools::ToolOutput> run(const tools::ToolInput&, tools::Workbench& bench) const override {
    ANIMA_TRY(bench.propose(proposal_));
    tools::ToolOutput output;
    output.result = "written down";
    return output;
  }

 private:
  tools::ToolInfo info_;
  tools::Proposal proposal_;
};

class ForesightTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.clock = clock_;
    space_ = *store::Space::in_memory(options);
    ASSERT_TRUE(system_files().make_directories(folder_.file("roads")).has_value());
    write("compartment.toml",
          "id = \"roads\"\nname = \"Roads\"\nkind = \"Core\"\ntriples_file = \"t.json\"\n"
          "rules_file = \"r.mg\"\n");
    write("t.json", R"([{"subject": "Ulm", "predicate": "road", "object": "Bonn"}])");
    write("r.mg", "reaches(X, Y) :- road(X, Y).\nreaches(X, Z) :- road(X, Y), reaches(Y, Z).\n");
    manager_ =
        std::make_unique<memory::CompartmentManager>(*space_, system_files(), folder_.path());
    ASSERT_TRUE(manager_->start({}).has_value());
    AgentConfig config;
    config.clock = clock_;
    agent_ = std::move(*Agent::create(*space_, *manager_, system_files(), std::move(config)));
  }
  void write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file("roads/" + name), text).has_value());
  }
  void veto(const std::string& trigger) {
    Psyche psyche = agent_->psyche();
    psyche.shadow.veto_patterns.push_back({"no " + trigger, {trigger}, 1.0, "not that"});
    ASSERT_TRUE(agent_->set_psyche(psyche).has_value());
  }
  // The first cycle in which the scribe acted.
  std::optional<CycleReport> until_written() {
    EXPECT_TRUE(agent_->add_goal("write down roads towns", 128, "never said words").has_value());
    for (int i = 0; i < 12; ++i) {
      auto report = agent_->run_cycle();
      if (!report) return std::nullopt;
      if (report->chosen().tool == "scribe") return std::move(*report);
    }
    return std::nullopt;
  }
  bool holds(const char* s, const char* p, const char* o) {
    const store::Snapshot view = space_->snapshot().value();
    const auto subject = store::find_symbol(view, s), object = store::find_symbol(view, o);
    const auto predicate = store::find_relation(view, p);
    return subject && object && predicate &&
           view.contains(
               {*subject, store::Predicate::link(*predicate), store::Term::entity(*object)});
  }
  std::size_t records(memory::ProvenanceKind kind) {
    memory::ProvenanceLedger ledger(*space_);
    EXPECT_TRUE(ledger.refresh().has_value());
    return ledger.by_kind(kind).size();
  }

  TemporaryDirectory folder_;
  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(Timestamp{1'700'000'000'000'000}, 1'000'000);
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<memory::CompartmentManager> manager_;
  std::unique_ptr<Agent> agent_;
};

TEST_F(ForesightTest, EffectsOnDerivedFactsAreShownAndNothingIsWrittenMeanwhile) {
  const store::Snapshot before = space_->snapshot().value();
  memory::RuleKeeper rules(*space_, *manager_);
  const auto effects =
      detail::foresee(*space_, before, {road("Bonn", "Kiel")}, rules, {}, agent_->psyche());
  ASSERT_TRUE(effects.has_value()) << effects.error().describe();
  EXPECT_EQ(effects->gained,
            (std::vector<std::string>{R"(reaches("Bonn","Kiel"))", R"(reaches("Ulm","Kiel"))"}));
  EXPECT_EQ(effects->lost_total, 0U);
  EXPECT_EQ(effects->vetoed_by, "");
  EXPECT_EQ(space_->snapshot().value().sequence(), before.sequence());
}

TEST_F(ForesightTest, TheDecisionHoldsTheEffects) {
  agent_->tools().add(std::make_unique<Scribe>(road("Bonn", "Kiel")));
  const auto report = until_written();
  ASSERT_TRUE(report.has_value());
  ASSERT_TRUE(report->effects.has_value());
  EXPECT_EQ(report->effects->gained_total, 2U);
  EXPECT_EQ(report->to_json().find("effects")->find("gained")->as_integer(), 2);
  EXPECT_TRUE(holds("Bonn", "road", "Kiel"));
}

// The statement itself is harmless; what follows from it is not.
TEST_F(ForesightTest, AVetoOnWhatWouldFollowStopsTheAction) {
  agent_->tools().add(std::make_unique<Scribe>(road("Bonn", "Kiel")));
  veto("reaches(\"Ulm\",\"Kiel\")");
  const std::uint64_t encounters = agent_->psyche().self_integration.shadow_encounters;
  const auto report = until_written();
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->effects->vetoed_by, "no reaches(\"Ulm\",\"Kiel\")");
  EXPECT_EQ(report->effects->vetoed_fact, "reaches(\"Ulm\",\"Kiel\")");
  EXPECT_EQ(report->vetoed_by, report->effects->vetoed_by);
  EXPECT_FALSE(report->success);
  EXPECT_FALSE(holds("Bonn", "road", "Kiel"));
  EXPECT_EQ(agent_->psyche().self_integration.shadow_encounters, encounters + 1);
  EXPECT_EQ(records(memory::ProvenanceKind::kShadowVeto), 1U);
  EXPECT_FALSE(replay_run(*space_, system_files(), agent_->run())->difference.has_value());
}

TEST_F(ForesightTest, ContradictionsAreNamedBeforeAndMarkedAfter) {
  ASSERT_TRUE(
      space_
          ->write({},
                  [](store::Transaction& transaction) -> Status {
                    ANIMA_ASSIGN(const auto road, transaction.upsert_predicate("road"));
                    const store::Term yes = *transaction.term(store::Value::boolean(true).view());
                    return transaction.set_attribute(road, "functional", std::span(&yes, 1));
                  })
          .has_value());
  agent_->tools().add(std::make_unique<Scribe>(road("Ulm", "Kiel")));
  const auto report = until_written();
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->effects->contradictions.size(), 1U);
  EXPECT_NE(report->effects->contradictions.front().find("road is functional"), std::string::npos);
  EXPECT_EQ(records(memory::ProvenanceKind::kContradiction), 1U);
  EXPECT_TRUE(holds("Ulm", "road", "Bonn"));
  EXPECT_TRUE(holds("Ulm", "road", "Kiel"));

  const auto goal = agent_->add_goal("find out about Ulm", 250);
  ASSERT_TRUE(goal.has_value());
  const auto asked = agent_->run_cycle();
  ASSERT_TRUE(asked.has_value());
  EXPECT_NE(asked->result.find("\"Ulm\" -> road -> \"Bonn\"  [1.00]  (superseded: road is"),
            std::string::npos)
      << asked->result;
  const std::string story = agent_->synthesize_findings(*goal, "terse");
  EXPECT_NE(story.find("Ulm road Kiel"), std::string::npos) << story;
  EXPECT_EQ(story.find("Ulm road Bonn"), std::string::npos) << story;
}

// The same look-up in many cycles gives one episode with what was merged into it, not many.
TEST_F(ForesightTest, NearDuplicatesBecomeOneEpisode) {
  ASSERT_TRUE(agent_->add_goal("find out about Ulm", 128, "never said words").has_value());
  std::size_t persisted = 0, merged = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 5; ++i) (void)agent_->run_cycle();
    const auto outcome = agent_->consolidate();
    ASSERT_TRUE(outcome.has_value());
    persisted += outcome->persisted;
    merged += outcome->merged;
  }
  EXPECT_GT(persisted, 0U);
  EXPECT_GT(merged, 0U);
  const store::Snapshot view = space_->snapshot().value().with_books();
  const auto key = view.find_string("agent:merged");
  ASSERT_TRUE(key.has_value());
  store::Pattern pattern;
  pattern.predicate = store::Predicate::attribute(*key);
  pattern.predicate_class = store::PredicateClass::kAttribute;
  EXPECT_GT(view.count(pattern), 0U);
  EXPECT_FALSE(replay_run(*space_, system_files(), agent_->run())->difference.has_value());
}

// What memory_recall answered never becomes an episode.
TEST_F(ForesightTest, RecalledTextIsNotLearntAgain) {
  const auto label = agent_->add_goal("find out about Ulm", 128, "never said words");
  ASSERT_TRUE(label.has_value());
  bool recalled = false;
  for (int i = 0; i < 40; ++i) {
    const auto report = agent_->run_cycle();
    if (!report) {
      ASSERT_TRUE(agent_->add_goal("find out about Ulm again", 128, "never said").has_value());
      continue;
    }
    recalled = recalled || report->chosen().tool == "memory_recall";
    if (i % 6 == 5) {
      ASSERT_TRUE(agent_->consolidate().has_value());
    }
  }
  EXPECT_TRUE(recalled);
  const store::Snapshot view = space_->snapshot().value().with_books();
  const auto key = view.find_string("agent:has_summary");
  ASSERT_TRUE(key.has_value());
  store::Pattern pattern;
  pattern.predicate = store::Predicate::attribute(*key);
  pattern.predicate_class = store::PredicateClass::kAttribute;
  store::Cursor cursor = view.scan(pattern);
  store::Triple batch[256];
  const std::size_t count = cursor.next(batch);
  EXPECT_GT(count, 0U);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view text = view.value(batch[i].object).text;
    EXPECT_EQ(text.find("episode:"), std::string_view::npos) << text;
  }
}

}  // namespace
}  // namespace anima::agent
