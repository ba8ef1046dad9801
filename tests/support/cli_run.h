// The program run inside the test's process: its exit code and both of its streams.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/program.h"
#include "cli/frame/stream.h"

namespace anima::test {

class StringStream final : public cli::Stream {
 public:
  void write(std::string_view text) override { text_ += text; }
  const std::string& text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  std::string text_;
};

struct CliRun {
  int code = 0;
  std::string out;
  std::string err;
};

inline CliRun run_cli(const std::vector<std::string>& arguments, const Environment& environment) {
  StringStream out;
  StringStream err;
  cli::Context context(out, err, system_files(), environment);
  CliRun run;
  run.code = cli::run_program(context, arguments);
  run.out = out.text();
  run.err = err.text();
  return run;
}

}  // namespace anima::test
