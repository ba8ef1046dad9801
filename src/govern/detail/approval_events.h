// Approvals as events of the log: what is written when one is asked for, and what each event makes
// of those that are known. On disk: docs/formats.md, kind 5. Thread-safety: functions without
// state.
#pragma once

#include <string_view>
#include <vector>

#include "govern/approvals.h"

namespace anima::govern::detail {

bool may_approve(std::string_view by);
Json asked_event(const Approval& approval);
// The rules are here, not at the writers: whoever wrote what, the fold decides what counts.
void apply_event(const Json& event, std::vector<Approval>& approvals);

}  // namespace anima::govern::detail
