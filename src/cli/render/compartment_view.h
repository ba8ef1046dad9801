// How verbs show a compartment. Thread-safety: functions without state.
#pragma once

#include <string>

#include "base/json/json.h"
#include "memory/compartments/compartments.h"

namespace anima::cli {

Json compartment_json(const memory::Compartment& compartment);
// Its manifest, state and example questions, a line each.
std::string show_compartment(const memory::Compartment& compartment);

}  // namespace anima::cli
