// What EXPLAIN says: names of slots and terms, patterns and expressions in words. For people; the
// words may change. Thread-safety: as the run's values. Complexity: of what is named.
#pragma once

#include <string>
#include <vector>

#include "query/detail/batch.h"

namespace anima::query::detail {

std::string slot_name(const Run& run, Slot slot);
std::string list_slots(const Run& run, const std::vector<Slot>& slots);
std::string name_of(const Run& run, const Ref& ref);
std::string predicate_name(const Run& run, const Ref& ref);
std::string text_of(const Run& run, const StatementPattern& it);
std::string describe_expr(const Run& run, const Expr& expr);

}  // namespace anima::query::detail
