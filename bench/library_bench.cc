// What a call of the library costs in C++: the other side of bench/library_compare.py, which makes
// the same calls over the same folder and prints both.
//
//   library_bench FOLDER       a memory of 10,000 hosts is made there when there is none
//   a line a call: its name, and the median of its processor times in microseconds
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "anima/agent.h"
#include "measure.h"

namespace {

using anima::bench::must;

constexpr int kRuns = 200;

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  return times[times.size() / 2];
}

void time_call(const char* name, const std::function<void()>& call) {
  std::vector<double> times;
  call();
  for (int i = 0; i < kRuns; ++i) {
    const double start = anima::bench::process_seconds();
    call();
    times.push_back(anima::bench::process_seconds() - start);
  }
  std::printf("%s %.2f\n", name, median(std::move(times)) * 1e6);
}

void fill(anima::Agent& agent) {
  const anima::Author owner{"bench", "", anima::TrustLevel::kOperator};
  must(anima::Memory::result_of(agent.memory().kip(
      R"(UPSERT { CONCEPT { {type: "$ConceptType", name: "Host"} } })", {}, owner)));
  std::string turtle;
  for (int i = 0; i < 10'000; ++i) {
    const std::string number = std::to_string(i);
    turtle += "<urn:h" + number + "> a <urn:Host> ; <urn:ram> " + std::to_string(i % 64) +
              " ; <urn:name> \"host-" + number + "\" .\n";
  }
  must(agent.memory().import_rdf({turtle, "turtle", {}, {}}, owner));
  for (int i = 0; i < 100; ++i)
    must(agent.remember("The fan of host-" + std::to_string(i) + " was changed by Bo in March."));
}

std::size_t cells_of(const anima::Rows& rows) {
  std::size_t cells = 0;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) cells += row[i].is_null() ? 0 : 1;
  }
  return cells;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: library_bench FOLDER\n"), 2;
  auto agent = must(anima::Agent::open(arguments[1], {.create = true}));
  anima::Memory& memory = agent.memory();
  if (must(memory.newest_entry()) < 50) fill(agent);
  time_call("find_one", [&] {
    cells_of(must(memory.find(R"(FIND(?t.name) WHERE { ?t {type: "$ConceptType", name: :name} })",
                              anima::Json::object({{"name", "Host"}}))));
  });
  time_call("find_types", [&] {
    cells_of(
        must(memory.find(R"(FIND(?t.name, ?t.metadata) WHERE { ?t {type: "$ConceptType"} })")));
  });
  time_call("sparql_1000", [&] {
    const auto answer = must(memory.sparql("SELECT ?s ?n { ?s <urn:name> ?n } LIMIT 1000"));
    for (std::size_t i = 0; i < answer.size(); ++i) {
      for (std::size_t j = 0; j < answer.variables().size(); ++j) answer.term(i, j);
    }
  });
  time_call("recall", [&] { must(agent.recall("Who changed the fan of host-7?")); });
}
