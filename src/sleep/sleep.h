// Sleep: the maintenance of the memory in nine phases, while nobody talks to it.
//
// A cycle reads what changed since the last whole cycle and makes it tidy: tasks that the waking
// mind left, the inbox, what has no domain, old events, duplicates, fading confidence, domains.
// Every change is a KIP statement with its evidence; nothing is deleted that was not archived
// before; what is protected is never touched. A phase is one entry of the log or a series of them,
// each with the number of the cycle in its source, so that a cycle can be resumed after a crash,
// counted and undone. A second cycle right after the first finds nothing to do and writes nothing.
// What a cycle did is kept in the graph urn:anima:sleep, one of Anima's own books.
// Cost: what changed since the last cycle, and the facts that are due to fade (fading_calendar.h).
// Thread-safety: a sleeper belongs to one thread; of several, in one process or more, one runs a
// cycle and the others wait (detail/sleep_turn.h). Others may read and write meanwhile, and what
// they write is the next cycle's. Source: 001, "System Sleep Cycle Instructions".
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "sleep/cycle_record.h"
#include "store/space.h"

namespace anima::llm {
class Model;
}

namespace anima::sleep {

struct Request {
  Policy policy;
  bool dry_run = false;         // rehearsed on a private branch; nothing is written
  std::vector<int> phases;      // 1 .. 9; empty = all. Some only: the next cycle looks again
  std::size_t max_changes = 0;  // 0 = no bound; what is left is the next cycle's
  std::int64_t max_milliseconds = 0;
  std::int64_t wait_milliseconds = 10'000;  // for another cycle that runs
  // Proposes what the rules leave open; null: nobody does. What it proposes passes their checks.
  // Its failure only means a cycle without it. It outlives the cycle.
  llm::Model* model = nullptr;
  Json model_setup = {};               // kept in the record, for who repeats the cycle
  std::int64_t model_tokens = 50'000;  // of a cycle, asked and answered
  std::stop_token model_stop;          // ends a call of it that is under way
  std::string trigger = "on demand";
  const std::atomic<bool>* stop = nullptr;  // raised: the cycle ends after the entry it writes
  std::function<void(int phase)> progress;  // before each phase and after each entry
};

// What makes a cycle due, for a schedule or the end of a session.
struct Due {
  bool due = false;
  std::string reason;  // "Unsorted holds 31 concepts (more than 20)"; what was looked at otherwise
};

// How a cycle is repeated.
struct ReplayRequest {
  // Gives the proposals of then (a played recording); null: there are none, which is told where the
  // cycle had a model.
  llm::Model* model = nullptr;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(int phase)> progress;
};

// What came of it.
struct ReplayedCycle {
  CycleRecord record;                          // as it is kept
  CycleRecord repeated;                        // as it is decided now
  std::size_t statements = 0;                  // that the cycle wrote or withdrew
  std::size_t differences = 0;                 // between then and now
  std::vector<std::string> first_differences;  // for people, at most kMostDifferences
  std::vector<std::string> notes;              // what may be their cause
  bool stopped = false;
  bool identical() const { return differences == 0 && !stopped; }
};
inline constexpr std::size_t kMostDifferences = 50;

class Sleeper {
 public:
  // `clock` says what time it is for everything that ages; default: SystemClock.
  static Result<std::unique_ptr<Sleeper>> open(std::shared_ptr<store::Space> space,
                                               std::shared_ptr<Clock> clock = {});

  // Runs a cycle, or finishes the one that a crash cut off. Errors: kBusy (another cycle ran longer
  // than the wait), those of the store and of the engine; what a phase could not change is no error
  // but listed in the record. The record's number is 0 when there was nothing to do.
  Result<CycleRecord> run(const Request& request);

  // Takes the changes of cycles back, all of them in one new entry; one that was cut off, too.
  // Errors: kNotFound (one of them
  // is not there, or changed nothing), kConflict (later entries depend on them: undo those too, or
  // `cascade`), kBusy (a cycle runs).
  Result<UndoneCycles> undo(const store::Origin& who, const std::vector<std::uint64_t>& cycles,
                            bool cascade, bool dry_run);

  // Decides a cycle again on the state before it, on a private branch, and compares what it did and
  // what it wrote with the record and the log. Nothing is written. Errors: kNotFound (no such
  // cycle, or the state before it was compacted away), those of the store and of the engine.
  Result<ReplayedCycle> replay(std::uint64_t cycle, const ReplayRequest& request);

  // Oldest first. The last one may be one that runs, or was cut off: what it wrote so far.
  Result<std::vector<CycleRecord>> cycles();
  Result<Metrics> metrics();  // now; O(changes since the last cycle)
  // `every_hours` 0: thresholds only. The thresholds are the source's: Unsorted > 20, orphans > 10.
  Result<Due> due(const Policy& policy, std::int64_t every_hours);

 private:
  struct Stage;
  Result<CycleRecord> run_on(const Stage& stage, const Request& request);
  Sleeper(std::shared_ptr<store::Space> space, std::shared_ptr<Clock> clock)
      : space_(std::move(space)), clock_(std::move(clock)) {}
  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Clock> clock_;
};

}  // namespace anima::sleep
