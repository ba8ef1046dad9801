#include "tools/sandbox/sealed_program.h"

#include <algorithm>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"

namespace anima::tools {
namespace {

constexpr std::uint64_t kMostBinary = std::uint64_t{64} << 20;
constexpr std::uint64_t kSealedFiles = 16;

Result<std::string> sealed_input(const std::string& name, const Json& arguments) {
  const Json* input = arguments.find("input");
  const Json* args = arguments.find("args");
  if ((input != nullptr && !input->is_string()) || (args != nullptr && !args->is_array())) {
    return fail(ErrorCode::kInvalidArgument, name + " takes a text as `input` and a list as `args`",
                {}, R"(for example {"input": "a,b\n1,2", "args": ["b"]})");
  }
  Json given = Json::array();
  if (args != nullptr) {
    for (const Json& each : args->as_array()) {
      if (!each.is_string())
        return fail(ErrorCode::kInvalidArgument, name + " takes a list of texts as `args`");
      given.push_back(each);
    }
  }
  const std::string text =
      Json::object({{"input", input == nullptr ? Json("") : *input}, {"args", std::move(given)}})
          .dump();
  if (text.size() > kMostSealedInput)
    return fail(ErrorCode::kLimitExceeded, name + " takes 10 MiB at most");
  return text;
}

Status check_seal(const std::string& name, const ProgramAccess& program) {
  const std::string& path = program.command[0];
  auto bytes = read_file(system_files(), path, kMostBinary);
  if (!bytes) {
    return fail(ErrorCode::kNotFound, "the program of " + name + " is not there", path,
                "make it again with `anima tool generate`");
  }
  if (hash_hex(HashAlgorithm::kSha256, *bytes) == program.sealed) return {};
  return fail(ErrorCode::kCorrupt,
              "the program of " + name + " is another than the one that was registered", path,
              "make it again with `anima tool generate`");
}

Result<Json> read_sealed_output(const std::string& name, const ProcessResult& process) {
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorCode::kCorrupt, name + " broke its protocol: " + what);
  };
  const auto json = parse_json(trim(process.out), {.max_depth = 8});
  if (!json || !json->is_object()) return wrong("its output is not one JSON object");
  const Json* error = json->find("error");
  const Json* output = json->find("output");
  if (error != nullptr && error->is_string() && !error->as_string().empty())
    return fail(ErrorCode::kInvalidArgument, name + ": " + valid_text(error->as_string()));
  if (process.exit_code != 0)
    return wrong("it ended with " + std::to_string(process.exit_code) + " and told no error");
  if (output == nullptr || !output->is_string()) return wrong("it told neither output nor error");
  return Json::object({{"text", valid_text(output->as_string())}});
}

SandboxRequest sealed_request(const ProgramAccess& program, std::string input,
                              const SealedOptions& options) {
  SandboxRequest request;
  request.arguments = {program.command[0]};
  request.input = std::move(input);
  request.working_directory = "/";
  request.bare = true;
  for (const FolderAccess& each : program.folders) request.readable.push_back(each.path);
  request.network = program.network;
  request.best_effort = options.best_effort;
  request.stop = options.stop;
  request.limits.wall_ms = options.wall_ms;
  request.limits.cpu_seconds = static_cast<std::uint64_t>(options.wall_ms / 1000 + 1);
  request.limits.memory_bytes = options.memory_bytes;
  request.limits.tree_bytes = options.memory_bytes;
  request.limits.file_bytes = 0;
  request.limits.processes = 1;
  request.limits.open_files = kSealedFiles;
  request.limits.output_bytes = options.output_bytes;
  return request;
}

}  // namespace

Result<Json> run_sealed(const std::string& name, const ProgramAccess& program,
                        const Json& arguments, const SealedOptions& options,
                        const SandboxFacts& facts) {
  ANIMA_ASSIGN(std::string input, sealed_input(name, arguments));
  ANIMA_TRY(check_seal(name, program));
  ANIMA_ASSIGN(const SandboxRun run,
               run_sandboxed(sealed_request(program, std::move(input), options), facts));
  if (run.stopped) return fail(ErrorCode::kCancelled, name + " was ended: its call was taken back");
  if (run.process.timed_out) {
    return fail(ErrorCode::kTimeout,
                name + " was ended after " + std::to_string(options.wall_ms) + " ms");
  }
  if (run.out_of_memory)
    return fail(ErrorCode::kLimitExceeded, name + " took too much memory and was ended");
  if (run.process.signal != 0)
    return fail(ErrorCode::kIo,
                name + " was ended by signal " + std::to_string(run.process.signal));
  if (run.process.truncated) return fail(ErrorCode::kLimitExceeded, name + " printed too much");
  return read_sealed_output(name, run.process);
}

}  // namespace anima::tools
