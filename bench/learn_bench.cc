// A thousand learnings: saved one by one, saved at once, loaded, decayed. Milliseconds.
//
//   learn_bench
#include <fmt/format.h>

#include <string>

#include "learn/learning_store.h"
#include "learn/transfer.h"
#include "measure.h"

namespace {

using namespace anima;  // NOLINT: a benchmark is one file
using bench::must;

constexpr int kRows = 1000;

template <typename Work>
void measure(const char* name, const Work& work) {
  const double begin = bench::wall_seconds(), used = bench::process_seconds();
  work();
  fmt::print("{:<18} {:8.1f} ms, {:.1f} ms of the processor\n", name,
             (bench::wall_seconds() - begin) * 1000, (bench::process_seconds() - used) * 1000);
}

}  // namespace

int main() {
  const TemporaryDirectory folder("anima-learn-bench");
  ManualClock clock{*parse_timestamp("2026-01-05T12:00:00Z")};
  learn::LearningStore store(folder.file("shards"), must(learn::LearnableTable::shipped()), clock);
  measure("saved one by one", [&] {
    for (int i = 0; i < kRows; ++i) {
      clock.advance(6 * kMicrosecondsPerSecond);  // ten a minute are taken
      const Json arguments = Json::array({Json("x" + std::to_string(i))});
      if (!must(store.save("coder", {"avoid_pattern", arguments})).saved())
        bench::stop({ErrorCode::kInternal, "it was refused", {}, {}});
    }
  });
  const Json exported = must(learn::export_learnings(store, "coder", clock.now()));
  const auto rows =
      must(learn::parse_export(exported.dump(), store::Trust::kStandard, clock.now()));
  measure("saved at once", [&] { (void)must(store.import("tester", rows, false)); });
  measure("loaded", [&] { (void)must(store.load("coder")); });
  clock.advance(10 * kMicrosecondsPerDay);
  measure("decayed", [&] { (void)must(store.decay("coder")); });
  return 0;
}
