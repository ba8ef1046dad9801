// Rows that match a pattern, by whatever index is at hand, without building one. Thread-safety:
// reads only.
#pragma once

#include <functional>
#include <span>

#include "datalog/program.h"
#include "datalog/tables/relation.h"

namespace anima::datalog {

// `found` answers false to end the search. Parts need no index set; those in `base_indexes` and
// `own_indexes` (of the part's table, covering its limit) are used when their columns are bound.
// Answers how many rows were looked at.
std::size_t match_rows(const Parts& parts,
                       std::span<const std::shared_ptr<const Index>> base_indexes,
                       std::span<const std::shared_ptr<const Index>> own_indexes,
                       std::span<const Argument> pattern,
                       const std::function<bool(const Part& part, RowId local)>& found);

}  // namespace anima::datalog
