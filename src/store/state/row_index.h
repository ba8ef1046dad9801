// RowIndex: hash -> newest row of a chain, with one writer and lock-free readers.
//
// Open addressing over 64-bit slots (hash in the upper half, row + 1 in the lower); the caller
// compares keys by looking at the row. A small filter in front (two bits of one word a key) answers
// most look-ups of absent keys without touching the slots. Growing publishes a new table and keeps
// the old ones for readers that are still in them. Unlinking (rollback) puts the previous row back
// or leaves a grave.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/large_memory.h"
#include "store/base/records.h"

namespace anima::store::detail {

inline std::uint32_t mix(std::uint64_t key) {
  key ^= key >> 32;
  key *= 0x9e3779b97f4a7c15ull;
  key ^= key >> 29;
  key *= 0xbf58476d1ce4e5b9ull;
  return static_cast<std::uint32_t>(key >> 32);
}
inline std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
  return (std::uint64_t{a} << 32) | b;
}
inline std::uint32_t mix3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return mix(pair_key(a, b) * 0x9e3779b97f4a7c15ull + c);
}

class RowIndex {
 public:
  // The row of the slot for which `same(row)` holds, or kNoRow.
  template <typename Same>
  std::uint32_t find(std::uint32_t hash, const Same& same) const {
    const Table* table = current_.load(std::memory_order_acquire);
    if (table == nullptr || !table->may_hold(hash)) return kNoRow;
    for (std::uint32_t i = hash & table->mask;; i = (i + 1) & table->mask) {
      const std::uint64_t slot = table->slots[i].load(std::memory_order_acquire);
      if (slot == 0) return kNoRow;
      if (static_cast<std::uint32_t>(slot >> 32) != hash) continue;
      const auto row = static_cast<std::uint32_t>(slot) - 1;
      if (row != kGrave - 1 && same(row)) return row;
    }
  }

  // The row of the first slot of this hash, whatever its key; it may be gone. For fetching ahead.
  std::uint32_t first(std::uint32_t hash) const {
    return find(hash, [](std::uint32_t) { return true; });
  }

  // False is sure: find() would find nothing.
  bool may_hold(std::uint32_t hash) const {
    const Table* table = current_.load(std::memory_order_acquire);
    return table != nullptr && table->may_hold(hash);
  }

  // Starts fetching what push() or find() will look at first.
  void prefetch(std::uint32_t hash) const {
    if (const Table* table = current_.load(std::memory_order_acquire)) {
      __builtin_prefetch(&table->slots[hash & table->mask], 1);
      __builtin_prefetch(&table->filter[table->word(hash)], 1);
    }
  }

  // Puts `row` in front of the row that is there. Before readers can reach it, link(there) is
  // called, with kNoRow where there is none.
  template <typename Same, typename Link>
  void push(std::uint32_t hash, std::uint32_t row, const Same& same, const Link& link) {
    reserve();
    Table* table = tables_.back().get();
    std::uint32_t grave = kNoRow;  // of the same hash: its slot can be used again
    for (std::uint32_t i = hash & table->mask;; i = (i + 1) & table->mask) {
      const std::uint64_t slot = table->slots[i].load(std::memory_order_relaxed);
      const auto other = static_cast<std::uint32_t>(slot) - 1;
      if (slot == 0) {
        link(kNoRow);
        used_ += grave == kNoRow ? 1 : 0;
        table->note(hash);
        table->slots[grave == kNoRow ? i : grave].store(make(hash, row + 1),
                                                        std::memory_order_release);
        return;
      }
      if (static_cast<std::uint32_t>(slot >> 32) != hash) continue;
      if (other == kGrave - 1) {
        if (grave == kNoRow) grave = i;
      } else if (same(other)) {
        link(other);
        table->slots[i].store(make(hash, row + 1), std::memory_order_release);
        return;
      }
    }
  }

  // Takes `row` off the front; `previous` (or kNoRow) comes back.
  void pop(std::uint32_t hash, std::uint32_t row, std::uint32_t previous) {
    Table* table = tables_.back().get();
    for (std::uint32_t i = hash & table->mask;; i = (i + 1) & table->mask) {
      const std::uint64_t slot = table->slots[i].load(std::memory_order_relaxed);
      if (slot == 0) return;
      if (slot == make(hash, row + 1)) {
        table->slots[i].store(make(hash, previous == kNoRow ? kGrave : previous + 1),
                              std::memory_order_release);
        return;
      }
    }
  }

  std::size_t heap_bytes() const {
    std::size_t bytes = 0;
    for (const auto& table : tables_) bytes += (std::size_t{table->mask} + 1) * 8 * 17 / 16;
    return bytes;
  }

 private:
  static constexpr std::uint32_t kGrave = 0xffffffffu;
  struct Table {
    explicit Table(std::uint32_t size)
        : mask(size - 1), filter_mask(size / 16 - 1), slots(size), filter(size / 16) {}
    // Eight bits of filter for each key of a table that is half full.
    static std::uint64_t bits(std::uint32_t hash) {
      return (std::uint64_t{1} << (hash >> 26)) | (std::uint64_t{1} << (hash >> 20 & 63));
    }
    std::uint32_t word(std::uint32_t hash) const { return (hash * 0x9e3779b1u >> 7) & filter_mask; }
    bool may_hold(std::uint32_t hash) const {
      const std::uint64_t wanted = bits(hash);
      return (filter[word(hash)].load(std::memory_order_relaxed) & wanted) == wanted;
    }
    // One thread writes: no locked operation, which would wait for every fetch under way.
    void note(std::uint32_t hash) {
      auto& place = filter[word(hash)];
      place.store(place.load(std::memory_order_relaxed) | bits(hash), std::memory_order_relaxed);
    }

    std::uint32_t mask, filter_mask;
    LargeArray<std::atomic<std::uint64_t>> slots, filter;
  };
  static std::uint64_t make(std::uint32_t hash, std::uint32_t low) {
    return (std::uint64_t{hash} << 32) | low;
  }
  void reserve() {
    if (!tables_.empty() &&
        std::uint64_t{used_ + 1} * 2 <= std::uint64_t{tables_.back()->mask} + 1) {
      return;
    }
    const std::uint32_t size = tables_.empty() ? 64 : (tables_.back()->mask + 1) * 2;
    auto next = std::make_unique<Table>(size);
    std::uint32_t used = 0;
    if (!tables_.empty()) {
      const Table& old = *tables_.back();
      for (std::uint32_t i = 0; i <= old.mask; ++i) {
        const std::uint64_t slot = old.slots[i].load(std::memory_order_relaxed);
        if (slot == 0 || static_cast<std::uint32_t>(slot) == kGrave) continue;
        std::uint32_t at = static_cast<std::uint32_t>(slot >> 32) & next->mask;
        while (next->slots[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & next->mask;
        next->slots[at].store(slot, std::memory_order_relaxed);
        next->note(static_cast<std::uint32_t>(slot >> 32));
        ++used;
      }
    }
    used_ = used;
    tables_.push_back(std::move(next));
    current_.store(tables_.back().get(), std::memory_order_release);
  }

  std::atomic<const Table*> current_{nullptr};
  std::vector<std::unique_ptr<Table>> tables_;
  std::uint32_t used_ = 0;
};

}  // namespace anima::store::detail
