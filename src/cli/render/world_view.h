// How verbs show worlds. Thread-safety: plain functions.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/context.h"
#include "world/world.h"

namespace anima::cli {

// Each agent as it was when the last cycle ended, and that cycle in numbers. Requires a record.
std::string world_text(const std::vector<world::CycleRecord>& records, std::uint64_t seed);
// {"seed", "world_hash", "cycles"}.
Json world_json(const std::vector<world::CycleRecord>& records, std::uint64_t seed);

}  // namespace anima::cli
