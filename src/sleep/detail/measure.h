// The metrics of a state: counted whole, or brought up to date from an earlier state by looking
// only at what was touched in between. Thread-safety: pure.
#pragma once

#include <span>

#include "sleep/cycle_record.h"
#include "sleep/evidence/work_set.h"
#include "sleep/sleep.h"

namespace anima::sleep::detail {

// O(entities).
Metrics measure(const Reading& now);
// O(touched + the members of touched domains). `touched` holds every concept and link that differs
// between the two states.
Metrics measure_from(const Metrics& before, const Reading& then, const Reading& now,
                     const WorkSet& touched);
// How many of these are events that wait and began before the cutoff: what a cycle would look at.
std::int64_t stale_among(const Reading& now, const WorkSet& work, std::span<const EntityId> young,
                         Timestamp cutoff);
// How many events are, of the `waiting` ones that there are. Those that no cycle looks at again,
// for somebody took that back, are among them. O(work), with such events O(events).
std::int64_t stale_of(const Reading& now, std::int64_t waiting, const WorkSet& work,
                      std::span<const EntityId> young, Timestamp cutoff);

}  // namespace anima::sleep::detail
