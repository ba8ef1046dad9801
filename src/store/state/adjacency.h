// Adjacency: the edges of the nodes that changed since the base, ready to be handed out.
//
// An entry that changes a node makes a new list of all its edges, those of the base included,
// sorted by (predicate, other end) as the columns of the base are. So reading a changed node costs
// one line for its bucket and the list itself, and nothing is merged. A list carries the entry that
// made it and hangs on the one before: a reader takes the first that is not newer than its
// sequence, and the base's rows where there is none. A node of more than kMost edges has no list
// from then on and says so (many()); the chains of the delta tell. Lists never move, and change
// only while the entry that made them is being written: nobody else reads them then. One writer,
// lock-free readers; a table that was outgrown stays for those who are still reading it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/large_memory.h"
#include "store/base/positions.h"
#include "store/state/row_index.h"

namespace anima::store::detail {

class Adjacency {
 public:
  static constexpr std::uint32_t kMost = 48;

  class List {
   public:
    bool many() const { return size_ == kManySize; }
    // Two columns of one length; requires !many().
    std::span<const std::uint32_t> predicates() const { return {words(), size_}; }
    std::span<const std::uint32_t> others() const { return {words() + room_, size_}; }

   private:
    friend class Adjacency;
    static constexpr std::uint32_t kManySize = 0xffffffffu;
    const std::uint32_t* words() const { return reinterpret_cast<const std::uint32_t*>(this + 1); }
    std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>(this + 1); }

    List* before_ = nullptr;
    std::uint64_t sequence_ = 0;  // of the entry that made it
    std::uint32_t size_ = 0;
    std::uint32_t room_ = 0;  // edges that it can hold
  };

  // A node's rows in the base.
  struct Below {
    const std::uint32_t* predicates = nullptr;
    const std::uint32_t* others = nullptr;
    std::uint32_t size = 0;
  };

  void prefetch(std::uint32_t key) const {
    if (const Table* table = current_.load(std::memory_order_acquire)) {
      __builtin_prefetch(&table->buckets[mix(key) & table->mask]);
    }
  }
  void prefetch_list(std::uint32_t key) const {
    const Table* table = current_.load(std::memory_order_acquire);
    if (table == nullptr) return;
    if (const List* list = table->find(key)) __builtin_prefetch(list);
  }
  // The node's edges at `sequence`, or null where the base's rows say it all.
  const List* find(std::uint32_t key, std::uint64_t sequence) const {
    const Table* table = current_.load(std::memory_order_acquire);
    if (table == nullptr) return nullptr;
    const List* list = table->find(key);
    while (list != nullptr && list->sequence_ > sequence) list = list->before_;
    return list;
  }

  // --- writing
  // ---------------------------------------------------------------------------------------------------
  void add(std::uint32_t key, PredicateCode predicate, std::uint32_t other, std::uint64_t sequence,
           const Below& below) {
    change(key, pair_key(predicate, other), true, sequence, below);
  }
  void remove(std::uint32_t key, PredicateCode predicate, std::uint32_t other,
              std::uint64_t sequence, const Below& below) {
    change(key, pair_key(predicate, other), false, sequence, below);
  }
  // Changes so far, for rollback(); forget_changes() makes the earlier ones final.
  std::size_t changes() const { return journal_.size(); }
  void rollback(std::size_t changes);
  void forget_changes() { journal_.clear(); }
  std::size_t heap_bytes() const;

 private:
  struct Bucket {
    std::atomic<std::uint32_t> key{0};  // 0: free
    std::atomic<List*> list{nullptr};
  };
  struct Table {
    explicit Table(std::uint32_t size) : mask(size - 1), buckets(size) {}
    const List* find(std::uint32_t key) const {
      for (std::uint32_t i = mix(key) & mask;; i = (i + 1) & mask) {
        const std::uint32_t there = buckets[i].key.load(std::memory_order_acquire);
        if (there == key) return buckets[i].list.load(std::memory_order_acquire);
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
    LargeArray<Bucket> buckets;
  };

  void change(std::uint32_t key, std::uint64_t edge, bool there, std::uint64_t sequence,
              const Below& below);
  // Where `edge` is, or belongs, among a node's edges.
  struct Spot {
    std::uint32_t at = 0;
    bool had = false;
  };
  static Spot find_spot(const Below& edges, std::uint64_t edge);
  static void change_in_place(List& list, Spot spot, std::uint64_t edge, bool there);
  List* make_list(std::uint32_t room);
  List* make_changed(const Below& edges, Spot spot, std::uint64_t edge, bool there);
  void reserve();

  std::atomic<const Table*> current_{nullptr};
  std::vector<std::unique_ptr<Table>> tables_;
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> journal_;  // the keys, in the order of their changes
  std::vector<LargeMemory> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0, block_bytes_ = 0;
};

}  // namespace anima::store::detail
