// What a call of an external tool costs: the sandbox from start to end with an empty program, a
// shell command, and the tools that need none. Milliseconds; the first start, which also tries what
// the machine has, apart.
//
//   tools_bench [RUNS]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <vector>

#include "tools/external.h"

namespace {

using namespace anima;

double milliseconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

void measure(std::string_view name, int runs, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) times.push_back(milliseconds(work));
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  fmt::print("{:<16} median {:>7.3f}  p99 {:>7.3f} ms\n", name, at(0.5), at(0.99));
}

}  // namespace

int main(int count, char** arguments) {
  const int runs = count > 1 ? std::atoi(arguments[1]) : 200;
  const double look = milliseconds([] { (void)tools::machine_sandbox(); });
  fmt::print("first look       {:.3f} ms: {} containment\n", look,
             tools::to_string(tools::machine_sandbox().containment()));
  if (tools::machine_sandbox().containment() != tools::Containment::kFull) return 0;
  TemporaryDirectory folder;
  SystemClock clock;
  SystemRandom random;
  tools::ExternalTools acting(clock, random, {.work_folder = folder.file("work")});
  const auto call = [&](std::string_view tool, Json input) {
    if (const auto result = acting.run(tool, input, 30'000); !result) {
      fmt::print(stderr, "{}: {}\n", tool, result.error().describe());
      std::exit(1);
    }
  };
  tools::SandboxRequest empty;
  empty.arguments = {"/bin/true"};
  measure("sandbox /bin/true", runs, [&] { (void)tools::run_sandboxed(empty); });
  measure("shell:execute", runs, [&] {
    call("shell:execute", Json::object({{"command", "true"}}));
  });
  measure("file:write", runs, [&] {
    call("file:write", Json::object({{"path", "a"}, {"content", "text"}}));
  });
  measure("file:read", runs, [&] { call("file:read", Json::object({{"path", "a"}})); });
  return 0;
}
