// The phases of a cycle that change the memory, one function each. Each reads the newest state,
// hands its actions to the cycle and lists what it left alone and why. All of them are idempotent:
// run again on the same state they find nothing. Source: 001, phases 2 to 8.
#pragma once

#include "sleep/detail/cycle.h"

namespace anima::sleep::detail {

Status process_tasks(Cycle& cycle);  // 2
// Those that it would look at: assigned to $system, and pending, in progress, or without a status,
// which is pending as the schema says. The most urgent first.
std::vector<EntityId> waiting_tasks(const Reading& reading);
Status sort_inbox(Cycle& cycle);          // 3
Status resolve_orphans(Cycle& cycle);     // 4
Status consolidate_events(Cycle& cycle);  // 5
Status merge_duplicates(Cycle& cycle);    // 6
Status fade_confidence(Cycle& cycle);     // 7
Status tend_domains(Cycle& cycle);        // 8
// 9: the maintenance log of $system. Does nothing when the cycle changed nothing.
Status finish_cycle(Cycle& cycle, std::span<const PhaseRecord> phases);

}  // namespace anima::sleep::detail
