// Only what a question needs: a program rewritten for its queries, by magic sets.
//
// Rules that no query depends on are left out, and where a query (or a rule on its way) gives some
// arguments, only the rows that agree with them are derived. `reach("a", X)` then costs what is
// reachable from "a", not the whole closure. Negated and grouped predicates, lattices and what
// constraints look at are derived in full.
//
// The rewritten program answers the same queries with the same rows. It is not for explanations
// (its proofs would name its own predicates) nor for other queries.
// Thread-safety: a pure function. Source: spec 2.9, "Demand".
#pragma once

#include <optional>
#include <vector>

#include "datalog/program.h"

namespace anima::datalog {

struct Demand {
  Program program;             // ids of the given program's predicates stay
  std::vector<Query> queries;  // in the order given, over `program`
};

// Nothing when a rewritten program could behave differently (a rule that is left out may end with
// an error or check its types) or would save nothing (every rule is needed in full).
// O(program x ways in which arguments are bound).
std::optional<Demand> for_queries(const Program& program, const std::vector<Query>& queries);

}  // namespace anima::datalog
