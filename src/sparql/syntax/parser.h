// Reading SPARQL 1.1: the whole grammar with its notes, for queries and updates.
//
// Relative IRIs are resolved against `base` and the BASE declarations of the text. Every rule that
// the recommendation states beside the grammar is checked, so what is returned can be translated.
// Errors: kSyntax with "line:column" and what was expected; kLimitExceeded for a text that is too
// long or nested too deeply. Thread-safety: pure functions. Complexity: O(n).
// Source: SPARQL 1.1 Query Language, section 19 (and 18.2.1 for variables in scope); SPARQL 1.1
// Update, section 3.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sparql/syntax/ast.h"

namespace anima::sparql::syntax {

inline constexpr std::size_t kMaxQueryBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxUpdateBytes = std::size_t{256} << 20;
inline constexpr int kMaxDepth = 200;            // of groups, brackets and collections
inline constexpr std::size_t kMaxChain = 2'000;  // operators of one level; parts of one group

Result<ast::Query> parse_query(std::string_view text, std::string_view base = {});
Result<ast::Update> parse_update(std::string_view text, std::string_view base = {});

}  // namespace anima::sparql::syntax
