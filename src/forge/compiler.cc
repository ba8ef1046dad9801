#include "forge/compiler.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <vector>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "forge/safety.h"
#include "tools/sandbox/sandbox.h"

namespace anima::forge {
namespace {

constexpr std::string_view kRuntimeFile = "packs/forge/tool_runtime.cpp";
constexpr std::size_t kMostErrors = 4096;
constexpr std::uint64_t kMostObject = std::uint64_t{64} << 20;

// What both compilations are made with; `-static` and `-s` say how they are linked.
std::vector<std::string> common_arguments(const CompileOptions& options,
                                          const std::string& folder) {
  return {options.compiler,
          "-std=c++20",
          "-O1",
          "-s",
          "-static",
          "-fstack-protector-strong",
          "-D_GLIBCXX_ASSERTIONS",
          "-Werror=return-type",
          "-fdiagnostics-color=never",
          "-I" + folder};
}

// A folder that the compiler, as whoever it is in the sandbox, may write.
Status open_to_compiler(const std::string& folder) {
  const uid_t user = tools::sandbox_user();
  if (geteuid() == 0 && chown(folder.c_str(), user, user) != 0)
    return fail(os_error(errno, "cannot give the folder to the compiler", folder));
  return {};
}

Result<tools::SandboxRun> run_compiler(std::vector<std::string> arguments,
                                       const std::string& folder, const CompileOptions& options) {
  tools::SandboxRequest request;
  request.arguments = std::move(arguments);
  request.writable = {folder};
  request.environment = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C.UTF-8"}, {"TMPDIR", "/tmp"}};
  request.best_effort = options.best_effort;
  request.limits.wall_ms = options.wall_ms;
  request.limits.cpu_seconds = options.cpu_seconds;
  request.limits.memory_bytes = options.memory_bytes;
  request.limits.tree_bytes = options.memory_bytes;
  request.limits.file_bytes = kMostObject;
  request.limits.temporary_bytes = std::uint64_t{256} << 20;
  request.limits.processes = 16;
  return tools::run_sandboxed(request);
}

std::string problem_of(const tools::SandboxRun& run, const std::string& folder) {
  if (run.process.timed_out) return "the compiler took too long and was ended";
  if (run.out_of_memory) return "the compiler took too much memory and was ended";
  const std::string said = replace_all(valid_text(run.process.err), folder + "/", "");
  if (!trim(said).empty()) return std::string(beginning_of(said, kMostErrors));
  return "the compiler ended with " + std::to_string(run.process.exit_code);
}

std::string cache_path(const CompileOptions& options) {
  if (options.cache_folder.empty()) return {};
  std::string key = options.compiler;
  if (const auto info = system_files().info(options.compiler))
    key += std::to_string(info->size) + "/" + std::to_string(info->modified.microseconds);
  for (const std::string_view file : {kToolInterface, kRuntimeFile}) key += *pack_file(file);
  const std::string hash = hash_hex(HashAlgorithm::kSha256, key);
  return join_path(options.cache_folder, ".runtime-" + hash.substr(0, 16) + ".o");
}

// Puts runtime.o into the folder, from the cache or by compiling it. Empty: it is there; else what
// the compiler said.
Result<std::string> provide_runtime(const std::string& folder, const CompileOptions& options) {
  FileSystem& files = system_files();
  const std::string cached = cache_path(options), object = join_path(folder, "runtime.o");
  if (!cached.empty()) {
    if (const auto bytes = read_file(files, cached, kMostObject)) {
      ANIMA_TRY(replace_file(files, object, *bytes));
      return std::string();
    }
  }
  std::vector<std::string> arguments = common_arguments(options, folder);
  const std::string source = join_path(folder, "runtime.cpp");
  ANIMA_TRY(replace_file(files, source, *pack_file(kRuntimeFile)));
  for (const std::string& each : {std::string("-c"), source, std::string("-o"), object})
    arguments.push_back(each);
  ANIMA_ASSIGN(const tools::SandboxRun run, run_compiler(std::move(arguments), folder, options));
  if (!run.process.ok()) return problem_of(run, folder);
  if (!cached.empty()) {
    ANIMA_ASSIGN(const std::string bytes, read_file(files, object, kMostObject));
    ANIMA_TRY(files.make_directories(options.cache_folder, 0700));
    ANIMA_TRY(replace_file(files, cached, bytes, 0600));
  }
  return std::string();
}

}  // namespace

Status check_compiler(const CompileOptions& options) {
  if (access(options.compiler.c_str(), X_OK) == 0) return {};
  return fail(ErrorCode::kNotFound, "there is no compiler", options.compiler,
              "install g++, with its static libraries (apt-get install g++)");
}

Result<CompileResult> compile_tool(std::string_view source, const CompileOptions& options) {
  FileSystem& files = system_files();
  ANIMA_TRY(check_compiler(options));
  const auto begin = std::chrono::steady_clock::now();
  const TemporaryDirectory build("anima-compile");
  const std::string& folder = build.path();
  ANIMA_TRY(open_to_compiler(folder));
  ANIMA_TRY(replace_file(files, build.file("tool_api.hpp"), *pack_file(kToolInterface)));
  ANIMA_TRY(replace_file(files, build.file("tool.cpp"), source));
  CompileResult result;
  ANIMA_ASSIGN(result.errors, provide_runtime(folder, options));
  if (!result.errors.empty()) return result;
  std::vector<std::string> arguments = common_arguments(options, folder);
  for (const std::string& each :
       {build.file("tool.cpp"), build.file("runtime.o"), std::string("-o"), build.file("tool")})
    arguments.push_back(each);
  ANIMA_ASSIGN(const tools::SandboxRun run, run_compiler(std::move(arguments), folder, options));
  result.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - begin)
                            .count();
  if (!run.process.ok()) {
    result.errors = problem_of(run, folder);
    return result;
  }
  ANIMA_ASSIGN(result.binary, read_file(files, build.file("tool"), kMostObject));
  result.success = true;
  return result;
}

}  // namespace anima::forge
