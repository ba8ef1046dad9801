// The heads of rules: what can be asked that no statement says.
//
// Thread-safety: pure functions. Complexity: O(rules). Rules that do not parse are left out;
// loading them has said so.
#pragma once

#include <string>
#include <vector>

#include "datalog/ast.h"
#include "memory/compartments/compartments.h"

namespace anima::ask {

// What rules derive, with the clauses that do: "stale(X) :- ..", "depends_on(X, Y) :- ..".
struct RuleHead {
  std::string name;
  std::size_t arity = 0;  // 1 or 2
  std::vector<datalog::ast::Clause> clauses;
};
std::vector<RuleHead> rule_heads(const std::vector<memory::RuleSource>& rules);  // by name

// q(X, Y) :- p(X, Y).  q(X, Z) :- p(X, Y), q(Y, Z).  in any order: q is the closure of p, which is
// returned; empty for other rules.
std::string closed_base(const RuleHead& rule);

// Does running the rules tell something that their text does not?
bool needs_reasoner(const std::vector<RuleHead>& heads);

}  // namespace anima::ask
