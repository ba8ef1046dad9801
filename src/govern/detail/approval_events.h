// Approvals as events of the log: what is written when one is asked for, and what each event makes
// of those that are known. On disk: docs/formats.md, kind 5. Thread-safety: functions without
// state.
#pragma once

#include <string_view>
#include <vector>

#include "govern/approvals.h"

namespace anima::govern::detail {

bool may_approve(std::string_view by);
// Whether `by` may answer so as it stands; whether its time is over is not looked at.
bool may_answer(const Approval& approval, ApprovalStatus answer, std::string_view by);
Json asked_event(const Approval& approval);

// Now, by the clock and by the newest entry of the log.
struct Moment {
  Timestamp clock, log;
};
// Whether the present wait of an approval has run out, by the one or the other.
bool is_over(const Approval& approval, const Moment& at);

// `logged` is the time of the entry that holds the event.
// The rules are here, not at the writers: whoever wrote what, the fold decides what counts.
void apply_event(const Json& event, Timestamp logged, std::vector<Approval>& approvals);

}  // namespace anima::govern::detail
