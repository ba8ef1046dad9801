// The steps of a plan that is gone on with: what to tell of them, and how far what they gave is
// trusted by now. Thread-safety: functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/house/reply.h"
#include "agent/plans/plan_book.h"
#include "memory/memory_manager.h"

namespace anima::agent::detail {

// " Done before: step 1 (write a.txt). Left: step 3 (read b.txt)."
std::string tell_steps(const KeptPlan& plan);
// "step 2 (read b.txt) failed or was refused"
std::string tell_failures(const KeptPlan& plan);
// Of all that its steps gave.
govern::Trust lowest_of(const KeptPlan& plan);
std::vector<TaskReport> earlier_steps(const KeptPlan& plan);
// Whether the tool of a step does more than read; of an unknown one that is assumed.
bool changes_something(const govern::PermissionTable& permissions, const Task& task);
// What is trusted less by now than when the step gave it: the tool itself, or a memory that was
// found. What was made of it by the path is no better.
Status lower_labels(KeptPlan& plan, const govern::PermissionTable& permissions,
                    memory::MemoryManager& memory, std::string_view agent);

}  // namespace anima::agent::detail
