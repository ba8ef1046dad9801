// Whether two bases say the same: one made from the log now, and one that lay on disk.
//
// Replaying a log gives the same ids and places everywhere, so the columns are compared as they
// are. Contexts and lists of them have their numbers from when they were first needed; what they
// say is compared. Every section that an answer is read from is looked at, the orders and the text
// index too. Thread-safety: functions without state. O(base).
#pragma once

#include "base/result.h"
#include "store/base/base.h"
#include "store/snapshot.h"

namespace anima::store::detail {

// `truth` is a snapshot of what `made` was made from, for the words of the error. Errors: kCorrupt
// naming the section and the first concept, statement, value or entry that differs.
Status compare_bases(const Base& made, const Base& stored, const Snapshot& truth);

}  // namespace anima::store::detail
