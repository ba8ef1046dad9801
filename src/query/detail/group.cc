// GROUP BY and its aggregates, and ORDER BY with top-k.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>

#include "base/decimal.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "query/detail/describe.h"
#include "query/detail/operators.h"
#include "store/number_key.h"

namespace anima::query::detail {

namespace {

using store::Term;
using store::ValueKind;

// Exact, whatever the order of what comes: an integer as long as it is one, then a Decimal, for
// which a double counts as the decimal that it is written as (store/number_key.h), and a double
// once no Decimal holds it.
struct Sum {
  enum class Mode : std::uint8_t { kInteger, kExact, kNumber };

  std::int64_t integer = 0;
  double number = 0;
  std::unique_ptr<Decimal> exact;
  std::uint64_t count = 0;
  std::uint32_t stray = 0;  // a text among them
  Mode mode = Mode::kInteger;

  void add_integer(Values& values, std::int64_t value, std::uint64_t times) {
    std::int64_t product = 0, sum = 0;
    if (mode == Mode::kInteger && times <= static_cast<std::uint64_t>(INT64_MAX) &&
        !__builtin_mul_overflow(value, static_cast<std::int64_t>(times), &product) &&
        !__builtin_add_overflow(integer, product, &sum)) {
      integer = sum;
    } else {
      add(values, Decimal(value), static_cast<double>(value), times);
    }
  }

  void add(Values& values, const std::optional<Decimal>& value, double nearest,
           std::uint64_t times) {
    if (mode == Mode::kInteger) begin_exact(values);
    if (mode == Mode::kExact && value && times <= static_cast<std::uint64_t>(INT64_MAX)) {
      const auto product =
          times == 1 ? value : value->times(Decimal(static_cast<std::int64_t>(times)));
      if (const auto sum = product ? exact->plus(*product) : std::nullopt) {
        *exact = *sum;
        return;
      }
    }
    number = total() + nearest * static_cast<double>(times);
    exact.reset();
    mode = Mode::kNumber;
  }

  double total() const {
    return mode == Mode::kExact     ? exact->number()
           : mode == Mode::kInteger ? static_cast<double>(integer)
                                    : number;
  }

 private:
  void begin_exact(Values& values) {
    if (!values.take_memory(sizeof(Decimal))) return;  // the run ends
    exact = std::make_unique<Decimal>(integer);
    mode = Mode::kExact;
  }
};

class Accumulator {
 public:
  explicit Accumulator(const Aggregate& aggregate)
      : aggregate_(aggregate),
        seen_(1 + std::max<std::size_t>(aggregate.row.size(), 1)),
        own_(aggregate.accumulation != nullptr ? aggregate.accumulation->begin() : nullptr) {}

  void resize(std::size_t groups) {
    switch (aggregate_.kind) {
      case AggregateKind::kCountRows:
      case AggregateKind::kCount:
      case AggregateKind::kCountBound:
        counts_.resize(groups, 0);
        break;
      case AggregateKind::kSum:
      case AggregateKind::kAverage:
        sums_.resize(groups);
        break;
      case AggregateKind::kMinimum:
      case AggregateKind::kMaximum:
      case AggregateKind::kSample:
        best_.resize(groups, 0);
        break;
      case AggregateKind::kAccumulate:
        own_->resize(groups);
        break;
    }
  }

  // The most that a batch may take, which brings the groups to so many.
  std::uint64_t bytes_for(const Batch& batch, std::size_t groups) const {
    std::uint64_t bytes = 0;
    const auto count = [&](const auto& list) {
      const std::size_t more = groups > list.capacity() ? std::max(2 * list.capacity(), groups) : 0;
      bytes += (list.capacity() + more) * sizeof(list[0]);
    };
    count(counts_);
    count(sums_);
    count(best_);
    if (aggregate_.distinct) bytes += seen_.bytes_for(batch.rows);
    return own_ != nullptr ? add_weights(bytes, own_->bytes()) : bytes;
  }

  void add(Values& values, const Batch& batch, std::span<const std::uint32_t> groups) {
    if (aggregate_.kind == AggregateKind::kCountRows) {
      if (aggregate_.distinct && !aggregate_.row.empty()) return count_distinct(batch, groups);
      for (std::size_t row = 0; row < batch.rows; ++row) count(groups[row], batch.weight(row));
      return;
    }
    const ColumnView view = batch.view(aggregate_.argument);
    for (std::size_t row = 0; row < batch.rows; ++row) {
      const std::uint32_t code = view[row];
      if (code == 0 && aggregate_.kind != AggregateKind::kAccumulate) continue;
      std::uint64_t weight = batch.weight(row);
      if (aggregate_.distinct) {
        const std::uint32_t cells[] = {groups[row], code};
        bool added = false;
        seen_.add(cells, &added);
        if (!added) continue;
        weight = 1;
      }
      add_cell(values, groups[row], code, weight);
    }
  }

  // Whether the group's count is one that a value can hold.
  bool countable(std::size_t group) const {
    return counts_.empty() || counts_[group] <= static_cast<std::uint64_t>(INT64_MAX);
  }

  // A text, where sums or averages have met texts and no number in any group; else 0.
  std::uint32_t only_text() const {
    std::uint32_t text = 0;
    for (const Sum& sum : sums_) {
      if (sum.count > 0) return 0;
      if (sum.stray != 0) text = sum.stray;
    }
    return text;
  }

  Term result(Values& values, std::size_t group) const {
    switch (aggregate_.kind) {
      case AggregateKind::kCountRows:
      case AggregateKind::kCount:
      case AggregateKind::kCountBound:
        return values.integer(static_cast<std::int64_t>(counts_[group]));
      case AggregateKind::kSum: {
        const Sum& sum = sums_[group];
        return sum.mode == Sum::Mode::kInteger ? values.integer(sum.integer)
                                               : values.number(sum.total());
      }
      case AggregateKind::kAverage: {
        const Sum& sum = sums_[group];
        if (sum.count == 0) return Term{};
        return values.number(sum.total() / static_cast<double>(sum.count));
      }
      case AggregateKind::kAccumulate:
        return own_->result(values, group);
      default:
        return Term{best_[group]};
    }
  }

 private:
  void count(std::uint32_t group, std::uint64_t weight) {
    counts_[group] = add_weights(counts_[group], weight);
  }

  void count_distinct(const Batch& batch, std::span<const std::uint32_t> groups) {
    std::vector<std::uint32_t> cells(1 + aggregate_.row.size());
    for (std::size_t row = 0; row < batch.rows; ++row) {
      cells[0] = groups[row];
      for (std::size_t k = 0; k < aggregate_.row.size(); ++k)
        cells[k + 1] = batch.at(aggregate_.row[k], row);
      bool added = false;
      seen_.add(cells.data(), &added);
      if (added) count(groups[row], 1);
    }
  }

  void add_cell(Values& values, std::uint32_t group, std::uint32_t code, std::uint64_t weight) {
    switch (aggregate_.kind) {
      case AggregateKind::kCount:
        if (Term{code}.is_entity() || values.view(code).kind != ValueKind::kNull)
          count(group, weight);
        return;
      case AggregateKind::kCountBound:
        return count(group, weight);
      case AggregateKind::kSum:
      case AggregateKind::kAverage:
        return add_number(values, sums_[group], code, weight);
      case AggregateKind::kMinimum:
      case AggregateKind::kMaximum:
        return offer(values, best_[group], code);
      case AggregateKind::kSample:
        if (best_[group] == 0) best_[group] = code;
        return;
      case AggregateKind::kAccumulate:
        return own_->add(values, group, code, weight);
      case AggregateKind::kCountRows:
        return;
    }
  }

  static void add_number(Values& values, Sum& sum, std::uint32_t code, std::uint64_t weight) {
    const store::ValueView value = values.view(code);
    double number = 0;
    if (value.kind == ValueKind::kInteger) {
      sum.add_integer(values, value.integer, weight);
    } else if (values.number_of(code, &number)) {
      const bool written = value.kind == ValueKind::kDecimal || value.kind == ValueKind::kTyped;
      auto decimal = written ? Decimal::parse(value.text) : std::nullopt;
      if (!decimal) decimal = Decimal::of(number);
      sum.add(values, decimal, number, weight);
    } else {
      if (value.kind == ValueKind::kString || value.kind == ValueKind::kLanguageString) {
        sum.stray = code;
        values.note_stray(Values::StrayUse::kAggregate, code);
      }
      return;
    }
    sum.count += weight;
  }

  // Numbers win over text, text sorts as in ORDER BY, nothing else has a smallest.
  void offer(Values& values, std::uint32_t& best, std::uint32_t code) const {
    if (code == best) return;
    const auto next = store::number_key(values.view(code));
    if (!next && !has_order(values, code)) return;
    if (best == 0) {
      best = code;
      return;
    }
    const auto now = store::number_key(values.view(best));
    if (next.has_value() != now.has_value()) {
      if (next) best = code;
      return;
    }
    const bool smallest = aggregate_.kind == AggregateKind::kMinimum;
    bool better = false;
    if (next) {
      better = now->is_nan() || (!next->is_nan() && (smallest ? *next < *now : *now < *next));
    } else {
      const SortKey x = kip_sort_key(values, code), y = kip_sort_key(values, best);
      better = smallest ? x < y : y < x;
    }
    if (better) best = code;
  }

  static bool has_order(const Values& values, std::uint32_t code) {
    const ValueKind kind = values.view(code).kind;
    return kind == ValueKind::kString || kind == ValueKind::kLanguageString ||
           kind == ValueKind::kDateTime;
  }

  const Aggregate& aggregate_;
  RowTable seen_;
  std::vector<std::uint64_t> counts_;
  std::vector<Sum> sums_;
  std::vector<std::uint32_t> best_;
  std::unique_ptr<Accumulated> own_;  // of kAccumulate
};

class Group final : public Operator {
 public:
  Group(Run& run, Operator* next, const Node& node, std::vector<Aggregate> aggregates)
      : Operator(run, next),
        node_(node),
        aggregates_(std::move(aggregates)),
        table_(node.slots.size()),
        cells_(node.slots.size()) {
    for (const Aggregate& aggregate : aggregates_) accumulators_.emplace_back(aggregate);
    if (node.slots.empty()) {
      bool added = false;
      table_.add(cells_.data(), &added);
      for (Accumulator& it : accumulators_) it.resize(1);
    }
  }

  std::string describe() const override {
    std::string text = "group";
    for (const Slot slot : node_.slots) text += " " + slot_name(run_, slot);
    return text + " with " + std::to_string(node_.aggregates.size()) + " aggregates";
  }

  Flow finish() override {
    for (const Accumulator& it : accumulators_) {
      if (const std::uint32_t text = it.only_text(); text != 0) return run_.fail(no_numbers(text));
    }
    Batch out(run_.slot_count);
    for (std::size_t first = 0; first < table_.size(); first += kBatchRows) {
      out.clear();
      out.rows = std::min(kBatchRows, table_.size() - first);
      for (std::size_t k = 0; k < node_.slots.size(); ++k) {
        Column& column = out.columns[node_.slots[k]];
        for (std::size_t i = 0; i < out.rows; ++i) column.push_back(table_.row(first + i)[k]);
      }
      for (std::size_t a = 0; a < accumulators_.size(); ++a) {
        Column& column = out.columns[node_.aggregates[a].result];
        for (std::size_t i = 0; i < out.rows; ++i) {
          if (!accumulators_[a].countable(first + i)) return run_.fail(too_many());
          column.push_back(accumulators_[a].result(run_.values, first + i).code);
          if (run_.failed()) return Flow::kEnough;
        }
      }
      if (pass(out) == Flow::kEnough) break;
    }
    return run_.failed() ? Flow::kEnough : next_->finish();
  }

 protected:
  Flow work(Batch& batch) override {
    if (make_room(batch) == Flow::kEnough) return Flow::kEnough;
    groups_.resize(batch.rows);
    if (node_.slots.empty()) {
      std::fill(groups_.begin(), groups_.end(), 0);
    } else {
      for (std::size_t row = 0; row < batch.rows; ++row) {
        bool same = row > 0;  // as the row before, whose group is known
        for (std::size_t k = 0; k < cells_.size(); ++k) {
          const std::uint32_t cell = batch.at(node_.slots[k], row);
          same = same && cells_[k] == cell;
          cells_[k] = cell;
        }
        bool added = false;
        groups_[row] = same ? groups_[row - 1] : table_.add(cells_.data(), &added);
      }
    }
    for (Accumulator& it : accumulators_) {
      it.resize(table_.size());
      it.add(run_.values, batch, groups_);
    }
    return run_.failed() ? Flow::kEnough : Flow::kMore;
  }

 private:
  Flow make_room(const Batch& batch) {
    std::uint64_t bytes = table_.bytes_for(batch.rows);
    for (const Accumulator& it : accumulators_)
      bytes = add_weights(bytes, it.bytes_for(batch, table_.size() + batch.rows));
    return run_.hold(charge_, bytes);
  }

  Error no_numbers(std::uint32_t text) const {
    return {ErrorCode::kInvalidArgument,
            "SUM and AVG need numbers, but the values are texts such as " +
                quote_json(beginning_of(run_.values.view(text).text, 60)),
            {},
            "store them as numbers: SET ATTRIBUTES with 5, not \"5\"; or load them as numbers"};
  }

  static Error too_many() {
    return {ErrorCode::kLimitExceeded,
            "the query counts more than 2^63 - 1 rows",
            {},
            "share a variable between the patterns"};
  }

  const Node& node_;
  std::vector<Aggregate> aggregates_;
  RowTable table_;
  Charge charge_;
  std::vector<std::uint32_t> cells_, groups_;
  std::vector<Accumulator> accumulators_;
};

// Rows by predicate over everything: the store knows the counts.
class CountPredicates final : public Operator {
 public:
  CountPredicates(Run& run, Operator* next, const StatementPattern& pattern,
                  std::vector<Slot> results)
      : Operator(run, next),
        pattern_(pattern),
        results_(std::move(results)),
        snapshot_(run.scope(pattern.scope)) {}
  std::string describe() const override { return "count statements by predicate"; }

 protected:
  Flow work(Batch&) override {
    if (const PredicateNodes* nodes = run_.plan.predicate_nodes.get()) {
      if (count_nodes(*nodes) == Flow::kEnough) return Flow::kEnough;
    } else {
      count_predicates();
    }
    Batch out(run_.slot_count);
    out.rows = keys_.size();
    for (const Slot slot : results_) {
      Column& column = out.columns[slot];
      column.reserve(out.rows);
      for (const std::uint64_t count : counts_)
        column.push_back(run_.values.integer(static_cast<std::int64_t>(count)).code);
    }
    out.columns[pattern_.predicate.value] = std::move(keys_);
    return pass(out);
  }

 private:
  bool is_wanted(store::PredicateClass one) const {
    return (pattern_.classes & (1u << static_cast<unsigned>(one))) != 0;
  }

  void count_predicates() {
    for (unsigned i = 0; i < 4; ++i) {
      const auto one = static_cast<store::PredicateClass>(i);
      if (!is_wanted(one)) continue;
      store::Pattern pattern;
      for (const store::Predicate predicate : snapshot_.predicates(one)) {
        pattern.predicate = predicate;
        add(predicate.code, snapshot_.count(pattern));
      }
    }
  }

  // As a scan sees them: several predicates may have one node.
  Flow count_nodes(const PredicateNodes& nodes) {
    const std::span<const PredicateNodes::Seen> seen = nodes.seen();
    keys_.reserve(seen.size());
    counts_.reserve(seen.size());
    RowTable rows(1);
    for (const PredicateNodes::Seen& it : seen) {
      if (!is_wanted(it.predicate.predicate_class())) continue;
      if (it.node != 0) {
        add(it.node, count_seen(it), &rows);
      } else if (scan(nodes, it.predicate, &rows) == Flow::kEnough) {
        return Flow::kEnough;
      }
      if (run_.spend(1) == Flow::kEnough) return Flow::kEnough;
    }
    return Flow::kMore;
  }

  std::uint64_t count_seen(const PredicateNodes::Seen& it) const {
    store::Pattern pattern;
    pattern.predicate = it.predicate;
    std::uint64_t count = snapshot_.count(pattern);
    for (const store::EntityId object : it.unseen) {
      if (count == 0) break;
      pattern.object = store::Term::entity(object);
      count -= snapshot_.count(pattern);
    }
    return count;
  }

  Flow scan(const PredicateNodes& nodes, store::Predicate predicate, RowTable* rows) {
    store::Pattern pattern;
    pattern.predicate = predicate;
    store::Cursor cursor = snapshot_.scan(pattern);
    std::vector<store::Triple> triples(1024);
    while (const std::size_t count = cursor.next(triples)) {
      if (run_.spend(count) == Flow::kEnough) return Flow::kEnough;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t node = nodes.node_of(triples[i]);
        if (node != 0) add(node, 1, rows);
      }
    }
    return Flow::kMore;
  }

  void add(std::uint32_t node, std::uint64_t count, RowTable* rows) {
    if (count == 0) return;
    bool added = false;
    const std::uint32_t row = rows->add(&node, &added);
    if (added) {
      add(node, count);
    } else {
      counts_[row] += count;
    }
  }

  void add(std::uint32_t key, std::uint64_t count) {
    if (count == 0) return;
    keys_.push_back(key);
    counts_.push_back(count);
  }

  const StatementPattern& pattern_;
  std::vector<Slot> results_;
  const store::Snapshot& snapshot_;
  Column keys_;
  std::vector<std::uint64_t> counts_;
};

class Order final : public TopRows {
 public:
  Order(Run& run, Operator* next, const Node& node, std::vector<Slot> carried)
      : TopRows(run, next),
        node_(node),
        carried_(std::move(carried)),
        columns_(carried_.size()),
        keys_(node.order.size()) {}

  std::string describe() const override {
    std::string text =
        node_.limit == ~std::uint64_t{0} ? "sort by" : "top " + std::to_string(node_.limit) + " by";
    for (const OrderKey& key : node_.order) {
      text += " " + slot_name(run_, key.slot);
      if (key.descending) text += " descending";
    }
    return sorted_ ? text + ", which come in this order" : text;
  }

  bool early() const override {
    return node_.limit < kPruneLimit && !node_.order.empty() && node_.limit > 0 &&
           node_.order[0].maker == nullptr && !node_.order[0].descending;
  }
  Slot first_slot() const override { return node_.order[0].slot; }
  void expect_sorted() override { sorted_ = true; }

  Flow finish() override {
    if (run_.take_memory(std::uint64_t{8} * rows_) == Flow::kEnough) return Flow::kEnough;
    const std::vector<std::uint32_t> order = best(rows_);
    if (run_.failed()) return Flow::kEnough;
    Batch out(run_.slot_count);
    const std::size_t end = wanted(order.size());
    for (std::size_t first = 0; first < end; first += kBatchRows) {
      out.clear();
      out.rows = std::min(kBatchRows, end - first);
      for (std::size_t k = 0; k < carried_.size(); ++k) {
        Column& column = out.columns[carried_[k]];
        for (std::size_t i = 0; i < out.rows; ++i) column.push_back(columns_[k][order[first + i]]);
      }
      if (!weights_.empty()) {
        for (std::size_t i = 0; i < out.rows; ++i)
          out.weights.push_back(weights_[order[first + i]]);
      }
      if (pass(out) == Flow::kEnough) break;
    }
    return run_.failed() ? Flow::kEnough : next_->finish();
  }

 protected:
  Flow work(Batch& batch) override {
    if (keys_.empty()) return append(batch);
    make_keys(0, batch);
    if (bounded_) drop_late_rows(batch);
    keys_[0].insert(keys_[0].end(), fresh_.begin(), fresh_.end());
    for (std::size_t k = 1; k < node_.order.size(); ++k) {
      make_keys(k, batch);
      keys_[k].insert(keys_[k].end(), fresh_.begin(), fresh_.end());
    }
    const Flow flow = append(batch);
    if (sorted_ && rows_ > node_.limit && keys_[0][node_.limit - 1] < keys_[0][rows_ - 1])
      return Flow::kEnough;
    if (node_.limit < kPruneLimit && rows_ > 2 * node_.limit + 256) prune();
    return flow;
  }

 private:
  static constexpr std::uint64_t kPruneLimit = 1'000'000;

  Flow append(const Batch& batch) {
    for (std::size_t k = 0; k < carried_.size(); ++k) {
      const Column& from = batch.columns[carried_[k]];
      if (from.empty()) {
        columns_[k].resize(rows_ + batch.rows, 0);
      } else {
        columns_[k].insert(columns_[k].end(), from.begin(), from.end());
      }
    }
    if (!batch.weights.empty()) weights_.resize(rows_, 1);
    if (!batch.weights.empty() || !weights_.empty()) {
      for (std::size_t row = 0; row < batch.rows; ++row) weights_.push_back(batch.weight(row));
    }
    rows_ += batch.rows;
    return run_.hold(charge_, rows_ * (carried_.size() * 4 + keys_.size() * sizeof(SortKey) +
                                       (weights_.empty() ? 0 : 8)));
  }

  void make_keys(std::size_t k, const Batch& batch) {
    const OrderKey& key = node_.order[k];
    const ColumnView view = batch.view(key.slot);
    fresh_.assign(batch.rows, SortKey{});
    for (std::size_t row = 0; row < batch.rows; ++row) {
      SortKey& made = fresh_[row];
      const std::uint32_t code = view[row];
      if (code == 0) {
        made.rank = 255;
      } else if (key.maker != nullptr) {
        made = key.maker(run_.values, code);
      } else {
        made.number = code;
      }
    }
  }

  // Rows whose first key is behind that of the last wanted row so far cannot come in any more.
  void drop_late_rows(Batch& batch) {
    keep_.clear();
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (compare(0, fresh_[row], bound_) <= 0) keep_.push_back(static_cast<std::uint32_t>(row));
    }
    if (keep_.size() == batch.rows) return;
    for (std::size_t i = 0; i < keep_.size(); ++i) fresh_[i] = fresh_[keep_[i]];
    fresh_.resize(keep_.size());
    keep_rows(batch, keep_);
  }

  int compare(std::size_t k, const SortKey& x, const SortKey& y) const {
    const OrderKey& key = node_.order[k];
    const bool x_missing = x.rank == 255, y_missing = y.rank == 255;
    if (x_missing || y_missing) {
      if (x_missing && y_missing) return 0;
      const bool last = key.unbound_last || key.descending;
      return x_missing == last ? 1 : -1;
    }
    const int sign = x < y ? -1 : y < x ? 1 : 0;
    return key.descending ? -sign : sign;
  }

  bool before(std::uint32_t a, std::uint32_t b) const {
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      if (const int sign = compare(k, keys_[k][a], keys_[k][b]); sign != 0) return sign < 0;
    }
    return a < b;
  }

  std::size_t wanted(std::size_t rows) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(rows, node_.limit));
  }

  // Cut short when the run fails meanwhile.
  std::vector<std::uint32_t> best(std::size_t rows) {
    std::vector<std::uint32_t> order(rows);
    std::iota(order.begin(), order.end(), 0u);
    const auto less = [this](std::uint32_t a, std::uint32_t b) { return before(a, b); };
    const std::size_t end = wanted(rows);
    if (end < rows) {
      std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(end), order.end(),
                       less);
      order.resize(end);
    }
    sort_in_pieces(&order, less);
    return order;
  }

  // Sorting millions takes seconds: pieces are sorted and merged, with a look at the clock between.
  template <typename Less>
  void sort_in_pieces(std::vector<std::uint32_t>* order, const Less& less) {
    constexpr std::size_t kPiece = 65536;
    const std::size_t size = order->size();
    const auto at = [order, size](std::size_t place) {
      return order->begin() + static_cast<std::ptrdiff_t>(std::min(place, size));
    };
    for (std::size_t i = 0; i < size; i += kPiece) {
      std::sort(at(i), at(i + kPiece), less);
      if (run_.look() == Flow::kEnough) return;
    }
    if (size <= kPiece) return;
    std::vector<std::uint32_t> merged(size);
    for (std::size_t piece = kPiece; piece < size; piece *= 2) {
      for (std::size_t i = 0; i < size; i += 2 * piece) {
        std::merge(at(i), at(i + piece), at(i + piece), at(i + 2 * piece),
                   merged.begin() + static_cast<std::ptrdiff_t>(i), less);
        if (run_.look() == Flow::kEnough) return;
      }
      order->swap(merged);
    }
  }

  // Keeps the best rows only, in their order of arrival.
  void prune() {
    std::vector<std::uint32_t> keep = best(rows_);
    if (!keep.empty() && !keys_.empty()) {
      bound_ = keys_[0][keep.back()];
      bounded_ = true;
    }
    std::sort(keep.begin(), keep.end());
    const auto compact = [&keep](auto& column) {
      for (std::size_t i = 0; i < keep.size(); ++i) column[i] = column[keep[i]];
      column.resize(keep.size());
    };
    for (Column& column : columns_) compact(column);
    for (auto& column : keys_) compact(column);
    if (!weights_.empty()) compact(weights_);
    rows_ = keep.size();
  }

  const Node& node_;
  std::vector<Slot> carried_;
  std::vector<Column> columns_;
  std::vector<std::vector<SortKey>> keys_;
  std::vector<SortKey> fresh_;  // of one key of a batch
  std::vector<std::uint32_t> keep_;
  std::vector<std::uint64_t> weights_;
  Charge charge_;
  SortKey bound_;
  bool bounded_ = false, sorted_ = false;
  std::size_t rows_ = 0;
};

}  // namespace

OperatorPtr make_count_predicates(Run& run, Operator* next, const Node& node,
                                  const std::vector<Aggregate>& aggregates) {
  const Node& input = *node.inputs[0];
  if (node.slots.size() != 1 || input.kind != Node::Kind::kMatch || input.patterns.size() != 1 ||
      !input.candidates.empty())
    return nullptr;
  const StatementPattern& it = input.patterns[0];
  const bool open = !it.graph && it.subject.is_slot && it.predicate.is_slot && it.object.is_slot &&
                    it.subject.value != it.predicate.value && it.subject.value != it.object.value &&
                    it.predicate.value != it.object.value;
  if (!open || it.predicate.value != node.slots[0]) return nullptr;
  std::vector<Slot> results;
  for (const Aggregate& aggregate : aggregates) {
    if (aggregate.kind != AggregateKind::kCountRows || aggregate.distinct) return nullptr;
    results.push_back(aggregate.result);
  }
  return std::make_unique<CountPredicates>(run, next, it, std::move(results));
}

OperatorPtr make_group(Run& run, Operator* next, const Node& node,
                       std::vector<Aggregate> aggregates) {
  return std::make_unique<Group>(run, next, node, std::move(aggregates));
}
std::unique_ptr<TopRows> make_order(Run& run, Operator* next, const Node& node,
                                    std::vector<Slot> carried) {
  return std::make_unique<Order>(run, next, node, std::move(carried));
}

}  // namespace anima::query::detail
