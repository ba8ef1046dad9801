// Rows of the table learnings. Thread-safety: functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "learn/detail/database.h"
#include "learn/learning.h"

namespace anima::learn::detail {

// A query of what read_row() reads, up to its conditions.
Result<std::string> rows_query(Database& database);

// The row that the statement stands on. Errors: kCorrupt with what of it cannot be read.
Result<Learning> read_row(const Statement& statement);

// All rows, of one predicate when one is named; those that cannot be read are told in `skipped`.
Result<std::vector<Learning>> read_rows(Database& database, std::string_view predicate,
                                        std::vector<std::string>& skipped);

}  // namespace anima::learn::detail
