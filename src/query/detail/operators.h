// The operators that are no pattern: expressions, sets, unions, joins, groups, orders, tables.
#pragma once

#include "query/detail/batch.h"

namespace anima::query::detail {

using OperatorPtr = std::unique_ptr<Operator>;

// Conditions in order; a call that several of them make is made once.
OperatorPtr make_filter(Run& run, Operator* next, std::vector<const Expr*> conditions);
OperatorPtr make_bound_filter(Run& run, Operator* next, std::vector<Slot> slots);
OperatorPtr make_extend(Run& run, Operator* next, Slot slot, const Expr& expression);
// `carried` are slots of the rows that reach it; `keys` are bound in all of these and in the table.
OperatorPtr make_table(Run& run, Operator* next, const Node& node, std::vector<Slot> carried,
                       const SlotSet& keys);
OperatorPtr make_distinct(Run& run, Operator* next, const std::vector<Slot>& keys);
OperatorPtr make_slice(Run& run, Operator* next, std::uint64_t offset, std::uint64_t limit);
// `aggregates`: the node's, perhaps as others that say the same.
OperatorPtr make_group(Run& run, Operator* next, const Node& node,
                       std::vector<Aggregate> aggregates);
// For a group that only counts an open pattern by its predicate; null for any other.
OperatorPtr make_count_predicates(Run& run, Operator* next, const Node& node,
                                  const std::vector<Aggregate>& aggregates);
// The best rows of an order: those of a page stop the pipeline as soon as none can follow.
class TopRows : public Operator {
 public:
  using Operator::Operator;
  virtual bool early() const = 0;       // a limit, and a first key that is a slot's code, ascending
  virtual Slot first_slot() const = 0;  // requires early()
  virtual void expect_sorted() = 0;     // the rows will come ascending by that code
};
std::unique_ptr<TopRows> make_order(Run& run, Operator* next, const Node& node,
                                    std::vector<Slot> carried);
OperatorPtr make_path(Run& run, Operator* next, const PathPattern& pattern,
                      std::vector<Slot> carried, const Marks* marks, Shelves* shelves);

// Collects rows into columns; the end of a pipeline.
class Sink final : public Operator {
 public:
  Sink(Run& run, std::vector<Slot> slots, bool repeat_weights)
      : Operator(run, nullptr),
        slots_(std::move(slots)),
        columns_(slots_.size()),
        repeat_(repeat_weights) {}
  std::string describe() const override { return "collect"; }
  Flow finish() override { return Flow::kMore; }
  const std::vector<Slot>& slots() const { return slots_; }
  std::vector<Column>& columns() { return columns_; }
  const std::vector<std::uint64_t>& weights() const {
    return weights_;
  }  // empty = once, unless repeated
  std::size_t rows() const { return rows_; }

 protected:
  Flow work(Batch& batch) override;

 private:
  std::vector<Slot> slots_;
  std::vector<Column> columns_;
  std::vector<std::uint64_t> weights_;
  std::size_t rows_ = 0;
  bool repeat_;
};

// Feeds several branches with the same rows.
class Fork final : public Operator {
 public:
  Fork(Run& run) : Operator(run, nullptr) {}
  void add(Operator* branch) { branches_.push_back(branch); }
  std::string describe() const override { return "union of " + std::to_string(branches_.size()); }
  Flow finish() override;

 protected:
  Flow work(Batch& batch) override;

 private:
  std::vector<Operator*> branches_;
};

// Where the branches of a Fork meet: what follows is finished once.
class Merge final : public Operator {
 public:
  Merge(Run& run, Operator* next, std::size_t branches) : Operator(run, next), open_(branches) {}
  std::string describe() const override { return "merge"; }
  Flow finish() override { return --open_ == 0 ? next_->finish() : Flow::kMore; }

 protected:
  Flow work(Batch& batch) override { return pass(batch); }

 private:
  std::size_t open_;
};

// Left, anti, semi and mark joins whose right side is seeded with the left rows, a batch at a time.
// A mark join keeps every row and says in a slot whether it found a partner.
class SeededJoin final : public Operator {
 public:
  enum class Kind : std::uint8_t { kLeft, kAnti, kSemi, kMark };
  SeededJoin(Run& run, Operator* next, Kind kind, Slot number_slot, std::vector<Slot> seeded);
  std::string describe() const override;
  // The end of the right side's pipeline; owned by the caller.
  OperatorPtr make_end();
  void set_entry(Operator* entry) { entry_ = entry; }
  void set_seeded(std::vector<Slot> seeded) { seeded_ = std::move(seeded); }
  void set_result(Slot slot) { result_ = slot; }  // of kMark
  const Marks* marks() const { return kind_ == Kind::kLeft ? nullptr : &marks_; }

 protected:
  Flow work(Batch& batch) override;

 private:
  friend class SeededEnd;
  Kind kind_;
  Slot result_ = 0;
  std::vector<Slot> seeded_;
  Operator* entry_ = nullptr;
  Marks marks_;
  std::size_t seen_ = 0;
  Batch seeds_;
  std::vector<std::uint32_t> keep_;
};

// Joins with a right side that stands alone: evaluated once, then probed by hash.
class HashJoin final : public Operator {
 public:
  enum class Kind : std::uint8_t { kInner, kLeft, kAnti };
  struct Sides {
    std::vector<Slot> keys;     // bound on both sides in every row
    std::vector<Slot> maybe;    // shared, but perhaps unbound somewhere
    std::vector<Slot> carried;  // of the left side
    std::vector<Slot> made;     // of the right side
    bool needs_shared = false;
  };
  HashJoin(Run& run, Operator* next, Kind kind, Sides sides, std::vector<Expr> condition);
  std::string describe() const override;
  void set_right(Operator* entry, Sink* sink) {
    right_ = entry;
    sink_ = sink;
  }
  // Conditions that are operators of their own: joined rows go through them to the end, which the
  // caller owns; `number` is a slot for the row of the left side.
  OperatorPtr make_end(Slot number);
  void set_stage(Operator* entry) { stage_ = entry; }

 protected:
  Flow work(Batch& batch) override;

 private:
  friend class HashEnd;
  Flow build();
  Flow make_room(std::size_t rows_left);
  bool compatible(const Batch& batch, std::size_t row, std::size_t right_row) const;
  Flow flush(const Batch& batch);
  Kind kind_;
  Sides sides_;
  std::vector<Expr> conditions_;
  std::vector<Evaluator> evaluators_;
  Operator* right_ = nullptr;
  Operator* stage_ = nullptr;
  Slot number_ = 0;
  Sink* sink_ = nullptr;
  bool built_ = false;
  RowTable table_;
  Charge charge_;
  std::uint64_t pairs_tried_ = 0;
  std::vector<std::vector<std::uint32_t>> matches_;
  std::vector<std::size_t> key_columns_, maybe_columns_, made_columns_;
  Expansion expansion_;
  std::vector<std::uint32_t> pairs_;   // right row of each expanded row
  std::vector<std::uint32_t> origin_;  // left row of each expanded row
  std::vector<std::uint8_t> matched_;
};

}  // namespace anima::query::detail
