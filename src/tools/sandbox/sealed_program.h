// A sealed program: one static executable that computes a text from a text, held as tightly as a
// program can be. Tools that Anima made for itself (room forge) run this way.
//
// Protocol: one JSON object {"input": text, "args": [text..]} on its standard input, one object
// {"output": text} or {"error": text} with a line end on its standard output, and nothing else
// there. It ends with 0, or with 1 beside an error, which is read from its output all the same.
// Standard error is dropped. The program is what its SHA-256 says, or does not run; its environment
// is empty and its root holds nothing but itself and the folders it was granted
// (SandboxRequest::bare).
//
// Source: learning_and_psyche 1.14, rows X1 to X12. Thread-safety: from any thread. Complexity: a
// hash of the program (a millisecond for two megabytes), a process.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "base/json/json.h"
#include "base/result.h"
#include "tools/sandbox/program_access.h"
#include "tools/sandbox/sandbox.h"

namespace anima::tools {

inline constexpr std::size_t kMostSealedInput = std::size_t{10} << 20;

struct SealedOptions {
  std::int64_t wall_ms = 60'000;
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  std::size_t output_bytes = std::size_t{10} << 20;
  bool best_effort = false;  // see SandboxRequest; to be audited by who sets it
  std::stop_token stop = {};
};

// The output as {"text": output}. Requires program.sealed. Errors: kInvalidArgument (arguments that
// are not the protocol's; the tool's own error), kLimitExceeded (an input above kMostSealedInput,
// memory, an output that is too long), kNotFound (no binary), kCorrupt (another binary than was
// sealed; an output that is not the protocol's), kTimeout, kCancelled, kNoSandbox, kIo (ended by a
// signal).
Result<Json> run_sealed(const std::string& name, const ProgramAccess& program,
                        const Json& arguments, const SealedOptions& options,
                        const SandboxFacts& facts = machine_sandbox());

}  // namespace anima::tools
