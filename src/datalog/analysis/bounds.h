// Rows against the declared bounds of their predicate. Thread-safety: functions.
#pragma once

#include <span>
#include <string>

#include "datalog/analysis/types.h"
#include "datalog/program.h"

namespace anima::datalog::detail {

// Some alternative of the bounds admits the row. `closed`: as written in a source, where a struct
// must not have undeclared fields.
bool row_fits(const Predicate& predicate, std::span<const Code> row, const ValueTable& values,
              bool closed);
// Why it does not: "argument 2 (N) is "old", /number was declared". Requires !row_fits().
std::string misfit(const Predicate& predicate, std::span<const Code> row, const ValueTable& values,
                   bool closed);

}  // namespace anima::datalog::detail
