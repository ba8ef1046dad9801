// Running a plan: compile to a pipeline of vectorised operators, push batches through it, collect a
// table.
//
// Join order and access paths are chosen when the plan is compiled, from exact counts of the
// snapshot and from Statistics. Every operator works on batches of up to 2,048 rows held as columns
// of 32-bit codes; there is one virtual call a batch. Cyclic patterns are joined variable by
// variable (worst-case optimal). Time, rows, memory and cancellation are checked while the plan is
// compiled, once a batch, and before a table grows: kTimeout, kLimitExceeded, kCancelled.
// Thread-safety: run() from any thread; Statistics is shared and locks inside.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "query/meter.h"
#include "query/plan.h"
#include "query/values.h"

namespace anima::query {

namespace detail {
class Shelves;
}

// Distinct subjects and objects of predicates, computed when first asked for and kept while the
// predicate's size stays within a fifth; and arrays of predicates that one state of the space is
// asked for again and again (at most 128 MiB). One object a space. Thread-safe.
class Statistics {
 public:
  struct Shape {
    std::uint64_t rows = 0, subjects = 1, objects = 1;
  };
  Statistics();
  ~Statistics();
  // Looks at the meter's time while it computes. What it says is of no use, and not kept, when the
  // meter has failed. O(rows) when it is not known, else O(1).
  Shape shape(const store::Snapshot& snapshot, store::Predicate predicate, Meter& meter);
  const std::shared_ptr<detail::Shelves>& shelves() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct RunOptions {
  Budget budget;
  Meter* meter = nullptr;          // of the request that the run is part of; null: one of `budget`
  std::shared_ptr<Values> values;  // of this run; null: the plan's
  Statistics* statistics = nullptr;  // null: computed for this run alone
  bool analyze = false;              // measure every operator
  // The plan's snapshots are whole states that the space published, so that those of one sequence
  // say the same and what was learnt of one holds for the next. False for branches and narrowed
  // ones.
  bool current = false;
  bool optimise = true;    // false: patterns in the order written (for tests)
  Clock* clock = nullptr;  // for the time budget; null: the system's
};

struct Table {
  std::size_t rows = 0;
  std::vector<std::vector<std::uint32_t>> columns;  // one per Plan::results
};

struct Answer {
  std::shared_ptr<Values> values;  // resolves the codes of `table`
  Table table;
  std::string explanation;  // filled when analyze was asked for
};

// The snapshot is plan.scopes[0].
Result<Answer> run(const Plan& plan, const RunOptions& options = {});
// The pipeline with estimated rows, for people.
Result<std::string> explain(const Plan& plan, const RunOptions& options = {});

}  // namespace anima::query
