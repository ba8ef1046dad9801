// Many cycles on one graph: memory that does not grow, decisions whose numbers add up, a psyche
// that moves only as its formulas say, and the same run after a stop. 60 cycles; 1,000 with
// ANIMA_TEST_FULL=1.
#include "support/long_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "agent/loop/agent.h"
#include "base/random.h"
#include "store/symbols.h"
#include "support/psyche_step.h"

namespace anima::agent {
namespace {

// A graph of packages and what they depend on, from a seed.
void grow(store::Space& space) {
  SeededRandom random(7);
  ASSERT_TRUE(space
                  .write({},
                         [&](store::Transaction& transaction) -> Status {
                           store::SymbolWriter symbols(transaction, {});
                           for (int i = 0; i < 400; ++i) {
                             const std::uint64_t from = random.below(120), to = random.below(120);
                             ANIMA_ASSIGN(const store::Triple link,
                                          symbols.link("package-" + std::to_string(from),
                                                       i % 3 == 0 ? "is-a" : "depends-on",
                                                       "package-" + std::to_string(to)));
                             ANIMA_TRY(
                                 transaction.assert_link(link, {}).map([](store::EntityId) {}));
                           }
                           return {};
                         })
                  .has_value());
}

struct World {
  World() {
    store::SpaceOptions options;
    options.clock = clock;
    space = *store::Space::in_memory(options);
    manager = std::make_unique<memory::CompartmentManager>(*space, system_files(), "/nowhere");
    grow(*space);
    begin();
  }
  void begin() {
    AgentConfig config;
    config.clock = clock;
    auto made = Agent::create(*space, *manager, system_files(), std::move(config));
    ASSERT_TRUE(made.has_value()) << made.error().describe();
    agent = std::move(*made);
  }
  void want(std::uint64_t number) {
    const std::string goal = "find out about package-" + std::to_string(number % 120) + ", turn " +
                             std::to_string(number);
    ASSERT_TRUE(agent->add_goal(goal, 128, "wording that never occurs").has_value());
  }

  std::shared_ptr<ManualClock> clock =
      std::make_shared<ManualClock>(Timestamp{1'700'000'000'000'000}, 1000);
  std::shared_ptr<store::Space> space;
  std::unique_ptr<memory::CompartmentManager> manager;
  std::unique_ptr<Agent> agent;
};

std::string trace(const CycleReport& report) {
  Json json = report.to_json();
  return json.dump();
}

TEST(LongRun, MemoryAndPsycheStayWithinTheirRules) {
  World world;
  std::uint64_t wanted = 0;
  for (std::uint64_t i = 0; i < test::cycles_to_run(); ++i) {
    if (world.agent->goals().all().empty() || i % 20 == 0) world.want(wanted++);
    const Psyche before = world.agent->psyche();
    const auto report = world.agent->run_cycle();
    if (!report) {
      world.want(wanted++);
      continue;
    }
    ASSERT_LE(world.agent->memory().size(), 80U);
    for (const Candidate& candidate : report->decision.candidates) {
      const ScoreTerms& terms = candidate.terms;
      const double sum = terms.base - terms.recency + terms.novelty + terms.episodic +
                         terms.pressure + terms.archetype;
      ASSERT_NEAR(terms.total(), std::max(0.0, sum), 1e-12);
    }
    test::expect_psyche_moved(before, world.agent->psyche(), report->reflection.has_value());
  }
  EXPECT_GT(world.agent->cycle(), test::cycles_to_run() / 2);
}

TEST(LongRun, StoppedAndResumedRunsTheSame) {
  const auto run = [](std::uint64_t stop_at) {
    World world;
    world.want(1);
    world.want(2);
    std::vector<std::string> traces;
    for (std::uint64_t i = 0; i < 30; ++i) {
      if (i == stop_at) world.begin();
      const auto report = world.agent->run_cycle();
      if (!report) break;
      traces.push_back(trace(*report));
    }
    return traces;
  };
  const auto whole = run(1000);
  ASSERT_GT(whole.size(), 5U);
  for (const std::uint64_t stop : {1U, 4U, 9U}) EXPECT_EQ(run(stop), whole) << stop;
}

}  // namespace
}  // namespace anima::agent
