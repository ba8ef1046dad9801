#include "forge/compiler.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <future>
#include <vector>

#include "base/files/file.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "forge/detail/part_cache.h"
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

// A folder to compile in, with our headers.
Status furnish(const TemporaryDirectory& build) {
  ANIMA_TRY(open_to_compiler(build.path()));
  ANIMA_TRY(detail::write_part(build.file("tool_api.hpp"), *pack_file(kToolInterface)));
  return detail::write_part(build.file("prelude.hpp"), *pack_file(kToolPrelude));
}

// The files outside of the folder that a rule of make names: what the compiler read.
std::vector<std::string> read_for(std::string_view rule, const std::string& folder) {
  std::vector<std::string> read;
  const std::string text = replace_all(rule, "\n", " ");
  for (const std::string_view word : split(text, ' ')) {
    if (word.starts_with('/') && !word.starts_with(folder)) read.emplace_back(word);
  }
  return read;
}

// One of the two parts: what is compiled, and how.
struct PartRecipe {
  std::string name, source_name, source;
  std::vector<std::string> how;
  std::string key;
};

PartRecipe recipe(const CompileOptions& options, std::string name, std::string source_name,
                  std::string_view source, std::vector<std::string> how) {
  PartRecipe part{std::move(name), std::move(source_name), std::string(source), std::move(how), {}};
  std::vector<std::string> texts = common_arguments(options, "");
  texts.insert(texts.end(), part.how.begin(), part.how.end());
  texts.push_back(part.source);
  texts.emplace_back(*pack_file(kToolInterface));
  part.key = detail::part_key(texts, {options.compiler});
  return part;
}

struct MadePart {
  std::string bytes, errors;
  bool made = false;
};

Result<MadePart> provide_part(const PartRecipe& part, const CompileOptions& options) {
  const detail::PartCache cache(options.cache_folder);
  if (auto kept = cache.find(part.name, part.key)) return MadePart{std::move(*kept), {}, false};
  const TemporaryDirectory build("anima-compile");
  ANIMA_TRY(furnish(build));
  ANIMA_TRY(detail::write_part(build.file(part.source_name), part.source));
  std::vector<std::string> arguments = common_arguments(options, build.path());
  arguments.insert(arguments.end(), part.how.begin(), part.how.end());
  for (const std::string& each :
       {build.file(part.source_name), std::string("-o"), build.file("part"), std::string("-MD"),
        std::string("-MF"), build.file("read")})
    arguments.push_back(each);
  ANIMA_ASSIGN(const tools::SandboxRun run,
               run_compiler(std::move(arguments), build.path(), options));
  MadePart made{{}, {}, true};
  if (!run.process.ok()) {
    made.errors = problem_of(run, build.path());
    return made;
  }
  ANIMA_ASSIGN(made.bytes, read_file(system_files(), build.file("part"), kMostObject));
  ANIMA_ASSIGN(const std::string rule, read_file(system_files(), build.file("read"), kMostObject));
  // Not kept, it is made again.
  (void)cache.keep(part.name, part.key, made.bytes, read_for(rule, build.path()));
  return made;
}

// Compiles and links what is in the folder. With a precompiled prelude or without.
Result<tools::SandboxRun> build_tool(const TemporaryDirectory& build,
                                     const CompileOptions& options) {
  std::vector<std::string> arguments = common_arguments(options, build.path());
  for (const std::string& each :
       {std::string("-include"), build.file("prelude.hpp"), build.file("tool.cpp"),
        build.file("runtime.o"), std::string("-o"), build.file("tool")})
    arguments.push_back(each);
  return run_compiler(std::move(arguments), build.path(), options);
}

}  // namespace

Status check_compiler(const CompileOptions& options) {
  if (access(options.compiler.c_str(), X_OK) == 0) return {};
  return fail(ErrorCode::kNotFound, "there is no compiler", options.compiler,
              "install g++, with its static libraries (apt-get install g++)");
}

Result<CompilerParts> prepare_parts(const CompileOptions& options) {
  ANIMA_TRY(check_compiler(options));
  const PartRecipe runtime =
      recipe(options, "runtime.o", "runtime.cpp", *pack_file(kRuntimeFile), {"-c"});
  const PartRecipe prelude =
      recipe(options, "prelude.gch", "prelude.hpp", *pack_file(kToolPrelude), {"-x", "c++-header"});
  // A header that is precompiled for one tool alone costs more than it saves.
  std::future<Result<MadePart>> beside;
  if (!options.cache_folder.empty()) {
    beside = std::async(std::launch::async, [&] { return provide_part(prelude, options); });
  }
  auto object = provide_part(runtime, options);
  CompilerParts parts;
  if (beside.valid()) {
    if (auto header = beside.get()) {
      parts.prelude = std::move(header->bytes);
      parts.made += header->made ? 1 : 0;
    }
  }
  if (!object) return fail(std::move(object).error());
  parts.runtime = std::move(object->bytes);
  parts.errors = std::move(object->errors);
  parts.made += object->made ? 1 : 0;
  return parts;
}

Result<CompileResult> compile_tool(std::string_view source, const CompileOptions& options) {
  ANIMA_ASSIGN(const CompilerParts parts, prepare_parts(options));
  return compile_tool(source, options, parts);
}

Result<CompileResult> compile_tool(std::string_view source, const CompileOptions& options,
                                   const CompilerParts& parts) {
  CompileResult result;
  result.errors = parts.errors;
  if (!result.errors.empty()) return result;
  ANIMA_TRY(check_compiler(options));
  const auto begin = std::chrono::steady_clock::now();
  const TemporaryDirectory build("anima-compile");
  const std::string precompiled = build.file("prelude.hpp.gch");
  ANIMA_TRY(furnish(build));
  ANIMA_TRY(detail::write_part(build.file("tool.cpp"), source));
  ANIMA_TRY(detail::write_part(build.file("runtime.o"), parts.runtime));
  if (!parts.prelude.empty()) ANIMA_TRY(detail::write_part(precompiled, parts.prelude));
  ANIMA_ASSIGN(tools::SandboxRun run, build_tool(build, options));
  // A compiler that cannot use what it was given is no fault of the source.
  const bool complains = run.process.err.find("prelude.hpp") != std::string::npos;
  if (!run.process.ok() && complains && !parts.prelude.empty()) {
    ANIMA_TRY(system_files().remove(precompiled));
    ANIMA_ASSIGN(run, build_tool(build, options));
  }
  result.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - begin)
                            .count();
  if (!run.process.ok()) {
    result.errors = problem_of(run, build.path());
    return result;
  }
  ANIMA_ASSIGN(result.binary, read_file(system_files(), build.file("tool"), kMostObject));
  result.success = true;
  return result;
}

}  // namespace anima::forge
