// The citizen against the numbers of its source: a tick, its goals in order, its memory written,
// read and cleared, 32 agents at once; and how worlds grow from 10 to 100 to 1,000 agents.
//
//   runtime_bench                       all of it; the largest world for 10 cycles
//   runtime_bench calls                 an agent alone, on SQLite and on PostgreSQL
//   runtime_bench population [CYCLES]   10, 100 and 1,000 agents, 100 cycles each without a number
//   runtime_bench world AGENTS CYCLES   one world on SQLite
//
// PostgreSQL is a server of its own on a socket, durable; left out where it is not installed.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "measure.h"
#include "support/postgres_server.h"
#include "support/small_world.h"
#include "world/learning.h"
#include "world/motives.h"
#include "world/symbolic_mind.h"
#include "world/world.h"

namespace {

using namespace anima;         // NOLINT: a benchmark is one file
using namespace anima::world;  // NOLINT
using bench::must;

// Of many runs, in milliseconds: the median, the 99th percentile and the worst of the wall clock,
// and what this process took of the processor on average. What goes before each run is not counted.
template <typename Before, typename Work>
void measure_after(const std::string& name, const char* wanted, int runs, const Before& before,
                   const Work& work) {
  std::vector<double> times;
  double used = 0;
  for (int i = 0; i < runs; ++i) {
    before();
    const double begin = bench::wall_seconds(), processor = bench::process_seconds();
    work();
    times.push_back((bench::wall_seconds() - begin) * 1000);
    used += bench::process_seconds() - processor;
  }
  const double processor = used * 1000 / runs;
  std::sort(times.begin(), times.end());
  fmt::print("{:<40} {:>6}  {:9.4f} {:9.4f} {:9.4f} {:9.4f}  {:>6}\n", name, wanted,
             times[times.size() / 2], times[times.size() * 99 / 100], times.back(), processor,
             runs);
}

template <typename Work>
void measure(const std::string& name, const char* wanted, int runs, const Work& work) {
  measure_after(
      name, wanted, runs, [] {}, work);
}

// It says at once what a model would say after a while.
class InstantMind final : public Mind {
 public:
  Result<std::string> think(const ThinkRequest& request) override {
    for (const PromptSection& section : request.prompt()) read_ += section.text.size();
    return std::string(
        R"({"action":"balance_query","params":{},"reasoning":"It is always good to know."})");
  }

 private:
  std::size_t read_ = 0;
};

// An agent that has lived: every layer of goals full, 1,000 experiences, 64 plans behind it.
void let_it_live(Citizen& citizen, std::uint64_t now) {
  AgentMemory& memory = citizen.memory;
  memory.experiences.clear();
  for (std::uint64_t i = 0; i < kMaxExperiences; ++i)
    remember(citizen, now + i,
             {i % 3 == 0 ? "msg_post" : "entry_query", "compiler", sha256("p"), 1},
             i % 2 == 0 ? Outcome::kSuccess : Outcome::kFailure, "what was learnt from it");
  const std::pair<GoalLayer, std::size_t> layers[] = {{GoalLayer::kAspiration, kMaxAspirations},
                                                      {GoalLayer::kObjective, kMaxObjectives},
                                                      {GoalLayer::kTask, kMaxTasks}};
  for (const auto& layer : layers) {
    for (std::size_t i = 0; i < layer.second; ++i) {
      GoalNotes notes;
      notes.kind = "own";
      notes.tags = {"compiler", "library"};
      static_cast<void>(inject(citizen,
                               {layer.first, GoalSource::kOpportunity, "goal " + std::to_string(i),
                                now + 100'000, std::move(notes)},
                               now));
    }
  }
  Plan plan;
  plan.goal = citizen.goals.aspirations.front().id;
  for (int i = 0; i < 8; ++i) plan.steps.push_back({"msg_post", "{\"content\":\"..\"}", {}, {}, 1});
  plan.status = PlanStatus::kCompleted;
  memory.plan_history.assign(kPlanHistory, plan);
  for (int i = 0; i < 100; ++i) {
    support(memory, "belief " + std::to_string(i), sha256("e"), now);
    met_peer(memory, sha256(std::to_string(i)), Outcome::kSuccess, true, "compiler", now);
  }
  memory.working = std::string(kWorkingMemoryMax, 'w');
}

void measure_store(const char* name, StateStore& store, Citizen& citizen) {
  const auto flush = [&] {
    must(store.begin());
    must(store.save_agent(citizen, std::string(72, 's')));
    must(store.commit());
  };
  const std::string on = std::string(" on ") + name;
  measure_after(
      "flush of all rows" + on, "50 ms", 50, [&] { must(store.remove_agent(citizen.id())); },
      flush);
  std::uint64_t now = citizen.memory.experiences.back().tick;
  const auto cycle = [&] {
    for (int i = 0; i < 64; ++i)
      remember(citizen, ++now, {"msg_post", "compiler", sha256("p"), 1}, Outcome::kSuccess, "l");
    support(citizen.memory, "belief 1", sha256("f"), now);
    prioritise(citizen, now);
  };
  measure_after(
      "flush after a merge" + on, "50 ms", 50,
      [&] {
        for (; citizen.memory.experiences.size() + 64 <= kMaxExperiences; flush()) cycle();
        cycle();
      },
      flush);
  measure_after(
      "flush after a cycle of 64 ticks" + on, "50 ms", 50,
      [&] {
        if (citizen.memory.experiences.size() + 64 > kMaxExperiences) {
          cycle();
          flush();
        }
        cycle();
      },
      flush);
  measure("flush, nothing new" + on, "50 ms", 50, flush);
  measure("load" + on, "20 ms", 50, [&] { (void)must(store.load_agent(citizen.id())); });
}

void measure_calls() {
  fmt::print("{:<40} {:>6}  {:>9} {:>9} {:>9} {:>9}  {:>6}\n", "milliseconds", "wanted", "median",
             "99 %", "worst", "processor", "runs");
  InstantMind mind;
  test::SmallWorld world(mind);
  const AgentId id =
      must(world.runtime->spawn(identity_from_seed(sha256("bench")), seed_genome(0), kGrant));
  world.begin_cycle(1);
  Citizen& citizen = *world.runtime->find(id);
  measure("tick, a young agent", "5 ms", 2000, [&] {
    citizen.state.tick_budget = 1;
    (void)must(world.runtime->tick(id));
    ++world.realm.tick;
  });
  let_it_live(citizen, world.realm.tick);
  measure("tick, 104 goals, 1,000 experiences", "5 ms", 2000, [&] {
    citizen.state.tick_budget = 1;
    (void)must(world.runtime->tick(id));
    ++world.realm.tick;
  });
  let_it_live(citizen, world.realm.tick);
  measure("prioritise 104 goals", "1 ms", 2000, [&] { prioritise(citizen, world.realm.tick); });
  measure("clear working memory", "0.1 ms", 2000, [&] {
    citizen.memory.working.assign(kWorkingMemoryMax, 'w');
    citizen.state.keep_working = false;
    end_cycle_memory(citizen, world.realm.tick);
  });
  let_it_live(citizen, world.realm.tick);
  const TemporaryDirectory folder("anima-runtime-bench");
  measure_store("SQLite", *must(open_sqlite_state(folder.file("world.db"))), citizen);
  const test::PostgresServer server(true);
  if (!server.there()) return void(fmt::print("{}\n", test::PostgresServer::kMissing));
  measure_store("PostgreSQL", *must(open_postgres_state(server.address())), citizen);
}

double resident_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6) / 1024;
  }
  return 0;
}

// Of many times: the mean of the last tenth.
double latest(const std::vector<double>& times) {
  const std::size_t count = std::max<std::size_t>(1, times.size() / 10);
  double sum = 0;
  for (std::size_t i = times.size() - count; i < times.size(); ++i) sum += times[i];
  return sum / static_cast<double>(count);
}

void live(std::uint64_t agents, std::uint64_t cycles, const std::string& database) {
  const TemporaryDirectory folder("anima-runtime-bench");
  SymbolicMind mind;
  SeededRandom random(1);
  WorldOptions options;
  options.folder = folder.file("world");
  options.agents = agents;
  options.seed = 7;
  options.database = database;
  const auto world = must(World::open(system_files(), options, mind, random));
  const double begin = bench::wall_seconds(), used = bench::process_seconds();
  double longest = 0;
  std::vector<double> acting, saving;  // of each cycle, in milliseconds
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    acting.push_back(0);
    for (std::uint64_t tick = 0; tick < kTicksPerCycle; ++tick) {
      const double before = bench::wall_seconds();
      must(world->run_tick());
      const double took = (bench::wall_seconds() - before) * 1000;
      if (tick + 1 == kTicksPerCycle) {
        saving.push_back(took);
      } else {
        acting.back() += took;
        longest = std::max(longest, took);
      }
    }
  }
  std::uint64_t thinks = 0;
  for (const CycleRecord& record : world->records()) thinks += record.thinks;
  double acted = 0, saved = 0;
  for (const double each : acting) acted += each;
  for (const double each : saving) saved += each;
  const double last =
      static_cast<double>(std::max<std::uint64_t>(world->records().back().thinks, 1));
  fmt::print(
      "{:<10} {:>6} {:>6}  {:8.1f} {:8.1f} {:9} {:9.3f} {:9.3f} {:9.1f} {:9.1f} {:9.1f} {:7.0f}\n",
      database.empty() ? "SQLite" : "PostgreSQL", agents, cycles, bench::wall_seconds() - begin,
      bench::process_seconds() - used, thinks,
      acted / static_cast<double>(std::max<std::uint64_t>(thinks, 1)), latest(acting) / last,
      longest, saved / static_cast<double>(cycles), latest(saving), resident_megabytes());
  std::fflush(stdout);
}

// A process of its own, so that the memory of one world is not that of the one before.
void live_apart(std::uint64_t agents, std::uint64_t cycles, const std::string& database = {}) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    live(agents, cycles, database);
    std::_Exit(0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0)
    bench::stop({ErrorCode::kInternal, "a world ended early", {}, {}});
}

void world_header() {
  fmt::print("\n{:<10} {:>6} {:>6}  {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7}\n",
             "world on", "agents", "cycles", "wall s", "cpu s", "ticks", "ms a tick", "at end",
             "worst ms", "save ms", "at end", "MB");
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "world" && count == 4) {
    world_header();
    live(std::strtoull(words[2], nullptr, 10), std::strtoull(words[3], nullptr, 10), {});
    return 0;
  }
  if (what == "population") {
    const std::uint64_t cycles = count > 2 ? std::strtoull(words[2], nullptr, 10) : 100;
    world_header();
    for (const std::uint64_t agents : {10U, 100U, 1000U}) live_apart(agents, cycles);
    return 0;
  }
  measure_calls();
  if (what == "calls") return 0;
  world_header();
  live_apart(32, 10);
  {
    const test::PostgresServer server(true);
    if (server.there()) live_apart(32, 10, server.address());
  }
  live_apart(10, 100);
  live_apart(100, 100);
  live_apart(1000, 10);
  return 0;
}
