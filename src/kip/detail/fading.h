// How much a fact is still believed at a moment, as a function of its age: `?l.metadata.
// _faded_confidence`, computed where it is asked for and stored nowhere.
//
// confidence * factor ^ whole weeks since it was last written, observed (`observed_at`) or faded by
// sleep (`decay_applied_at`), the law of sleep without its floor. What was reviewed or verified
// does not fade. Thread-safety: pure. Source: learning_and_psyche 1.7.
#pragma once

#include "base/clock.h"
#include "query/plan.h"

namespace anima::kip::detail {

inline constexpr double kDecayFactor = 0.95;  // a week, as sleep has it

struct Fading {
  Timestamp now;
  double factor = kDecayFactor;  // 0 < factor <= 1
};

// Unbound for what is no link.
query::Expr faded_confidence(query::Slot link, const Fading& fading);

}  // namespace anima::kip::detail
