#include "query/detail/operators.h"

#include <algorithm>
#include <memory>

#include "query/detail/describe.h"

namespace anima::query::detail {

namespace {

class Filter final : public Operator {
 public:
  Filter(Run& run, Operator* next, std::vector<const Expr*> conditions)
      : Operator(run, next), conditions_(std::move(conditions)) {
    for (const Expr* condition : conditions_)
      evaluators_.push_back(std::make_unique<Evaluator>(run, *condition, &memo_));
  }
  std::string describe() const override {
    std::string text = "filter ";
    for (const Expr* condition : conditions_)
      text += (condition == conditions_.front() ? "" : " && ") + describe_expr(run_, *condition);
    return text;
  }

 protected:
  Flow work(Batch& batch) override {
    memo_.used = 0;
    for (std::size_t i = 0; i < evaluators_.size() && batch.rows > 0; ++i) {
      keep_.clear();
      evaluators_[i]->select(batch, &keep_);
      if (keep_.size() == batch.rows) continue;
      if (i + 1 < evaluators_.size()) memo_.keep(keep_);
      keep_rows(batch, keep_);
    }
    return pass(batch);
  }

 private:
  std::vector<const Expr*> conditions_;
  Memo memo_;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::vector<std::uint32_t> keep_;
};

class BoundFilter final : public Operator {
 public:
  BoundFilter(Run& run, Operator* next, std::vector<Slot> slots)
      : Operator(run, next), slots_(std::move(slots)) {}
  std::string describe() const override { return "only where bound: " + list_slots(run_, slots_); }

 protected:
  Flow work(Batch& batch) override {
    keep_.clear();
    for (std::size_t row = 0; row < batch.rows; ++row) {
      bool all = true;
      for (const Slot slot : slots_) all = all && batch.at(slot, row) != 0;
      if (all) keep_.push_back(static_cast<std::uint32_t>(row));
    }
    keep_rows(batch, keep_);
    return pass(batch);
  }

 private:
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> keep_;
};

class ExtendWith final : public Operator {
 public:
  ExtendWith(Run& run, Operator* next, Slot slot, const Expr& expression)
      : Operator(run, next),
        slot_(slot),
        varies_(expression.varies()),
        expression_(expression),
        evaluator_(run, expression) {}
  std::string describe() const override {
    return "compute " + slot_name(run_, slot_) + " = " + describe_expr(run_, expression_);
  }

 protected:
  Flow work(Batch& batch) override {
    if (varies_ && repeat_rows(run_, batch) == Flow::kEnough) return Flow::kEnough;
    const ColumnView view = evaluator_.terms(batch);
    cells_.resize(batch.rows);
    for (std::size_t row = 0; row < batch.rows; ++row) cells_[row] = view[row];
    batch.columns[slot_].swap(cells_);
    return pass(batch);
  }

 private:
  Slot slot_;
  bool varies_;
  const Expr& expression_;
  Evaluator evaluator_;
  Column cells_;
};

// Each row with each row of the table that agrees with it.
class TableJoin final : public Operator {
 public:
  TableJoin(Run& run, Operator* next, const Node& node, std::vector<Slot> carried,
            const SlotSet& keys)
      : Operator(run, next),
        node_(node),
        width_(node.slots.size()),
        index_(keys.count()),
        expansion_(run.slot_count, std::move(carried), node.slots) {
    for (std::size_t k = 0; k < width_; ++k)
      (keys.test(node.slots[k]) ? keys_ : maybe_).push_back(k);
  }
  std::string describe() const override {
    return "table of " + std::to_string(node_.columns[0].size()) + " rows " +
           list_slots(run_, node_.slots);
  }

 protected:
  Flow work(Batch& batch) override {
    if (rows_of_.empty() && build() == Flow::kEnough) return Flow::kEnough;
    for (std::size_t row = 0; row < batch.rows; ++row) {
      for (std::size_t k = 0; k < keys_.size(); ++k) key_[k] = batch.at(node_.slots[keys_[k]], row);
      const auto number = index_.find(key_.data());
      if (!number) continue;
      for (const std::uint32_t table_row : rows_of_[*number]) {
        if (++tried_ % (4 * kBatchRows) == 0 && run_.look() == Flow::kEnough) return Flow::kEnough;
        if (!add(batch, row, table_row)) continue;
        if (expansion_.full() && pass(expansion_.flush(batch)) == Flow::kEnough)
          return Flow::kEnough;
      }
    }
    return expansion_.empty() ? Flow::kMore : pass(expansion_.flush(batch));
  }

 private:
  Flow build() {
    const std::size_t rows = node_.columns[0].size();
    key_.resize(keys_.size());
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < keys_.size(); ++k) key_[k] = table_cell(row, keys_[k]);
      bool added = false;
      const std::uint32_t number = index_.add(key_.data(), &added);
      if (added) rows_of_.emplace_back();
      rows_of_[number].push_back(static_cast<std::uint32_t>(row));
    }
    return run_.hold(charge_, index_.bytes() + rows * (sizeof(rows_of_[0]) + 4));
  }

  std::uint32_t table_cell(std::size_t row, std::size_t column) const {
    return node_.columns[column][row];
  }

  bool add(const Batch& batch, std::size_t row, std::size_t table_row) {
    for (const std::size_t k : maybe_) {
      const std::uint32_t there = batch.at(node_.slots[k], row), here = table_cell(table_row, k);
      if (there != 0 && here != 0 && there != here) return false;
    }
    expansion_.add(row);
    for (std::size_t k = 0; k < width_; ++k) {
      const std::uint32_t here = table_cell(table_row, k);
      expansion_.cells(k).push_back(here != 0 ? here : batch.at(node_.slots[k], row));
    }
    return true;
  }

  const Node& node_;
  std::size_t width_;
  std::vector<std::size_t> keys_, maybe_;  // columns of the table
  RowTable index_;
  std::vector<std::vector<std::uint32_t>> rows_of_;  // by number in the index
  std::vector<std::uint32_t> key_;
  Charge charge_;
  Expansion expansion_;
  std::uint64_t tried_ = 0;
};

class Distinct final : public Operator {
 public:
  Distinct(Run& run, Operator* next, const std::vector<Slot>& keys)
      : Operator(run, next), keys_(keys), table_(keys.size()) {}
  std::string describe() const override { return "distinct " + list_slots(run_, keys_); }

 protected:
  Flow work(Batch& batch) override {
    if (run_.hold(charge_, table_.bytes_for(batch.rows)) == Flow::kEnough) return Flow::kEnough;
    keep_.clear();
    cells_.resize(batch.rows * keys_.size());
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const ColumnView view = batch.view(keys_[k]);
      for (std::size_t row = 0; row < batch.rows; ++row) cells_[row * keys_.size() + k] = view[row];
    }
    table_.add_all(cells_.data(), batch.rows, &keep_);
    if (run_.hold(charge_, table_.bytes()) == Flow::kEnough) return Flow::kEnough;
    keep_rows(batch, keep_);
    batch.weights.clear();
    return pass(batch);
  }

 private:
  std::vector<Slot> keys_;
  RowTable table_;
  Charge charge_;
  std::vector<std::uint32_t> cells_, keep_;
};

class Slice final : public Operator {
 public:
  Slice(Run& run, Operator* next, std::uint64_t offset, std::uint64_t limit)
      : Operator(run, next), skip_(offset), left_(limit) {}
  std::string describe() const override { return "slice"; }

 protected:
  Flow work(Batch& batch) override {
    if (left_ == 0) return Flow::kEnough;
    keep_.clear();
    if (batch.weights.empty()) batch.weights.assign(batch.rows, 1);
    for (std::size_t row = 0; row < batch.rows && left_ > 0; ++row) {
      std::uint64_t& weight = batch.weights[row];
      const std::uint64_t skipped = std::min(skip_, weight);
      skip_ -= skipped;
      weight = std::min(weight - skipped, left_);
      if (weight == 0) continue;
      left_ -= weight;
      keep_.push_back(static_cast<std::uint32_t>(row));
    }
    if (keep_.size() < batch.rows) keep_rows(batch, keep_);
    const Flow flow = pass(batch);
    return left_ == 0 ? Flow::kEnough : flow;
  }

 private:
  std::uint64_t skip_, left_;
  std::vector<std::uint32_t> keep_;
};

}  // namespace

OperatorPtr make_filter(Run& run, Operator* next, std::vector<const Expr*> conditions) {
  return std::make_unique<Filter>(run, next, std::move(conditions));
}
OperatorPtr make_bound_filter(Run& run, Operator* next, std::vector<Slot> slots) {
  return std::make_unique<BoundFilter>(run, next, std::move(slots));
}
OperatorPtr make_extend(Run& run, Operator* next, Slot slot, const Expr& expression) {
  return std::make_unique<ExtendWith>(run, next, slot, expression);
}
OperatorPtr make_table(Run& run, Operator* next, const Node& node, std::vector<Slot> carried,
                       const SlotSet& keys) {
  std::erase_if(carried, [&node](Slot slot) {
    return std::find(node.slots.begin(), node.slots.end(), slot) != node.slots.end();
  });
  SlotSet shared;
  for (const Slot slot : node.slots) {
    if (keys.test(slot)) shared.set(slot);
  }
  return std::make_unique<TableJoin>(run, next, node, std::move(carried), shared);
}
OperatorPtr make_distinct(Run& run, Operator* next, const std::vector<Slot>& keys) {
  return std::make_unique<Distinct>(run, next, keys);
}
OperatorPtr make_slice(Run& run, Operator* next, std::uint64_t offset, std::uint64_t limit) {
  return std::make_unique<Slice>(run, next, offset, limit);
}

Flow Sink::work(Batch& batch) {
  const std::size_t before = rows_;
  // Rows that stand for many are made here: what that takes is asked for first.
  const std::uint64_t coming = repeat_ ? batch.total_weight() : batch.rows;
  if (run_.spend(coming - batch.rows) == Flow::kEnough || run_.look() == Flow::kEnough ||
      run_.take_memory(multiply_weights(coming, slots_.size() * 4 + (repeat_ ? 0 : 8))) ==
          Flow::kEnough)
    return Flow::kEnough;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Column& from = batch.columns[slots_[k]];
    Column& to = columns_[k];
    if (!repeat_ || batch.weights.empty()) {
      if (from.empty()) {
        to.resize(before + batch.rows, 0);
      } else {
        to.insert(to.end(), from.begin(), from.end());
      }
      continue;
    }
    for (std::size_t row = 0; row < batch.rows; ++row) {
      to.insert(to.end(), batch.weights[row], from.empty() ? 0 : from[row]);
    }
  }
  if (repeat_ && !batch.weights.empty()) {
    for (const std::uint64_t weight : batch.weights) rows_ += weight;
  } else {
    rows_ += batch.rows;
    if (!batch.weights.empty()) weights_.resize(before, 1);
    if (!batch.weights.empty() || !weights_.empty()) {
      for (std::size_t row = 0; row < batch.rows; ++row) weights_.push_back(batch.weight(row));
    }
  }
  return Flow::kMore;
}

Flow Fork::work(Batch& batch) {
  for (Operator* branch : branches_) {
    Batch copy = batch;
    if (branch->push(copy) == Flow::kEnough) return Flow::kEnough;
  }
  return Flow::kMore;
}

Flow Fork::finish() {
  Flow flow = Flow::kMore;
  for (Operator* branch : branches_) {
    if (branch->finish() == Flow::kEnough) flow = Flow::kEnough;
  }
  return flow;
}

// --- seeded joins

class SeededEnd final : public Operator {
 public:
  SeededEnd(Run& run, SeededJoin& join) : Operator(run, join.next()), join_(join) {}
  std::string describe() const override { return "matched"; }
  Flow finish() override { return Flow::kMore; }

 protected:
  Flow work(Batch& batch) override {
    const Column& numbers = batch.columns[join_.marks_.slot];
    for (std::size_t row = 0; row < batch.rows; ++row) {
      std::uint8_t& seen = join_.marks_.seen[numbers[row] - 1];
      join_.seen_ += seen == 0;
      seen = 1;
    }
    if (join_.kind_ == SeededJoin::Kind::kLeft) return pass(batch);
    return join_.seen_ == join_.marks_.seen.size() ? Flow::kEnough : Flow::kMore;
  }

 private:
  SeededJoin& join_;
};

SeededJoin::SeededJoin(Run& run, Operator* next, Kind kind, Slot number_slot,
                       std::vector<Slot> seeded)
    : Operator(run, next), kind_(kind), seeded_(std::move(seeded)), seeds_(run.slot_count) {
  marks_.slot = number_slot;
}

std::string SeededJoin::describe() const {
  static constexpr const char* kNames[] = {"optional", "where not exists", "where exists",
                                           "whether exists"};
  return kNames[static_cast<std::size_t>(kind_)];
}

OperatorPtr SeededJoin::make_end() { return std::make_unique<SeededEnd>(run_, *this); }

Flow SeededJoin::work(Batch& batch) {
  seeds_.clear();
  seeds_.rows = batch.rows;
  for (const Slot slot : seeded_) seeds_.columns[slot] = batch.columns[slot];
  // Weights multiply with the partners' only where the partners' rows go on.
  if (kind_ == Kind::kLeft) seeds_.weights = batch.weights;
  Column& numbers = seeds_.columns[marks_.slot];
  numbers.resize(batch.rows);
  for (std::size_t row = 0; row < batch.rows; ++row)
    numbers[row] = static_cast<std::uint32_t>(row + 1);
  marks_.seen.assign(batch.rows, 0);
  seen_ = 0;
  const Flow flow = entry_->push(seeds_);
  if (run_.failed() || (kind_ == Kind::kLeft && flow == Flow::kEnough)) return Flow::kEnough;
  if (kind_ == Kind::kMark) {
    const std::uint32_t truths[] = {run_.values.boolean(false).code,
                                    run_.values.boolean(true).code};
    Column& out = batch.columns[result_];
    out.resize(batch.rows);
    for (std::size_t row = 0; row < batch.rows; ++row) out[row] = truths[marks_.seen[row]];
    return pass(batch);
  }
  const std::uint8_t kept = kind_ == Kind::kSemi ? 1 : 0;
  keep_.clear();
  for (std::size_t row = 0; row < batch.rows; ++row) {
    if (marks_.seen[row] == kept) keep_.push_back(static_cast<std::uint32_t>(row));
  }
  keep_rows(batch, keep_);
  return pass(batch);
}

// --- hash joins

class HashEnd final : public Operator {
 public:
  HashEnd(Run& run, HashJoin& join) : Operator(run, join.next()), join_(join) {}
  std::string describe() const override { return "joined"; }
  Flow finish() override { return Flow::kMore; }

 protected:
  Flow work(Batch& batch) override {
    for (const std::uint32_t number : batch.columns[join_.number_]) join_.matched_[number - 1] = 1;
    return pass(batch);
  }

 private:
  HashJoin& join_;
};

OperatorPtr HashJoin::make_end(Slot number) {
  number_ = number;
  return std::make_unique<HashEnd>(run_, *this);
}

HashJoin::HashJoin(Run& run, Operator* next, Kind kind, Sides sides, std::vector<Expr> condition)
    : Operator(run, next),
      kind_(kind),
      sides_(std::move(sides)),
      conditions_(std::move(condition)),
      table_(sides_.keys.size()),
      expansion_(run.slot_count, sides_.carried, {}) {
  for (const Expr& expr : conditions_) evaluators_.emplace_back(run, expr);
}

std::string HashJoin::describe() const {
  static constexpr const char* kNames[] = {"hash join", "optional by hash", "minus by hash"};
  return std::string(kNames[static_cast<std::size_t>(kind_)]) +
         (sides_.keys.empty() ? "" : " on " + list_slots(run_, sides_.keys));
}

Flow HashJoin::build() {
  built_ = true;
  Batch seed(run_.slot_count);
  seed.rows = 1;
  right_->push(seed);
  right_->finish();
  if (run_.failed()) return Flow::kEnough;
  const auto column_of = [this](Slot slot) {
    const auto& slots = sink_->slots();
    return static_cast<std::size_t>(std::find(slots.begin(), slots.end(), slot) - slots.begin());
  };
  for (const Slot slot : sides_.keys) key_columns_.push_back(column_of(slot));
  for (const Slot slot : sides_.maybe) maybe_columns_.push_back(column_of(slot));
  for (const Slot slot : sides_.made) made_columns_.push_back(column_of(slot));
  std::vector<std::uint32_t> key(sides_.keys.size());
  for (std::size_t row = 0; row < sink_->rows(); ++row) {
    if (row % kBatchRows == 0 && make_room(sink_->rows() - row) == Flow::kEnough)
      return Flow::kEnough;
    for (std::size_t k = 0; k < key.size(); ++k) key[k] = sink_->columns()[key_columns_[k]][row];
    bool added = false;
    const std::uint32_t number = table_.add(key.data(), &added);
    if (added) matches_.emplace_back();
    matches_[number].push_back(static_cast<std::uint32_t>(row));
  }
  return Flow::kMore;
}

// For a batch more of the right side: each row has its number, each key a list of them.
Flow HashJoin::make_room(std::size_t rows_left) {
  const std::size_t rows = std::min(rows_left, kBatchRows);
  constexpr std::uint64_t kList = sizeof(std::vector<std::uint32_t>) + 16;  // and its first place
  const std::uint64_t lists = std::uint64_t{2} * (matches_.size() + rows) * kList;
  const std::uint64_t numbers = std::uint64_t{8} * (sink_->rows() - rows_left + rows);
  if (run_.look() == Flow::kEnough) return Flow::kEnough;
  return run_.hold(charge_, table_.bytes_for(rows) + lists + numbers);
}

bool HashJoin::compatible(const Batch& batch, std::size_t row, std::size_t right_row) const {
  bool shared = !sides_.keys.empty();
  for (std::size_t k = 0; k < sides_.maybe.size(); ++k) {
    const std::uint32_t left = batch.at(sides_.maybe[k], row),
                        right = sink_->columns()[maybe_columns_[k]][right_row];
    if (left == 0 || right == 0) continue;
    if (left != right) return false;
    shared = true;
  }
  return shared || !sides_.needs_shared;
}

Flow HashJoin::work(Batch& batch) {
  if (!built_ && build() == Flow::kEnough) return Flow::kEnough;
  matched_.assign(batch.rows, 0);
  std::vector<std::uint32_t> key(sides_.keys.size());
  const bool rows_wanted = kind_ == Kind::kInner || kind_ == Kind::kLeft;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    for (std::size_t k = 0; k < key.size(); ++k) key[k] = batch.at(sides_.keys[k], row);
    const auto number = table_.find(key.data());
    if (!number) continue;
    for (const std::uint32_t right_row : matches_[*number]) {
      if (++pairs_tried_ % (4 * kBatchRows) == 0 && run_.look() == Flow::kEnough)
        return Flow::kEnough;
      if (!compatible(batch, row, right_row)) continue;
      if (!rows_wanted) {
        matched_[row] = 1;
        break;
      }
      expansion_.add(row);
      origin_.push_back(static_cast<std::uint32_t>(row));
      pairs_.push_back(right_row);
      if (expansion_.full() && flush(batch) == Flow::kEnough) return Flow::kEnough;
    }
  }
  if (!expansion_.empty() && flush(batch) == Flow::kEnough) return Flow::kEnough;
  if (kind_ == Kind::kInner) return Flow::kMore;
  std::vector<std::uint32_t> keep;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    if (matched_[row] == 0) keep.push_back(static_cast<std::uint32_t>(row));
  }
  keep_rows(batch, keep);
  return pass(batch);
}

Flow HashJoin::flush(const Batch& batch) {
  Batch& out = expansion_.flush(batch);
  for (std::size_t k = 0; k < sides_.made.size(); ++k) {
    const Column& from = sink_->columns()[made_columns_[k]];
    Column& to = out.columns[sides_.made[k]];
    if (to.empty()) to.resize(out.rows, 0);
    for (std::size_t i = 0; i < out.rows; ++i) {
      if (to[i] == 0) to[i] = from[pairs_[i]];
    }
  }
  if (!sink_->weights().empty()) {
    if (out.weights.empty()) out.weights.assign(out.rows, 1);
    for (std::size_t i = 0; i < out.rows; ++i)
      out.weights[i] = multiply_weights(out.weights[i], sink_->weights()[pairs_[i]]);
  }
  if (stage_ != nullptr) {
    Column& numbers = out.columns[number_];
    numbers.assign(origin_.begin(), origin_.end());
    for (std::uint32_t& number : numbers) ++number;
    pairs_.clear();
    origin_.clear();
    return stage_->push(out);
  }
  std::vector<std::uint32_t> keep, origin = origin_;
  for (Evaluator& evaluator : evaluators_) {
    keep.clear();
    evaluator.select(out, &keep);
    for (std::size_t i = 0; i < keep.size(); ++i) origin[i] = origin[keep[i]];
    keep_rows(out, keep);
  }
  for (std::size_t i = 0; i < out.rows; ++i) matched_[origin[i]] = 1;
  pairs_.clear();
  origin_.clear();
  return pass(out);
}

}  // namespace anima::query::detail
