#include "query/detail/batch.h"

#include <algorithm>

#include "base/row_hash.h"

namespace anima::query::detail {

void Batch::clear() {
  rows = 0;
  for (Column& column : columns) column.clear();
  weights.clear();
}

std::uint64_t Batch::total_weight() const {
  if (weights.empty()) return rows;
  std::uint64_t total = 0;
  for (const std::uint64_t weight : weights) total = add_weights(total, weight);
  return total;
}

Run::Run(const Plan& p, const RunOptions& o, Values& v, Meter& meter)
    : plan(p), options(o), values(v), slot_count(p.slot_count), meter_(meter) {}

Slot Run::exists_slot(const Expr& expr) const {
  for (const auto& [known, slot] : exists_) {
    if (known == &expr) return slot;
  }
  return 0;
}

Metered::Metered(const RunOptions& options, Values& values) : values_(values) {
  meter_ = options.meter != nullptr ? options.meter : &own_.emplace(options.budget, options.clock);
  values_.count_in(meter_);
}
Metered::~Metered() {
  if (own_) values_.count_in(nullptr);
}

Flow Operator::push(Batch& batch) {
  rows_in += batch.rows;
  ++calls;
  if (run_.spend(batch.rows) == Flow::kEnough) return Flow::kEnough;
  if (!run_.options.analyze) return work(batch);
  static SystemClock clock;
  const std::int64_t start = clock.monotonic_nanoseconds();
  const Flow flow = work(batch);
  nanoseconds += clock.monotonic_nanoseconds() - start;
  return flow;
}

Batch& Expansion::flush(const Batch& in) {
  out_.clear();
  out_.rows = source_.size();
  for (const Slot slot : carried_) {
    const Column& from = in.columns[slot];
    if (from.empty()) continue;
    Column& to = out_.columns[slot];
    to.resize(source_.size());
    for (std::size_t i = 0; i < source_.size(); ++i) to[i] = from[source_[i]];
  }
  for (std::size_t i = 0; i < made_.size(); ++i) {
    if (!cells_[i].empty()) out_.columns[made_[i]].swap(cells_[i]);
    cells_[i].clear();
  }
  if (!weights_.empty()) out_.weights.swap(weights_);
  if (!in.weights.empty()) {
    out_.weights.resize(source_.size(), 1);
    for (std::size_t i = 0; i < source_.size(); ++i)
      out_.weights[i] = multiply_weights(out_.weights[i], in.weights[source_[i]]);
  }
  weights_.clear();
  source_.clear();
  return out_;
}

void keep_rows(Batch& batch, std::span<const std::uint32_t> rows) {
  if (rows.size() == batch.rows) return;
  for (Column& column : batch.columns) {
    if (column.empty()) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) column[i] = column[rows[i]];
    column.resize(rows.size());
  }
  if (!batch.weights.empty()) {
    for (std::size_t i = 0; i < rows.size(); ++i) batch.weights[i] = batch.weights[rows[i]];
    batch.weights.resize(rows.size());
  }
  batch.rows = rows.size();
}

Flow repeat_rows(Run& run, Batch& batch) {
  if (batch.weights.empty()) return Flow::kMore;
  const std::uint64_t rows = batch.total_weight();
  const std::uint64_t cells = multiply_weights(rows, batch.columns.size());
  if (run.spend(rows) == Flow::kEnough ||
      run.take_memory(multiply_weights(cells, 4)) == Flow::kEnough)
    return Flow::kEnough;
  for (Column& column : batch.columns) {
    if (column.empty()) continue;
    Column repeated;
    repeated.reserve(rows);
    for (std::size_t row = 0; row < batch.rows; ++row)
      repeated.insert(repeated.end(), batch.weights[row], column[row]);
    column.swap(repeated);
  }
  batch.rows = rows;
  batch.weights.clear();
  return Flow::kMore;
}

const Column* Memo::find(const Function* function, Slot slot) const {
  for (std::size_t i = 0; i < used; ++i) {
    if (entries[i]->function == function && entries[i]->slot == slot) return &entries[i]->column;
  }
  return nullptr;
}

Column& Memo::add(const Function* function, Slot slot) {
  if (used == entries.size()) entries.push_back(std::make_unique<Entry>());
  Entry& entry = *entries[used++];
  entry.function = function;
  entry.slot = slot;
  return entry.column;
}

void Memo::keep(std::span<const std::uint32_t> rows) {
  for (std::size_t i = 0; i < used; ++i) {
    Column& column = entries[i]->column;
    for (std::size_t k = 0; k < rows.size(); ++k) column[k] = column[rows[k]];
    column.resize(std::max<std::size_t>(rows.size(), 1));
  }
}

// --- expressions

Column& Evaluator::fresh_column() {
  if (used_ == columns_.size()) columns_.push_back(std::make_unique<Column>());
  return *columns_[used_++];
}

ColumnView Evaluator::terms(const Batch& batch) {
  used_ = frames_used_ = 0;
  return evaluate(expr_, batch);
}

std::span<const ColumnView> Evaluator::arguments(const Expr& expr, const Batch& batch) {
  if (frames_used_ == frames_.size())
    frames_.push_back(std::make_unique<std::vector<ColumnView>>());
  std::vector<ColumnView>& views = *frames_[frames_used_++];
  views.clear();
  for (const Expr& part : expr.parts) views.push_back(evaluate(part, batch));
  return views;
}

ColumnView Evaluator::evaluate(const Expr& expr, const Batch& batch) {
  switch (expr.kind) {
    case Expr::Kind::kConstant:
      return {&expr.constant.code, true};
    case Expr::Kind::kSlot:
      return batch.view(expr.slot);
    case Expr::Kind::kFunction: {
      const bool simple =
          memo_ != nullptr && expr.parts.size() == 1 && expr.parts[0].kind == Expr::Kind::kSlot;
      if (simple) {
        if (const Column* known = memo_->find(expr.function.get(), expr.parts[0].slot))
          return {known->data(), false};
      }
      const auto views = arguments(expr, batch);
      Column& out = simple ? memo_->add(expr.function.get(), expr.parts[0].slot) : fresh_column();
      out.resize(std::max<std::size_t>(batch.rows, 1));
      expr.function->apply(run_.values, views, batch.rows, out.data());
      return {out.data(), false};
    }
    case Expr::Kind::kExists:
      return batch.view(run_.exists_slot(expr));
    default: {
      std::vector<Truth> truths;
      test(expr, batch, &truths);
      Column& out = fresh_column();
      out.resize(std::max<std::size_t>(batch.rows, 1));
      const std::uint32_t yes = run_.values.boolean(true).code,
                          no = run_.values.boolean(false).code;
      for (std::size_t i = 0; i < batch.rows; ++i) {
        out[i] = truths[i] == Truth::kTrue ? yes : truths[i] == Truth::kFalse ? no : 0;
      }
      return {out.data(), false};
    }
  }
}

void Evaluator::test(const Expr& expr, const Batch& batch, std::vector<Truth>* out) {
  out->assign(batch.rows, Truth::kError);
  switch (expr.kind) {
    case Expr::Kind::kCondition: {
      const auto views = arguments(expr, batch);
      expr.condition->test(run_.values, views, batch.rows, out->data());
      return;
    }
    case Expr::Kind::kNot: {
      test(expr.parts[0], batch, out);
      for (Truth& truth : *out) {
        truth = truth == Truth::kTrue    ? Truth::kFalse
                : truth == Truth::kFalse ? Truth::kTrue
                                         : truth;
      }
      return;
    }
    case Expr::Kind::kAnd:
    case Expr::Kind::kOr: {
      // One decisive part settles it, whatever the others' errors are.
      const Truth decisive = expr.kind == Expr::Kind::kAnd ? Truth::kFalse : Truth::kTrue;
      const Truth neutral = expr.kind == Expr::Kind::kAnd ? Truth::kTrue : Truth::kFalse;
      out->assign(batch.rows, neutral);
      std::vector<Truth> part_out;
      for (const Expr& part : expr.parts) {
        test(part, batch, &part_out);
        for (std::size_t i = 0; i < batch.rows; ++i) {
          if (part_out[i] == decisive) {
            (*out)[i] = decisive;
          } else if (part_out[i] == Truth::kError && (*out)[i] != decisive) {
            (*out)[i] = Truth::kError;
          }
        }
      }
      return;
    }
    default: {
      const ColumnView view = evaluate(expr, batch);
      const std::uint32_t yes = run_.values.boolean(true).code,
                          no = run_.values.boolean(false).code;
      for (std::size_t i = 0; i < batch.rows; ++i) {
        (*out)[i] = view[i] == yes ? Truth::kTrue : view[i] == no ? Truth::kFalse : Truth::kError;
      }
    }
  }
}

void Evaluator::select(const Batch& batch, std::vector<std::uint32_t>* rows) {
  used_ = frames_used_ = 0;
  std::vector<Truth> truths;
  test(expr_, batch, &truths);
  for (std::size_t i = 0; i < batch.rows; ++i) {
    if (truths[i] == Truth::kTrue) rows->push_back(static_cast<std::uint32_t>(i));
  }
}

// --- rows with a hash index

std::uint64_t RowTable::bytes_for(std::size_t rows) const {
  const std::size_t cells = (count_ + rows) * width_;
  std::uint64_t most = std::uint64_t{4} * cells_.capacity();
  if (cells > cells_.capacity()) most += std::uint64_t{4} * std::max(2 * cells_.capacity(), cells);
  std::size_t places = table_.size();
  while ((count_ + rows) * 2 >= places) places *= 4;
  most += std::uint64_t{4} * places;
  return places == table_.size() ? most : most + std::uint64_t{4} * table_.size();
}

bool RowTable::equal(std::size_t number, const std::uint32_t* cells) const {
  const std::uint32_t* row = cells_.data() + number * width_;
  for (std::size_t i = 0; i < width_; ++i) {
    if (row[i] != cells[i]) return false;
  }
  return true;
}

std::uint32_t RowTable::add(const std::uint32_t* cells, bool* added) {
  return add_hashed(cells, hash_row(cells, width_), added);
}

void RowTable::add_all(const std::uint32_t* cells, std::size_t rows,
                       std::vector<std::uint32_t>* fresh) {
  constexpr std::size_t kAhead = 16;  // rows whose places are fetched together
  std::uint64_t hashes[kAhead];
  for (std::size_t first = 0; first < rows; first += kAhead) {
    const std::size_t end = std::min(kAhead, rows - first);
    for (std::size_t i = 0; i < end; ++i) {
      hashes[i] = hash_row(cells + (first + i) * width_, width_);
      __builtin_prefetch(&table_[hashes[i] & (table_.size() - 1)], 1);
    }
    for (std::size_t i = 0; i < end; ++i) {
      bool added = false;
      add_hashed(cells + (first + i) * width_, hashes[i], &added);
      if (added) fresh->push_back(static_cast<std::uint32_t>(first + i));
    }
  }
}

std::uint32_t RowTable::add_hashed(const std::uint32_t* cells, std::uint64_t hash, bool* added) {
  if (count_ * 2 >= table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    if (table_[i] == 0) {
      table_[i] = static_cast<std::uint32_t>(++count_);
      cells_.insert(cells_.end(), cells, cells + width_);
      *added = true;
      return static_cast<std::uint32_t>(count_ - 1);
    }
    if (equal(table_[i] - 1, cells)) {
      *added = false;
      return table_[i] - 1;
    }
  }
}

std::optional<std::uint32_t> RowTable::find(const std::uint32_t* cells) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = hash_row(cells, width_) & mask; table_[i] != 0; i = (i + 1) & mask) {
    if (equal(table_[i] - 1, cells)) return table_[i] - 1;
  }
  return std::nullopt;
}

void RowTable::grow() {
  table_.assign(table_.size() * 4, 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t number = 0; number < count_; ++number) {
    std::size_t i = hash_row(cells_.data() + number * width_, width_) & mask;
    while (table_[i] != 0) i = (i + 1) & mask;
    table_[i] = static_cast<std::uint32_t>(number + 1);
  }
}

}  // namespace anima::query::detail
