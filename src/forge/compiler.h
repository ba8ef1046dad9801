// Compiles a generated source to a static program, in the sandbox: the system read-only, a private
// /tmp, one folder to write, no network, limits on memory and time. Nothing of a command comes from
// whoever made the source. Thread-safety: from any thread. Errors: those of the sandbox; kNotFound
// (no compiler). That the source does not compile is a result.
// Source: learning_and_psyche 1.14, "Compile", row X13.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::forge {

struct CompileOptions {
  std::string compiler = "/usr/bin/g++";
  std::uint64_t cpu_seconds = 30;
  std::int64_t wall_ms = 120'000;  // a busy machine is no fault of the source
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;
  // Where the object of packs/forge/tool_runtime.cpp is kept for the next time; empty: nowhere.
  std::string cache_folder = {};
  bool best_effort = false;  // see tools::SandboxRequest
};

struct CompileResult {
  bool success = false;
  std::string binary;  // its bytes
  std::string errors;  // what the compiler said, up to 4 KiB
  std::int64_t milliseconds = 0;
};

// That there is a compiler. Errors: kNotFound.
Status check_compiler(const CompileOptions& options);

Result<CompileResult> compile_tool(std::string_view source, const CompileOptions& options = {});

}  // namespace anima::forge
