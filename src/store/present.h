// What "now" is for a space: the clock's time, and behind a clock that was set back the moment that
// follows the newest entry, for the time of the log never goes back. Whatever is told or asked
// behind such a clock comes after what was told before it. Whoever writes or asks what holds now
// takes the time from here. Thread-safety: that of the space and the clock. O(1).
#pragma once

#include "base/clock.h"
#include "store/snapshot.h"
#include "store/space.h"

namespace anima::store {

inline Timestamp present(const Snapshot& newest, Clock& clock) {
  const Timestamp time = clock.now();
  if (newest.sequence() == Sequence::kNone) return time;
  const Timestamp last = newest.entry(newest.sequence()).time;
  return time < last ? Timestamp{last.microseconds + 1} : time;
}

// The clock's time, too, while the space cannot be read.
inline Timestamp present(Space& space, Clock& clock) {
  const Result<Snapshot> newest = space.snapshot();
  return newest ? present(*newest, clock) : clock.now();
}

}  // namespace anima::store
