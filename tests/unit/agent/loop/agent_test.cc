// The loop on a real space: rows A1, A8, A12-A14, A19, A20, P5, P6, P17, P19, P20, F2, W5, W7, W8
// and Z1-Z5.
#include "agent/loop/agent.h"

#include <gtest/gtest.h>

#include "agent/mind/episodes.h"
#include "base/text/text.h"
#include "memory/names.h"
#include "memory/provenance.h"
#include "store/own_graphs.h"
#include "store/symbols.h"
#include "support/links.h"

namespace anima::agent {
namespace {

using memory::ProvenanceKind;

class FailingTool final : public tools::Tool {
 public:
  explicit FailingTool(std::string name, std::vector<std::string> concepts = {}) {
    info_.name = std::move(name);
    info_.concepts = std::move(concepts);
  }
  const tools::ToolInfo& info() const override { return info_; }
  Result<tools::ToolOutput> run(const tools::ToolInput&, tools::Workbench&) const override {
    ++runs;
    tools::ToolOutput output;
    output.success = false;
    output.result = "it broke";
    return output;
  }
  static inline int runs = 0;

 private:
  tools::ToolInfo info_;
};

class AgentTest : public ::testing::Test {
 protected:
  void SetUp() override { open_space(); }

  void open_space() {
    agent_.reset();
    manager_.reset();
    space_.reset();
    store::SpaceOptions options;
    options.create = true;
    options.clock = clock_;
    auto space = store::Space::open(folder_.file(folder_of_space_), options);
    ASSERT_TRUE(space.has_value()) << space.error().describe();
    space_ = *space;
    manager_ = std::make_unique<memory::CompartmentManager>(*space_, system_files(),
                                                            folder_.file("compartments"));
    ASSERT_TRUE(manager_->start({}).has_value());
  }
  void start(AgentConfig config = {}) {
    config.clock = clock_;
    auto agent = Agent::create(*space_, *manager_, system_files(), std::move(config));
    ASSERT_TRUE(agent.has_value()) << agent.error().describe();
    agent_ = std::move(*agent);
  }
  void restart(AgentConfig config = {}) {
    open_space();
    start(std::move(config));
  }
  void add(const std::vector<test::Labels>& links) { test::link(*space_, links); }
  CycleReport cycle() {
    auto report = agent_->run_cycle();
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().describe());
    return report ? std::move(*report) : CycleReport{};
  }
  std::vector<memory::ProvenanceRecord> records(ProvenanceKind kind) {
    memory::ProvenanceLedger ledger(*space_);
    EXPECT_TRUE(ledger.refresh().has_value());
    std::vector<memory::ProvenanceRecord> list;
    for (const auto* record : ledger.by_kind(kind)) list.push_back(*record);
    return list;
  }
  void veto(const std::string& trigger) {
    Psyche psyche = agent_->psyche();
    psyche.shadow.veto_patterns.push_back({"no_" + trigger, {trigger}, 1.0, "not here"});
    ASSERT_TRUE(agent_->set_psyche(psyche).has_value());
  }

  TemporaryDirectory folder_;
  std::string folder_of_space_ = "space";
  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(Timestamp{1'700'000'000'000'000}, 1000);
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<memory::CompartmentManager> manager_;
  std::unique_ptr<Agent> agent_;
};

const std::vector<test::Labels> kPlanets = {
    {"Earth", "orbits", "Sun"},  {"Mars", "orbits", "Sun"},   {"Earth", "is-a", "planet"},
    {"Mars", "is-a", "planet"},  {"Sun", "is-a", "star"},     {"Earth", "has", "Moon"},
    {"Moon", "orbits", "Earth"}, {"planet", "is-a", "body"},  {"star", "is-a", "body"},
    {"Venus", "orbits", "Sun"},  {"Venus", "is-a", "planet"}, {"Moon", "is-a", "body"}};

TEST_F(AgentTest, A1_NoGoals) {
  start();
  const auto report = agent_->run_cycle();
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, ErrorCode::kNotFound);
  EXPECT_NE(report.error().message.find("NoGoals"), std::string::npos);
}

// Through the loop, which counts the cycles itself.
TEST_F(AgentTest, A16_StalledGoalIsTakenApart) {
  start();
  ASSERT_TRUE(agent_->add_goal("collect xyzzy, compare plugh", 128, "zzzz qqqq").has_value());
  const std::string parent = goal_label("collect xyzzy, compare plugh");
  for (int i = 1; i <= 4; ++i) {
    EXPECT_TRUE(cycle().new_goals.empty()) << "cycle " << i;
    EXPECT_EQ(agent_->goals().find(parent)->status, GoalStatus::kActive) << "cycle " << i;
  }
  const std::vector<std::string> parts{"goal:collect xyzzy", "goal:compare plugh"};
  EXPECT_EQ(cycle().new_goals, parts);
  EXPECT_EQ(agent_->goals().find(parent)->status, GoalStatus::kSuspended);
  for (const std::string& part : parts) {
    EXPECT_EQ(agent_->goals().find(part)->status, GoalStatus::kActive) << part;
  }
}

TEST_F(AgentTest, A2_A8_FreshGoalKnowsNothing) {
  start();
  ASSERT_TRUE(agent_->add_goal("xyzzy plugh").has_value());
  const CycleReport report = cycle();
  EXPECT_EQ(report.knowledge, 0U);
  EXPECT_EQ(report.chosen().tool, "kg_query");
  EXPECT_NEAR(report.chosen().terms.total(), 0.98, 1e-9);
}

// Nothing that it names is known, and no tool: the first cycle says so, and what is missing.
TEST_F(AgentTest, AGoalThatNothingServesEndsInTheFirstCycle) {
  start();
  add(kPlanets);
  const std::string label = *agent_->add_goal("find the port of xyzzy");
  const CycleReport report = cycle();
  EXPECT_EQ(report.goal_status, GoalStatus::kFailed);
  const std::string failure = agent_->goals().find(label)->failure;
  EXPECT_NE(failure.find("nothing is known about"), std::string::npos) << failure;
  EXPECT_NE(failure.find("xyzzy"), std::string::npos) << failure;
  EXPECT_FALSE(agent_->run_cycle().has_value());
}

TEST_F(AgentTest, TheNameOfAToolIsNoGoal) {
  start();
  add(kPlanets);
  const std::string label = *agent_->add_goal("gap_analysis");
  EXPECT_EQ(cycle().goal_status, GoalStatus::kFailed);
  const std::string failure = agent_->goals().find(label)->failure;
  EXPECT_NE(failure.find("gap_analysis is a tool"), std::string::npos) << failure;
}

// A step of the plan that scores lowest is taken all the same.
TEST_F(AgentTest, ThePlanSteers) {
  start();
  add(kPlanets);
  ASSERT_TRUE(agent_->add_goal("reason about Earth").has_value());
  const std::string strategy = cycle().strategy;
  ASSERT_NE(strategy.find("reason"), std::string::npos) << strategy;
  bool against_the_score = false;
  for (int i = 0; i < 3; ++i) {
    const auto report = agent_->run_cycle();
    if (!report) break;
    double best = 0;
    for (const Candidate& each : report->decision.candidates)
      best = std::max(best, each.terms.total());
    const bool lower = report->chosen().terms.total() < best;
    EXPECT_TRUE(!lower || report->chosen().planned);
    against_the_score = against_the_score || (report->chosen().planned && lower);
  }
  EXPECT_TRUE(against_the_score);
}

// What a cycle notes of a goal is no statement of the knowledge.
TEST_F(AgentTest, WhatIsNotedOfAGoalStaysInTheBooks) {
  start();
  add(kPlanets);
  const std::string label = *agent_->add_goal("connect Earth and write it down", 128, "zzzz qqqq");
  for (int i = 0; i < 6; ++i) (void)agent_->run_cycle();
  const store::Snapshot knowledge = space_->snapshot().value();
  EXPECT_FALSE(store::find_symbol(knowledge, label));
  EXPECT_FALSE(store::find_relation(knowledge, "agent:concerns"));
  for (const store::Predicate predicate : knowledge.predicates(store::PredicateClass::kLink))
    EXPECT_FALSE(store::predicate_label(knowledge, predicate).starts_with("agent:"));
  const store::Snapshot books = knowledge.with_books();
  const auto concerns = store::find_relation(books, "agent:concerns");
  ASSERT_TRUE(concerns);
  store::Pattern noted;
  noted.predicate = store::Predicate::link(*concerns);
  EXPECT_GT(books.count(noted), 0U);
}

TEST_F(AgentTest, GoalsAboutThingsLookThemUp) {
  start();
  add(kPlanets);
  ASSERT_TRUE(agent_->add_goal("find out about Earth").has_value());
  const CycleReport first = cycle();
  EXPECT_EQ(first.chosen().tool, "kg_query");
  EXPECT_EQ(first.chosen().input.at("symbol"), "Earth");
  EXPECT_TRUE(first.success);
  const CycleReport second = cycle();
  EXPECT_GT(second.knowledge, 0U);
  EXPECT_GT(second.inferences, 0U);
  EXPECT_EQ(second.chosen().tool, "similarity_search");  // the plan's next step
  EXPECT_TRUE(second.chosen().planned);
  EXPECT_EQ(second.decision.candidates[1].tool, "kg_mutate");  // the best score
  const std::string story = agent_->synthesize_findings("goal:find out about Earth");
  EXPECT_NE(story.find("Earth orbits Sun"), std::string::npos) << story;
  EXPECT_EQ(story.find("goal:"), std::string::npos) << story;
}

TEST_F(AgentTest, P5_P6_VetoBlocksRecordsAndExcludes) {
  start();
  ASSERT_TRUE(agent_->add_goal("xyzzy plugh").has_value());
  veto("kg_query");
  const CycleReport report = cycle();
  EXPECT_EQ(report.chosen().tool, "kg_query");
  EXPECT_EQ(report.vetoed_by, "no_kg_query");
  EXPECT_EQ(report.result, "VETOED by Shadow pattern 'no_kg_query': not here");
  EXPECT_FALSE(report.success);
  EXPECT_EQ(report.progress.kind, ProgressKind::kNoChange);
  EXPECT_EQ(report.progress.reason, "Shadow veto: no_kg_query");
  EXPECT_EQ(report.goal_status, GoalStatus::kActive);
  EXPECT_EQ(agent_->goals().all()[0].cycles_worked, 1U);
  EXPECT_EQ(agent_->psyche().self_integration.shadow_encounters, 1U);
  const auto vetoes = records(ProvenanceKind::kShadowVeto);
  ASSERT_EQ(vetoes.size(), 1U);
  EXPECT_EQ(static_cast<int>(vetoes[0].kind), 16);
  EXPECT_EQ(vetoes[0].number, 1.0);
  EXPECT_EQ(vetoes[0].derived, agent_->goals().all()[0].symbol);
  const std::string excluded = action_key("kg_query", report.chosen().input);
  for (int i = 0; i < 4 && agent_->goals().all()[0].status == GoalStatus::kActive; ++i) {
    const CycleReport next = cycle();
    EXPECT_NE(action_key(next.chosen().tool, next.chosen().input), excluded);
  }
}

TEST_F(AgentTest, P3_VetoedToolsNeverRun) {
  start();
  agent_->tools().add(std::make_unique<FailingTool>("kg_query"));
  FailingTool::runs = 0;
  ASSERT_TRUE(agent_->add_goal("rm -rf everything").has_value());
  const CycleReport report = cycle();
  EXPECT_EQ(report.vetoed_by, "destructive_action");
  EXPECT_EQ(FailingTool::runs, 0);
}

TEST_F(AgentTest, P8_BiasIsLoggedAndTheToolRuns) {
  start();
  ASSERT_TRUE(agent_->add_goal("xyzzy repeated").has_value());
  const CycleReport report = cycle();
  EXPECT_NEAR(report.bias, 0.3, 1e-12);
  EXPECT_TRUE(report.success);
}

TEST_F(AgentTest, A12_A13_FailingToolFailsPlansThenTheGoal) {
  start();
  add(kPlanets);
  const std::vector<std::string> concepts = {"read", "file", "earth"};
  agent_->tools().add(std::make_unique<FailingTool>("file_io", concepts));
  ASSERT_TRUE(agent_->add_goal("read file /nowhere about Earth").has_value());
  std::vector<std::string> plans;
  for (int i = 0; i < 40 && agent_->goals().all()[0].status == GoalStatus::kActive; ++i) {
    const CycleReport report = cycle();
    if (report.chosen().tool != "file_io") continue;
    EXPECT_FALSE(report.success);
    EXPECT_EQ(report.result, "it broke");
    if (!report.new_plan.empty()) {
      EXPECT_EQ(report.goal_status, GoalStatus::kActive);
      plans.push_back(report.new_plan.substr(0, 9));
    }
  }
  EXPECT_EQ(plans, (std::vector<std::string>{"Attempt 2", "Attempt 3"}));
  EXPECT_EQ(agent_->goals().all()[0].status, GoalStatus::kFailed);
  EXPECT_EQ(agent_->goals().all()[0].failure, "3 plans failed");
}

TEST_F(AgentTest, A14_OneDecisionRecordACycle) {
  start();
  ASSERT_TRUE(agent_->add_goal("xyzzy plugh", 128, "zzzz qqqq").has_value());
  cycle();
  cycle();
  const auto decisions = records(ProvenanceKind::kAgentDecision);
  ASSERT_EQ(decisions.size(), 2U);
  EXPECT_EQ(static_cast<int>(decisions[0].kind), 8);
  EXPECT_EQ(decisions[0].confidence, 0.8);
  EXPECT_EQ(decisions[1].cycle, 2U);
}

TEST_F(AgentTest, OneEntryACycle) {
  start();
  ASSERT_TRUE(agent_->add_goal("xyzzy plugh").has_value());
  const auto before = static_cast<std::uint64_t>(space_->snapshot().value().sequence());
  const CycleReport report = cycle();
  EXPECT_EQ(static_cast<std::uint64_t>(report.sequence), before + 1);
  EXPECT_EQ(space_->snapshot().value().sequence(), report.sequence);
}

TEST_F(AgentTest, A19_A20_RunReflectsAndPersists) {
  start();
  add(kPlanets);
  ASSERT_TRUE(agent_->add_goal("find out about Mars", 128, "zzzz qqqq wwww").has_value());
  std::size_t reflections = 0;
  const auto end = agent_->run_until_complete(5, [&](const CycleReport& report) {
    reflections += report.reflection ? 1 : 0;
    return true;
  });
  ASSERT_TRUE(end.has_value()) << end.error().describe();
  EXPECT_EQ(*end, RunEnd::kMaxCycles);
  EXPECT_EQ(reflections, 1U);
  EXPECT_EQ(agent_->cycle(), 5U);
  restart();
  EXPECT_EQ(agent_->cycle(), 5U);
}

TEST_F(AgentTest, P19_EvolutionIsRecorded) {
  start();
  add(kPlanets);
  ASSERT_TRUE(agent_->add_goal("find out about Mars", 128, "zzzz qqqq wwww").has_value());
  ASSERT_TRUE(agent_->run_until_complete(5).has_value());
  const auto evolutions = records(ProvenanceKind::kPsycheEvolution);
  ASSERT_EQ(evolutions.size(), 1U);
  EXPECT_EQ(static_cast<int>(evolutions[0].kind), 17);
  EXPECT_EQ(evolutions[0].cycle, 5U);
  EXPECT_EQ(evolutions[0].text.rfind("reflection: ", 0), 0U);
}

TEST_F(AgentTest, F2_SuccessIsTheFlag) {
  start();
  add({{"error", "is-a", "failed word"}, {"x", "is-a", "error"}});
  ASSERT_TRUE(agent_->add_goal("find out about error").has_value());
  const CycleReport report = cycle();
  EXPECT_TRUE(report.success);
  EXPECT_NE(report.result.find("error"), std::string::npos);
  EXPECT_EQ(agent_->session().uses.at("kg_query").successes, 1U);
  Psyche psyche = agent_->psyche();
  psyche.shadow.veto_patterns.push_back({"all", {"tool="}, 1.0, ""});
  ASSERT_TRUE(agent_->set_psyche(psyche).has_value());
  const CycleReport vetoed = cycle();
  EXPECT_FALSE(vetoed.vetoed_by.empty());
  const ToolUse& use = agent_->session().uses.at(vetoed.chosen().tool);
  EXPECT_LT(use.successes, use.invocations);
}

TEST_F(AgentTest, P20_StyleFollowsTheCurrentPsyche) {
  start();
  add(kPlanets);
  ASSERT_TRUE(agent_->add_goal("find out about Earth").has_value());
  cycle();
  const std::string label = "goal:find out about Earth";
  EXPECT_NE(agent_->synthesize_findings(label).find("comes up in"), std::string::npos);
  Psyche psyche = agent_->psyche();
  psyche.persona.grammar_preference = "formal";
  ASSERT_TRUE(agent_->set_psyche(psyche).has_value());
  EXPECT_NE(agent_->synthesize_findings(label).find("- Earth orbits Sun (confidence 1.00)"),
            std::string::npos);
  EXPECT_NE(agent_->synthesize_findings(label, "terse").find("Earth orbits Sun [1.00]"),
            std::string::npos);
}

TEST_F(AgentTest, W5_W7_EpisodesAreRecalled) {
  start();
  add(kPlanets);
  ASSERT_TRUE(agent_->add_goal("find out about Earth").has_value());
  cycle();
  const auto outcome = agent_->consolidate();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_GT(outcome->persisted, 0U);
  EXPECT_EQ(agent_->memory().size(), 0U);
  const store::Snapshot snapshot = space_->snapshot().value().with_books();
  const store::EntityId sun = *store::find_symbol(snapshot, "Sun");
  const auto episodes = agent_->recall(std::span(&sun, 1), 5).value();
  ASSERT_FALSE(episodes.empty());
  EXPECT_EQ(episodes[0].label.rfind("episode:1:", 0), 0U);
  EXPECT_LE(agent_->recall(std::span(&sun, 1), 1).value().size(), 1U);
  const store::EntityId episode = episodes[0].entity;
  for (const char* relation : {"agent:learned", "agent:has_tag", "agent:memory_type"}) {
    store::Pattern pattern;
    pattern.subject = episode;
    pattern.predicate = store::Predicate::link(*snapshot.find_predicate(relation));
    EXPECT_GT(snapshot.count(pattern), 0U) << relation;
  }
  for (const char* key : {"agent:has_summary", "agent:consolidation_reason", "agent:from_cycle"}) {
    EXPECT_TRUE(snapshot.attribute(episode, key).has_value()) << key;
  }
  const auto kept = records(ProvenanceKind::kAgentConsolidation);
  EXPECT_EQ(kept.size(), outcome->persisted);
  for (const auto& record : kept) {
    EXPECT_EQ(static_cast<int>(record.kind), 9);
    EXPECT_EQ(record.confidence, record.number);
  }
}

TEST_F(AgentTest, W5_NewestFirst) {
  std::vector<store::EntityId> written;
  store::EntityId symbol{};
  ASSERT_TRUE(space_
                  ->write({},
                          [&](store::Transaction& transaction) -> Status {
                            store::SymbolWriter symbols(transaction, {});
                            ANIMA_ASSIGN(symbol, symbols.entity("Sun"));
                            for (std::uint64_t i = 1; i <= 5; ++i) {
                              Episode episode;
                              episode.session = 1;
                              episode.entry.id = i;
                              episode.entry.symbols = {symbol};
                              episode.entry.time.microseconds = static_cast<std::int64_t>(1000 * i);
                              episode.entry.content = "summary " + std::to_string(i);
                              ANIMA_ASSIGN(const auto entity, write_episode(transaction, episode));
                              written.push_back(entity);
                            }
                            return {};
                          })
                  .has_value());
  const auto recalled = recall_episodes(space_->snapshot().value(), std::span(&symbol, 1), 3);
  ASSERT_EQ(recalled.size(), 3U);
  EXPECT_EQ(recalled[0].entity, written[4]);
  EXPECT_EQ(recalled[0].summary, "summary 5");
  EXPECT_EQ(recalled[2].entity, written[2]);
}

TEST_F(AgentTest, W8_HistorySurvivesConsolidation) {
  start();
  ASSERT_TRUE(agent_->add_goal("xyzzy plugh", 128, "zzzz qqqq").has_value());
  cycle();
  ASSERT_TRUE(agent_->consolidate().has_value());
  const CycleReport report = cycle();
  for (const Candidate& candidate : report.decision.candidates) {
    EXPECT_EQ(candidate.terms.recency, candidate.tool == "kg_query" ? 0.4 : 0.0);
  }
}

TEST_F(AgentTest, Z1_ResumeGivesTheSameState) {
  start();
  add(kPlanets);
  ASSERT_TRUE(agent_->add_goal("find out about Earth and Mars", 200, "zzzz qqqq").has_value());
  ASSERT_TRUE(agent_->run_until_complete(7).has_value());
  const SessionState before = agent_->session();
  restart();
  const SessionState& after = agent_->session();
  EXPECT_EQ(after.cycle, before.cycle);
  EXPECT_EQ(after.memory, before.memory);
  EXPECT_EQ(after.memory.next_id(), before.memory.next_id());
  EXPECT_EQ(after.goals, before.goals);
  EXPECT_EQ(after.psyche, before.psyche);
  EXPECT_EQ(after.history, before.history);
  EXPECT_EQ(after.plans, before.plans);
  EXPECT_EQ(after.vetoed, before.vetoed);
  EXPECT_EQ(after.uses, before.uses);
  EXPECT_TRUE(agent_->take_warnings().empty());
}

TEST_F(AgentTest, Z1_StoppedAndResumedRunsAsIfNeverStopped) {
  const auto tools_of = [&](bool stop) {
    std::vector<std::string> chosen;
    const AgentConfig config;
    folder_of_space_ = stop ? "stopping" : "steady";
    open_space();
    add(kPlanets);
    start(config);
    EXPECT_TRUE(agent_->add_goal("find out about Venus", 128, "zzzz qqqq").has_value());
    for (int i = 0; i < 12 && !agent_->goals().all().empty(); ++i) {
      const auto report = agent_->run_cycle();
      if (!report) break;
      chosen.push_back(report->chosen().tool);
      if (stop && i % 3 == 2) restart(config);
    }
    return chosen;
  };
  const std::vector<std::string> steady = tools_of(false);
  EXPECT_GE(steady.size(), 6U);
  EXPECT_EQ(tools_of(true), steady);
}

TEST_F(AgentTest, Z2_PersistedBeforeCompartmentBeforeDefault) {
  start();
  EXPECT_EQ(agent_->psyche().persona.name, "Scholar");
  const std::string folder = folder_.file("compartments/psyche");
  ASSERT_TRUE(system_files().make_directories(folder).has_value());
  ASSERT_TRUE(replace_file(system_files(), folder + "/compartment.toml",
                           "id = \"psyche\"\nname = \"p\"\nkind = \"Core\"\n")
                  .has_value());
  ASSERT_TRUE(
      replace_file(system_files(), folder + "/psyche.toml", "[persona]\nname = \"Mentor\"\n")
          .has_value());
  AgentConfig config;
  restart(config);
  EXPECT_EQ(agent_->psyche().persona.name, "Mentor");
  EXPECT_EQ(agent_->psyche().shadow, Psyche().shadow);
  Psyche own;
  own.persona.name = "Own";
  ASSERT_TRUE(agent_->set_psyche(own).has_value());
  restart(config);
  EXPECT_EQ(agent_->psyche().persona.name, "Own");
}

TEST_F(AgentTest, P10_ABrokenPsycheFileIsAnErrorUntilItIsMended) {
  const std::string folder = folder_.file("compartments/psyche");
  ASSERT_TRUE(system_files().make_directories(folder).has_value());
  ASSERT_TRUE(replace_file(system_files(), folder + "/compartment.toml",
                           "id = \"psyche\"\nname = \"p\"\nkind = \"Core\"\n")
                  .has_value());
  ASSERT_TRUE(replace_file(system_files(), folder + "/psyche.toml", "[archetypes]\nsage = 7\n")
                  .has_value());
  open_space();
  AgentConfig config;
  config.clock = clock_;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto agent = Agent::create(*space_, *manager_, system_files(), config);
    ASSERT_FALSE(agent.has_value());
    EXPECT_NE(agent.error().describe().find("sage"), std::string::npos) << agent.error().describe();
  }
  ASSERT_TRUE(replace_file(system_files(), folder + "/psyche.toml", "[archetypes]\nsage = 0.7\n")
                  .has_value());
  start();
}

// Until the agent stores a state of its own, too. What else the file says is taken again once it
// has the vetoes.
TEST_F(AgentTest, P11_AFileThatLostAVetoIsToldAndTheVetoHolds) {
  const std::string folder = folder_.file("compartments/psyche");
  const std::string with_veto =
      "[[shadow.veto_patterns]]\nname = \"no_mail\"\ntriggers = [\"mail\", \"post\"]\n"
      "severity = 1.0\nexplanation = \"\"\n";
  ASSERT_TRUE(system_files().make_directories(folder).has_value());
  ASSERT_TRUE(replace_file(system_files(), folder + "/compartment.toml",
                           "id = \"psyche\"\nname = \"p\"\nkind = \"Core\"\n")
                  .has_value());
  ASSERT_TRUE(replace_file(system_files(), folder + "/psyche.toml", with_veto).has_value());
  restart();
  const auto vetoes = agent_->psyche().shadow.veto_patterns;
  EXPECT_TRUE(agent_->take_warnings().empty());
  for (const std::string& text : {std::string(), std::string("[persona]\nname = \"Mentor\"\n"),
                                  replace_all(with_veto, "veto_patterns", "veto_pattern"),
                                  replace_all(with_veto, ", \"post\"", "")}) {
    SCOPED_TRACE(text);
    ASSERT_TRUE(replace_file(system_files(), folder + "/psyche.toml", text).has_value());
    for (int attempt = 0; attempt < 2; ++attempt) {
      restart();
      EXPECT_EQ(agent_->psyche().shadow.veto_patterns, vetoes);
      const auto warnings = agent_->take_warnings();
      ASSERT_FALSE(warnings.empty());
      EXPECT_NE(join(warnings, "\n").find("no_mail"), std::string::npos) << warnings.front();
    }
  }
  ASSERT_TRUE(replace_file(system_files(), folder + "/psyche.toml",
                           with_veto + "[persona]\nname = \"Mentor\"\n")
                  .has_value());
  restart();
  EXPECT_EQ(agent_->psyche().persona.name, "Mentor");
  EXPECT_EQ(agent_->psyche().shadow.veto_patterns, vetoes);
  EXPECT_TRUE(agent_->take_warnings().empty());
}

TEST_F(AgentTest, Z3_FreshIgnoresWhatWas) {
  start();
  ASSERT_TRUE(agent_->add_goal("xyzzy plugh").has_value());
  cycle();
  AgentConfig config;
  config.fresh = true;
  restart(config);
  EXPECT_EQ(agent_->cycle(), 0U);
  EXPECT_TRUE(agent_->goals().all().empty());
  EXPECT_EQ(agent_->session().session, 2U);
}

TEST_F(AgentTest, Z4_ACorruptPartIsIsolated) {
  start();
  veto("xyz");
  ASSERT_TRUE(agent_->add_goal("plugh").has_value());
  cycle();
  const SessionState state = agent_->session();
  ASSERT_TRUE(space_
                  ->write({},
                          [&](store::Transaction& transaction) -> Status {
                            ANIMA_TRY(write_session(transaction, "main", state));
                            return transaction.attach(store::RecordKind::kSession,
                                                      "agent:wm_entries\n{broken");
                          })
                  .has_value());
  restart();
  EXPECT_EQ(agent_->memory().size(), 0U);
  EXPECT_EQ(agent_->psyche(), state.psyche);
  EXPECT_EQ(agent_->cycle(), state.cycle);
  const auto warnings = agent_->take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("agent:wm_entries"), std::string::npos) << warnings[0];
}

TEST_F(AgentTest, Z5_StatusAfterResume) {
  start();
  const auto label = agent_->add_goal("xyzzy plugh");
  ASSERT_TRUE(agent_->set_goal_status(*label, GoalStatus::kSuspended).has_value());
  ASSERT_TRUE(agent_->set_goal_status(*label, GoalStatus::kActive).has_value());
  restart();
  EXPECT_EQ(agent_->goals().find(*label)->status, GoalStatus::kActive);
  ASSERT_TRUE(agent_->set_goal_status(*label, GoalStatus::kSuspended).has_value());
  restart();
  const Goal& goal = *agent_->goals().find(*label);
  EXPECT_EQ(goal.status, GoalStatus::kSuspended);
  const store::Snapshot books = store::in_graph(space_->snapshot().value(), memory::kAgentGraph);
  const auto status = books.attribute(goal.symbol, "agent:has_status");
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(books.value(*status).text, "suspended");  // the one value, as it was replaced
}

}  // namespace
}  // namespace anima::agent
