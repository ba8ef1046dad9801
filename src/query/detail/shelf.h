// Shelves: the statements of one predicate as plain arrays, for joins that look up thousands of
// nodes.
//
// A look-up in the store finds the node's rows first and the predicate's among them; a shelf knows
// them by the node's number alone. Making one costs about what as many look-ups cost as the
// predicate has rows, so it is made when that many were asked of one state of the space, and
// dropped when another state is asked. Thread-safety: Shelves locks inside; a Shelf is immutable.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "store/snapshot.h"

namespace anima::query::detail {

class Shelf {
 public:
  Shelf(const store::Snapshot& snapshot, store::Predicate predicate, bool by_subject);
  // The objects of a subject, or the subjects of an object, ascending. Requires usable().
  std::span<const std::uint32_t> of(std::uint32_t key) const {
    const std::uint32_t at = key - first_;  // wraps where the key is below
    if (at >= keys_) return {};
    return {values_.data() + offsets_[at], offsets_[at + 1] - offsets_[at]};
  }
  // Starts fetching what of(key) looks at: first where its list lies, later the list.
  void prefetch_place(std::uint32_t key) const {
    if (key - first_ < keys_) __builtin_prefetch(offsets_.data() + (key - first_));
  }
  void prefetch_list(std::uint32_t key) const {
    if (key - first_ < keys_) __builtin_prefetch(values_.data() + offsets_[key - first_]);
  }
  // False where the keys lie too far apart for an array.
  bool usable() const { return !offsets_.empty(); }
  std::uint64_t bytes() const { return (values_.size() + offsets_.size()) * 4; }

 private:
  std::uint32_t first_ = 0, keys_ = 0;
  std::vector<std::uint32_t> offsets_, values_;
};

class Shelves {
 public:
  static constexpr std::size_t kManyRows = 256;  // of a batch, from which on it is worth asking
  // Notes that `times` look-ups are about to come; null as long as the store is to answer them.
  // Requires that snapshots of one sequence say the same (RunOptions::current).
  std::shared_ptr<const Shelf> ask(const store::Snapshot& snapshot, store::Predicate predicate,
                                   bool by_subject, std::uint64_t times);

 private:
  struct Entry {
    std::uint64_t asked = 0;
    std::shared_ptr<const Shelf> shelf;
  };
  static constexpr std::uint64_t kMostRows = std::uint64_t{8} << 20;  // of one: it is made at once
  static constexpr std::uint64_t kMostBytes = std::uint64_t{128} << 20;
  std::mutex mutex_;
  store::Sequence sequence_ = store::Sequence::kNone;  // whose statements these are
  std::map<std::pair<std::uint32_t, bool>, Entry> entries_;
  std::uint64_t bytes_ = 0;
};

}  // namespace anima::query::detail
