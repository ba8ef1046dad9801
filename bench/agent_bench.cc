// The agent's own costs, beside the disk's: one cycle without a model, prioritising a thousand
// goals, resuming, recalling among many episodes.
//
//   agent_bench [FACTS]      1,000,000 when nothing is said
//
// A cycle ends in one durable commit. What the processor did for it is shown beside its whole time,
// and so is an empty commit of the same space in the same run: so the disk can be told from the
// work.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/episodes.h"
#include "base/random.h"
#include "store/symbols.h"

namespace {

using namespace anima;

double milliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Of this process, all threads: what is left of a cycle when the disk's waiting is taken away.
double processor_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

template <typename T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().describe().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

double percentile(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1,
                        static_cast<std::size_t>(share * static_cast<double>(times.size())))];
}

void grow(store::Space& space, std::uint64_t facts) {
  SeededRandom random(1);
  for (std::uint64_t done = 0; done < facts;) {
    const std::uint64_t chunk = std::min<std::uint64_t>(facts - done, 100'000);
    must(space.write({}, [&](store::Transaction& transaction) -> Status {
      store::SymbolWriter symbols(transaction, {});
      for (std::uint64_t i = 0; i < chunk; ++i) {
        store::Triple link;
        ANIMA_ASSIGN(link.subject,
                     symbols.entity("thing " + std::to_string(random.below(facts / 8 + 1))));
        ANIMA_ASSIGN(const auto predicate,
                     symbols.relation("p" + std::to_string(random.below(16))));
        ANIMA_ASSIGN(const auto object,
                     symbols.entity("thing " + std::to_string(random.below(facts / 8 + 1))));
        link.predicate = store::Predicate::link(predicate);
        link.object = store::Term::entity(object);
        ANIMA_TRY(transaction.assert_link(link, {}).map([](store::EntityId) {}));
      }
      return {};
    }));
    done += chunk;
  }
}

std::unique_ptr<agent::Agent> begin(store::Space& space, memory::CompartmentManager& manager) {
  return must(agent::Agent::create(space, manager, system_files(), {}));
}

void bench_cycles(store::Space& space, memory::CompartmentManager& manager) {
  std::vector<double> commits, cycles, work;
  for (int i = 0; i < 50; ++i) {
    const double start = milliseconds();
    must(space.write({}, [&](store::Transaction& transaction) {
      return transaction.record(store::RecordKind::kEvent, std::to_string(i));
    }));
    commits.push_back(milliseconds() - start);
  }
  auto agent = begin(space, manager);
  for (int goal = 0; cycles.size() < 300; ++goal) {
    must(
        agent->add_goal("find out about thing " + std::to_string(goal * 7 + 1), 128, "never said"));
    for (int i = 0; i < 6 && cycles.size() < 300; ++i) {
      const double start = milliseconds(), busy = processor_milliseconds();
      if (!agent->run_cycle()) break;
      work.push_back(processor_milliseconds() - busy);
      cycles.push_back(milliseconds() - start);
    }
  }
  std::printf(
      "cycle        p50 %.2f ms   p99 %.2f ms   its work p50 %.2f ms, p99 %.2f ms   (an empty "
      "commit: p50 %.2f ms, p99 %.2f ms)\n",
      percentile(cycles, 0.5), percentile(cycles, 0.99), percentile(work, 0.5),
      percentile(work, 0.99), percentile(commits, 0.5), percentile(commits, 0.99));
  double start = milliseconds();
  agent = begin(space, manager);
  std::printf("resume       %.2f ms\n", milliseconds() - start);
}

void bench_goals() {
  agent::GoalList goals;
  SeededRandom random(3);
  for (int i = 0; i < 1000; ++i) {
    goals.add("goal number " + std::to_string(i), static_cast<std::uint8_t>(random.below(256)), {},
              {}, 0);
  }
  const double start = milliseconds();
  std::size_t active = 0;
  for (int i = 0; i < 100; ++i) active += goals.active().size();
  std::printf("goals        %.3f ms to prioritise %zu\n", (milliseconds() - start) / 100,
              active / 100);
}

void bench_recall(store::Space& space) {
  constexpr std::uint64_t kEpisodes = 100'000;
  constexpr std::uint64_t kSymbols = 2'000;
  std::vector<store::EntityId> symbols;
  SeededRandom random(4);
  for (std::uint64_t done = 0; done < kEpisodes;) {
    must(space.write({}, [&](store::Transaction& transaction) -> Status {
      store::SymbolWriter writer(transaction, {});
      for (std::uint64_t i = 0; symbols.size() < kSymbols; ++i) {
        ANIMA_ASSIGN(const auto symbol, writer.entity("thing " + std::to_string(i)));
        symbols.push_back(symbol);
      }
      for (int i = 0; i < 10'000; ++i, ++done) {
        agent::Episode episode;
        episode.session = 99;
        episode.entry.id = done;
        episode.entry.time.microseconds = static_cast<std::int64_t>(done);
        episode.entry.content = "what happened then";
        for (int s = 0; s < 3; ++s)
          episode.entry.symbols.push_back(symbols[random.below(kSymbols)]);
        ANIMA_TRY(agent::write_episode(transaction, episode).map([](store::EntityId) {}));
      }
      return {};
    }));
  }
  const store::Snapshot snapshot = space.snapshot();
  std::vector<double> times;
  for (int i = 0; i < 500; ++i) {
    const store::EntityId symbol = symbols[random.below(kSymbols)];
    const double start = milliseconds();
    const auto episodes = agent::recall_episodes(snapshot, std::span(&symbol, 1), 5);
    times.push_back(milliseconds() - start);
    if (episodes.size() != 5) std::printf("only %zu episodes\n", episodes.size());
  }
  std::printf("recall       p50 %.3f ms   p99 %.3f ms for 5 among %llu episodes\n",
              percentile(times, 0.5), percentile(times, 0.99),
              static_cast<unsigned long long>(kEpisodes));
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t facts = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  TemporaryDirectory folder("anima-agent-bench");
  store::SpaceOptions options;
  options.create = true;
  auto space = must(store::Space::open(folder.file("space"), options));
  double start = milliseconds();
  grow(*space, facts);
  if (Status done = space->checkpoint(); !done) return 1;
  std::printf("space        %llu facts in %.1f s\n", static_cast<unsigned long long>(facts),
              (milliseconds() - start) / 1000);
  memory::CompartmentManager manager(*space, system_files(), folder.file("compartments"));
  bench_cycles(*space, manager);
  bench_goals();
  bench_recall(*space);
  return 0;
}
