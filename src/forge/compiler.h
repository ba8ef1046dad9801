// Compiles a generated source to a static program, in the sandbox: the system read-only, a private
// /tmp, one folder to write, no network, limits on memory and time. Nothing of a command comes from
// whoever made the source. Thread-safety: from any thread. Errors: those of the sandbox; kNotFound
// (no compiler). That the source does not compile is a result.
//
// Two parts serve every tool and are made from packs/forge alone, before any source is looked at:
// the object of tool_runtime.cpp, and prelude.hpp precompiled. The second only saves time: without
// it, or when the compiler has no use for it, the prelude is read as text, with the same outcome.
// Source: learning_and_psyche 1.14, "Compile", row X13.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::forge {

// The header that comes before each source, in the packs.
inline constexpr std::string_view kToolPrelude = "packs/forge/prelude.hpp";

struct CompileOptions {
  std::string compiler = "/usr/bin/g++";
  std::uint64_t cpu_seconds = 30;
  std::int64_t wall_ms = 120'000;  // a busy machine is no fault of the source
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;
  // Where both parts are kept for the next tool (detail/part_cache.h); empty: nowhere, and nothing
  // is precompiled.
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

struct CompilerParts {
  std::string runtime;  // an object file
  std::string prelude;  // what the compiler wrote for the header; empty: none
  std::string errors;   // what it said of the runtime; empty: it is there
  int made = 0;         // how many were not kept from before
};

// The parts, from the folder where they are kept or made now.
Result<CompilerParts> prepare_parts(const CompileOptions& options = {});

Result<CompileResult> compile_tool(std::string_view source, const CompileOptions& options,
                                   const CompilerParts& parts);
// The same, with parts of its own preparing.
Result<CompileResult> compile_tool(std::string_view source, const CompileOptions& options = {});

}  // namespace anima::forge
