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
// Thread-safety: one sleeper a space at a time; others may read and write meanwhile, and
// what they write is the next cycle's. Source: 001, "System Sleep Cycle Instructions".
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

// The numbers that the source names, and some that it leaves open.
struct Policy {
  std::int64_t stale_after_days = 7;
  // Archived events whose content lives on elsewhere are removed after so many days; 0 = never.
  std::int64_t remove_archived_after_days = 0;
  double decay_factor = 0.95;  // a week; 0 < factor <= 1
  double decay_floor = 0.3;    // at or below it nothing fades any more
  std::size_t small_domain = 2, large_domain = 100;
  std::size_t fewest_for_a_domain = 5;  // concepts of one type that deserve a domain of their own
};

struct Request {
  Policy policy;
  bool dry_run = false;         // rehearsed on a private branch; nothing is written
  std::vector<int> phases;      // 1 .. 9; empty = all. Some only: the next cycle looks again
  std::size_t max_changes = 0;  // 0 = no bound; what is left is the next cycle's
  std::int64_t max_milliseconds = 0;
  // Proposes what the rules leave open; null: nobody does. What it proposes passes their checks.
  // Its failure only means a cycle without it. It outlives the cycle.
  llm::Model* model = nullptr;
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

class Sleeper {
 public:
  // `clock` says what time it is for everything that ages; default: SystemClock.
  static Result<std::unique_ptr<Sleeper>> open(std::shared_ptr<store::Space> space,
                                               std::shared_ptr<Clock> clock = {});

  // Runs a cycle, or finishes the one that a crash cut off. Errors: those of the store and of the
  // engine; what a phase could not change is no error but listed in the record. The record's number
  // is 0 when there was nothing to do.
  Result<CycleRecord> run(const Request& request);

  // Takes a cycle's changes back as new entries, newest first. Errors: kNotFound (no such cycle, or
  // it changed nothing), kConflict (later entries depend on it: undo those first, or `cascade`).
  Result<UndoneCycle> undo(const store::Origin& who, std::uint64_t cycle, bool cascade,
                           bool dry_run);

  Result<std::vector<CycleRecord>> cycles();  // oldest first
  Result<Metrics> metrics();                  // now; O(changes since the last cycle)
  // `every_hours` 0: thresholds only. The thresholds are the source's: Unsorted > 20, orphans > 10.
  Result<Due> due(const Policy& policy, std::int64_t every_hours);

 private:
  Sleeper(std::shared_ptr<store::Space> space, std::shared_ptr<Clock> clock)
      : space_(std::move(space)), clock_(std::move(clock)) {}
  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Clock> clock_;
};

}  // namespace anima::sleep
