// The compiler of made tools: one for the check and for the program, in the sandbox: the system
// read-only, a private /tmp, one folder to write, no network, limits on memory and time. Nothing of
// a command comes from whoever made the source.
//
//   preprocess()    the source as one text without directives (preprocessed.h), which is checked
//   compile_tool()  that text, as it stands, to a static program
//
// Two parts serve every tool and are made from packs/forge alone, before any source is looked at:
// the object of tool_runtime.cpp, and the prelude precompiled, which the check reads too. All of it
// is made with the same arguments, so that the check and the program cannot differ.
//
// Thread-safety: from any thread. Errors: those of the sandbox; kNotFound (no compiler);
// kLimitExceeded, kCorrupt (a source that the preprocessor does not get through). That the source
// does not compile is a result. Source: learning_and_psyche 1.14, "Compile", row X13.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forge/preprocessed.h"

namespace anima::forge {

// What comes before each source, in the packs: headers of the system, the interface of tools.
inline constexpr std::string_view kToolPrelude = "packs/forge/prelude.hpp";
inline constexpr std::string_view kToolInterface = "packs/forge/tool_api.hpp";

struct CompileOptions {
  std::string compiler = "/usr/bin/clang++-14";
  std::uint64_t cpu_seconds = 30;
  std::int64_t wall_ms = 300'000;  // a busy machine is no fault of the source
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;
  // Where both parts are kept for the next tool (detail/part_cache.h); empty: nowhere.
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

// The arguments that everything is read with, for the reader of the check as for the compiler.
std::vector<std::string> compiler_arguments();
// Those that make a preprocessed text of `file`, after the prelude that is precompiled there.
std::vector<std::string> program_arguments(const std::string& file, const std::string& prelude);

struct CompilerParts {
  std::string runtime;  // an object file
  std::string prelude;  // precompiled
  std::string errors;   // what the compiler said of them; empty: they are there
  int made = 0;         // how many were not kept from before
};

// The parts, from the folder where they are kept or made now.
Result<CompilerParts> prepare_parts(const CompileOptions& options = {});

Result<Preprocessed> preprocess(std::string_view source, const CompileOptions& options);

// `program` as preprocess() gave it.
Result<CompileResult> compile_tool(std::string_view program, const CompileOptions& options,
                                   const CompilerParts& parts);

}  // namespace anima::forge
