#include "world/machine/sandboxed_machine.h"

#include <fmt/format.h>

#include <charconv>

#include "tools/external.h"

namespace anima::world {
namespace {

constexpr std::int64_t kAnswerMs = 60'000;  // far more than a program can take
constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;
constexpr std::uint64_t kProcessorSeconds = 60;

// "FAULT RESULT TICKS".
std::optional<Execution> read_answer(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  int fault = 0;
  Execution run;
  const auto number = [&](auto& value) {
    while (at != end && *at == ' ') ++at;
    const auto read = std::from_chars(at, end, value);
    at = read.ptr;
    return read.ec == std::errc();
  };
  if (!number(fault) || !number(run.result) || !number(run.ticks) || at != end || fault < 0 ||
      fault > 0xff)
    return std::nullopt;
  run.fault = static_cast<Fault>(fault);
  return run;
}

}  // namespace

std::string find_machine() { return tools::find_helper("anima-machine"); }

Result<std::unique_ptr<SandboxedMachine>> SandboxedMachine::start(std::string path) {
  if (path.empty())
    return fail(ErrorCode::kNotFound, "the program anima-machine is not installed", {},
                "it belongs beside anima, or into ../libexec/anima");
  auto machine = std::unique_ptr<SandboxedMachine>(new SandboxedMachine(std::move(path)));
  ANIMA_TRY(machine->begin());
  return machine;
}

Status SandboxedMachine::begin() {
  tools::SandboxRequest request;
  request.arguments = {path_};
  request.working_directory = "/";
  request.bare = true;
  request.limits.cpu_seconds = kProcessorSeconds;
  request.limits.tree_cpu_seconds = kProcessorSeconds;
  request.limits.memory_bytes = kMemory;
  request.limits.tree_bytes = kMemory;
  request.limits.file_bytes = 0;
  request.limits.processes = 1;
#ifdef ANIMA_SANITIZED
  // A checked build is not linked statically, and reserves most of the address space.
  request.bare = false;
  request.readable = {path_};
  request.limits.memory_bytes = ~std::uint64_t{0};
  request.environment = {{"ASAN_OPTIONS", "detect_leaks=0"}};
#endif
  ANIMA_ASSIGN(process_, tools::SandboxedProcess::start(request));
  return {};
}

Result<Execution> SandboxedMachine::run(std::string_view program, std::int64_t input,
                                        std::uint64_t tick_limit) {
  // As run_program() says of one that is too long.
  if (program.size() > kMaxProgramBytes) return Execution{Fault::kInstruction, 0, 0};
  const std::string question =
      fmt::format("{} {} {}\n{}", input, tick_limit, program.size(), program);
  if (process_ != nullptr) {
    auto answer = ask(question);
    if (answer) return answer;
    process_.reset();
  }
  ANIMA_TRY(begin());
  return ask(question);
}

Result<Execution> SandboxedMachine::ask(const std::string& question) {
  std::string_view rest = question;
  std::string line;
  while (!line.ends_with('\n')) {
    ANIMA_ASSIGN(const ChildProcess::Moved moved, process_->exchange(rest, kAnswerMs));
    rest.remove_prefix(moved.written);
    line += moved.out;
    if (moved.written == 0 && moved.out.empty())
      return fail(ErrorCode::kIo, "the machine of the world has ended");
  }
  line.pop_back();
  const auto run = read_answer(line);
  if (!run) return fail(ErrorCode::kIo, "the machine of the world answers with something else");
  return *run;
}

}  // namespace anima::world
