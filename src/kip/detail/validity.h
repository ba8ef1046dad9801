// When a link holds: from `valid_from` in its metadata on, until before `valid_to`; what is missing
// bounds nothing. Times as RFC 3339 with any offset, or dates (midnight UTC); a text that is no
// time bounds nothing either, nor does what somebody says who is trusted less than the link. What
// was believed when is another question: `as_of` answers it. Thread-safety: pure.
#pragma once

#include <memory>

#include "base/clock.h"
#include "query/plan.h"

namespace anima::kip::detail {

// From a moment on until before another.
struct ValidTime {
  Timestamp from, until;
};

// One moment.
inline ValidTime moment(Timestamp at) { return {at, Timestamp{at.microseconds + 1}}; }

// True for rows whose link holds at some moment of the time.
query::Expr holds_at(query::Slot link, const ValidTime& time);

// True for the links of functional predicates that hold at some moment of the time
// (store/holds.h), each for its subject, and for all others. Requires rows of stated links.
query::Expr holds_of(query::Slot link, const ValidTime& time);

// Both for the steps of a path: of a functional predicate what holds at the time and, where the
// links themselves must hold then (`dated`), what does.
std::shared_ptr<const query::EdgeTest> edge_holds(bool functional, const ValidTime& time,
                                                  bool dated);

}  // namespace anima::kip::detail
