// The machine of program.h as a process in the sandbox (tools/sandbox/sandbox.h): the program
// anima-machine, one for a world, which runs what anybody wrote and can reach nothing. The steps
// are counted there as everywhere, so the results are those of run_program(). A process that ended,
// for it was killed or had used its processor time, is started again, once for a program.
// Thread-safety: one thread at a time, which must live as long as the machine.
// Source: governance_and_runtime 2.8.
#pragma once

#include <memory>
#include <string>

#include "tools/sandbox/sandbox.h"
#include "world/program.h"

namespace anima::world {

// The program anima-machine beside this program, or in ../libexec/anima; empty when it is not
// there.
std::string find_machine();

class SandboxedMachine {
 public:
  // `path` of anima-machine. Errors: kNoSandbox, kNotFound, kIo.
  static Result<std::unique_ptr<SandboxedMachine>> start(std::string path);
  // Errors: those of the sandbox; kTimeout; kIo (it ended twice, or answers with something else).
  Result<Execution> run(std::string_view program, std::int64_t input, std::uint64_t tick_limit);

 private:
  explicit SandboxedMachine(std::string path) : path_(std::move(path)) {}
  Status begin();
  Result<Execution> ask(const std::string& question);

  const std::string path_;
  std::unique_ptr<tools::SandboxedProcess> process_;
};

}  // namespace anima::world
