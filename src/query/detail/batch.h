// Batches, operators and what a run carries. An operator gets batches pushed, works on whole
// columns, and pushes its own; finish() follows the last batch. Everything belongs to one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/executor.h"

namespace anima::query::detail {

inline constexpr std::size_t kBatchRows = 2048;

using Column = std::vector<std::uint32_t>;

struct Batch {
  explicit Batch(std::size_t slots) : columns(slots) {}
  std::size_t rows = 0;
  std::vector<Column> columns;         // by slot; empty = unbound in every row
  std::vector<std::uint64_t> weights;  // how often each row stands there; empty = once

  ColumnView view(Slot slot) const {
    return {columns[slot].empty() ? nullptr : columns[slot].data(), false};
  }
  std::uint32_t at(Slot slot, std::size_t row) const {
    return columns[slot].empty() ? 0 : columns[slot][row];
  }
  std::uint64_t weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
  std::uint64_t total_weight() const;  // of all rows
  void clear();
};

enum class Flow : bool { kEnough = false, kMore = true };

// One run of one plan.
class Run {
 public:
  Run(const Plan& plan, const RunOptions& options, Values& values, Meter& meter);

  const Plan& plan;
  const RunOptions& options;
  Values& values;
  std::size_t slot_count;  // the plan's, and those that joins add for themselves
  // The slot that holds the truth of a pattern that stands within an expression.
  void put_exists(const Expr& expr, Slot slot) { exists_.emplace_back(&expr, slot); }
  Slot exists_slot(const Expr& expr) const;

  const store::Snapshot& scope(std::uint16_t index) const { return plan.scopes[index]; }
  // As the Meter's; kEnough when a budget is used up, and the error is kept.
  Flow spend(std::uint64_t rows) { return flow(meter_.spend(rows)); }
  Flow look() { return flow(meter_.look()); }
  Flow take_memory(std::uint64_t bytes) { return flow(meter_.take_memory(bytes)); }
  Flow hold(Charge& charge, std::uint64_t bytes) { return flow(meter_.hold(charge, bytes)); }
  Flow fail(Error error) { return flow(meter_.fail(std::move(error))); }
  bool failed() const { return meter_.failed(); }
  const std::optional<Error>& error() const { return meter_.error(); }
  Meter& meter() { return meter_; }

 private:
  static Flow flow(bool more) { return more ? Flow::kMore : Flow::kEnough; }
  Meter& meter_;
  std::vector<std::pair<const Expr*, Slot>> exists_;
};

// The meter of a run, which counts the values that the run makes.
class Metered {
 public:
  Metered(const RunOptions& options, Values& values);
  ~Metered();
  Metered(const Metered&) = delete;
  Metered& operator=(const Metered&) = delete;
  Meter& meter() const { return *meter_; }

 private:
  Values& values_;
  std::optional<Meter> own_;
  Meter* meter_;
};

// How often rows stand there. What passes 2^64 stays there, and no count can say it.
inline std::uint64_t multiply_weights(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}
inline std::uint64_t add_weights(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

class Operator {
 public:
  Operator(Run& run, Operator* next) : run_(run), next_(next) {}
  virtual ~Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  Flow push(Batch& batch);
  virtual Flow finish() { return next_->finish(); }

  // For EXPLAIN.
  virtual std::string describe() const = 0;
  double estimate = -1;
  int depth = 0;
  std::uint64_t rows_in = 0;
  std::uint64_t calls = 0;
  std::int64_t nanoseconds = 0;  // its own and everything behind it
  Operator* next() const { return next_; }

 protected:
  virtual Flow work(Batch& batch) = 0;
  Flow pass(Batch& batch) { return batch.rows == 0 ? Flow::kMore : next_->push(batch); }
  Run& run_;
  Operator* next_;
};

// Rows that already found a partner on the right side of an anti join: no need to expand
// them further.
struct Marks {
  Slot slot = 0;  // holds the row number + 1
  std::vector<std::uint8_t> seen;
  bool done(const Batch& batch, std::size_t row) const {
    const std::uint32_t number = batch.at(slot, row);
    return number != 0 && seen[number - 1] != 0;
  }
};

// Collects output rows as (source row, new cells) and materialises the live columns of the source
// by gather.
class Expansion {
 public:
  Expansion(std::size_t slots, std::vector<Slot> carried, std::vector<Slot> made)
      : carried_(std::move(carried)), made_(std::move(made)), cells_(made_.size()), out_(slots) {}

  bool full() const { return source_.size() >= kBatchRows; }
  std::size_t room() const { return kBatchRows - source_.size(); }
  bool empty() const { return source_.empty(); }
  void add(std::size_t row) { source_.push_back(static_cast<std::uint32_t>(row)); }
  void add(std::size_t row, std::uint32_t cell) {
    if (source_.capacity() == 0) {
      source_.reserve(kFirstRows);
      cells_[0].reserve(kFirstRows);
    }
    source_.push_back(static_cast<std::uint32_t>(row));
    cells_[0].push_back(cell);
  }
  void add_many(std::size_t row, std::span<const std::uint32_t> cells) {
    source_.insert(source_.end(), cells.size(), static_cast<std::uint32_t>(row));
    cells_[0].insert(cells_[0].end(), cells.begin(), cells.end());
  }
  // For every row that was added, or for none.
  void weigh_last(std::uint64_t weight) { weights_.push_back(weight); }
  void add_weighted(std::size_t row, std::uint64_t weight) {
    source_.push_back(static_cast<std::uint32_t>(row));
    weights_.push_back(weight);
  }
  std::vector<std::uint32_t>& cells(std::size_t index) { return cells_[index]; }

  // The rows so far as a batch; starts anew.
  Batch& flush(const Batch& in);

 private:
  static constexpr std::size_t kFirstRows = 256;
  std::vector<Slot> carried_, made_;
  std::vector<std::uint32_t> source_;
  std::vector<Column> cells_;
  std::vector<std::uint64_t> weights_;
  Batch out_;
};

// Keeps the rows whose numbers are given, in place.
void keep_rows(Batch& batch, std::span<const std::uint32_t> rows);
// The rows that stand for many, as often as they stand there. kEnough when a budget is used up.
Flow repeat_rows(Run& run, Batch& batch);

// Columns of function calls over one slot, computed once for all conditions that stand together.
struct Memo {
  struct Entry {
    const Function* function = nullptr;
    Slot slot = 0;
    Column column;
  };
  std::vector<std::unique_ptr<Entry>> entries;
  std::size_t used = 0;
  const Column* find(const Function* function, Slot slot) const;
  Column& add(const Function* function, Slot slot);
  void keep(std::span<const std::uint32_t> rows);
};

// Evaluates an expression over a batch. The view stays valid until the evaluator is used again.
class Evaluator {
 public:
  Evaluator(Run& run, const Expr& expr, Memo* memo = nullptr)
      : run_(run), expr_(expr), memo_(memo) {}
  ColumnView terms(const Batch& batch);
  // Appends the numbers of the rows for which the expression is true.
  void select(const Batch& batch, std::vector<std::uint32_t>* rows);

 private:
  ColumnView evaluate(const Expr& expr, const Batch& batch);
  void test(const Expr& expr, const Batch& batch, std::vector<Truth>* out);
  std::span<const ColumnView> arguments(const Expr& expr, const Batch& batch);
  Column& fresh_column();
  Run& run_;
  const Expr& expr_;
  Memo* memo_;
  std::vector<std::unique_ptr<Column>> columns_;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<std::vector<ColumnView>>> frames_;
  std::size_t frames_used_ = 0;
};

// Rows of cells with a hash index: distinct rows and groups.
class RowTable {
 public:
  explicit RowTable(std::size_t width) : width_(width), table_(64, 0) {}
  // The number of the row with these cells, added when new.
  std::uint32_t add(const std::uint32_t* cells, bool* added);
  // Adds `rows` rows that stand one behind the other; appends to `fresh` which of them are new.
  void add_all(const std::uint32_t* cells, std::size_t rows, std::vector<std::uint32_t>* fresh);
  std::optional<std::uint32_t> find(const std::uint32_t* cells) const;
  std::span<const std::uint32_t> row(std::size_t number) const {
    return {cells_.data() + number * width_, width_};
  }
  std::size_t size() const { return count_; }
  std::uint64_t bytes() const { return cells_.capacity() * 4 + table_.size() * 4; }
  // The most that adding so many rows may take, what is moved to larger room counted twice.
  std::uint64_t bytes_for(std::size_t rows) const;

 private:
  bool equal(std::size_t number, const std::uint32_t* cells) const;
  std::uint32_t add_hashed(const std::uint32_t* cells, std::uint64_t hash, bool* added);
  void grow();
  std::size_t width_;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> cells_;
  std::vector<std::uint32_t> table_;  // row number + 1
};

struct Step;

// The pipeline of a plan, ready to run. Operators stand from the end to the start.
struct Pipeline {
  Pipeline();
  Pipeline(Pipeline&&) noexcept;
  Pipeline& operator=(Pipeline&&) noexcept;
  ~Pipeline();
  std::vector<std::unique_ptr<std::vector<Step>>> steps;  // the operators refer to them
  std::vector<std::unique_ptr<Operator>> operators;
  Operator* entry = nullptr;
};

}  // namespace anima::query::detail
