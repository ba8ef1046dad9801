// What the constitution (rules/constitution.h) says of a call. Thread-safety: pure.
#pragma once

#include "govern/rules/permissions.h"

namespace anima::govern::detail {

// Denies what breaks one of its rules, whatever else was said in favour of the call. `tool` null:
// nobody knows it. `rehearsed`: its effects are judged in place of an approval (rehearsal.h).
void apply_constitution(const CallRequest& request, const ToolPolicy* tool, bool rehearsed,
                        Decision& decision);

}  // namespace anima::govern::detail
