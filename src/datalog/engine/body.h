// What the literals of a rule's body need and bind. Thread-safety: functions without state.
#pragma once

#include <cstdint>
#include <vector>

#include "datalog/program.h"

namespace anima::datalog {

// By literal of the body: variables that must be bound before it can run. Atoms need none. O(body).
std::vector<std::vector<Variable>> needed_variables(const Rule& rule);

// Variables that the literal binds where they are not bound yet.
std::vector<Variable> bound_variables(const Literal& literal);

// Whether the atoms form a cycle, so that no order of joins is good (GYO reduction). O(body) but
// for variables that many atoms share.
bool is_cyclic(const std::vector<Literal>& body);

}  // namespace anima::datalog
