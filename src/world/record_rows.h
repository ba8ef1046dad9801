// Where the records of a world's cycles are kept: each in a part of its own, written once.
// Thread-safety: functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "world/records.h"
#include "world/state_store.h"

namespace anima::world {

std::string record_name(std::uint64_t cycle);
// All of them, the oldest first. Errors: kCorrupt (one cannot be read), those of the store.
Result<std::vector<CycleRecord>> load_records(StateStore& store);

}  // namespace anima::world
