// Adjacency: the few newer edges of a node, in one cache line.
//
// A bucket holds the first four rows of a key as (predicate, other end, row). Where there are more,
// or where one died, it says `look_at_rows`, and the chains of the delta tell the rest. So reading
// the edges of a node costs one line beside the base's columns. One writer, lock-free readers, who
// ignore rows at or above their bound; a bucket never moves within its table, and a table that was
// outgrown stays for those who are still reading it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "store/detail/row_index.h"

namespace anima::store::detail {

class Adjacency {
 public:
  struct Edge {
    std::atomic<std::uint32_t> predicate{0}, other{0}, row{0};
  };
  struct alignas(64) Bucket {
    std::atomic<std::uint32_t> key{0};  // 0: free
    std::atomic<std::uint32_t> state{0};
    Edge edges[4];

    static constexpr std::uint32_t kLookAtRows = 0x80000000u;
    // The number of edges, or kLookAtRows.
    std::uint32_t count() const { return state.load(std::memory_order_acquire); }
  };
  static_assert(sizeof(Bucket) == 64);

  void prefetch(std::uint32_t key) const {
    if (const Table* table = current_.load(std::memory_order_acquire)) {
      __builtin_prefetch(&table->buckets[mix(key) & table->mask]);
    }
  }
  const Bucket* find(std::uint32_t key) const {
    const Table* table = current_.load(std::memory_order_acquire);
    return table == nullptr ? nullptr : table->find(key);
  }

  void add(std::uint32_t key, std::uint32_t predicate, std::uint32_t other, std::uint32_t row) {
    reserve();
    Bucket& bucket = tables_.back()->slot(key);
    const std::uint32_t count = bucket.state.load(std::memory_order_relaxed);
    if (bucket.key.load(std::memory_order_relaxed) == 0) ++used_;
    if (count < 4) {
      bucket.edges[count].predicate.store(predicate, std::memory_order_relaxed);
      bucket.edges[count].other.store(other, std::memory_order_relaxed);
      bucket.edges[count].row.store(row, std::memory_order_relaxed);
    }
    bucket.state.store(count < 4 ? count + 1 : Bucket::kLookAtRows, std::memory_order_release);
    bucket.key.store(key, std::memory_order_release);
  }
  // Takes back the last add() of the key.
  void remove(std::uint32_t key, std::uint32_t row) {
    Bucket& bucket = tables_.back()->slot(key);
    const std::uint32_t count = bucket.state.load(std::memory_order_relaxed);
    if (count == 0 || count > 4 ||
        bucket.edges[count - 1].row.load(std::memory_order_relaxed) != row)
      return;
    bucket.state.store(count - 1, std::memory_order_release);
  }
  void look_at_rows(std::uint32_t key) {
    if (tables_.empty()) return;
    Bucket& bucket = tables_.back()->slot(key);
    if (bucket.key.load(std::memory_order_relaxed) == key) {
      bucket.state.store(Bucket::kLookAtRows, std::memory_order_release);
    }
  }
  std::size_t heap_bytes() const {
    std::size_t bytes = 0;
    for (const auto& table : tables_) bytes += (std::size_t{table->mask} + 1) * sizeof(Bucket);
    return bytes;
  }

 private:
  struct Table {
    explicit Table(std::uint32_t size) : mask(size - 1), buckets(new Bucket[size]) {}
    const Bucket* find(std::uint32_t key) const {
      for (std::uint32_t i = mix(key) & mask;; i = (i + 1) & mask) {
        const std::uint32_t there = buckets[i].key.load(std::memory_order_acquire);
        if (there == key) return &buckets[i];
        if (there == 0) return nullptr;
      }
    }
    Bucket& slot(std::uint32_t key) {
      for (std::uint32_t i = mix(key) & mask;; i = (i + 1) & mask) {
        const std::uint32_t there = buckets[i].key.load(std::memory_order_relaxed);
        if (there == key || there == 0) return buckets[i];
      }
    }
    std::uint32_t mask;
    std::unique_ptr<Bucket[]> buckets;
  };

  void reserve() {
    if (!tables_.empty() &&
        std::uint64_t{used_ + 1} * 4 <= (std::uint64_t{tables_.back()->mask} + 1) * 3)
      return;
    const std::uint32_t size = tables_.empty() ? 64 : (tables_.back()->mask + 1) * 2;
    auto next = std::make_unique<Table>(size);
    if (!tables_.empty()) {
      const Table& old = *tables_.back();
      for (std::uint32_t i = 0; i <= old.mask; ++i) {
        const Bucket& from = old.buckets[i];
        const std::uint32_t key = from.key.load(std::memory_order_relaxed);
        if (key == 0) continue;
        Bucket& to = next->slot(key);
        to.key.store(key, std::memory_order_relaxed);
        to.state.store(from.state.load(std::memory_order_relaxed), std::memory_order_relaxed);
        for (int e = 0; e < 4; ++e) {
          to.edges[e].predicate.store(from.edges[e].predicate.load(std::memory_order_relaxed),
                                      std::memory_order_relaxed);
          to.edges[e].other.store(from.edges[e].other.load(std::memory_order_relaxed),
                                  std::memory_order_relaxed);
          to.edges[e].row.store(from.edges[e].row.load(std::memory_order_relaxed),
                                std::memory_order_relaxed);
        }
      }
    }
    tables_.push_back(std::move(next));
    current_.store(tables_.back().get(), std::memory_order_release);
  }

  std::atomic<const Table*> current_{nullptr};
  std::vector<std::unique_ptr<Table>> tables_;
  std::uint32_t used_ = 0;
};

}  // namespace anima::store::detail
