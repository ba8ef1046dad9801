// What "now" is for a space: the clock's time, and never before its newest entry, for the time of
// the log never goes back. Whatever is told or asked behind a clock that was set back comes after
// what was told before. Thread-safety: pure, but for the clock. O(1).
#pragma once

#include <algorithm>

#include "base/clock.h"
#include "store/snapshot.h"

namespace anima::store {

inline Timestamp present(const Snapshot& newest, Clock& clock) {
  const Timestamp time = clock.now();
  if (newest.sequence() == Sequence::kNone) return time;
  return std::max(time, newest.entry(newest.sequence()).time);
}

}  // namespace anima::store
