// `anima replay` of a cycle of sleep: decided again on the state before it. Thread-safety: plain
// functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/frame/context.h"
#include "sleep/sleep.h"

namespace anima::cli {

// The cycle that "cycle-3" or "3" means; null: none is called so.
const sleep::CycleRecord* find_cycle(const std::vector<sleep::CycleRecord>& cycles,
                                     std::string_view wanted);

// Repeats it and says what differs. The proposals of a model come from the log, or from the
// cassette `calls` where the cycle was recorded into one. Returns the exit code.
int repeat_cycle(Context& context, const std::shared_ptr<store::Space>& space,
                 const sleep::CycleRecord& cycle, const std::string& calls);

}  // namespace anima::cli
