// The check and the compilation of one source, with the parts that tests share.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <string_view>

#include "base/files/file.h"
#include "base/packs.h"
#include "forge/compiler.h"
#include "forge/safety.h"
#include "support/forge_cache.h"
#include "tools/sandbox/sandbox.h"

namespace anima::test {

inline forge::CompileOptions forge_compiler() {
  forge::CompileOptions options;
  options.cache_folder = forge_cache();
  return options;
}

inline const forge::CompilerParts& forge_parts() {
  static const forge::CompilerParts kParts = [] {
    auto parts = forge::prepare_parts(forge_compiler());
    EXPECT_TRUE(parts.has_value()) << parts.error().describe();
    return parts ? *std::move(parts) : forge::CompilerParts();
  }();
  return kParts;
}

inline forge::SafetyReport checked(std::string_view source,
                                   const forge::SafetyOptions& options = {}) {
  return forge::check_safety(source, options, forge_compiler(), forge_parts()).report;
}

// The source behind the prelude with the text of every header that it names, as nothing of the
// product hands it to the compiler: preprocess() leaves out what is not of the source itself. In
// the sandbox, for the source is hostile.
inline Result<tools::SandboxRun> expanded(std::string_view source,
                                          const forge::CompileOptions& options) {
  const TemporaryDirectory build("anima-expand");
  EXPECT_EQ(::chmod(build.path().c_str(), 0755), 0);
  FileSystem& files = system_files();
  const auto interface_text = std::string(*pack_file(forge::kToolInterface));
  const auto prelude = std::string(*pack_file(forge::kToolPrelude)) + interface_text;
  ANIMA_TRY(replace_file(files, build.file("prelude.hpp"), prelude, 0644));
  ANIMA_TRY(replace_file(files, build.file("tool_api.hpp"), "", 0644));
  ANIMA_TRY(replace_file(files, build.file("tool.cpp"), source, 0644));
  tools::SandboxRequest request;
  request.arguments = forge::compiler_arguments();
  request.arguments.insert(request.arguments.begin(), options.compiler);
  for (const std::string& each : {std::string("-E"), std::string("-include"),
                                  build.file("prelude.hpp"), build.file("tool.cpp")})
    request.arguments.push_back(each);
  request.readable = {build.path()};
  request.environment = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C.UTF-8"}};
  request.limits.wall_ms = options.wall_ms;
  request.limits.cpu_seconds = options.cpu_seconds;
  request.limits.memory_bytes = options.memory_bytes;
  request.limits.tree_bytes = options.memory_bytes;
  request.limits.output_bytes = std::size_t{64} << 20;
  ANIMA_ASSIGN(tools::SandboxRun run, tools::run_sandboxed(request));
  const std::string begin = "\n# 1 \"" + build.file("tool.cpp") + "\" 2\n";
  const std::size_t at = run.process.out.find(begin);
  run.process.out.erase(0, at == std::string::npos ? run.process.out.size() : at + begin.size());
  return run;
}

// With the checker off.
inline Result<forge::CompileResult> compiled(
    std::string_view source, const forge::CompileOptions& options = forge_compiler()) {
  ANIMA_ASSIGN(const tools::SandboxRun text, expanded(source, options));
  if (text.process.ok() && !text.process.truncated)
    return forge::compile_tool("# 1 \"tool.cpp\"\n" + text.process.out, options, forge_parts());
  forge::CompileResult result;
  result.errors = text.process.err + "the source cannot be preprocessed";
  return result;
}

}  // namespace anima::test
