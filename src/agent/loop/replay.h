// Replay: repeating a recorded run from the log, bit for bit.
//
// The log up to the run is read into a space in memory; there the agent is made as it was made then
// and told the same calls, the same time and the same answers of tools outside the graph, while the
// entries of others come in between where they came then. Each entry that it writes must have the
// hash of the recorded one, so decisions, facts, provenance and session state are all compared, and
// so is everything before them. The space itself is only read.
// Errors: kNotFound (no such run), kUnsupported (the log begins with another entry than a space of
// this program), those of the log. Complexity: O(log). Thread-safety: one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/space.h"

namespace anima::agent {

struct RunInfo {
  store::Sequence run = store::Sequence::kNone;  // its first entry
  store::Sequence last = store::Sequence::kNone;
  Timestamp time;     // of the first entry
  std::string agent;  // its name
  std::string source;
  std::uint64_t steps = 0;  // entries
  std::uint64_t cycles = 0;
};
// Every run in the log of which nothing was pruned, oldest first. O(log).
Result<std::vector<RunInfo>> list_runs(store::Space& space);

struct ReplayStep {
  std::uint64_t step = 0;  // from 1
  store::Sequence entry = store::Sequence::kNone;
  std::string call;
  std::string difference;  // empty: bit for bit the same
};

struct ReplayReport {
  RunInfo run;
  std::uint64_t repeated = 0;            // steps that were the same
  std::optional<ReplayStep> difference;  // the first that was not; the replay ends there
  std::vector<std::string> notes;        // what cannot be repeated for sure
};

// `seen` hears of each step; false stops the replay.
Result<ReplayReport> replay_run(store::Space& space, FileSystem& files, store::Sequence run,
                                const std::function<bool(const ReplayStep&)>& seen = {});

}  // namespace anima::agent
