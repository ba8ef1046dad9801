// What small work costs for what lies around it: the same work in a space of 10,000 statements and
// of 1,000,000. What should not depend on the size: dropping a graph of ten rows, and the same in a
// replay; counting within a graph; EXPORT a page; and what another process does when something was
// erased. What may: the erasure itself, which reads the log again once. Prints one JSON line a
// measure, microseconds of processor time of all threads (median of the rounds).
//   kip_around_bench [STATEMENTS...]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "kip/engine.h"
#include "measure.h"
#include "store/bulk.h"

namespace {

using namespace anima;         // NOLINT: a benchmark is one file
using namespace anima::store;  // NOLINT
using bench::must;

constexpr int kRounds = 21;
const Origin kBench{"bench", "around", Trust::kOperator, Sequence::kNone};

class Around {
 public:
  explicit Around(std::uint32_t statements) : statements_(statements) {}

  void run() {
    fill();
    graphs();
    exports();
    erasures();
  }

 private:
  std::shared_ptr<Space> open() {
    SpaceOptions options;
    options.create = true;
    return must(Space::open(folder_.file("space"), options));
  }

  // A tenth as many things as links between them.
  void fill() {
    space_ = open();
    engine_ = must(kip::Engine::open(space_));
    must(space_->write(kBench, [this](Transaction& t) -> Status {
      ANIMA_ASSIGN(type_, t.upsert_type("Thing"));
      ANIMA_ASSIGN(const EntityId page, t.upsert_type("Page"));
      ANIMA_ASSIGN(const EntityId knows, t.upsert_predicate("knows"));
      knows_ = Predicate::link(knows);
      BulkWriter bulk(t, {});
      const std::uint32_t things = std::max(10U, statements_ / 10);
      for (std::uint32_t i = 0; i < things; ++i) {
        ANIMA_ASSIGN(const EntityId thing,
                     bulk.upsert_concept(type_, "thing " + std::to_string(i)));
        things_.push_back(thing);
      }
      for (std::uint32_t i = 0; i < statements_; ++i) {
        const std::uint32_t step = 1 + i / things;
        bulk.add({things_[i % things], knows_,
                  Term::entity(things_[(std::uint64_t{i} * 7919 + step) % things])});
      }
      // What is exported has the same links in a space of any size: each page one to the next.
      EntityId last = things_[0];
      for (int i = 0; i < 1000; ++i) {
        ANIMA_ASSIGN(const EntityId next, bulk.upsert_concept(page, "page " + std::to_string(i)));
        bulk.add({last, knows_, Term::entity(next)});
        last = next;
      }
      return bulk.finish();
    }));
    must(space_->checkpoint());
  }

  template <typename Work>
  void measure(const char* name, const Work& work, int rounds = kRounds) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) times.push_back(work(i));
    std::sort(times.begin(), times.end());
    std::printf("{\"measure\":\"%s\",\"around\":%u,\"median_us\":%.1f,\"most_us\":%.1f}\n", name,
                statements_, times[times.size() / 2], times.back());
    std::fflush(stdout);
  }
  template <typename Work>
  static double time_of(const Work& work) {
    const double start = bench::process_seconds();
    work();
    return (bench::process_seconds() - start) * 1e6;
  }

  void add_graph(const std::string& name) {
    must(space_->write(kBench, [&](Transaction& t) -> Status {
      AssertOptions options;
      options.graph = t.graph(name);
      for (std::size_t i = 0; i + 1 < 11; ++i)
        ANIMA_TRY(t.assert_link({things_[i], knows_, Term::entity(things_[i + 1])}, options));
      return {};
    }));
  }
  void drop(const std::string& name) {
    must(space_->write(kBench,
                       [&](Transaction& t) -> Status { return t.drop_graph(t.graph(name)); }));
  }

  void graphs() {
    measure("drop of a graph of 10 rows", [this](int i) {
      const std::string name = "urn:bench:" + std::to_string(i);
      add_graph(name);
      return time_of([&] { drop(name); });
    });
    add_graph("urn:bench:kept");
    must(space_->checkpoint());
    measure("count within a graph of 10 rows", [this](int) {
      return time_of([&] {
        const Snapshot now = must(space_->snapshot());
        const GraphId graph = *now.find_graph("urn:bench:kept");
        Pattern links;
        links.predicate = knows_;
        if (now.in_graphs(std::span(&graph, 1)).count(links) != 10) std::abort();
      });
    });
    // A process that opens the space replays what came after the base: nothing, and 20 such graphs.
    const auto open_again = [this](int) {
      return time_of([&] {
        SpaceOptions options;
        options.read_only = true;
        must(Space::open(folder_.file("space"), options));
      });
    };
    measure("opening, nothing to replay", open_again);
    for (int i = 0; i < 20; ++i) add_graph("urn:bench:replayed " + std::to_string(i));
    for (int i = 0; i < 20; ++i) drop("urn:bench:replayed " + std::to_string(i));
    measure("opening, 20 such drops to replay", open_again);
  }

  void exports() {
    const auto ask = [this](std::size_t rows) {
      const std::string text =
          "EXPORT ?t WHERE { ?t {type: \"Page\"} } LIMIT " + std::to_string(rows);
      double took = 0;
      took = time_of([&] {
        const Json answer = engine_->execute(text, Json(JsonObject{}));
        if (kip::has_error(answer)) {
          std::printf("%.300s\n", answer.dump().c_str());
          std::exit(1);
        }
      });
      return took / static_cast<double>(rows);
    };
    measure("EXPORT of 10 pages, a page", [&](int) { return ask(10); });
    measure("EXPORT of 100 pages, a page", [&](int) { return ask(100); });
    measure("EXPORT of 1000 pages, a page", [&](int) { return ask(1000); });
  }

  void erasures() {
    constexpr int kFew = 3;
    const std::shared_ptr<Space> other = open();
    std::vector<double> others;
    measure(
        "erase of one concept",
        [&](int i) {
          const std::string key = "key " + std::to_string(i);
          must(space_->write_sealed(kBench, key, [&](Transaction& t) -> Status {
            return t.upsert_concept(type_, key).map([](EntityId) {});
          }));
          must(other->snapshot());
          const double took = time_of([&] { must(space_->erase(key)); });
          others.push_back(time_of([&] { must(other->snapshot()); }));
          return took;
        },
        kFew);
    measure(
        "the same seen by another process",
        [&](int i) { return others[static_cast<std::size_t>(i)]; }, kFew);
  }

  const std::uint32_t statements_;
  TemporaryDirectory folder_{"anima-around"};
  std::shared_ptr<Space> space_;
  std::shared_ptr<kip::Engine> engine_;
  EntityId type_{};
  Predicate knows_;
  std::vector<EntityId> things_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    Around(10'000).run();
    Around(1'000'000).run();
  }
  for (int i = 1; i < argc; ++i)
    Around(static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10))).run();
  return 0;
}
