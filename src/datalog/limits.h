// Limits and statistics of an evaluation. Thread-safety: plain values; a stop_token may be
// triggered from anywhere.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

namespace anima::datalog {

// Of a predicate (the two of an interval included), and keys of a group: wider programs are
// refused. Keys of look-ups are gathered on the stack.
inline constexpr std::uint32_t kMaxColumns = 256;

// Zero means without limit. A transaction that meets a limit fails with kLimitExceeded (kTimeout
// for the deadline, kCancelled for the token) and leaves the state that was published before.
struct Limits {
  std::int64_t deadline_ms = 0;
  std::uint64_t max_derived_rows = 0;  // rows that one transaction may add by rules
  std::uint64_t max_bytes = 0;         // relations, indexes, values, groups, plans together
  std::uint64_t max_intervals = 1000;  // of one temporal atom that recursion derives (spec 1.12)
  std::stop_token cancel;
};

struct StratumStats {
  bool visited = false;
  std::uint32_t rounds = 0;
  std::uint64_t rows_added = 0;    // net: rows that are there now and were not before
  std::uint64_t rows_removed = 0;  // net
  std::int64_t nanoseconds = 0;
};

struct TransactionStats {
  std::vector<StratumStats> strata;  // by StratumId
  std::uint32_t strata_visited = 0;
  std::int64_t nanoseconds = 0;
  std::uint64_t rows_derived = 0;  // rows that rules added, gross
  std::uint64_t rows_checked = 0;  // rows whose support was looked at again
  std::uint64_t work = 0;          // rows and bindings that went through plans
};

}  // namespace anima::datalog
