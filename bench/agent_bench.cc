// The agent's own costs, beside the disk's: one cycle without a model, a cycle that asks the rules,
// the what-if before a write, prioritising a thousand goals, resuming, recalling among many
// episodes. Prints one table, with the times that are wanted.
//
//   agent_bench [FACTS]      1,000,000 when nothing is said
//
// A cycle ends in one durable commit. What the processor did for it is shown beside its whole time,
// and so is the rest, which is waiting, above all for the disk to sync; and an empty commit of the
// same space in the same run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "agent/loop/agent.h"
#include "agent/mind/episodes.h"
#include "base/random.h"
#include "measure.h"
#include "memory/compartments/rule_keeper.h"
#include "store/symbols.h"

namespace {

namespace agent = anima::agent;
namespace memory = anima::memory;
namespace store = anima::store;
using anima::join_path;
using anima::replace_file;
using anima::Result;
using anima::SeededRandom;
using anima::Status;
using anima::system_files;
using anima::TemporaryDirectory;
using anima::bench::must;

double milliseconds() { return anima::bench::wall_seconds() * 1e3; }

// What is left of a cycle when the disk's waiting is taken away.
double processor_milliseconds() { return anima::bench::process_seconds() * 1e3; }

// Times of one kind of thing, in milliseconds.
struct Times {
  std::vector<double> whole, work, waiting;

  template <typename Function>
  void take(const Function& function) {
    const double start = milliseconds(), busy = processor_milliseconds();
    function();
    work.push_back(processor_milliseconds() - busy);
    whole.push_back(milliseconds() - start);
    waiting.push_back(std::max(0.0, whole.back() - work.back()));
  }
};

double percentile(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1,
                        static_cast<std::size_t>(share * static_cast<double>(times.size())))];
}

void row(const char* what, const std::vector<double>& times, const char* wanted = "") {
  std::printf("%-52s %6zu  %10.3f  %10.3f  %s\n", what, times.size(), percentile(times, 0.5),
              percentile(times, 0.99), wanted);
  std::fflush(stdout);
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

std::unique_ptr<agent::Agent> begin(store::Space& space, memory::CompartmentManager& manager,
                                    const char* name = "main") {
  agent::AgentConfig config;
  config.name = name;
  return must(agent::Agent::create(space, manager, system_files(), std::move(config)));
}

void bench_cycles(store::Space& space, memory::CompartmentManager& manager) {
  Times commits, cycles;
  for (int i = 0; i < 100; ++i) {
    commits.take([&] {
      must(space.write({}, [&](store::Transaction& transaction) {
        return transaction.record(store::RecordKind::kEvent, std::to_string(i));
      }));
    });
  }
  auto agent = begin(space, manager);
  for (int goal = 0; cycles.whole.size() < 300; ++goal) {
    must(
        agent->add_goal("find out about thing " + std::to_string(goal * 7 + 1), 128, "never said"));
    bool more = true;
    for (int i = 0; more && i < 6 && cycles.whole.size() < 300; ++i) {
      cycles.take([&] { more = agent->run_cycle().has_value(); });
    }
  }
  row("cycle with its commit, without the wait for the disk", cycles.work, "p99 under 5");
  row("  the wait, mostly the disk's sync", cycles.waiting);
  row("  whole", cycles.whole);
  row("an empty commit, whole", commits.whole);
  row("  without the wait", commits.work);
  Times resumed;
  for (int i = 0; i < 20; ++i) resumed.take([&] { agent = begin(space, manager); });
  row("resume, once the space is open", resumed.whole, "under 20");
  row("  processor", resumed.work);
}

constexpr int kHubs = 400;

// A compartment whose rules follow one of the relations to any depth, and a question for them.
void load_rules(store::Space& space, memory::CompartmentManager& manager,
                const std::string& folder) {
  must(space.write({}, [&](store::Transaction& transaction) -> Status {
    store::SymbolWriter symbols(transaction, {});
    ANIMA_ASSIGN(const auto predicate, symbols.relation("p3"));
    for (int i = 0; i < kHubs; ++i) {
      store::Triple link;
      ANIMA_ASSIGN(link.subject, symbols.entity("hub-" + std::to_string(i)));
      ANIMA_ASSIGN(const auto object, symbols.entity("thing " + std::to_string(i)));
      link.predicate = store::Predicate::link(predicate);
      link.object = store::Term::entity(object);
      ANIMA_TRY(transaction.assert_link(link, {}).map([](store::EntityId) {}));
    }
    return {};
  }));
  const auto write = [&](const char* name, std::string_view text) {
    if (!replace_file(system_files(), join_path(folder, name), text)) std::exit(1);
  };
  if (!system_files().make_directories(folder)) std::exit(1);
  write("compartment.toml",
        "id = \"leads\"\nname = \"Leads\"\nkind = \"Skill\"\nrules_file = \"r.mg\"\n"
        "questions_file = \"q.toml\"\n");
  write("r.mg", "leads(X, Y) :- p3(X, Y).\nleads(X, Z) :- p3(X, Y), leads(Y, Z).\n");
  write("q.toml",
        "[[question]]\nname = \"leads\"\nask = [\"what does {hub} lead to\"]\n"
        "query = \"leads({hub}, Y)\"\nsubject = \"hub\"\nanswer = \"{count} thing{s}\"\n");
  const std::string id = must(manager.add(folder));
  if (!manager.load(id, {}) || !manager.activate(id, {})) std::exit(1);
}

// What a cycle pays that asks the rules; and what it would pay if they were run for it alone.
void bench_rules(store::Space& space, memory::CompartmentManager& manager) {
  auto agent = begin(space, manager, "asking");
  Times first, kept, anew;
  for (int i = 0; i < 100; ++i) {
    must(agent->add_goal("What does hub-" + std::to_string(i) + " lead to?"));
    for (bool asked = false; !asked;) {
      Times once;
      once.take([&] { asked = must(agent->run_cycle()).answer.has_value(); });
      if (!asked) continue;
      (i == 0 ? first : kept).work.push_back(once.work.back());
    }
  }
  const std::vector<memory::RuleSource> rules = manager.rules();
  std::uint64_t derived = 0;
  for (int i = 0; i < 5; ++i) {
    anew.take([&] {
      derived = must(memory::Reasoner::create(space.snapshot().value(), rules))->derived();
    });
  }
  std::printf("rules that derive %llu facts:\n", static_cast<unsigned long long>(derived));
  row("  first cycle that asks them, processor", first.work);
  row("  each later one, processor", kept.work);
  row("  running them anew for one question, processor", anew.work);
}

// The what-if before a write that the rules read, by the fork of what is kept and by comparing two
// evaluations.
void bench_what_if(store::Space& space, memory::CompartmentManager& manager) {
  memory::RuleKeeper keeper(space, manager);
  const store::Snapshot snapshot = space.snapshot().value();
  must(keeper.at(snapshot, {}));
  Times forked, compared;
  for (int i = 0; i < 50; ++i) {
    const auto branch = space.what_if(snapshot);
    store::SymbolWriter symbols(branch->transaction(), {});
    const store::Triple link{must(symbols.entity("thing " + std::to_string(i))),
                             store::Predicate::link(must(symbols.relation("p3"))),
                             store::Term::entity(must(symbols.entity("new " + std::to_string(i))))};
    must(branch->transaction().assert_link(link, {}));
    memory::RuleEffects effects;
    forked.take([&] {
      effects = must(keeper.effects(snapshot, {}, branch->view(), std::span(&link, 1), {"p3"}));
    });
    if (i >= 3) continue;
    compared.take([&] {
      const auto other = must(memory::rule_effects(snapshot, branch->view(), manager.rules()));
      if (!other.counted_only && other.gained_total != effects.gained_total) std::exit(1);
    });
  }
  forked.work.erase(forked.work.begin());  // which builds what the others use
  row("  what-if of one statement by a fork, processor", forked.work);
  row("  the same by two evaluations, processor", compared.work);
}

void bench_goals() {
  agent::GoalList goals;
  SeededRandom random(3);
  for (int i = 0; i < 1000; ++i) {
    goals.add("goal number " + std::to_string(i), static_cast<std::uint8_t>(random.below(256)), {},
              {}, 0);
  }
  Times times;
  for (int i = 0; i < 200; ++i) {
    times.take([&] {
      if (goals.active().size() != 1000) std::exit(1);
    });
  }
  row("prioritising 1,000 goals", times.whole, "under 1");
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
  const store::Snapshot snapshot = space.snapshot().value();
  Times times;
  for (int i = 0; i < 500; ++i) {
    const store::EntityId symbol = symbols[random.below(kSymbols)];
    times.take([&] {
      if (agent::recall_episodes(snapshot, std::span(&symbol, 1), 5).size() != 5) std::exit(1);
    });
  }
  row("recalling 5 among 100,000 episodes", times.whole, "under 2");
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t facts = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  TemporaryDirectory folder("anima-agent-bench");
  store::SpaceOptions options;
  options.create = true;
  auto space = must(store::Space::open(folder.file("space"), options));
  const double start = milliseconds();
  grow(*space, facts);
  if (Status done = space->checkpoint(); !done) return 1;
  std::printf("a space on disk of %llu facts, made in %.1f s\n",
              static_cast<unsigned long long>(facts), (milliseconds() - start) / 1000);
  std::printf("%-52s %6s  %10s  %10s  %s\n", "", "times", "p50 ms", "p99 ms", "wanted");
  memory::CompartmentManager manager(*space, system_files(), folder.file("compartments"));
  bench_cycles(*space, manager);
  bench_goals();
  bench_recall(*space);
  load_rules(*space, manager, folder.file("compartments/leads"));
  bench_rules(*space, manager);
  bench_what_if(*space, manager);
  return 0;
}
