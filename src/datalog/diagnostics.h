// What is wrong with a program: where, the clause, and what to do. Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "datalog/ast.h"

namespace anima::datalog {

// Stable: printed by `anima datalog check --json`.
enum class Problem : std::uint8_t {
  kSyntax,
  kSafety,     // an unbound variable
  kUndefined,  // unknown predicate or function
  kArity,
  kDeclaration,
  kType,
  kStratify,
  kPackage,
  kTemporal,
  kLimit,
};

std::string_view to_string(Problem problem);

struct Diagnostic {
  Problem problem = Problem::kSyntax;
  bool warning = false;
  std::string file;
  Position from;
  Position to;          // one past the end
  std::string message;  // one sentence, lower case start, no full stop
  std::string clause;   // as written, white space folded; may be empty
  std::string hint;     // what to do; may be empty

  // "file:line:column"
  std::string where() const;
  // "where: message, in: clause (hint)"
  Error error() const;
};

// The first error, with the number of further ones. Requires an error among them.
Error first_error(const std::vector<Diagnostic>& diagnostics);
bool has_errors(const std::vector<Diagnostic>& diagnostics);

}  // namespace anima::datalog
