// KIP in process, parsing included: 100,000 concepts of 20 types and 500,000 links of 20 predicates
// (both by Zipf), one link in a hundred about a link; then look-ups, hops, scans, groups and
// searches. Prints one JSON line a measure: median and 95th percentile in microseconds, or items a
// second.
//   kip_bench [CONCEPTS [LINKS [load]]]     load: nothing is read afterwards
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/random.h"
#include "kip/engine.h"
#include "measure.h"

namespace {

using anima::Json;
using anima::JsonArray;
using anima::JsonObject;

double now_us() { return anima::bench::wall_seconds() * 1e6; }

// Processor time of all threads: what it would take on a quiet machine of one processor.
double cpu_us() { return anima::bench::process_seconds() * 1e6; }

double percentile(std::vector<double>& times, std::size_t percent) {
  std::sort(times.begin(), times.end());
  return times[times.size() * percent / 100];
}

class Bench {
 public:
  Bench(std::size_t concepts, std::size_t links, bool load_only)
      : concepts_(concepts), links_(links), load_only_(load_only) {}

  int run() {
    char folder[] = "/tmp/kip_bench_XXXXXX";
    if (mkdtemp(folder) == nullptr) return 1;
    anima::store::SpaceOptions options;
    options.create = true;
    auto space = anima::store::Space::open(folder, options);
    if (!space) return 1;
    auto engine = anima::kip::Engine::open(*space);
    if (!engine) return 1;
    engine_ = *engine;
    if (!load()) return 1;
    if (!load_only_) reads();
    engine_.reset();
    engine->reset();
    space->reset();
    return anima::remove_tree(anima::system_files(), folder) ? 0 : 1;
  }

 private:
  std::size_t zipf() {
    if (weights_.empty()) {
      double total = 0;
      for (int i = 1; i <= 20; ++i) weights_.push_back(total += 1.0 / i);
    }
    const double pick = random_.uniform() * weights_.back();
    return static_cast<std::size_t>(std::lower_bound(weights_.begin(), weights_.end(), pick) -
                                    weights_.begin());
  }

  bool execute(const std::string& text) {
    const Json answer = engine_->execute(text, Json(JsonObject{}));
    if (answer.find("error") == nullptr) return true;
    std::printf("%s\n%.300s\n", answer.dump().c_str(), text.c_str());
    return false;
  }

  std::string target(std::size_t concept_number) const {
    return "{type: \"T" + std::to_string(types_[concept_number]) + "\", name: \"c" +
           std::to_string(concept_number) + "\"}";
  }

  bool load() {
    std::string schema = "UPSERT {";
    for (int i = 0; i < 20; ++i) {
      schema += " CONCEPT { {type: \"$ConceptType\", name: \"T" + std::to_string(i) +
                "\"} } CONCEPT { {type: \"$PropositionType\", name: \"p" + std::to_string(i) +
                "\"} }";
      schema += " CONCEPT { {type: \"Domain\", name: \"d" + std::to_string(i) + "\"} }";
    }
    if (!execute(schema + " }")) return false;
    static const char* const kWords[] = {"river",  "mountain", "valley", "bridge",  "harbour",
                                         "garden", "tower",    "market", "library", "station"};
    Loader loader(*this);
    for (std::size_t i = 0; i < concepts_; ++i) {
      types_.push_back(zipf());
      if (!loader.add(" CONCEPT { " + target(i) + " SET ATTRIBUTES { age: " +
                      std::to_string(random_.below(1000)) + ", label: \"" +
                      kWords[random_.below(10)] + " " + kWords[random_.below(10)] + "\" } }"))
        return false;
      if (i + 1 == concepts_ / 5 && !loader.report("concepts, a statement a request", 32))
        return false;
    }
    if (!loader.report("concepts", 1)) return false;
    std::string last;
    for (std::size_t i = 0; i < links_; ++i) {
      if (!loader.add(link(i, &last))) return false;
      if (i + 1 == links_ / 5 && !loader.report("links, a statement a request", 32)) return false;
    }
    if (!loader.report("links", 1)) return false;
    if (load_only_) return true;
    newest_reads();
    const double before = now_us();
    if (!engine_->space().checkpoint()) std::printf("no checkpoint\n");
    std::printf("{\"measure\":\"checkpoint\",\"ms\":%.1f}\n", (now_us() - before) / 1000);
    return true;
  }

  std::string link(std::size_t i, std::string* last) {
    const std::string subject = target(random_.below(concepts_));
    const std::string predicate = "\"p" + std::to_string(zipf()) + "\"";
    if (i % 100 == 99 && !last->empty())
      return " PROPOSITION { (" + subject + ", " + predicate + ", " + *last + ") }";
    if (i % 10 == 5) {
      return " PROPOSITION { (" + subject +
             ", \"belongs_to_domain\", {type: \"Domain\", name: \"d" + std::to_string(zipf()) +
             "\"}) }";
    }
    *last = "(" + subject + ", " + predicate + ", " + target(random_.below(concepts_)) + ")";
    return " PROPOSITION { " + *last + " }";
  }

  // Gathers items into statements of 200 kB, and statements into requests; measures the requests,
  // not the making of their text.
  class Loader {
   public:
    explicit Loader(Bench& bench) : bench_(bench) {}

    bool add(const std::string& item) {
      text_ += item;
      ++items_;
      return text_.size() < 200'000 || end_statement();
    }
    // What was added since the last report; requests have `statements` statements from now on.
    bool report(const char* what, std::size_t statements) {
      if (!end_statement() || !send()) return false;
      std::printf(
          "{\"measure\":\"upsert %s\",\"items_per_second\":%.0f,\"items_per_cpu_second\":%.0f}\n",
          what, static_cast<double>(items_) / wall_ * 1e6,
          static_cast<double>(items_) / cpu_ * 1e6);
      items_ = 0;
      wall_ = cpu_ = 0;
      statements_ = statements;
      return true;
    }

   private:
    bool end_statement() {
      if (!text_.empty())
        commands_.emplace_back("UPSERT {" + text_ + "} WITH METADATA { source: \"bench\" }");
      text_.clear();
      return commands_.size() < statements_ || send();
    }
    bool send() {
      if (commands_.empty()) return true;
      const Json request = Json::object({{"commands", Json(std::move(commands_))}});
      commands_ = JsonArray();
      const double start = now_us(), cpu_start = cpu_us();
      const Json answer = bench_.engine_->execute(request);
      wall_ += now_us() - start;
      cpu_ += cpu_us() - cpu_start;
      for (const Json& one : answer.find("result")->as_array()) {
        if (one.find("error") == nullptr) continue;
        std::printf("%s\n", one.dump().c_str());
        return false;
      }
      return true;
    }

    Bench& bench_;
    std::string text_;
    JsonArray commands_;
    std::size_t statements_ = 1, items_ = 0;
    double wall_ = 0, cpu_ = 0;
  };

  template <typename Parameters>
  void measure(const char* name, const std::string& text, std::size_t rounds, double target_us,
               Parameters parameters) {
    std::vector<double> times, cpu_times;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < rounds + 3; ++i) {
      const Json values = parameters();
      const double start = now_us(), cpu_start = cpu_us();
      const Json answer = engine_->execute(text, values);
      const double cpu_took = cpu_us() - cpu_start, took = now_us() - start;
      if (answer.find("error") != nullptr) {
        std::printf("%s: %s\n", name, answer.dump().c_str());
        return;
      }
      bytes = answer.dump().size();
      if (i < 3) continue;
      times.push_back(took);
      cpu_times.push_back(cpu_took);
    }
    std::printf(
        "{\"measure\":\"%s\",\"median_us\":%.2f,\"p95_us\":%.2f,\"cpu_median_us\":%.2f,\"cpu_p95_"
        "us\":%.2f,\"target_us\":%.0f,\"answer_bytes\":%zu}\n",
        name, percentile(times, 50), percentile(times, 95), percentile(cpu_times, 50),
        percentile(cpu_times, 95), target_us, bytes);
  }

  Json some_concept() {
    const std::size_t i = random_.below(concepts_);
    return Json::object({{"t", "T" + std::to_string(types_[i])}, {"n", "c" + std::to_string(i)}});
  }

  static constexpr const char* kScan =
      "FIND(?c.name, ?c.attributes.age) WHERE { ?c {type: \"T0\"} FILTER(?c.attributes.age >= 100 "
      "&& ?c.attributes.age < 500) } ORDER BY ?c.attributes.age DESC LIMIT 20";
  static constexpr const char* kGroups =
      "FIND(?d.name, COUNT(?n)) WHERE { ?d {type: \"Domain\"} OPTIONAL { (?n, "
      "\"belongs_to_domain\", ?d) } } ORDER BY COUNT(?n) DESC";

  // What was just written and is in no base file yet (the space may have made one meanwhile).
  void newest_reads() {
    const auto none = [] { return Json(JsonObject{}); };
    measure("scan before the checkpoint", kScan, 20, 0, none);
    measure("group before the checkpoint", kGroups, 20, 0, none);
  }

  void reads() {
    const auto some = [this] { return some_concept(); };
    const auto none = [] { return Json(JsonObject{}); };
    measure("point look-up", "FIND(?c.attributes.age) WHERE { ?c {type: :t, name: :n} }", 20000, 5,
            some);
    measure("1 hop", "FIND(?o.name) WHERE { ({type: :t, name: :n}, \"p0\", ?o) }", 20000, 20, some);
    measure("2 hops", "FIND(?z.name) WHERE { ({type: :t, name: :n}, \"p0\", ?y) (?y, \"p0\", ?z) }",
            20000, 20, some);
    measure("whole node", "FIND(?c) WHERE { ?c {type: :t, name: :n} }", 5000, 20, some);
    measure("scan, range, order, limit 20", kScan, 50, 2000, none);
    measure("scan, limit 20", "FIND(?c.name) WHERE { ?c {type: \"T0\"} } LIMIT 20", 50, 2000, none);
    measure("group by domain", kGroups, 50, 10000, none);
    measure("orphans", "FIND(COUNT(?n)) WHERE { ?n {} NOT { (?n, \"belongs_to_domain\", ?d) } }",
            20, 0, none);
    measure("triangles",
            "FIND(COUNT(?a)) WHERE { (?a, \"p0\", ?b) (?b, \"p1\", ?c) (?c, \"p2\", ?a) }", 5, 0,
            none);
    measure("reach {1,}", "FIND(COUNT(?x)) WHERE { ({type: :t, name: :n}, \"p5\"{1,}, ?x) }", 50, 0,
            some);
    measure("search", "SEARCH CONCEPT \"river bridge\" LIMIT 10", 200, 2000, none);
    measure("search, typo", "SEARCH CONCEPT \"mountian\" LIMIT 10", 200, 2000, none);
    measure("search, name", "SEARCH CONCEPT :n LIMIT 10", 200, 2000, some);
    measure("upsert one", "UPSERT { CONCEPT { {type: :t, name: :n} SET ATTRIBUTES { age: 7 } } }",
            500, 0, some);
  }

  std::size_t concepts_, links_;
  bool load_only_;
  std::shared_ptr<anima::kip::Engine> engine_;
  anima::SeededRandom random_{42};
  std::vector<double> weights_;
  std::vector<std::size_t> types_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t concepts = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const std::size_t links = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 500'000;
  return Bench(concepts, links, argc > 3 && std::string(argv[3]) == "load").run();
}
