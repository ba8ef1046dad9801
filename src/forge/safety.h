// The safety checker: what a generated source would do, before it is compiled.
//
// Three steps, the first that finds something ends the check: the compiler's preprocessor makes one
// text of the source and tells what it includes (preprocessed.h), facts about that text by libclang
// (the program anima-inspect, in the sandbox), the policy packs/forge/safety.mg over these facts.
// That text is what is compiled. Whatever cannot be judged is a violation. The checker is the first
// line of two: the sandbox holds what gets past it (tools/sandbox/sealed_program.h).
//
// Thread-safety: check_safety() from any thread. Complexity: half a second of a processor for a
// small file. Source: learning_and_psyche 1.14, rows S1 to S22, O8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forge/compiler.h"
#include "forge/violation.h"

namespace anima::forge {

struct SafetyOptions {
  std::size_t max_bytes = std::size_t{100} << 10;
  // Capabilities that a person approved for this very source: "/reflection".
  std::vector<std::string> approved = {};
  std::size_t max_facts = 20'000;
  // By the clock. A busy machine is no fault of the source: what ends a long parse is the bound of
  // the sandbox on the processor's time.
  std::int64_t parse_ms = 300'000;
  std::string inspector = {};  // the program anima-inspect; empty: beside this program
  bool best_effort = false;    // see tools::SandboxRequest
};

struct CheckedSource {
  SafetyReport report;
  std::string program;  // what was judged, for compile_tool(); empty: it did not come so far
};

CheckedSource check_safety(std::string_view source, const SafetyOptions& options,
                           const CompileOptions& compile, const CompilerParts& parts);

// The inspector that the options name, or the one of this program. Errors: kNotFound, with what to
// build or install.
Result<std::string> inspector_of(const SafetyOptions& options);

// The program that reads sources (tools::find_helper).
std::string find_inspector();

}  // namespace anima::forge
