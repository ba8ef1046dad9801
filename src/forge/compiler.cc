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
#include "tools/sandbox/sandbox.h"

namespace anima::forge {
namespace {

constexpr std::string_view kRuntimeFile = "packs/forge/tool_runtime.cpp";
constexpr std::size_t kMostErrors = 4096;
constexpr std::uint64_t kMostObject = std::uint64_t{64} << 20;
constexpr std::size_t kMostPrinted = std::size_t{16} << 20;  // 5 MiB of it the prelude's

std::vector<std::string> command(const CompileOptions& options,
                                 const std::vector<std::string>& more) {
  std::vector<std::string> all = compiler_arguments();
  all.insert(all.begin(), options.compiler);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A folder that the compiler, as whoever it is in the sandbox, may write.
Status open_to_compiler(const std::string& folder) {
  const uid_t user = tools::sandbox_user();
  if (geteuid() == 0 && chown(folder.c_str(), user, user) != 0)
    return fail(os_error(errno, "cannot give the folder to the compiler", folder));
  return {};
}

Result<tools::SandboxRun> run_compiler(std::vector<std::string> arguments,
                                       const std::string& folder, const CompileOptions& options,
                                       std::string input = {}) {
  tools::SandboxRequest request;
  request.arguments = std::move(arguments);
  request.input = std::move(input);
  request.writable = {folder};
  request.environment = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C.UTF-8"}, {"TMPDIR", "/tmp"}};
  request.best_effort = options.best_effort;
  request.limits.wall_ms = options.wall_ms;
  request.limits.cpu_seconds = options.cpu_seconds;
  request.limits.memory_bytes = options.memory_bytes;
  request.limits.tree_bytes = options.memory_bytes;
  request.limits.file_bytes = kMostObject;
  request.limits.output_bytes = kMostPrinted;
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

// The files outside of the folder that a rule of make names: what the compiler read.
std::vector<std::string> read_for(std::string_view rule, const std::string& folder) {
  std::vector<std::string> read;
  const std::string text = replace_all(rule, "\n", " ");
  for (const std::string_view word : split(text, ' ')) {
    if (word.starts_with('/') && !word.starts_with(folder)) read.emplace_back(word);
  }
  return read;
}

std::string prelude_text() {
  return std::string(*pack_file(kToolPrelude)) + std::string(*pack_file(kToolInterface));
}

// One of the two parts: what is compiled, and how. It is read from standard input, so that no part
// names a file of a folder that is gone when the part is used.
struct PartRecipe {
  std::string name, source;
  std::vector<std::string> how;
  std::string key;
};

PartRecipe recipe(const CompileOptions& options, std::string name, std::string source,
                  std::vector<std::string> how) {
  PartRecipe part{std::move(name), std::move(source), std::move(how), {}};
  std::vector<std::string> texts = compiler_arguments();
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
  ANIMA_TRY(open_to_compiler(build.path()));
  ANIMA_TRY(detail::write_part(build.file("tool_api.hpp"), *pack_file(kToolInterface)));
  std::vector<std::string> arguments = command(options, part.how);
  for (const std::string& each :
       {"-I" + build.path(), std::string("-"), std::string("-o"), build.file("part"),
        std::string("-MD"), std::string("-MF"), build.file("read")})
    arguments.push_back(each);
  ANIMA_ASSIGN(const tools::SandboxRun run,
               run_compiler(std::move(arguments), build.path(), options, part.source));
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

Result<tools::SandboxRun> build_tool(const TemporaryDirectory& build,
                                     const CompileOptions& options) {
  std::vector<std::string> arguments =
      command(options, program_arguments(build.file("tool.cpp"), build.file("prelude.pch")));
  for (const std::string& each : {std::string("-c"), std::string("-o"), build.file("tool.o")})
    arguments.push_back(each);
  ANIMA_ASSIGN(tools::SandboxRun run, run_compiler(std::move(arguments), build.path(), options));
  if (!run.process.ok()) return run;
  return run_compiler({options.compiler, "-static", "-s", build.file("tool.o"),
                       build.file("runtime.o"), "-o", build.file("tool")},
                      build.path(), options);
}

}  // namespace

Status check_compiler(const CompileOptions& options) {
  if (access(options.compiler.c_str(), X_OK) == 0) return {};
  return fail(ErrorCode::kNotFound, "there is no compiler", options.compiler,
              "install clang, which brings what it needs (apt-get install clang-14)");
}

std::vector<std::string> compiler_arguments() {
  return {"-std=c++20",
          "-O1",
          "-fstack-protector-strong",
          "-D_GLIBCXX_ASSERTIONS",
          "-Werror=return-type",
          "-fpch-instantiate-templates",
          "-ferror-limit=20",
          "-fno-color-diagnostics",
          "-fno-caret-diagnostics"};
}

std::vector<std::string> program_arguments(const std::string& file, const std::string& prelude) {
  // The driver would drop the prelude of a preprocessed text.
  return {"-x", "c++-cpp-output", "-Xclang", "-include-pch", "-Xclang", prelude, file};
}

Result<CompilerParts> prepare_parts(const CompileOptions& options) {
  ANIMA_TRY(check_compiler(options));
  const PartRecipe runtime =
      recipe(options, "runtime.o", std::string(*pack_file(kRuntimeFile)), {"-x", "c++", "-c"});
  const PartRecipe prelude = recipe(options, "prelude.pch", prelude_text(), {"-x", "c++-header"});
  std::future<Result<MadePart>> beside =
      std::async(std::launch::async, [&] { return provide_part(prelude, options); });
  auto object = provide_part(runtime, options);
  auto header = beside.get();
  if (!object) return fail(std::move(object).error());
  if (!header) return fail(std::move(header).error());
  CompilerParts parts;
  parts.prelude = std::move(header->bytes);
  parts.runtime = std::move(object->bytes);
  parts.errors = object->errors.empty() ? std::move(header->errors) : std::move(object->errors);
  parts.made = (header->made ? 1 : 0) + (object->made ? 1 : 0);
  return parts;
}

Result<Preprocessed> preprocess(std::string_view source, const CompileOptions& options) {
  ANIMA_TRY(check_compiler(options));
  if (source.find(kInclusionMark) != std::string_view::npos)
    return fail(ErrorCode::kCorrupt, "the source holds a mark of the preprocessor");
  const TemporaryDirectory build("anima-compile");
  ANIMA_TRY(open_to_compiler(build.path()));
  const std::string path = build.file("tool.cpp");
  ANIMA_TRY(detail::write_part(build.file("prelude.hpp"), prelude_text()));
  ANIMA_TRY(detail::write_part(build.file("tool_api.hpp"), ""));  // the prelude has it
  ANIMA_TRY(detail::write_part(path, source));
  // To standard output: a file would be gone after an error, and with it what was included.
  ANIMA_ASSIGN(
      const tools::SandboxRun run,
      run_compiler(command(options, {"-E", "-dI", "-include", build.file("prelude.hpp"), path}),
                   build.path(), options));
  if (run.process.timed_out || run.out_of_memory || run.process.signal != 0 ||
      run.process.truncated) {
    return fail(ErrorCode::kLimitExceeded,
                "the source takes too much time or memory to be preprocessed");
  }
  const auto lines = static_cast<std::size_t>(std::ranges::count(source, '\n')) + 1;
  Preprocessed read = read_preprocessed(run.process.out, path, lines);
  if (run.process.ok()) return read;
  read.errors = errors_told(valid_text(run.process.err), path);
  // What it said is not told here: it could hold lines of other files.
  if (read.errors.empty()) return fail(ErrorCode::kCorrupt, "the source cannot be preprocessed");
  return read;
}

Result<CompileResult> compile_tool(std::string_view program, const CompileOptions& options,
                                   const CompilerParts& parts) {
  CompileResult result;
  result.errors = parts.errors;
  if (!result.errors.empty()) return result;
  ANIMA_TRY(check_compiler(options));
  const auto begin = std::chrono::steady_clock::now();
  const TemporaryDirectory build("anima-compile");
  ANIMA_TRY(open_to_compiler(build.path()));
  ANIMA_TRY(detail::write_part(build.file("tool.cpp"), program));
  ANIMA_TRY(detail::write_part(build.file("runtime.o"), parts.runtime));
  ANIMA_TRY(detail::write_part(build.file("prelude.pch"), parts.prelude));
  ANIMA_ASSIGN(const tools::SandboxRun run, build_tool(build, options));
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
