// What a call of an external tool costs: the sandbox from start to end with an empty program, a
// shell command, and the tools that need none. Milliseconds; the first start, which also tries what
// the machine has, apart.
//
//   tools_bench [RUNS]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <vector>

#include "tools/effects/staging.h"
#include "tools/external.h"

namespace {

using namespace anima;  // NOLINT: a benchmark is one file

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

// Files of a hundred bytes in folders of a hundred, for the user of the sandbox.
void fill(const std::string& folder, int files) {
  const auto own = [](const std::string& path) {
    if (chown(path.c_str(), tools::sandbox_user(), static_cast<gid_t>(-1)) != 0) std::exit(1);
  };
  for (int i = 0; i < files; ++i) {
    const std::string inner = fmt::format("{}/{}", folder, i / 100);
    if (i % 100 == 0) {
      (void)system_files().make_directories(inner);
      own(inner);
    }
    const std::string path = fmt::format("{}/{}", inner, i % 100);
    std::ofstream(path) << std::string(99, 'x') << '\n';
    own(path);
  }
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
  fill(folder.file("work/many"), 10'000);
  measure("among 10,000", runs, [&] {
    call("shell:execute", Json::object({{"command", "true"}}));
  });
  measure("and one edit", runs, [&] {
    call("shell:execute", Json::object({{"command", "date >> many/7/7"}}));
  });
  measure("and 100 files", runs / 10, [&] {
    call("shell:execute",
         Json::object({{"command", "mkdir -p out; for i in $(seq 100); do date > out/$i; done"}}));
  });
  tools::effects::Staging copying(folder.file("work"), folder.file("state"), clock, random,
                                  {.only = tools::effects::ViewKind::kCopy, .limits = {}});
  empty.arguments = {"/bin/sh", "-c", "true"};
  measure("the same, copied", std::max(3, runs / 20), [&] {
    if (const auto trial = copying.run(empty); !trial)
      fmt::print(stderr, "copy: {}\n", trial.error().describe());
  });
  measure("file:write", runs, [&] {
    call("file:write", Json::object({{"path", "a"}, {"content", "text"}}));
  });
  measure("file:read", runs, [&] { call("file:read", Json::object({{"path", "a"}})); });
  return 0;
}
