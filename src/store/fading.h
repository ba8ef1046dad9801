// How much a fact is still believed at a moment, as a function of its age: `_faded_confidence`,
// computed where it is asked for and stored nowhere, and what sleep writes down.
//
// confidence * factor ^ whole weeks since it was last written, observed (`observed_at`) or faded by
// sleep (`decay_applied_at`), the law of sleep without its floor. What was reviewed or verified
// does not fade, nor what another graph than the default one states, as what a person told or a
// compartment brought. (Sleep spares more: events, bookkeeping, what has ended or is protected.)
// Thread-safety: pure. Source: learning_and_psyche 1.7.
#pragma once

#include <optional>
#include <span>

#include "base/clock.h"
#include "store/snapshot.h"

namespace anima::store {

inline constexpr double kDecayFactor = 0.95;  // a week, as sleep has it

struct Fading {
  Timestamp now;
  double factor = kDecayFactor;  // 0 < factor <= 1
};

// Somebody has looked at it and vouches for it, by what its metadata says (`reviewed_at`,
// `reviewed_by`, `verified_at`, `verified_by`, `reviewed: true`, a `status` of reviewed, verified
// or pinned); of a concept by its attributes, too. An empty text says nothing. O(its metadata).
bool is_reviewed(const Snapshot& snapshot, EntityId entity);

// Whether a statement of these words can fade: the default graph states it, and no other one.
bool may_fade(std::span<const Assertion> assertions);

// When the link was last said, seen or faded; by its entry where its metadata does not say.
// Requires one that somebody states.
Timestamp fading_anchor(const Snapshot& snapshot, EntityId link);

// As its metadata says, where that is a number of 0..1, else as it is asserted. Requires the same.
double stated_confidence(const Snapshot& snapshot, EntityId link);

// nullopt for what is no link, or one that nobody states. O(its metadata).
std::optional<double> faded_confidence(const Snapshot& snapshot, EntityId link,
                                       const Fading& fading);

}  // namespace anima::store
