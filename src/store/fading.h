// How much a fact is still believed at a moment, as a function of its age: `_faded_confidence`,
// computed where it is asked for and stored nowhere.
//
// confidence * factor ^ whole weeks since it was last written, observed (`observed_at`) or faded by
// sleep (`decay_applied_at`), the law of sleep without its floor. What was reviewed or verified
// does not fade. Thread-safety: pure. Source: learning_and_psyche 1.7.
#pragma once

#include <optional>

#include "base/clock.h"
#include "store/snapshot.h"

namespace anima::store {

inline constexpr double kDecayFactor = 0.95;  // a week, as sleep has it

struct Fading {
  Timestamp now;
  double factor = kDecayFactor;  // 0 < factor <= 1
};

// nullopt for what is no link, or one that nobody states. O(its metadata).
std::optional<double> faded_confidence(const Snapshot& snapshot, EntityId link,
                                       const Fading& fading);

}  // namespace anima::store
