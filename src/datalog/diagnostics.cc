#include "datalog/diagnostics.h"

#include <algorithm>

namespace anima::datalog {

std::string_view to_string(Problem problem) {
  switch (problem) {
    case Problem::kSyntax:
      return "syntax";
    case Problem::kSafety:
      return "safety";
    case Problem::kUndefined:
      return "undefined";
    case Problem::kArity:
      return "arity";
    case Problem::kDeclaration:
      return "declaration";
    case Problem::kType:
      return "type";
    case Problem::kStratify:
      return "stratify";
    case Problem::kPackage:
      return "package";
    case Problem::kTemporal:
      return "temporal";
    case Problem::kLimit:
      return "limit";
  }
  return "unknown";
}

std::string Diagnostic::where() const {
  return file + ":" + std::to_string(from.line) + ":" + std::to_string(from.column);
}

Error Diagnostic::error() const {
  Error result;
  result.code = problem == Problem::kSyntax  ? ErrorCode::kSyntax
                : problem == Problem::kLimit ? ErrorCode::kLimitExceeded
                                             : ErrorCode::kInvalidArgument;
  result.message = message;
  if (!clause.empty()) result.message += ", in: " + clause;
  result.where = where();
  result.hint = hint;
  return result;
}

Error first_error(const std::vector<Diagnostic>& diagnostics) {
  const auto is_error = [](const Diagnostic& d) { return !d.warning; };
  const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_error);
  Error result = first->error();
  const auto count = std::count_if(diagnostics.begin(), diagnostics.end(), is_error);
  if (count > 1) {
    const std::string more = std::to_string(count - 1) + " more";
    result.hint = result.hint.empty() ? more : result.hint + "; " + more;
  }
  return result;
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return !d.warning; });
}

}  // namespace anima::datalog
