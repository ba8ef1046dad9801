// A predicate's rows as one line of history sees them: the main line, or a fork.
//
// The main line owns its table. A fork stands on a published part of the main line's table (rows
// below a limit, dead ones left out) and adds its own table and its own deaths ("tombstones") over
// it: the fork costs nothing until it writes, and dropping it frees only what it wrote. Row ids are
// those of the base below base_rows(), then the own ones. Kernels read a relation as a list of
// parts, one for each of the two tables.
//
// One writer a line. Thread-safety: a Relation belongs to one thread; the published base may be
// shared.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "datalog/tables/row_set.h"
#include "datalog/tables/table.h"

namespace anima::datalog {

// What the main line publishes of a relation. Immutable; the table under it may grow beyond the
// view.
struct PublishedRelation {
  std::shared_ptr<Table> table;
  View view;
  std::uint32_t alive = 0;
  bool hashed = false;  // the primary hash covers the view
  std::vector<std::shared_ptr<const Index>> indexes;

  std::shared_ptr<const Index> index(std::span<const std::uint32_t> columns) const;
};

using Tombstones = std::unordered_map<RowId, Epoch>;

// One table of a relation, ready for a kernel. It keeps its index: the table may replace it while
// the kernel hands rows on and new ones come in.
struct Part {
  const Table* table = nullptr;
  std::shared_ptr<const Index> index;
  RowId offset = 0;  // added to the table's row ids
  RowId from = 0;    // in the table's row ids
  RowId limit = 0;   // in the table's row ids
  Epoch epoch = 0;
  const Tombstones* tombstones = nullptr;  // of a fork over its base; null: none
  Epoch fork_epoch = 0;
  bool all_visible = false;  // no row below the limit is dead

  bool visible(RowId local) const {
    if (local >= limit || local < from) return false;
    if (all_visible) return true;
    if (table->died(local) <= epoch) return false;
    if (tombstones == nullptr) return true;
    const auto it = tombstones->find(local);
    return it == tombstones->end() || it->second > fork_epoch;
  }
};

struct Parts {
  Part part[2];
  std::uint32_t count = 0;
};

class Relation {
 public:
  explicit Relation(std::uint32_t columns, const Thresholds& thresholds = {});
  explicit Relation(std::shared_ptr<const PublishedRelation> base);

  std::uint32_t columns() const { return own_->columns(); }
  RowId base_rows() const { return base_rows_; }
  RowId size() const { return base_rows_ + own_->size(); }
  std::uint32_t alive() const { return alive_; }
  bool has_dead() const { return base_ != nullptr || own_->dead() > 0; }
  const Code* row(RowId id) const {
    return id < base_rows_ ? base_->table->row(id) : own_->row(id - base_rows_);
  }
  std::uint32_t height(RowId id) const {
    return id < base_rows_ ? base_->table->height(id) : own_->height(id - base_rows_);
  }
  bool visible(RowId id, const View& view) const;
  // Everything that lives.
  View now() const { return {size(), kForever - 1}; }

  // Adds rows that are not there; they get the ids from size() on. `columns[c][i]` is column c of
  // row i. Either every row has `height`, or row i has heights[i]. Amortised O(rows).
  void insert(const Code* const* columns, std::size_t rows, std::uint32_t height,
              const std::uint32_t* heights = nullptr);
  // One row; answers whether it was new.
  bool insert_row(const Code* row, std::uint32_t height);
  // The id of the visible row with these values, or kNoRow.
  RowId find(const Code* row, const View& view);
  // The rows' ids (kNoRow: not there) in bulk.
  void find(const Code* const* columns, std::size_t rows, const View& view, RowId* found);
  // The newest visible row with this key in `columns` (ascending; none: any row), or kNoRow.
  RowId newest(std::span<const std::uint32_t> columns, const Code* key, const View& view,
               Epoch seen);
  // How many visible rows have this key. O(rows of the key).
  std::uint64_t matches(std::span<const std::uint32_t> columns, const Code* key, const View& view,
                        Epoch seen);
  // Whether the rows live, in bulk; the fastest way that there is.
  void alive(const Code* const* columns, std::size_t rows, std::uint8_t* answer);
  void kill(RowId id, Epoch epoch);
  // Undoes a kill of this transaction.
  void revive(RowId id);
  // Makes rows [from, size()) as if they had never been.
  void abort_from(RowId from);

  // From now on row ids of values can be looked up at the price of a hash.
  void ensure_primary();
  // Parts with an index on `columns` brought up to date (no index when `columns` is empty).
  Parts parts(std::span<const std::uint32_t> columns, const View& view, Epoch seen);
  // Parts as they are, without touching anything.
  Parts scan_parts(const View& view) const;

  // What others may see from now on, the state after transaction `epoch`. Main line only.
  std::shared_ptr<const PublishedRelation> publish(Epoch epoch);
  // Starts anew without the dead when they outweigh the living; old views keep the old table.
  bool compact();
  std::size_t bytes() const;
  // Rows set once more because the bits needed another window: what insertion costs beyond the
  // rows.
  std::uint64_t moved_rows() const { return moved_rows_; }
  std::span<const std::shared_ptr<const Index>> base_indexes() const {
    if (base_ == nullptr) return {};
    return base_->indexes;
  }
  Table& own() { return *own_; }
  const Table& own() const { return *own_; }

 private:
  void consider_dense();
  bool make_dense(const DenseSet::Window& window);
  bool widen(const Code* const* columns, std::size_t rows);
  bool in_base(const Code* row, std::uint64_t hash) const;
  RowId find_in_base(const Code* row, std::uint64_t hash, const View& view) const;
  void insert_dense(const Code* const* columns, std::size_t rows, std::uint32_t height,
                    const std::uint32_t* heights);
  void insert_hashed(const Code* const* columns, std::size_t rows, std::uint32_t height,
                     const std::uint32_t* heights);
  bool dense_place(const Code* row, std::size_t& place) const;

  std::shared_ptr<const PublishedRelation> base_;
  RowId base_rows_ = 0;
  Tombstones tombstones_;
  std::shared_ptr<Table> own_;
  std::unique_ptr<DenseSet> dense_;
  RowId next_dense_check_ = 0;
  std::uint64_t moved_rows_ = 0;
  bool needs_primary_ = false;
  std::uint32_t alive_ = 0;
  std::vector<std::shared_ptr<const Index>> private_indexes_;  // a fork's, over its base
};

}  // namespace anima::datalog
