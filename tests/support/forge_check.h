// The check and the compilation of one source, with the parts that tests share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "forge/compiler.h"
#include "forge/safety.h"
#include "support/forge_cache.h"

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

// With the checker off.
inline Result<forge::CompileResult> compiled(
    std::string_view source, const forge::CompileOptions& options = forge_compiler()) {
  ANIMA_ASSIGN(const forge::Preprocessed read, forge::preprocess(source, options));
  if (read.errors.empty()) return forge::compile_tool(read.program, options, forge_parts());
  forge::CompileResult result;
  for (const forge::Violation& each : read.errors) result.errors += each.describe() + "\n";
  return result;
}

}  // namespace anima::test
