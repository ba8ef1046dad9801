// On whose word a conclusion over a space rests, for people and for programs.
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json.h"
#include "datalog/space_facts.h"

namespace anima::memory {

// "entry 12 of 2026-01-01T00:00:00Z, by ann (source given: notes.md), trust operator"; `told` is
// what a provenance record adds.
std::string assertion_text(const datalog::Assertion& assertion, std::string_view told = {});
Json assertion_json(const datalog::Assertion& assertion, std::string_view told = {});

// Each premise with who asserts it, and what the whole may be trusted for.
std::string grounds_text(const datalog::Grounds& grounds);
Json premises_json(const datalog::Grounds& grounds);

}  // namespace anima::memory
