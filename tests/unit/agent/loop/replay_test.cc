// Runs repeated from the log, bit for bit: with reflection, consolidation, vetoes, changes of the
// psyche, answers of tools outside the graph, and writes of others in between. 60 cycles; 1,000
// with ANIMA_TEST_FULL=1.
#include "agent/loop/replay.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "agent/loop/agent.h"
#include "base/random.h"
#include "store/symbols.h"
#include "support/links.h"
#include "support/long_run.h"
#include "tools/user_tool.h"

namespace anima::agent {
namespace {

// A tool whose answers follow from nothing in the graph.
class Oracle final : public tools::Tool {
 public:
  Oracle() {
    info_.name = "oracle";
    info_.description = "says something new each time";
    info_.capabilities = {"Network"};
    info_.concepts = {"oracle", "prophecy", "package", "turn", "find"};
  }
  const tools::ToolInfo& info() const override { return info_; }
  Result<tools::ToolOutput> run(const tools::ToolInput&, tools::Workbench& bench) const override {
    ++asked;
    tools::ToolOutput output;
    output.success = dice.below(3) != 0;
    output.result = "the answer is " + std::to_string(dice.next());
    if (output.success) {
      tools::Proposal prophecy(bench.trust());
      prophecy.subject = "prophecy-" + std::to_string(dice.below(50));
      prophecy.predicate = "foretells";
      prophecy.object = "package-1";
      prophecy.confidence = 0.5;
      ANIMA_TRY(bench.propose(std::move(prophecy)));
    }
    return output;
  }
  static inline SeededRandom dice{99};
  static inline int asked = 0;

 private:
  tools::ToolInfo info_;
};

class ReplayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::SpaceOptions options;
    options.clock = clock_;
    space_ = *store::Space::in_memory(options);
    manager_ = std::make_unique<memory::CompartmentManager>(*space_, system_files(), "/nowhere");
    SeededRandom random(7);
    ASSERT_TRUE(space_
                    ->write({},
                            [&](store::Transaction& transaction) -> Status {
                              for (int i = 0; i < 300; ++i) {
                                ANIMA_TRY(test::link(
                                    transaction, "package-" + std::to_string(random.below(90)),
                                    i % 3 == 0 ? "is-a" : "depends-on",
                                    "package-" + std::to_string(random.below(90))));
                              }
                              return {};
                            })
                    .has_value());
  }
  void begin(AgentConfig config = {}) {
    config.clock = clock_;
    auto made = Agent::create(*space_, *manager_, system_files(), std::move(config));
    ASSERT_TRUE(made.has_value()) << made.error().describe();
    agent_ = std::move(*made);
  }
  void want(std::uint64_t number) {
    ASSERT_TRUE(agent_
                    ->add_goal("find out about package-" + std::to_string(number % 90) + ", turn " +
                                   std::to_string(number),
                               128, "wording that never occurs")
                    .has_value());
  }
  void somebody_writes(std::uint64_t number) {
    test::link(*space_, {{"package-" + std::to_string(number % 90), "seen-by",
                          "somebody " + std::to_string(number)}});
  }
  void work(std::uint64_t cycles) {
    std::uint64_t wanted = agent_->cycle();
    want(wanted++);
    for (std::uint64_t i = 0; i < cycles; ++i) {
      if (i % 20 == 10) want(wanted++);
      if (!agent_->run_cycle()) want(wanted++);
      if (i % 7 == 3) somebody_writes(i);
    }
  }
  void expect_identical(store::Sequence run) {
    const auto report = replay_run(*space_, system_files(), run);
    ASSERT_TRUE(report.has_value()) << report.error().describe();
    EXPECT_FALSE(report->difference.has_value())
        << "step " << report->difference->step << " " << report->difference->call << ": "
        << report->difference->difference;
    EXPECT_EQ(report->repeated, report->run.steps);
  }

  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(Timestamp{1'700'000'000'000'000}, 1000);
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<memory::CompartmentManager> manager_;
  std::unique_ptr<Agent> agent_;
};

TEST_F(ReplayTest, LongRunIsBitExact) {
  begin();
  work(test::cycles_to_run());
  EXPECT_GT(agent_->cycle(), test::cycles_to_run() / 2);
  expect_identical(agent_->run());
}

TEST_F(ReplayTest, EveryCallIsRepeated) {
  begin();
  work(8);
  Psyche psyche = agent_->psyche();
  psyche.archetypes.guardian = 0.9;
  psyche.shadow.veto_patterns.push_back({"no_reason", {"tool=reason"}, 0.7, "not now"});
  ASSERT_TRUE(agent_->set_psyche(psyche).has_value());
  const auto next = agent_->deliberate();
  ASSERT_TRUE(next.has_value());
  ASSERT_TRUE(agent_->forbid(next->goal, next->chosen().tool, next->chosen().input).has_value());
  work(6);
  ASSERT_TRUE(agent_->reflect().has_value());
  ASSERT_TRUE(agent_->consolidate().has_value());
  ASSERT_TRUE(agent_->set_goal_status(agent_->goals().all().front().label, GoalStatus::kSuspended)
                  .has_value());
  work(4);
  expect_identical(agent_->run());
}

TEST_F(ReplayTest, ResumedRunsAreRunsOfTheirOwn) {
  begin();
  work(12);
  const store::Sequence first = agent_->run();
  begin();
  work(12);
  EXPECT_NE(agent_->run(), first);
  AgentConfig config;
  config.fresh = true;
  config.reflection.every_n_cycles = 3;
  begin(config);
  work(12);
  const auto runs = list_runs(*space_);
  ASSERT_TRUE(runs.has_value());
  ASSERT_EQ(runs->size(), 3U);
  EXPECT_EQ(runs->front().run, first);
  EXPECT_EQ(runs->back().run, agent_->run());
  for (const RunInfo& run : *runs) expect_identical(run.run);
}

TEST_F(ReplayTest, OutsideToolsAreNotAskedAgain) {
  begin();
  agent_->tools().add(std::make_unique<Oracle>());
  Oracle::asked = 0;
  work(20);
  EXPECT_GT(Oracle::asked, 0);
  const int asked = Oracle::asked;
  expect_identical(agent_->run());
  EXPECT_EQ(Oracle::asked, asked);
}

TEST_F(ReplayTest, ThePersonIsNotAskedAgain) {
  begin();
  int asked = 0;
  agent_->tools().add(tools::make_user_interact(
      [&](const std::string&) { return std::optional("answer " + std::to_string(++asked)); }));
  ASSERT_TRUE(agent_->add_goal("ask the user a question to confirm a preference").has_value());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(agent_->run_cycle().has_value());
  EXPECT_GT(asked, 0);
  const int once = asked;
  expect_identical(agent_->run());
  EXPECT_EQ(asked, once);
}

// A tool that brings back a model's words, as a room of models will offer one.
class Muse final : public tools::Tool {
 public:
  Muse() {
    info_.name = "muse";
    info_.capabilities = {"Model"};
    info_.concepts = {"muse", "poem", "verse", "rhyme"};
  }
  const tools::ToolInfo& info() const override { return info_; }
  Result<tools::ToolOutput> run(const tools::ToolInput&, tools::Workbench&) const override {
    tools::ToolOutput output;
    output.result = "verse " + std::to_string(++asked);
    return output;
  }
  static inline int asked = 0;

 private:
  tools::ToolInfo info_;
};

// Answers of tools, of the person and of a model are kept as what they are, and given again in the
// order in which they came.
TEST_F(ReplayTest, EveryKindOfAnswerFromOutsideIsKeptByItsKind) {
  begin();
  agent_->tools().add(std::make_unique<Oracle>());
  agent_->tools().add(std::make_unique<Muse>());
  agent_->tools().add(
      tools::make_user_interact([](const std::string&) { return std::optional("yes"); }));
  ASSERT_TRUE(agent_->add_goal("ask the user a question to confirm a preference", 200, "no words")
                  .has_value());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(agent_->run_cycle().has_value());
  ASSERT_TRUE(
      agent_->add_goal("let the muse make a poem, verse and rhyme", 255, "no words").has_value());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(agent_->run_cycle().has_value());
  while (!agent_->goals().active().empty()) {
    const std::string label = agent_->goals().active().front()->label;
    ASSERT_TRUE(agent_->set_goal_status(label, GoalStatus::kFailed).has_value());
  }
  work(30);
  std::map<std::string, std::set<store::RecordKind>> kinds;
  ASSERT_TRUE(space_
                  ->changes(store::Sequence::kNone,
                            [&](const store::LogEntry& entry) {
                              return store::visit_all_records(
                                  space_->log(), entry,
                                  [&](store::RecordKind kind, std::string_view payload) {
                                    const auto json = parse_json(payload);
                                    const Json* who = json ? json->find("answerer") : nullptr;
                                    if (who != nullptr) kinds[who->as_string()].insert(kind);
                                    return Status{};
                                  });
                            })
                  .has_value());
  using store::RecordKind;
  EXPECT_EQ(kinds["tool"], std::set<RecordKind>{RecordKind::kToolOutput});
  EXPECT_EQ(kinds["person"], std::set<RecordKind>{RecordKind::kToolOutput});
  EXPECT_EQ(kinds["model"], std::set<RecordKind>{RecordKind::kModelAnswer});
  const int asked = Muse::asked;
  expect_identical(agent_->run());
  EXPECT_EQ(Muse::asked, asked);
}

// Rules that follow the log from cycle to cycle, one of which asks for the time; others write in
// between, and what the agent writes changes what the rules derive.
TEST_F(ReplayTest, RulesAnswerFromEachCyclesOwnSnapshotAndTime) {
  TemporaryDirectory folder;
  const auto write = [&](const std::string& name, std::string_view text) {
    ASSERT_TRUE(system_files().make_directories(folder.file("reach")).has_value());
    ASSERT_TRUE(replace_file(system_files(), folder.file("reach/" + name), text).has_value());
  };
  write("compartment.toml",
        "id = \"reach\"\nname = \"Reach\"\nkind = \"Core\"\nrules_file = \"r.mg\"\n"
        "questions_file = \"q.toml\"\n");
  write("r.mg",
        "Decl seen_by(X, Y).\nDecl foretells(X, Y).\n"
        "needs(X, Y) :- depends_on(X, Y).\nneeds(X, Z) :- depends_on(X, Y), needs(Y, Z).\n"
        "lonely(X) :- seen_by(X, _), !needs(X, _).\nfated(Y, X) :- foretells(X, Y), needs(Y, _).\n"
        "tick(T) :- seen_by(_, _), T = fn:time:to_unix_nanos(fn:time:now()).\n");
  write("q.toml",
        "[[question]]\nname = \"tick\"\nask = [\"what time is it for {who}\"]\n"
        "query = \"tick(T)\"\nanswer = \"{count} tick{s} for {who}\"\n");
  manager_ = std::make_unique<memory::CompartmentManager>(*space_, system_files(), folder.path());
  ASSERT_TRUE(manager_->start({}).has_value());
  begin();
  agent_->tools().add(std::make_unique<Oracle>());
  std::size_t derived = 0, foreseen = 0, ticks = 0;
  const std::uint64_t cycles = test::cycles_to_run();
  for (std::uint64_t i = 0; i < cycles; ++i) {
    if (i % 20 == 0) want(i);
    if (i % 20 == 5) {
      ASSERT_TRUE(agent_->add_goal("What time is it for everyone" + std::to_string(i) + "?", 200)
                      .has_value());
    }
    const auto report = agent_->run_cycle();
    if (!report) {
      want(i + 1000);
      continue;
    }
    if (report->result.find("derived facts") != std::string::npos) ++derived;
    if (report->result.find(" for everyone") != std::string::npos) ++ticks;
    if (report->effects && report->effects->gained_total > 0) ++foreseen;
    if (i % 7 == 3) somebody_writes(i);
  }
  EXPECT_GT(derived, 0U);
  EXPECT_GT(ticks, 0U);
  EXPECT_GT(foreseen, 0U);
  expect_identical(agent_->run());
}

// An entry of somebody else that comes between what a cycle reads and what it writes.
TEST_F(ReplayTest, WritesInTheMiddleOfACycle) {
  AgentConfig config;
  std::uint64_t turn = 0;
  config.before_write = [&]() -> Status {
    if (++turn % 3 == 0) somebody_writes(turn);
    return {};
  };
  begin(std::move(config));
  work(15);
  expect_identical(agent_->run());
}

// A run whose log says something else than what the agent does: the step and the place are named.
TEST_F(ReplayTest, ADifferenceIsNamed) {
  begin();
  work(5);
  const std::uint64_t run = static_cast<std::uint64_t>(agent_->run());
  const auto head = space_->snapshot().value().sequence();
  const std::uint64_t steps = (*list_runs(*space_)).front().steps;
  const Json record = Json::object({{"run", run},
                                    {"step", steps + 1},
                                    {"call", "run_cycle"},
                                    {"arguments", Json::object()},
                                    {"from", static_cast<std::uint64_t>(head)},
                                    {"now", 1'700'000'100'000'000}});
  ASSERT_TRUE(space_
                  ->write({},
                          [&](store::Transaction& transaction) -> Status {
                            ANIMA_TRY(transaction.attach(store::RecordKind::kDecision,
                                                         "{\"type\":\"cycle\",\"cycle\":12345}"));
                            return transaction.attach(store::RecordKind::kRun, record.dump());
                          })
                  .has_value());
  const auto report = replay_run(*space_, system_files(), store::Sequence{run});
  ASSERT_TRUE(report.has_value()) << report.error().describe();
  EXPECT_EQ(report->repeated, steps);
  ASSERT_TRUE(report->difference.has_value());
  EXPECT_EQ(report->difference->step, steps + 1);
  EXPECT_NE(report->difference->difference.find("12345"), std::string::npos)
      << report->difference->difference;
}

TEST_F(ReplayTest, UnknownRun) {
  const auto report = replay_run(*space_, system_files(), store::Sequence{77});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace anima::agent
