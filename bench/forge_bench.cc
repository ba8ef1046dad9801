// What a made tool costs: from the proposal of a template to the registered tool, step by step; a
// call of it in the sandbox; and what a thousand calls leave behind. No model is asked.
//
//   forge_bench [TOOLS] [CALLS]      9 and 1,000 when nothing is said
//
// The first tool of a machine also compiles what all of them are linked with; it is told apart.
#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "forge/forge.h"
#include "measure.h"
#include "tools/sandbox/sealed_program.h"

namespace {

using namespace anima;  // NOLINT: a benchmark is one file
using bench::must;
using bench::wall_seconds;

double at(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
}

std::size_t entries(const std::string& folder) {
  DIR* const open = opendir(folder.c_str());
  if (open == nullptr) return 0;
  std::size_t count = 0;
  while (readdir(open) != nullptr) ++count;
  closedir(open);
  return count;
}

// Processes that this one has to answer for, open descriptors, files in its folder for temporary
// ones, and KiB of memory.
struct Left {
  long processes = 0;
  std::size_t descriptors = 0, files = 0;
  long memory = 0;
};

Left left(const std::string& temporary) {
  Left found;
  std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (long child = 0; children >> child;) ++found.processes;
  found.descriptors = entries("/proc/self/fd");
  found.files = entries(temporary);
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") status >> found.memory;
  }
  return found;
}

}  // namespace

int main(int count, char** arguments) {
  const int tools_wanted = count > 1 ? std::atoi(arguments[1]) : 9;
  const int calls = count > 2 ? std::atoi(arguments[2]) : 1000;
  const TemporaryDirectory folder("anima-forge-bench");
  const std::string temporary = folder.file("tmp");
  must(system_files().make_directories(temporary, 0755));
  setenv("TMPDIR", temporary.c_str(), 1);
  SystemClock clock;
  SystemRandom random;
  const auto space = must(store::Space::open(folder.file("space"), {.create = true}));
  govern::Ledger ledger(*space, clock, random);
  forge::ForgeOptions options;
  options.folder = folder.file("space/tools");
  options.origin.author = "bench";
  options.gate.most_tools_a_session = 0;
  const auto forge = must(forge::Forge::open(*space, ledger, clock, random, options));
  const auto generator = forge::make_template_generator();
  std::vector<double> whole, compiling;
  forge::MadeTool last;
  for (int i = 0; i < tools_wanted + 1; ++i) {
    forge::Need need;
    need.name = "csv_sum_" + std::to_string(i);
    need.purpose = "the sum of a column of a CSV table";
    const forge::ForgeReport report = forge->generate(need, *generator);
    if (!report.success) bench::stop(*report.error);
    last = *report.tool;
    const auto taken = static_cast<double>(report.milliseconds);
    if (i == 0) {
      fmt::print("first tool                {:8.0f} ms\n", taken);
      continue;
    }
    whole.push_back(taken);
    compiling.push_back(static_cast<double>(report.compile_milliseconds));
  }
  fmt::print("proposal to registered    {:8.0f} ms median, {:.0f} ms longest, of {} tools\n",
             at(whole, 0.5), at(whole, 1.0), tools_wanted);
  fmt::print("  of it the compiler      {:8.0f} ms median\n", at(compiling, 0.5));

  tools::ProgramAccess program;
  program.command = {forge->tools().binary_path(last.name)};
  program.sealed = last.binary_sha256;
  const Json input = Json::object(
      {{"input", "city,amount\nOslo,2\nBergen,3\n"}, {"args", Json::array({Json("amount")})}});
  const auto call = [&] { (void)must(tools::run_sealed(last.name, program, input, {})); };
  for (int i = 0; i < 50; ++i) call();
  const Left before = left(temporary);
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const double begin = wall_seconds();
    call();
    times.push_back((wall_seconds() - begin) * 1000);
  }
  const Left after = left(temporary);
  fmt::print("sandboxed call            {:8.2f} ms median, {:.2f} ms p99, of {} calls\n",
             at(times, 0.5), at(times, 0.99), calls);
  fmt::print("left behind by them       {} processes, {} descriptors, {} files, {} KiB of memory\n",
             after.processes - before.processes,
             static_cast<long>(after.descriptors) - static_cast<long>(before.descriptors),
             static_cast<long>(after.files) - static_cast<long>(before.files),
             after.memory - before.memory);
  return 0;
}
