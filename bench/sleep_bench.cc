// A year of an assistant's life (tests/support/assistant_year.h) put to sleep: how long a whole
// cycle takes, phase by phase, a second one right after it, its repetition and its undoing.
//
//   sleep_bench [EVENTS] [CONCEPTS]      20,000 and 3,000
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "kip/engine.h"
#include "measure.h"
#include "sleep/sleep.h"
#include "support/assistant_year.h"

namespace {

using anima::bench::must;
using anima::bench::process_seconds;
using anima::bench::wall_seconds;
namespace sleep_room = anima::sleep;

template <typename Work>
auto timed(const char* what, const Work& work) {
  const double begin = wall_seconds(), begin_cpu = process_seconds();
  auto result = work();
  std::printf("%-22s %.2f s, %.2f of the processor\n", what, wall_seconds() - begin,
              process_seconds() - begin_cpu);
  std::fflush(stdout);
  return result;
}

void show(const sleep_room::CycleRecord& record) {
  std::printf("  %s, %zu changes;", record.status.c_str(), record.changes());
  for (const sleep_room::PhaseRecord& phase : record.phases)
    std::printf(" phase %d: %zu", phase.phase, phase.changes);
  std::printf("\n");
}

}  // namespace

int main(int count, char** values) {
  anima::test_support::YearOptions options;
  if (count > 1) options.events = std::atoi(values[1]);
  if (count > 2) options.concepts = std::atoi(values[2]);
  const auto folder =
      std::filesystem::temp_directory_path() / ("anima_sleep_bench_" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  {
    const auto clock =
        std::make_shared<anima::ManualClock>(must(anima::parse_timestamp("2025-01-06T00:00:00Z")));
    anima::store::SpaceOptions space_options;
    space_options.create = true;
    space_options.clock = clock;
    const auto space = must(anima::store::Space::open(folder.string(), space_options));
    anima::kip::EngineOptions engine_options;
    engine_options.clock = clock;
    engine_options.max_batch = 100'000;
    const auto engine = must(anima::kip::Engine::open(space, engine_options));
    anima::test_support::AssistantYear year(options);
    year.tell(*engine, *clock);
    std::printf("%d events, %d concepts\n", options.events, options.concepts);
    const auto sleeper = must(sleep_room::Sleeper::open(space, clock));
    const auto first = timed("a whole cycle", [&] { return must(sleeper->run({})); });
    show(first);
    show(timed("a second one", [&] { return must(sleeper->run({})); }));
    const auto again = timed("repeated", [&] { return must(sleeper->replay(first.cycle, {})); });
    std::printf("  %zu statements, %zu differences\n", again.statements, again.differences);
    timed("undone", [&] { return must(sleeper->undo({}, {first.cycle}, false, false)); });
  }
  std::filesystem::remove_all(folder);
  return 0;
}
