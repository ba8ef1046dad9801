// Benchmarks of the datalog room (spec 3.3 and 3.4).
//
//   datalog_bench                      everything, beside gringo and SWI-Prolog:
//                                      bench/datalog/compare.py
//   datalog_bench run FILE.mg DIR      one program over DIR/*.facts:
//                                      prints `predicate<TAB>rows` and the phases
//   datalog_bench update FILE.mg DIR   one-edge updates: 200 edges deleted and inserted again
//   datalog_bench fork                 fork, and what-if of ten facts over a million rows
//   datalog_bench space                rules over a space of a million facts: evaluation, updates
//   datalog_bench parse                ground facts as Mangle text, with few and many names
//   datalog_bench empty                an empty program, for its memory
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "datalog/analyze.h"
#include "datalog/engine.h"
#include "datalog/facts_file.h"
#include "datalog/space_rules.h"
#include "measure.h"
#include "store/bulk.h"
#include "store/symbols.h"

namespace {

using namespace anima;           // NOLINT: a benchmark is one file
using namespace anima::datalog;  // NOLINT
using bench::must;
using bench::stop;

struct Loaded {
  std::shared_ptr<ValueTable> values = std::make_shared<ValueTable>();
  std::unique_ptr<Engine> engine;
  double load = 0;
  double evaluate = 0;
};

Loaded load(const std::string& program_file, const std::string& folder) {
  Loaded out;
  const double start = bench::wall_seconds();
  std::ifstream in(program_file);
  std::stringstream text;
  text << in.rdbuf();
  AnalysisOptions analysis;
  std::vector<std::pair<std::string, FactsFile>> files;
  std::vector<std::filesystem::path> paths;
  if (!folder.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".facts") paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    FactsFile file = must(read_facts_file(path.string(), *out.values));
    analysis.base.push_back({path.stem().string(), file.arity});
    files.emplace_back(path.stem().string(), std::move(file));
  }
  auto program = std::make_shared<const Program>(
      must(compile(text.str(), *out.values, program_file, analysis)));
  EngineOptions options;
  for (auto& [name, file] : files) {
    options.facts.insert_rows(program->find(name), file.rows, std::move(file.codes));
  }
  out.load = bench::wall_seconds() - start;
  out.engine = must(Engine::create(program, out.values, std::move(options)));
  out.evaluate = bench::wall_seconds() - start - out.load;
  return out;
}

double resident_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// What is in memory now, files mapped included.
double current_mib() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

void run(const std::string& program, const std::string& folder) {
  const Loaded world = load(program, folder);
  const auto snapshot = world.engine->snapshot();
  const Program& p = world.engine->program();
  for (PredicateId id = 0; id < p.predicates.size(); ++id) {
    if (!p.predicates[id].derived || p.predicates[id].internal) continue;
    std::printf("%s\t%llu\n", p.predicates[id].name.c_str(),
                static_cast<unsigned long long>(snapshot->count(id)));
  }
  std::printf("#load\t%.3f\n#evaluate\t%.3f\n", world.load, world.evaluate);
  // The process ends here: taking the relations apart first would be time that nobody waits for.
  std::fflush(stdout);
  std::_Exit(0);
}

void update(const std::string& program, const std::string& folder) {
  Loaded world = load(program, folder);
  const PredicateId edge = world.engine->program().find("edge");
  const Rows edges = *world.engine->snapshot()->all(edge);
  double start = bench::wall_seconds();
  must(world.engine->prepare());
  std::printf("#prepare_ms\t%.1f\n", (bench::wall_seconds() - start) * 1e3);
  std::vector<double> times;
  double cpu_sum = 0;
  double cpu_worst = 0;
  for (std::size_t k = 0; k < 200; ++k) {
    const auto row = edges.row((k * 797) % edges.count);
    for (const bool insert : {false, true}) {
      Transaction transaction;
      if (insert) {
        transaction.insert(edge, row);
      } else {
        transaction.remove(edge, row);
      }
      start = bench::wall_seconds();
      const double cpu_start = bench::process_seconds();
      const TransactionStats stats = must(world.engine->transact(transaction));
      times.push_back((bench::wall_seconds() - start) * 1e3);
      const double cpu = (bench::process_seconds() - cpu_start) * 1e3;
      cpu_sum += cpu;
      cpu_worst = std::max(cpu_worst, cpu);
      if (std::getenv("VERBOSE") != nullptr) {
        std::printf("%s %.3f ms checked %llu derived %llu\n", insert ? "insert" : "delete", cpu,
                    static_cast<unsigned long long>(stats.rows_checked),
                    static_cast<unsigned long long>(stats.rows_derived));
      }
    }
  }
  double sum = 0;
  for (const double t : times) sum += t;
  std::ranges::sort(times);
  std::printf("#updates\t%zu\n#mean_ms\t%.3f\n#median_ms\t%.3f\n#worst_ms\t%.3f\n", times.size(),
              sum / static_cast<double>(times.size()), times[times.size() / 2], times.back());
  std::printf("#cpu_mean_ms\t%.3f\n#cpu_worst_ms\t%.3f\n#mib\t%.0f\n",
              cpu_sum / static_cast<double>(times.size()), cpu_worst, resident_mib());
}

// A million rows: 1,000 chains of 44 nodes and their closure.
void fork_bench() {
  auto values = std::make_shared<ValueTable>();
  AnalysisOptions analysis;
  analysis.base.push_back({"edge", 2});
  auto program = std::make_shared<const Program>(
      must(compile("path(X,Y) :- edge(X,Y).\npath(X,Z) :- path(X,Y), edge(Y,Z).\n", *values,
                   "fork.mg", analysis)));
  const PredicateId edge = program->find("edge");
  const PredicateId path = program->find("path");
  constexpr int kChains = 1060;
  constexpr int kLength = 44;
  EngineOptions options;
  std::vector<Code> codes;
  for (int c = 0; c < kChains; ++c) {
    for (int i = 0; i + 1 < kLength; ++i) {
      codes.push_back(values->integer(c * 100 + i));
      codes.push_back(values->integer(c * 100 + i + 1));
    }
  }
  const std::size_t edges = codes.size() / 2;
  options.facts.insert_rows(edge, edges, std::move(codes));
  options.prepare = true;
  auto engine = must(Engine::create(program, values, std::move(options)));
  std::printf("#rows\t%llu\n", static_cast<unsigned long long>(engine->snapshot()->count(path)));
  std::vector<double> forks;
  std::vector<double> what_ifs;
  std::size_t derived = 0;
  for (int k = 0; k < 200; ++k) {
    double start = bench::wall_seconds();
    auto fork = engine->fork();
    forks.push_back((bench::wall_seconds() - start) * 1e6);
    fork.reset();
    // Ten edges behind the end of a chain: each gives its 44 nodes and the new ones a path.
    Transaction ten;
    for (int i = 0; i < 10; ++i) {
      const std::int64_t from = k * 100 + (i == 0 ? kLength - 1 : 200000 + i - 1);
      const Code row[2] = {values->integer(from), values->integer(k * 100 + 200000 + i)};
      ten.insert(edge, row);
    }
    Query query;
    query.predicate = path;
    query.arguments = {Argument::code(values->integer(k * 100)), Argument::variable(0)};
    start = bench::wall_seconds();
    fork = engine->fork();
    const TransactionStats stats = must(fork->transact(ten));
    const Rows answer = *fork->query(query);
    fork.reset();
    what_ifs.push_back((bench::wall_seconds() - start) * 1e3);
    derived = std::max<std::size_t>(derived, stats.rows_derived);
    if (answer.count < kLength - 1) std::abort();
  }
  std::ranges::sort(forks);
  std::ranges::sort(what_ifs);
  std::printf("#derived\t%zu\n#fork_us\t%.2f\n#fork_worst_us\t%.2f\n", derived,
              forks[forks.size() / 2], forks.back());
  std::printf("#what_if_ms\t%.3f\n#what_if_worst_ms\t%.3f\n", what_ifs[what_ifs.size() / 2],
              what_ifs.back());
}

double median(std::vector<double>& times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

constexpr std::uint32_t kPapers = 100'000;
constexpr std::uint32_t kCitations = 900'000;

// A million links: each paper in an area of a tree of areas, and random citations.
void write_library(store::Space& space) {
  const auto written = space.write({}, [&](store::Transaction& t) -> Status {
    ANIMA_ASSIGN(const store::EntityId cites, t.upsert_predicate("cites"));
    ANIMA_ASSIGN(const store::EntityId part, t.upsert_predicate("part-of"));
    store::BulkWriter bulk(t, {});
    std::vector<store::EntityId> papers;
    for (std::uint32_t i = 0; i < kPapers; ++i) {
      ANIMA_ASSIGN(const store::EntityId id,
                   bulk.upsert_concept(store::kEntityType, "paper" + std::to_string(i)));
      papers.push_back(id);
      if (i > 0) {
        bulk.add({id, store::Predicate::link(part), store::Term::entity(papers[(i - 1) / 10])});
      }
    }
    std::uint64_t state = 42;
    for (std::uint32_t i = 0; i < kCitations; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const auto from = static_cast<std::uint32_t>((state >> 33) % kPapers);
      const auto to = static_cast<std::uint32_t>((state >> 11) % (kPapers / 2));
      bulk.add({papers[from], store::Predicate::link(cites), store::Term::entity(papers[to])});
    }
    return bulk.finish();
  });
  if (!written) stop(written.error());
}

void space_bench() {
  const std::string folder =
      (std::filesystem::temp_directory_path() / "anima_datalog_bench_space").string();
  std::filesystem::remove_all(folder);
  store::SpaceOptions options;
  options.create = true;
  auto space = must(store::Space::open(folder, options));
  write_library(*space);
  must(space->checkpoint());
  space.reset();  // as a process finds it: the base mapped, nothing of the import in memory
  space = must(store::Space::open(folder, {}));
  const store::Snapshot snapshot = space->snapshot().value();
  const double before = current_mib();
  double start = bench::wall_seconds();
  auto rules =
      must(SpaceRules::create(snapshot, {{"library.mg",
                                          "inside(X, Y) :- part_of(X, Y).\n"
                                          "inside(X, Z) :- part_of(X, Y), inside(Y, Z).\n"
                                          "cited(X, N) :- cites(_, X) |> do "
                                          "fn:group_by(X), let N = fn:count().\n"
                                          "unread(X) :- part_of(X, _), !cites(_, X).\n"
                                          "mutual(X, Y) :- cites(X, Y), cites(Y, X).\n"}}));
  std::printf("#create_s\t%.3f\n#mib_more\t%.0f\n", bench::wall_seconds() - start,
              resident_mib() - before);
  const auto state = rules->state();
  for (const char* name : {"part_of", "cites", "inside", "cited", "unread", "mutual"}) {
    std::printf("%s\t%llu\n", name,
                static_cast<unsigned long long>(state->rows->count(state->program->find(name))));
  }
  std::vector<double> writes;
  std::vector<double> updates;
  const store::EntityId cites = *snapshot.find_predicate("cites");
  const store::EntityId part = *snapshot.find_predicate("part-of");
  const auto paper = [&](std::uint32_t i) {
    return *snapshot.find_concept(store::kEntityType, "paper" + std::to_string(i));
  };
  for (std::uint32_t k = 0; k < 400; ++k) {
    start = bench::wall_seconds();
    const auto written = space->write({}, [&](store::Transaction& t) -> Status {
      store::Triple link{paper(k * 211 % kPapers), store::Predicate::link(cites),
                         store::Term::entity(paper(k * 977 % kPapers))};
      if (k % 4 == 3) {  // a paper leaves the tree with all that is below it, and comes back
        const std::uint32_t at = 5'000 + k / 8 * 37;
        link = {paper(at), store::Predicate::link(part), store::Term::entity(paper((at - 1) / 10))};
        if (k % 8 == 3) return t.retract_link(link, store::GraphId::kDefault);
      }
      return t.assert_link(link).map([](store::EntityId) {});
    });
    if (!written) stop(written.error());
    writes.push_back((bench::wall_seconds() - start) * 1e3);
    start = bench::wall_seconds();
    must(rules->refresh(*space));
    updates.push_back((bench::wall_seconds() - start) * 1e3);
    if (k == 0) std::printf("#first_update_ms\t%.3f\n", updates.back());
  }
  updates.erase(updates.begin());  // it built the look-ups of the others
  double sum = 0;
  for (const double t : updates) sum += t;
  std::printf("#updates\t%zu\n#update_mean_ms\t%.3f\n", updates.size(),
              sum / static_cast<double>(updates.size()));
  std::printf("#update_median_ms\t%.3f\n", median(updates));
  std::printf("#update_worst_ms\t%.3f\n#write_median_ms\t%.3f\n", updates.back(), median(writes));
  start = bench::wall_seconds();
  const auto why = rules->why("inside(\"paper99999\", \"paper0\")");
  if (!why) stop(why.error());
  std::printf("#why_ms\t%.3f\n#premises\t%zu\n", (bench::wall_seconds() - start) * 1e3,
              why->grounds.premises.size());
  rules.reset();
  space.reset();
  std::filesystem::remove_all(folder);
}

// Ground facts as text, as a unit of a program has them.
void parse_bench() {
  for (const std::uint32_t names : {1'000U, 1'000'000U}) {
    std::string text;
    text.reserve(std::size_t{40} << 20);
    for (std::uint32_t i = 0; i < 1'000'000; ++i) {
      const std::uint32_t a = i * 7919U % names;
      text += "edge(/node/n" + std::to_string(a) + ", \"label " +
              std::to_string(i * 104729U % names) + "\", " + std::to_string(i) + ").\n";
    }
    const double mib = static_cast<double>(text.size()) * 1e-6;
    std::vector<double> rates;
    for (int round = 0; round < 5; ++round) {
      std::string copy = text;
      ValueTable values;
      const double start = bench::wall_seconds();
      const Unit unit = must(parse_program(std::move(copy), "facts.mg", &values));
      rates.push_back(mib / (bench::wall_seconds() - start));
      if (unit.facts.empty()) std::abort();
    }
    std::printf("#parse_%u_names_mb_s\t%.0f\n", names, median(rates));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "run" && argc == 4) {
    run(argv[2], argv[3]);
  } else if (mode == "update" && argc == 4) {
    update(argv[2], argv[3]);
  } else if (mode == "fork") {
    fork_bench();
  } else if (mode == "space") {
    space_bench();
  } else if (mode == "parse") {
    parse_bench();
  } else if (mode == "empty") {
    auto values = std::make_shared<ValueTable>();
    auto engine =
        must(Engine::create(std::make_shared<const Program>(must(compile("", *values))), values));
    std::printf("#mib\t%.1f\n", resident_mib());
  } else {
    const char* const script = "bench/datalog/compare.py";
    std::vector<char*> arguments;
    std::string python = "python3";
    std::string file = script;
    arguments.push_back(python.data());
    arguments.push_back(file.data());
    arguments.push_back(argv[0]);
    for (int i = 1; i < argc; ++i) arguments.push_back(argv[i]);
    arguments.push_back(nullptr);
    execvp("python3", arguments.data());
    std::fprintf(stderr, "datalog_bench: cannot run python3 %s\n", script);
    return 1;
  }
  return 0;
}
