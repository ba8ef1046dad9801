// Retention of runs: how long the record of what an agent saw, weighed and did stays in the log.
//
// A cycle's facts and their provenance stay for ever; its decision, its answers from outside and
// the agent's state are attached to its entry and can be pruned (store/prune.h), whole runs at a
// time. A run that was given a name stays, with what its replay reads; so does what the agents need
// to go on where they stopped. Names are attributes of concepts of type Run in the agent's own
// graph. Thread-safety: functions without state. Source: DATA.md 13.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/loop/replay.h"
#include "store/prune.h"
#include "store/space.h"

namespace anima::agent {

struct KeptRun {
  std::string name;
  store::Sequence run = store::Sequence::kNone;
};
// By name. O(kept runs).
Result<std::vector<KeptRun>> kept_runs(store::Space& space);
// Gives a run a name, which keeps it. Errors: kNotFound (no such run, or its record is gone),
// kAlreadyExists (another run has the name), kInvalidArgument (no name, or a number). O(log).
Status keep_run(store::Space& space, const store::Origin& origin, store::Sequence run,
                const std::string& name);
// Takes the name back. Errors: kNotFound.
Status release_run(store::Space& space, const store::Origin& origin, const std::string& name);

// What a pruning would take.
struct PrunePlan {
  Timestamp before;                      // runs that ended before then
  std::vector<store::Sequence> entries;  // in order
  std::uint64_t runs = 0, bytes = 0;
  std::vector<KeptRun> kept;          // old enough, and spared for their name
  std::vector<std::string> gathered;  // agents whose newest state is written again, whole
  std::uint64_t needed = 0;  // entries that are spared because an agent or a replay reads them
  std::uint64_t inline_cycles =
      0;  // cycles of an older program, whose record is part of their entry
};
// O(log).
Result<PrunePlan> plan_pruning(store::Space& space, Timestamp before);
// Prunes, and notes when. O(entries of the plan), and the file's size when it is shrunk.
Result<store::PruneReport> prune_runs(store::Space& space, const store::Origin& origin,
                                      const PrunePlan& plan, Timestamp now, bool shrink);
// When runs were pruned last; the beginning of time when never.
Result<Timestamp> last_pruning(store::Space& space);

}  // namespace anima::agent
