// The rows of one predicate: append-only storage with heights, deaths, a primary hash and indexes.
//
// A row is never changed. Its height is the round that first derived it (0: given); a row of a
// recursive component has a derivation from rows of smaller heights, which is what deletion and
// explanation rely on. Deleting a row writes the epoch of its death beside it; a view (row limit,
// epoch) therefore always sees what it saw when it was taken, however the table goes on. A tuple
// that comes back is a new row.
//
// One writer. Readers with a published view may read rows, deaths, the primary hash and indexes at
// the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "datalog/tables/index.h"
#include "datalog/tables/row_set.h"
#include "datalog/thresholds.h"
#include "datalog/values/segmented.h"

namespace anima::datalog {

using Epoch = std::uint32_t;
inline constexpr Epoch kForever = 0xFFFFFFFFU;  // the epoch of death of a row that lives
inline constexpr Epoch kAborted = 0;            // of a row that no view ever sees

// What a look sees: rows of [from, limit) that died after `epoch`.
struct View {
  RowId limit = 0;
  Epoch epoch = 0;
  RowId from = 0;
};

class Table {
 public:
  explicit Table(std::uint32_t columns, const Thresholds& thresholds = {});
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  std::uint32_t columns() const { return columns_; }
  const Thresholds& thresholds() const { return thresholds_; }
  RowId size() const { return size_; }
  // Rows that are dead or aborted.
  std::uint32_t dead() const { return dead_.load(std::memory_order_relaxed); }
  std::uint32_t alive() const { return size_ - dead(); }

  const Code* row(RowId id) const { return rows_.at(id); }
  std::uint32_t contiguous(RowId id) const { return rows_.contiguous(id); }
  std::uint32_t height(RowId id) const { return *heights_.at(id); }
  Epoch died(RowId id) const {
    if (dead() == 0) return kForever;
    // The bits are small enough to stay in the cache; the epochs are not.
    const std::uint32_t* bits = dead_bits_.at_if_present(id >> 5);
    if (bits == nullptr || (load_acquire(bits) >> (id & 31) & 1) == 0) return kForever;
    return load_relaxed(died_.at(id));
  }
  bool visible(RowId id, const View& view) const {
    return id < view.limit && died(id) > view.epoch;
  }

  // Appends without looking. The caller keeps dense() in step when it is there.
  RowId append(const Code* row, std::uint32_t height);
  void kill(RowId id, Epoch epoch);  // kForever brings it back
  // Adds row ids [hashed, size) to the primary hash; builds it when it is not there.
  void ensure_primary();
  bool has_primary() const { return primary_.load(std::memory_order_acquire) != nullptr; }
  // Requires that no living row has these values.
  void add_to_primary(RowId id, std::uint64_t hash);
  void prefetch_primary(std::uint64_t hash) const {
    const SlotArray* p = primary_.load(std::memory_order_acquire);
    __builtin_prefetch(p->slots() + (hash & p->mask()));
  }
  // First slot's row, to fetch it early.
  void prefetch_candidate(std::uint64_t hash) const {
    const SlotArray* p = primary_.load(std::memory_order_acquire);
    const RowId id = load_relaxed(p->slots() + (hash & p->mask()));
    if (id < size_) __builtin_prefetch(rows_.at(id));
  }
  // The visible row with these values, or kNoRow. Requires has_primary() and that it covers
  // view.limit.
  RowId find(const Code* row, std::uint64_t hash, const View& view) const;
  // Ends the primary hash while a dense set does its work.
  void drop_primary();

  // The index over `columns` (ascending), covering every row; built or brought up to date. Writer
  // only. `seen` is the oldest epoch that anybody may still ask for through this index. A later
  // call may put another in its place: whoever looks up while rows are added keeps a share.
  const std::shared_ptr<Index>& index(std::span<const std::uint32_t> columns, Epoch seen);
  const std::vector<std::shared_ptr<Index>>& indexes() const { return indexes_; }

  // From now on others read too: what is replaced must stay.
  void share() { shared_ = true; }
  bool shared() const { return shared_; }
  std::size_t bytes() const;

 private:
  void grow_primary(std::size_t capacity);
  void place_in(SlotArray& array, RowId id, std::uint64_t hash);
  bool same_row(RowId a, const Code* row) const {
    const Code* other = rows_.at(a);
    bool same = true;
    for (std::uint32_t c = 0; c < columns_; ++c) same &= other[c] == row[c];
    return same;
  }
  // The dead row with the same values that the slots forgot for this one.
  RowId earlier(RowId id) const {
    const RowId* p = earlier_.at_if_present(id);
    return p == nullptr ? kNoRow : load_relaxed(p);
  }

  std::uint32_t columns_;
  Thresholds thresholds_;
  RowId size_ = 0;
  std::atomic<std::uint32_t> dead_{0};
  bool shared_ = false;
  Segmented<Code> rows_;
  Segmented<std::uint32_t> heights_;
  Segmented<std::uint32_t> died_;
  Segmented<std::uint32_t> dead_bits_;
  Segmented<RowId> earlier_;
  std::atomic<SlotArray*> primary_{nullptr};
  RowId hashed_ = 0;
  std::size_t used_slots_ = 0;                    // distinct rows hashed
  std::vector<std::unique_ptr<SlotArray>> kept_;  // the current one and, when shared, earlier ones
  std::vector<std::shared_ptr<Index>> indexes_;
};

}  // namespace anima::datalog
