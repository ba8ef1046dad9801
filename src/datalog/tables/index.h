// An index: the rows of a table by the values of some of its columns.
//
// Two levels. Rows below frozen_end_ lie as runs of ascending row ids, one run a key; newer rows
// hang on a chain from their key, newest first. When the chains hold more rows than the runs a new
// index is built. Keys are found through a direct array when the key is one column with a small
// window of codes, else through a hash. A key has at most kMaxColumns (limits.h) columns.
//
// One writer extends; readers with a published view may look up at the same time (they skip what is
// beyond their view). Follows the posting runs of spec 2.9.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "datalog/tables/row_set.h"
#include "datalog/values/segmented.h"

namespace anima::datalog {

class Table;

class Index {
 public:
  struct Group {
    Code key;             // one column: its code; more: the low bits of the hash
    std::uint32_t begin;  // run in postings
    std::uint32_t end;
    RowId tail;           // newest chained row or kNoRow
    RowId sample;         // a row with this key
    std::uint32_t count;  // rows ever added
  };
  static constexpr std::uint32_t kNoGroup = 0xFFFFFFFFU;

  // Builds runs over rows [0, rows) that died after `seen`.
  Index(const Table& table, std::span<const std::uint32_t> columns, RowId rows, std::uint32_t seen);
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  const std::vector<std::uint32_t>& columns() const { return columns_; }
  RowId end() const { return end_; }
  std::uint32_t groups() const { return group_count_; }
  std::uint32_t* postings() const { return postings_.get(); }

  // Adds rows [end(), to).
  void extend(const Table& table, RowId to);
  // Whether the chains have grown too long for `rows`: more than `few`, and than the runs hold.
  bool wants_rebuild(RowId rows, std::uint32_t few) const {
    return rows > frozen_end_ && rows - frozen_end_ > few && rows - frozen_end_ > frozen_end_;
  }

  // The group of a key (values of columns(), in their order), or kNoGroup.
  std::uint32_t find(const Table& table, const Code* key) const;
  void prefetch(const Code* key) const;
  const Group& group(std::uint32_t id) const { return *groups_.at(id); }
  RowId tail(std::uint32_t id) const { return load_acquire(&groups_.at(id)->tail); }
  RowId next(RowId id) const { return *next_.at(id - frozen_end_); }

  std::size_t bytes() const;

 private:
  std::uint64_t hash_key(const Code* key) const {
    return hash_row(key, static_cast<std::uint32_t>(columns_.size()));
  }
  bool same_key(const Table& table, const Group& group, const Code* key) const;
  std::uint32_t find_or_add(const Table& table, RowId row);
  void grow(const Table& table);
  void key_of(const Table& table, RowId row, Code* key) const;

  std::vector<std::uint32_t> columns_;
  RowId frozen_end_ = 0;
  RowId end_ = 0;
  std::uint32_t group_count_ = 0;
  Segmented<Group> groups_;
  Segmented<RowId> next_;
  std::unique_ptr<std::uint32_t[]> postings_;
  std::size_t posting_count_ = 0;

  // Direct array: slot of code c is c - direct_base_.
  struct Direct {
    Code base = 0;
    std::uint32_t width = 0;
    std::unique_ptr<std::uint32_t[]> slots;
  };
  Direct direct_;
  std::atomic<SlotArray*> slots_{nullptr};
  std::vector<std::unique_ptr<SlotArray>> kept_;
};

}  // namespace anima::datalog
