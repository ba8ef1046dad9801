// What the literals of a rule's body need and bind. Thread-safety: functions without state.
#pragma once

#include <cstdint>
#include <vector>

#include "datalog/program.h"

namespace anima::datalog {

// Variables that must be bound before the literal at `place` can run. Atoms need none.
std::vector<Variable> needed_variables(const Rule& rule, std::uint32_t place);

// Variables that the literal binds where they are not bound yet.
std::vector<Variable> bound_variables(const Literal& literal);

// Whether the atoms form a cycle, so that no order of joins is good (GYO reduction).
bool is_cyclic(const std::vector<Literal>& body);

}  // namespace anima::datalog
