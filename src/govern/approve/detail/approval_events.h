// Approvals as events of the log: what is written when one is asked for, and what each event makes
// of those that are known and of who may sign. On disk: docs/formats.md, kind 5. Thread-safety:
// functions without state.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "govern/approve/approvals.h"

namespace anima::govern::detail {

bool may_approve(std::string_view by);
// Whether `by` may answer so as it stands; whether its time is over is not looked at.
bool may_answer(const Approval& approval, ApprovalStatus answer, std::string_view by);
Json asked_event(const Approval& approval);
// What a grant says: all that the call is, what was shown with it, and until when it counts.
Statement grant_statement(const Approval& approval, std::string_view space, std::string_view by,
                          std::int64_t at, std::int64_t until);

// Now, by the clock and by the newest entry of the log.
struct Moment {
  Timestamp clock, log;
};
// Whether the present wait of an approval has run out, by the one or the other.
bool is_over(const Approval& approval, const Moment& at);

// Where in the log an event stands.
struct Place {
  Timestamp time;
  store::Sequence entry = kNewest;  // the newest where there is no log
};

// What the events make.
struct ApprovalFold {
  std::vector<Approval> approvals;      // in the order asked
  std::unordered_set<std::string> ids;  // theirs
  Approvers approvers;
  bool need_key = false;  // grants without a signature count for nothing, whoever is registered

  bool wants_signature(store::Sequence at = kNewest) const { return need_key || approvers.any(at); }
};

// The rules are here, not at the writers: whoever wrote what, the fold decides what counts.
void apply_event(const Json& event, const Place& place, ApprovalFold& fold);

}  // namespace anima::govern::detail
