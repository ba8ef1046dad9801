// Which slots each operator of a plan hands on. Thread-safety: functions without state.
#pragma once

#include <vector>

#include "datalog/engine/plan.h"

namespace anima::datalog {

// Sets Plan::wanted and each operator's carry, and, unless `keep_all`, takes away the binding of
// columns that nobody reads. `bound`: by slot, what is bound at the plan's end. Requires a plan
// that is complete but for that. `needed`: needed_variables(rule). O(what is handed on).
void settle_slots(Plan& plan, const Rule& rule, const std::vector<std::vector<Variable>>& needed,
                  const std::vector<bool>& bound, bool keep_all);

}  // namespace anima::datalog
