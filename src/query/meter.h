// Meter: what one request may still cost. Everything that is done for the request spends from the
// same one: the pipeline, the values that it makes, and what a language makes of its answer.
//
// Once something is used up it stays failed: error() says what, and every further spending is
// refused. Costs a few nanoseconds a call; the clock is read for every 64th or every 8,192 rows.
// Thread-safety: one thread; `cancelled` and `stop` may be set from any.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "base/result.h"

namespace anima::query {

struct Budget {
  std::int64_t time_ms = 30'000;  // 0 = none
  // Rows that operators pass on and that answers are made of, all together. A row that stands for
  // many counts as one until they are made.
  std::uint64_t rows = 200'000'000;
  // Of tables, hash tables, sorts, groups, searches along paths, values that the query makes, and
  // of the answer.
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;
  const std::atomic<bool>* cancelled = nullptr;
  std::stop_token stop;
};

// What somebody holds of the memory at the moment.
struct Charge {
  std::uint64_t bytes = 0;
};

class Meter {
 public:
  // `clock`: null is the system's. Both have to outlive it.
  explicit Meter(Budget budget, Clock* clock = nullptr);

  // Each is false when the budget is used up, now or before.
  bool spend(std::uint64_t rows);
  bool look();  // at the clock and whether the request was cancelled, at once
  bool take_memory(std::uint64_t bytes);
  // Replaces what `charge` held before.
  bool hold(Charge& charge, std::uint64_t bytes);
  bool fail(Error error);  // false; the first error stays

  bool failed() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::int64_t now() const;
  Budget budget_;
  Clock* clock_;
  std::optional<Error> error_;
  std::int64_t deadline_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t rows_at_look_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t memory_ = 0;
};

}  // namespace anima::query
