// Which rows are there: a hash of row ids, and a bit field for small domains.
//
// RowHash maps a row's values to the ids of the rows that hold them (several when older ones are
// dead). One writer; readers that hold a published view may look up at the same time: a slot is
// written once, and when the slots grow the old ones stay until the hash goes away (or, while
// nobody else reads, at once).
//
// DenseSet answers "is this row alive" for relations of one or two columns whose codes fall into a
// small window: one bit a possible row. It is the writer's alone. Thread-safety: as said.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "datalog/value.h"

namespace anima::datalog {

using RowId = std::uint32_t;
inline constexpr RowId kNoRow = 0xFFFFFFFFU;

inline std::uint64_t mix_hash(std::uint64_t x) {
  x *= 0x9E3779B97F4A7C15ULL;
  return x ^ (x >> 32);
}

inline std::uint64_t hash_row(const Code* row, std::uint32_t columns) {
  if (columns == 1) return mix_hash(row[0]);
  if (columns == 2) return mix_hash(std::uint64_t{row[0]} << 32 | row[1]);
  std::uint64_t h = 0;
  for (std::uint32_t i = 0; i < columns; ++i) h = mix_hash(h ^ row[i]) + 0x632BE59BD9B4E019ULL;
  return mix_hash(h);
}

inline std::uint32_t load_relaxed(const std::uint32_t* p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
inline std::uint32_t load_acquire(const std::uint32_t* p) {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
inline void store_release(std::uint32_t* p, std::uint32_t v) {
  __atomic_store_n(p, v, __ATOMIC_RELEASE);
}

// Open addressing over 32-bit ids; 0xFFFFFFFF is empty. The owner compares what an id stands for.
class SlotArray {
 public:
  explicit SlotArray(std::size_t capacity);
  ~SlotArray();
  SlotArray(const SlotArray&) = delete;
  SlotArray& operator=(const SlotArray&) = delete;

  std::size_t mask() const { return mask_; }
  std::uint32_t* slots() const { return slots_; }
  std::size_t bytes() const { return (mask_ + 1) * sizeof(std::uint32_t); }

 private:
  std::size_t mask_;
  std::uint32_t* slots_;
};

class DenseSet {
 public:
  // The window of codes that each column may have.
  struct Window {
    Code base[2] = {0, 0};
    std::uint32_t width[2] = {1, 1};
  };

  explicit DenseSet(const Window& window);

  bool covers1(Code a) const { return a - window_.base[0] < window_.width[0]; }
  bool covers2(Code a, Code b) const {
    return a - window_.base[0] < window_.width[0] && b - window_.base[1] < window_.width[1];
  }
  std::size_t place1(Code a) const { return a - window_.base[0]; }
  std::size_t place2(Code a, Code b) const {
    return std::size_t{a - window_.base[0]} * window_.width[1] + (b - window_.base[1]);
  }
  bool test(std::size_t place) const { return (bits_[place >> 6] >> (place & 63) & 1) != 0; }
  void set(std::size_t place) { bits_[place >> 6] |= std::uint64_t{1} << (place & 63); }
  void clear(std::size_t place) { bits_[place >> 6] &= ~(std::uint64_t{1} << (place & 63)); }
  void prefetch(std::size_t place) const { __builtin_prefetch(&bits_[place >> 6], 1); }
  const Window& window() const { return window_; }
  std::size_t bytes() const { return bits_.size() * sizeof(std::uint64_t); }
  static std::size_t bytes_of(const Window& window) {
    return (std::size_t{window.width[0]} * window.width[1] + 63) / 64 * 8;
  }

 private:
  Window window_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace anima::datalog
