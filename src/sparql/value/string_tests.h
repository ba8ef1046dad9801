// Tests of strings as conditions: STRSTARTS, STRENDS, CONTAINS and REGEX, with the functions that
// their first argument often goes through (STR, LCASE, UCASE) in one pass, so that no text is made
// a term only to be looked into. Thread-safety: immutable.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "query/plan.h"

namespace anima::sparql::value {

// nullopt where the name is no such test.
std::optional<query::Expr> string_test(std::string_view name, std::vector<query::Expr> arguments);

}  // namespace anima::sparql::value
