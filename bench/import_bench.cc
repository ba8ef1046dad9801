// N-Triples from a file to acknowledged durability, and searching what was imported.
//
//   import_bench FILE.nt      ./dev bench store gives it the campus graph of bench/campus
//
// Reported: parsing alone; import without the text index; import with it, until the first search
// has answered (the index is made by then); the same after a checkpoint: bytes a triple, and the
// latency of a mix of searches. Time is wall time; CPU time stands beside it because other work on
// the machine lengthens the one and not the other.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/random.h"
#include "measure.h"
#include "sparql/ntriples.h"
#include "sparql/rdf_import.h"
#include "store/space.h"

namespace {

using namespace anima;         // NOLINT: a benchmark is one file
using namespace anima::store;  // NOLINT
using bench::must;

constexpr int kRounds = 3;
constexpr int kSearches = 4000;

struct Stopwatch {
  double wall_start = bench::wall_seconds();
  double cpu_start = bench::process_seconds();
  double seconds() const { return bench::wall_seconds() - wall_start; }
  double cpu_seconds() const { return bench::process_seconds() - cpu_start; }
};

std::uint64_t parse(std::string_view text) {
  sparql::NTriplesReader reader(text);
  std::vector<sparql::RdfTriple> rows(1024);
  std::uint64_t triples = 0;
  while (const std::size_t count = must(reader.next(rows))) triples += count;
  return triples;
}

std::shared_ptr<Space> fresh_space(const std::string& folder, bool text_index) {
  must(remove_tree(system_files(), folder));
  SpaceOptions options;
  options.create = true;
  options.text_index = text_index;
  options.checkpoint_after_rows = 0;
  return must(Space::open(folder, options));
}

// The file is mapped anew, as the program does it.
std::uint64_t import(Space& space, const std::string& file) {
  std::uint64_t triples = 0;
  must(space.write({}, [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const auto mapped, system_files().map(file));
    sparql::RdfImporter importer(transaction, {});
    sparql::NTriplesReader reader(mapped->bytes(), file);
    std::vector<sparql::RdfTriple> rows(1024);
    for (;;) {
      ANIMA_ASSIGN(const std::size_t count, reader.next(rows));
      if (count == 0) break;
      for (std::size_t i = 0; i < count; ++i) ANIMA_TRY(importer.add(rows[i]));
    }
    triples = importer.counts().triples;
    return importer.finish();
  }));
  return triples;
}

void print_rate(const char* what, std::uint64_t triples, const Stopwatch& watch) {
  const auto count = static_cast<double>(triples);
  std::printf("  %-34s %6.3f s  %9.0f triples/s   (CPU %6.3f s, %9.0f/s)\n", what, watch.seconds(),
              count / watch.seconds(), watch.cpu_seconds(), count / watch.cpu_seconds());
}

// Searches as users type them, over names that the space has.
class SearchMix {
 public:
  explicit SearchMix(const Snapshot& snapshot) {
    for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
      const auto entity = static_cast<EntityId>(id);
      if (snapshot.kind(entity) != EntityKind::kConcept) continue;
      for (const char* key : {"http://campus.bench/ns#name", "http://campus.bench/ns#title"}) {
        if (const auto value = snapshot.attribute(entity, key)) {
          texts_.emplace_back(snapshot.value(*value).text);
        }
      }
    }
    if (texts_.empty()) texts_.emplace_back("campus");
  }
  std::string next() {
    std::string text = texts_[random_.below(texts_.size())];
    const std::uint64_t kind = random_.below(100);
    if (kind < 40) return text;  // a whole name or title
    if (kind < 55) return text.substr(text.rfind(' ') + 1) + "@campus.bench";  // an e-mail address
    if (kind < 75 && text.size() > 4) {                                        // one typo
      text[random_.below(text.size())] = static_cast<char>('a' + random_.below(26));
      return text;
    }
    if (kind < 90) return text.substr(0, 2 + random_.below(text.size()));  // still being typed
    static constexpr const char* kCommon[] = {"campus", "graph",     "student",
                                              "on",     "professor", "bench"};
    return kCommon[random_.below(std::size(kCommon))];
  }

 private:
  std::vector<std::string> texts_;
  SeededRandom random_{7};
};

void print_percentiles(const char* what, std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  std::printf("  %-14s p50 %.3f ms, p95 %.3f ms, p99 %.3f ms, max %.3f ms\n", what,
              times[times.size() / 2], times[times.size() * 95 / 100],
              times[times.size() * 99 / 100], times.back());
}

void search(const Snapshot& snapshot) {
  SearchMix mix(snapshot);
  std::vector<double> wall;
  std::vector<double> cpu;
  std::size_t hits = 0;
  for (int i = 0; i < kSearches; ++i) {
    TextQuery query;
    query.text = mix.next();
    const Stopwatch watch;
    hits += snapshot.search(query).size();
    wall.push_back(watch.seconds() * 1e3);
    cpu.push_back(watch.cpu_seconds() * 1e3);
  }
  std::printf("  %d searches, %zu hits\n", kSearches, hits);
  print_percentiles("search, wall", wall);
  print_percentiles("search, CPU", cpu);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: import_bench FILE.nt\n");
    return 2;
  }
  const std::string file = argv[1];
  const TemporaryDirectory folder("anima-import");
  const auto mapped = must(system_files().map(file));
  const auto bytes = static_cast<double>(mapped->bytes().size());
  std::printf("%s, %.1f MB\n", file.c_str(), bytes / 1e6);
  for (int round = 0; round < kRounds; ++round) {
    const Stopwatch watch;
    const std::uint64_t triples = parse(mapped->bytes());
    print_rate("parse", triples, watch);
    std::printf("  %-34s %6.0f MB/s\n", "", bytes / watch.seconds() / 1e6);
  }
  for (int round = 0; round < kRounds; ++round) {
    const auto space = fresh_space(folder.file("plain"), false);
    const Stopwatch watch;
    print_rate("import, durable, no text index", import(*space, file), watch);
  }
  std::shared_ptr<Space> space;
  std::uint64_t triples = 0;
  for (int round = 0; round < kRounds; ++round) {
    space.reset();
    space = fresh_space(folder.file("text"), true);
    const Stopwatch watch;
    triples = import(*space, file);
    TextQuery query;
    query.text = "graph";
    if (space->snapshot().value().search(query).empty())
      std::printf("  (nothing is named \"graph\")\n");
    print_rate("import, durable, searched", triples, watch);
  }
  const Stopwatch watch;
  must(space->checkpoint());
  print_rate("checkpoint", triples, watch);
  const SpaceStats stats = space->stats();
  std::printf("  base %.1f + heap %.1f bytes a triple; log %.1f\n",
              static_cast<double>(stats.base_bytes) / static_cast<double>(triples),
              static_cast<double>(stats.heap_bytes) / static_cast<double>(triples),
              static_cast<double>(stats.log_bytes) / static_cast<double>(triples));
  search(space->snapshot().value());
  return 0;
}
