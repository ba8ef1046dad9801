// Compaction of a log in which half of what was said is replaced: how long it takes, how much
// memory, what the disk gets back, and how long another process waits that writes meanwhile.
//
//   store_compact_bench [STATEMENTS] [STATEMENTS AN ENTRY]      1,000,000 and 100
//
// Five attributes of each thing are written, and then each of them once more. The other process
// writes one small entry after another for as long as the compaction runs.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "measure.h"
#include "store/compact.h"
#include "store/space.h"
#include "store/verify/verify_views.h"

namespace {

namespace store = anima::store;
using anima::bench::must;
using anima::bench::process_seconds;
using anima::bench::wall_seconds;

constexpr std::size_t kKeys = 5;  // of a thing
constexpr const char* kKeyNames[kKeys] = {"label", "place", "colour", "weight", "remark"};

anima::Status write_things(store::Transaction& transaction, std::size_t first, std::size_t things,
                           std::size_t version) {
  ANIMA_ASSIGN(const store::EntityId type, transaction.upsert_type("Thing"));
  for (std::size_t i = first; i < first + things; ++i) {
    ANIMA_ASSIGN(const store::EntityId thing,
                 transaction.upsert_concept(type, "thing " + std::to_string(i)));
    for (std::size_t key = 0; key < kKeys; ++key) {
      const std::string text = "the " + std::string(kKeyNames[key]) + " of thing " +
                               std::to_string(i) + " as it was seen the time " +
                               std::to_string(version);
      const store::Value value = store::Value::string(text);
      ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
      ANIMA_TRY(transaction.set_attribute(thing, kKeyNames[key], std::span(&term, 1)));
    }
  }
  return {};
}

void fill(store::Space& space, std::size_t statements, std::size_t an_entry) {
  const std::size_t things = statements / 2 / kKeys;
  const std::size_t step = std::max<std::size_t>(1, an_entry / kKeys);
  for (std::size_t version = 1; version <= 2; ++version) {
    for (std::size_t i = 0; i < things; i += step) {
      const std::size_t count = std::min(step, things - i);
      must(space.write({"bench", "bench", store::Trust::kStandard, store::Sequence::kNone},
                       [&](store::Transaction& transaction) {
                         return write_things(transaction, i, count, version);
                       }));
    }
  }
}

// The other process: writes until it is told to stop, and tells how long it waited.
[[noreturn]] void keep_writing(const std::string& folder, int told, int tell) {
  const auto space = must(store::Space::open(folder));
  must(space->snapshot());
  std::vector<double> waits;
  const char ready = 'r';
  if (::write(tell, &ready, 1) != 1) std::exit(1);
  char stop = 0;
  for (std::size_t i = 0; ::read(told, &stop, 1) != 1; ++i) {  // does not block
    const double begin = wall_seconds();
    must(space->write({"other", "bench", store::Trust::kStandard, store::Sequence::kNone},
                      [&](store::Transaction& transaction) {
                        return write_things(transaction, 100'000'000 + i, 1, 1);
                      }));
    waits.push_back(wall_seconds() - begin);
    ::usleep(5'000);
  }
  std::ranges::sort(waits);
  const auto at = [&](double share) {
    return waits.empty()
               ? 0
               : waits[static_cast<std::size_t>(share * static_cast<double>(waits.size() - 1))];
  };
  const auto long_ones = std::ranges::count_if(waits, [](double wait) { return wait > 0.1; });
  std::printf(
      "the other process      %zu writes, p50 %.1f ms, p95 %.1f, longest %.1f; %zu of more "
      "than 100 ms\n",
      waits.size(), at(0.5) * 1e3, at(0.95) * 1e3, at(1) * 1e3,
      static_cast<std::size_t>(long_ones));
  std::fflush(stdout);
  std::_Exit(0);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int count, char** values) {
  const std::size_t statements = count > 1 ? std::strtoull(values[1], nullptr, 10) : 1'000'000;
  const std::size_t an_entry = count > 2 ? std::strtoull(values[2], nullptr, 10) : 100;
  if (statements < 2 * kKeys || an_entry == 0) return 2;
  const auto folder =
      std::filesystem::temp_directory_path() / ("anima_compact_bench_" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  {
    const auto space = must(store::Space::open(folder.string(), {.create = true}));
    fill(*space, statements, an_entry);
    must(space->checkpoint());
  }
  int told[2], tell[2];
  if (::pipe(told) != 0 || ::pipe2(tell, 0) != 0) return 1;
  if (::fcntl(told[0], F_SETFL, O_NONBLOCK) != 0) return 1;
  const pid_t other = ::fork();
  if (other == 0) keep_writing(folder.string(), told[0], tell[1]);
  char ready = 0;
  if (::read(tell[0], &ready, 1) != 1) return 1;
  {
    const auto space = must(store::Space::open(folder.string()));
    const auto now = must(space->snapshot());
    const double before = peak_megabytes();
    store::Compaction what;
    what.until = store::last_but(now, 1);
    const double begin = wall_seconds(), begin_cpu = process_seconds();
    const auto report = must(
        store::compact(*space, {"bench", "bench", store::Trust::kOperator, store::Sequence::kNone},
                       what, anima::SystemClock().now(), false));
    std::printf(
        "compacting             %zu statements in %zu entries: %.2f s, %.2f of the "
        "processor, %.0f MB more memory at most\n",
        statements, static_cast<std::size_t>(what.until), wall_seconds() - begin,
        process_seconds() - begin_cpu, peak_megabytes() - before);
    std::printf(
        "taken                  %zu statements and %zu that left a mark, out of %zu entries; "
        "%.1f MB on disk before, %.1f after\n",
        static_cast<std::size_t>(report.statements), static_cast<std::size_t>(report.emptied),
        static_cast<std::size_t>(report.entries), static_cast<double>(report.bytes_before) / 1e6,
        static_cast<double>(report.bytes_after) / 1e6);
    std::fflush(stdout);
  }
  const char stop = 's';
  if (::write(told[1], &stop, 1) != 1) return 1;
  int status = 0;
  ::waitpid(other, &status, 0);
  must(store::verify_views(folder.string(), anima::system_files()).map([](const auto&) {}));
  std::filesystem::remove_all(folder);
  return status == 0 ? 0 : 1;
}
