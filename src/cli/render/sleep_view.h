// How verbs show cycles of sleep. Thread-safety: plain functions.
#pragma once

#include <vector>

#include "cli/frame/context.h"
#include "sleep/cycle_record.h"

namespace anima::cli {

// What a cycle did and left alone; with `all` every item, else the first few of each phase.
void show_cycle(Context& context, const sleep::CycleRecord& record, bool all);
void show_cycles(Context& context, const std::vector<sleep::CycleRecord>& records);
void show_metrics(Context& context, const sleep::Metrics& before, const sleep::Metrics& after);

}  // namespace anima::cli
