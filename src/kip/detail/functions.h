// KIP's dot paths and FILTER operators as vectorised functions of the room `query`.
#pragma once

#include <memory>

#include "kip/detail/node.h"
#include "kip/fault.h"
#include "kip/syntax.h"
#include "query/plan.h"
#include "query/values.h"

namespace anima::kip::detail {

// What the text says a variable is; decides which fields it has.
enum class VariableKind : std::uint8_t { kUnknown, kConcept, kLink, kPredicate };

// The expression of `path` over `slot`. Errors: KIP_1001 for a field that the kind does not have.
Outcome<query::Expr> path_expression(const DotPath& path, query::Slot slot, VariableKind kind,
                                     const store::Snapshot& snapshot);

// The same value with one spelling: 2.0 becomes 2. For what is grouped or counted by value.
query::Expr canonical(query::Expr expr);

std::shared_ptr<const query::Condition> comparison(Condition::Kind kind);
std::shared_ptr<const query::Condition> text_test(Condition::Kind kind);
Outcome<std::shared_ptr<const query::Condition>> regex_test(const std::string* pattern,
                                                            Place place);
std::shared_ptr<const query::Condition> membership();
std::shared_ptr<const query::Condition> null_test(bool wants_null);

}  // namespace anima::kip::detail
