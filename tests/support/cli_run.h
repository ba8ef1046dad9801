// The program run inside the test's process: its exit code and both of its streams.
#pragma once

#include <string>
#include <vector>

#include "cli/program.h"

namespace anima::test {

struct CliRun {
  int code = 0;
  std::string out;
  std::string err;
};

inline CliRun run_cli(const std::vector<std::string>& arguments, const Environment& environment) {
  cli::StringStream out;
  cli::StringStream err;
  cli::Context context(out, err, system_files(), environment);
  CliRun run;
  run.code = cli::run_program(context, arguments);
  run.out = out.text();
  run.err = err.text();
  return run;
}

}  // namespace anima::test
