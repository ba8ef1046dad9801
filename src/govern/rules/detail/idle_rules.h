// Rules of a policy that can decide nothing: a misspelt deny, a helper that no other rule asks for.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datalog/program.h"

namespace anima::govern::detail {

// Their places and what is wrong, in the order of the program; of rules from `shipped` nothing is
// said. O(rules squared), for policies of some hundred rules.
std::vector<std::string> idle_rules(const datalog::Program& program,
                                    const std::vector<datalog::PredicateId>& decisions,
                                    std::string_view shipped);

}  // namespace anima::govern::detail
