// An agent at work on the package graph of this machine: reflection every five cycles, a memory
// that does not grow, numbers that add up, a psyche that moves as its formulas say, the same run
// after a stop, and a bit-exact replay. 60 cycles; 1,000 with ANIMA_TEST_FULL=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "agent/loop/agent.h"
#include "agent/loop/replay.h"
#include "base/random.h"
#include "store/symbols.h"
#include "support/long_run.h"
#include "support/needs.h"
#include "support/psyche_step.h"

namespace anima::agent::debian_agent_test {
namespace {

class DebianAgent : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new TemporaryDirectory("anima-debian-agent");
    const std::string import = "python3 " + std::string(ANIMA_SOURCE_DIR) +
                               "/examples/debian/import.py " + folder->file("pack") +
                               " >/dev/null 2>&1";
    usable =
        file_exists(system_files(), "/var/lib/dpkg/status") && std::system(import.c_str()) == 0;
  }
  static void TearDownTestSuite() { delete folder; }
  void SetUp() override {
    ANIMA_NEEDS(test::kDpkg, usable);
    open_world();
  }
  void open_world() {
    agent_.reset();
    clock_ = std::make_shared<ManualClock>(Timestamp{1'700'000'000'000'000}, 1000);
    store::SpaceOptions options;
    options.clock = clock_;
    space_ = *store::Space::in_memory(options);
    manager_ = std::make_unique<memory::CompartmentManager>(*space_, system_files(), "/nowhere");
    const auto id = manager_->add(folder->file("pack"));
    ASSERT_TRUE(id.has_value()) << id.error().describe();
    ASSERT_TRUE(manager_->load(*id, {}).has_value());
    ASSERT_TRUE(manager_->activate(*id, {}).has_value());
    names_.clear();
    const store::Snapshot view = space_->snapshot().value();
    const auto graph = view.find_graph("urn:anima:compartment:debian");
    ASSERT_TRUE(graph.has_value());
    for (const char* name : {"libc6", "libssl3", "zlib1g", "perl-base", "dpkg", "bash", "coreutils",
                             "libgcc-s1", "debconf", "tar", "grep", "sed", "gzip", "apt"}) {
      if (store::find_symbol(view, name)) names_.emplace_back(name);
    }
    ASSERT_FALSE(names_.empty());
    begin();
  }
  void begin() {
    AgentConfig config;
    config.clock = clock_;
    config.reflection.every_n_cycles = 5;
    auto made = Agent::create(*space_, *manager_, system_files(), std::move(config));
    ASSERT_TRUE(made.has_value()) << made.error().describe();
    agent_ = std::move(*made);
  }
  void want(std::uint64_t number) {
    const std::string goal =
        "look around " + names_[number % names_.size()] + " in turn " + std::to_string(number);
    ASSERT_TRUE(agent_->add_goal(goal, 128, "wording that never occurs").has_value());
  }
  // One cycle; a new goal when there is none left.
  std::optional<CycleReport> cycle(std::uint64_t number) {
    if (number % 20 == 0 || agent_->goals().top() == nullptr) want(wanted_++);
    auto report = agent_->run_cycle();
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().describe());
    if (!report) return std::nullopt;
    return std::move(*report);
  }
  std::vector<std::string> run(std::uint64_t cycles, std::uint64_t stop_at) {
    open_world();
    wanted_ = 0;
    std::vector<std::string> traces;
    for (std::uint64_t i = 0; i < cycles; ++i) {
      if (i == stop_at) begin();
      const auto report = cycle(i);
      if (report) traces.push_back(report->to_json().dump());
    }
    return traces;
  }

  static inline TemporaryDirectory* folder = nullptr;
  static inline bool usable = false;
  std::shared_ptr<ManualClock> clock_;
  std::shared_ptr<store::Space> space_;
  std::unique_ptr<memory::CompartmentManager> manager_;
  std::unique_ptr<Agent> agent_;
  std::vector<std::string> names_;
  std::uint64_t wanted_ = 0;
};

// The printed parts of a reasoning line, added up.
void expect_adds_up(const std::string& line) {
  static const std::regex kParts(
      R"(\[score=([0-9.]+): base=([0-9.]+) recency=-([0-9.]+) novelty=\+([0-9.]+) episodic=\+([0-9.]+) pressure=\+([0-9.]+) archetype=([+-][0-9.]+)\])");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(line, found, kParts)) << line;
  const auto part = [&](std::size_t i) { return std::stod(found[i].str()); };
  const double sum = part(2) - part(3) + part(4) + part(5) + part(6) + part(7);
  ASSERT_NEAR(part(1), std::max(0.0, sum), 0.0151) << line;
}

TEST_F(DebianAgent, RulesHoldForEveryCycleAndTheReplayIsBitExact) {
  std::uint64_t reflections = 0;
  for (std::uint64_t i = 0; i < test::cycles_to_run(); ++i) {
    const Psyche before = agent_->psyche();
    const auto report = cycle(i);
    ASSERT_TRUE(report.has_value());
    ASSERT_LE(agent_->memory().size(), 80U);
    for (const Candidate& candidate : report->decision.candidates) {
      expect_adds_up(reasoning(candidate));
    }
    ASSERT_EQ(report->reflection.has_value(), report->cycle % 5 == 0);
    if (report->reflection) ++reflections;
    test::expect_psyche_moved(before, agent_->psyche(), report->reflection.has_value());
  }
  EXPECT_EQ(reflections, test::cycles_to_run() / 5);
  const auto replay = replay_run(*space_, system_files(), agent_->run());
  ASSERT_TRUE(replay.has_value()) << replay.error().describe();
  EXPECT_FALSE(replay->difference.has_value()) << replay->difference->difference;
  EXPECT_EQ(replay->repeated, replay->run.steps);
  EXPECT_EQ(replay->run.cycles, test::cycles_to_run());
}

TEST_F(DebianAgent, StoppedAtARandomCycleItGoesOnTheSame) {
  const std::uint64_t cycles = test::cycles_to_run() / 2;
  const std::vector<std::string> whole = run(cycles, cycles + 1);
  SystemRandom random;
  const std::uint64_t stop = 1 + random.below(cycles - 1);
  EXPECT_EQ(run(cycles, stop), whole) << "stopped before cycle " << stop;
}

}  // namespace
}  // namespace anima::agent::debian_agent_test
