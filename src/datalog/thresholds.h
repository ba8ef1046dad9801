// The sizes at which the engine changes its means. They decide how fast it answers, never what it
// answers: tests run the same programs with all of them at one to eight rows. Thread-safety: a
// plain value; an engine's do not change.
#pragma once

#include <algorithm>
#include <cstdint>

namespace anima::datalog {

struct Thresholds {
  // Bits in place of a hash, for relations of one or two columns (row_set.h).
  std::uint32_t dense_rows = 4096;           // fewer rows are not looked at
  std::uint32_t dense_free_bytes = 1 << 16;  // that the bits may always take
  std::uint32_t dense_bytes_a_row = 16;      // that they may take beyond
  std::uint32_t dense_large_rows = 1 << 15;  // from so many rows on
  std::uint32_t dense_bytes_a_large_row = 40;

  // Tables and their indexes.
  std::uint32_t prefetch_rows = 256;  // hashed before the first is looked up; at most 256
  std::uint32_t chained_rows = 4096;  // of an index, before it is built anew
  std::uint32_t direct_codes = 4096;  // an array over so many codes finds keys, however few rows
  std::uint32_t dead_rows = 4096;     // that nobody minds walking over

  // Plans.
  std::uint32_t batch_rows = 1024;       // bindings handed on at once; at most kBatch
  std::uint32_t selective_rows = 64;     // the same, where the first proof ends the search
  std::uint32_t marked_codes = 1 << 22;  // of a column that is marked in an array (meet.cc)
  std::uint32_t look_up_cost = 8;        // of a full row, in loads of a mark
  std::uint32_t late_delta_rows = 2048;  // a delta that may be met on the way
  std::uint32_t group_codes = 1 << 16;   // keys of groups that have their place in an array
  std::uint32_t check_rows = 16;         // fewer rows are checked one by one (update.cc)
  std::uint32_t sample_rows = 2048;      // looked at for statistics
  std::uint32_t missed_rows = 16384;     // a question that read more would have liked an index

  // Within what the arrays of the kernels hold.
  void bound() {
    const auto within = [](std::uint32_t& value, std::uint32_t most) {
      value = std::clamp(value, 1U, most);
    };
    within(prefetch_rows, 256);
    within(batch_rows, 1024);
    within(selective_rows, 1024);
    within(dense_rows, 0xFFFFFFFFU);
    within(marked_codes, 1U << 28);
    within(look_up_cost, 1U << 16);
    within(sample_rows, 1U << 20);
  }
};

}  // namespace anima::datalog
