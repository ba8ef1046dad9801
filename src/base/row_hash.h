// The hash of a row of 32-bit codes: one for every table that finds rows by what they hold (facts
// of the rule engine, groups and joins of the algebra, triples of an answer).
//
// Multiplicative (Knuth, The Art of Computer Programming 3, 6.4): two codes cost one
// multiplication. The low bits are good, so that `hash & mask` is a place. No defence against
// chosen codes: they are numbers that the program gives away itself. In memory only, never on disk.
// Thread-safety: functions without state. O(length).
#pragma once

#include <cstddef>
#include <cstdint>

namespace anima {

inline std::uint64_t mix_hash(std::uint64_t x) {
  x *= 0x9E3779B97F4A7C15ULL;
  return x ^ (x >> 32);
}

// Of a row that does not lie in one piece: `cell(i)` is its code i.
template <typename Cell>
std::uint64_t hash_cells(std::size_t length, const Cell& cell) {
  if (length == 1) return mix_hash(cell(0));
  if (length == 2) return mix_hash(std::uint64_t{cell(0)} << 32 | cell(1));
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < length; ++i) hash = mix_hash(hash ^ cell(i)) + 0x632BE59BD9B4E019ULL;
  return mix_hash(hash);
}

inline std::uint64_t hash_row(const std::uint32_t* row, std::size_t length) {
  return hash_cells(length, [row](std::size_t i) { return row[i]; });
}

}  // namespace anima
