// The few tests and functions over codes that translation itself needs. All are immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "query/plan.h"

namespace anima::sparql::plan {

// Whether a value is a literal, or is an IRI or a blank node.
query::Expr is_literal(query::Slot slot);
query::Expr is_reference(query::Slot slot);
// Whether a bound cell is none of these codes.
query::Expr is_none_of(query::Slot slot, std::vector<std::uint32_t> codes);
// Whether two cells are bound and hold the same code.
query::Expr is_same(query::Expr a, query::Expr b);
// The one code of a value that was read (value/term_codes.h).
query::Expr canonical(query::Slot slot);

}  // namespace anima::sparql::plan
