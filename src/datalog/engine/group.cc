// Do-transforms: one row of results for each group, kept group by group.
//
// From scratch: the body's solutions are grouped by hash, counts and integer sums, minima and
// maxima run in plain integers, everything else in accumulators. After a change: where the results
// are such integers and every solution is a row (NetworkRule::adjusts), what came is added to the
// groups' last results and what went is taken from them, so that a change costs the same whatever
// the size of its group; what took a row from a minimum or maximum, and everything else, computes
// the groups that it touches again, found through the body.
#include <algorithm>
#include <array>
#include <limits>

#include "datalog/engine/database.h"

namespace anima::datalog {

namespace {

// Keys to dense numbers.
class KeyNumbers {
 public:
  // Small codes below `direct` have their place in an array.
  KeyNumbers(std::uint32_t width, const Thresholds& thresholds, Code direct)
      : table_(width, thresholds), width_(width), direct_codes_(direct) {
    table_.ensure_primary();
  }

  std::uint32_t number(const Code* key) {
    if (width_ == 0) {
      if (table_.size() == 0) table_.append(key, 0);
      return 0;
    }
    if (width_ == 1) {
      const Code code = key[0] & ~kTagMask;
      if (is_inline_int(key[0]) && code < direct_codes_) {
        if (direct_.empty()) direct_.assign(direct_codes_, kNoRow);
        if (direct_[code] == kNoRow) direct_[code] = table_.append(key, 0);
        return direct_[code];
      }
    }
    const std::uint64_t hash = hash_row(key, width_);
    table_.ensure_primary();
    const RowId known = table_.find(key, hash, {table_.size(), 0});
    if (known != kNoRow) return known;
    const RowId id = table_.append(key, 0);
    table_.add_to_primary(id, hash);
    return id;
  }
  std::uint32_t size() const { return table_.size(); }
  const Code* key(std::uint32_t number) const { return table_.row(number); }
  std::size_t bytes() const { return table_.bytes() + direct_.capacity() * sizeof(RowId); }

 private:
  Table table_;
  std::uint32_t width_;
  Code direct_codes_;
  std::vector<RowId> direct_;
};

enum class Fold : std::uint8_t { kCount, kSum, kMin, kMax, kOther };

// One reduction over all groups.
class Column {
 public:
  Column(const Reduction& reduction, ValueTable& values) : reduction_(&reduction), values_(values) {
    fold_ = anima::datalog::is_count(reduction.reducer) ? Fold::kCount
            : is_int_sum(reduction.reducer)             ? Fold::kSum
            : is_int_min(reduction.reducer)             ? Fold::kMin
            : is_int_max(reduction.reducer)             ? Fold::kMax
                                                        : Fold::kOther;
    if (fold_ != Fold::kCount && fold_ != Fold::kOther && reduction.arguments.size() != 1) {
      fold_ = Fold::kOther;
    }
  }

  void resize(std::uint32_t groups) {
    if (fold_ == Fold::kOther) {
      while (accumulators_.size() < groups) accumulators_.emplace_back(reduction_->reducer);
    } else if (numbers_.size() < groups) {
      const std::int64_t start = fold_ == Fold::kMin   ? std::numeric_limits<std::int64_t>::max()
                                 : fold_ == Fold::kMax ? std::numeric_limits<std::int64_t>::min()
                                                       : 0;
      numbers_.resize(groups, start);
    }
  }

  const std::vector<Variable>& arguments() const { return reduction_->arguments; }
  std::size_t bytes() const {
    return kept_ + numbers_.capacity() * sizeof(numbers_[0]) +
           accumulators_.capacity() * sizeof(Accumulator);
  }
  bool is_count() const { return fold_ == Fold::kCount; }
  bool is_extreme() const { return fold_ == Fold::kMin || fold_ == Fold::kMax; }
  // Of everything but kOther.
  std::int64_t total(std::uint32_t group) const { return numbers_[group]; }
  // What the totals of two sets of rows are for both, or for the first without the second.
  std::int64_t both(std::int64_t a, std::int64_t b) const {
    if (fold_ == Fold::kMin) return std::min(a, b);
    if (fold_ == Fold::kMax) return std::max(a, b);
    return sum(a, b);
  }
  static std::int64_t without(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }

  // Row i of the batch belongs to groups[i]; columns are those of arguments().
  bool add(const Code* const* columns, std::size_t rows, const std::uint32_t* groups,
           Evaluation& evaluation) {
    if (fold_ == Fold::kCount) {
      for (std::size_t i = 0; i < rows; ++i) ++numbers_[groups[i]];
      return true;
    }
    if (fold_ == Fold::kOther) {
      std::vector<Code> arguments(reduction_->arguments.size());
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t a = 0; a < arguments.size(); ++a) arguments[a] = columns[a][i];
        Accumulator& accumulator = accumulators_[groups[i]];
        kept_ -= accumulator.bytes();
        const bool added = accumulator.add(arguments, evaluation);
        kept_ += accumulator.bytes();
        if (!added) return false;
      }
      return true;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      std::int64_t number = 0;
      if (!integer(columns[0][i], number, evaluation)) return false;
      std::int64_t& total = numbers_[groups[i]];
      if (fold_ == Fold::kSum) {
        total = sum(total, number);
      } else {
        total = fold_ == Fold::kMin ? std::min(total, number) : std::max(total, number);
      }
    }
    return true;
  }

  bool finish(std::uint32_t group, Evaluation& evaluation, Code& result) {
    if (fold_ == Fold::kOther) return accumulators_[group].finish(evaluation, result);
    result = values_.integer(numbers_[group]);
    return true;
  }

 private:
  static std::int64_t sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }

  bool integer(Code code, std::int64_t& number, Evaluation& evaluation) const {
    if (is_inline_int(code)) {
      number = inline_value(code);
      return true;
    }
    const ValueView view = values_.view(code);
    number = view.number;
    if (view.kind == ValueKind::kInt) return true;
    // The accumulator knows the words for it.
    Accumulator wrong(reduction_->reducer);
    const Code arguments[1] = {code};
    if (wrong.add(arguments, evaluation)) evaluation.error = "expected an integer";
    return false;
  }

  const Reduction* reduction_;
  ValueTable& values_;
  Fold fold_ = Fold::kOther;
  std::vector<std::int64_t> numbers_;
  std::vector<Accumulator> accumulators_;
  std::size_t kept_ = 0;  // by the accumulators, beside themselves
};

// Groups the body's solutions.
class GroupSink : public Sink {
 public:
  // `direct`: as for KeyNumbers; worth its array when there are many rows.
  GroupSink(Database& database, const NetworkRule& rule, Code direct)
      : database_(database),
        rule_(rule.rule),
        grouping_(*rule.rule.grouping),
        keys_(static_cast<std::uint32_t>(grouping_.keys.size()), database.thresholds(), direct),
        distinct_(static_cast<std::uint32_t>(grouping_.row_variables.size()),
                  database.thresholds()) {
    for (const Reduction& reduction : grouping_.reductions) {
      columns_.emplace_back(reduction, database.values());
    }
  }

  ~GroupSink() override { database_.hold(held_, 0); }
  GroupSink(const GroupSink&) = delete;
  GroupSink& operator=(const GroupSink&) = delete;

  // What the groups keep counts against the budget like rows.
  Status take(Batch& batch) override {
    ANIMA_TRY(take_rows(batch));
    std::size_t now = keys_.bytes() + distinct_.bytes();
    for (const Column& column : columns_) now += column.bytes();
    database_.hold(held_, now);
    held_ = now;
    return {};
  }

  // Rows of the relation of groups, one after the other.
  Status finish(std::vector<Code>& out) {
    std::vector<Code> results(columns_.size());
    for (std::uint32_t g = 0; g < keys_.size(); ++g) {
      for (std::size_t r = 0; r < columns_.size(); ++r) {
        if (!columns_[r].finish(g, database_.evaluation(), results[r])) {
          return fail(database_.evaluation_error(rule_, rule_.where));
        }
      }
      ANIMA_TRY(append_row(keys_.key(g), results, out));
      ++rows_;
    }
    return {};
  }
  std::size_t rows() const { return rows_; }
  // The row of one group with these results of the reductions.
  Status append_row(const Code* key, std::span<const Code> results, std::vector<Code>& out) {
    bindings_.assign(rule_.variables.size(), 0);
    for (std::size_t k = 0; k < grouping_.keys.size(); ++k) bindings_[grouping_.keys[k]] = key[k];
    for (std::size_t r = 0; r < results.size(); ++r) {
      bindings_[grouping_.reductions[r].result] = results[r];
    }
    for (const Assignment& assignment : grouping_.after) {
      if (!database_.evaluate_term(assignment.value, bindings_, bindings_[assignment.variable])) {
        return fail(database_.evaluation_error(rule_, assignment.where));
      }
    }
    for (const Argument& argument : rule_.head_arguments) {
      out.push_back(argument.constant ? argument.value : bindings_[argument.value]);
    }
    return {};
  }
  const KeyNumbers& keys() const { return keys_; }
  std::span<const Column> columns() const { return columns_; }

 private:
  Status take_rows(Batch& batch) {
    if (grouping_.rows_are_facts) {
      return fold(batch.size,
                  [&](Variable v) { return static_cast<const Code*>(batch.column(v)); });
    }
    std::vector<const Code*> pointers;
    for (const Variable v : grouping_.row_variables) pointers.push_back(batch.column(v));
    const RowId before = distinct_.size();
    distinct_.insert(pointers.data(), batch.size, 0);
    const std::uint32_t fresh = distinct_.size() - before;
    if (fresh == 0) return {};
    std::vector<std::vector<Code>> rows(grouping_.row_variables.size(), std::vector<Code>(fresh));
    for (std::uint32_t i = 0; i < fresh; ++i) {
      const Code* row = distinct_.row(before + i);
      for (std::size_t c = 0; c < rows.size(); ++c) rows[c][i] = row[c];
    }
    return fold(fresh, [&](Variable v) -> const Code* {
      const auto at = std::ranges::find(grouping_.row_variables, v);
      return rows[static_cast<std::size_t>(at - grouping_.row_variables.begin())].data();
    });
  }

  template <typename ColumnOf>
  Status fold(std::uint32_t rows, const ColumnOf& column_of) {
    std::array<std::uint32_t, kBatch> groups;
    std::vector<const Code*> keys;
    for (const Variable v : grouping_.keys) keys.push_back(column_of(v));
    std::vector<Code> key(std::max<std::size_t>(keys.size(), 1));
    for (std::uint32_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < keys.size(); ++k) key[k] = keys[k][i];
      groups[i] = keys_.number(key.data());
    }
    std::vector<const Code*> arguments;
    for (Column& column : columns_) {
      column.resize(keys_.size());
      arguments.clear();
      for (const Variable v : column.arguments()) arguments.push_back(column_of(v));
      if (!column.add(arguments.data(), rows, groups.data(), database_.evaluation())) {
        return fail(database_.evaluation_error(rule_, rule_.where));
      }
    }
    return {};
  }

  Database& database_;
  const Rule& rule_;
  const Grouping& grouping_;
  KeyNumbers keys_;
  Relation distinct_;
  std::vector<Column> columns_;
  std::vector<Code> bindings_;
  std::size_t rows_ = 0;
  std::size_t held_ = 0;
};

// The keys of groups that a change touches.
class KeySink : public Sink {
 public:
  KeySink(const Grouping& grouping, Relation& keys) : grouping_(grouping), keys_(keys) {}

  Status take(Batch& batch) override {
    std::vector<const Code*> columns;
    for (const Variable v : grouping_.keys) columns.push_back(batch.column(v));
    if (columns.empty()) {
      keys_.insert_row(nullptr, 0);
    } else {
      keys_.insert(columns.data(), batch.size, 0);
    }
    return {};
  }

 private:
  const Grouping& grouping_;
  Relation& keys_;
};

}  // namespace

Status Database::evaluate_groups(const Component& component) {
  const std::uint32_t rule = component.rules[0];
  GroupSink sink(*this, network().rules[rule], thresholds().group_codes);
  {
    const auto chosen = plan(rule, {});
    Executor executor(*this, *chosen, sink, [this](const Access& a) { return now(a.relation); });
    ANIMA_TRY(executor.run_unit());
  }
  std::vector<Code> out;
  ANIMA_TRY(sink.finish(out));
  Relation& groups = relation(component.writes[0]);
  for (std::size_t i = 0; i < sink.rows(); ++i) {
    groups.insert_row(out.data() + i * groups.columns(), 0);
  }
  return note_derived(sink.rows());
}

// The keys of all groups that the change of a premise brings a row or takes one from.
Status Database::touched_groups(std::uint32_t rule, Relation& keys) {
  const Rule& r = network().rules[rule].rule;
  for (std::uint32_t d = 0; d < r.body.size(); ++d) {
    if (r.body[d].predicate == kNone) continue;
    const RelationChange& change = changes_[r.body[d].predicate];
    PlanRequest request;
    request.goal = PlanGoal::kDelta;
    request.delta_literal = d;
    // A change brings or takes solutions; where it takes them they are found in the state before.
    for (const bool takes : {false, true}) {
      const bool negated = is_negative(r.body[d]);
      const bool deleted = takes != negated;
      const std::size_t rows = deleted ? change.deleted_rows : change.inserted_rows;
      if (rows == 0) continue;
      const auto chosen = plan(rule, request);
      KeySink sink(*r.grouping, keys);
      Executor executor(
          *this, *chosen, sink,
          [&](const Access& a) { return takes ? before(a.relation) : now(a.relation); }, !takes);
      ANIMA_TRY(executor.run_rows(deleted ? change.deleted : change.inserted, rows, nullptr));
    }
  }
  return {};
}

// Whether this transaction's changes can be added to the groups and taken from them: rows of atoms
// only, for a row under a negation says little; and one atom's, or of a body that cannot fail, for
// the new rows of one meet the old ones of another on the way.
bool Database::adjustable(const NetworkRule& rule) const {
  if (!rule.adjusts) return false;
  std::size_t changed = 0;
  bool may_fail = false;
  for (const Literal& literal : rule.rule.body) {
    may_fail |= literal.may_fail;
    if (literal.predicate == kNone || !changes_[literal.predicate].changed()) continue;
    if (literal.kind != LiteralKind::kAtom) return false;
    ++changed;
  }
  return changed <= 1 || !may_fail;
}

// The groups' last results and the solutions that came and went make the next ones. Each of those
// is found once: with the change at atom d, atoms before it read the new state, those behind it
// the old one. False, and nothing is done, when a minimum or maximum lost rows.
Result<bool> Database::adjust_groups(const Component& component) {
  const std::uint32_t rule = component.rules[0];
  const NetworkRule& r = network().rules[rule];
  const Grouping& grouping = *r.rule.grouping;
  GroupSink came(*this, r, 0);
  GroupSink went(*this, r, 0);
  for (std::uint32_t d = 0; d < r.rule.body.size(); ++d) {
    if (r.rule.body[d].predicate == kNone) continue;
    const RelationChange& change = changes_[r.rule.body[d].predicate];
    if (!change.changed()) continue;
    PlanRequest request;
    request.goal = PlanGoal::kDelta;
    request.delta_literal = d;
    const auto chosen = plan(rule, request);
    const ViewPolicy views = [&](const Access& a) {
      return a.literal < d ? now(a.relation) : before(a.relation);
    };
    const auto run = [&](GroupSink& sink, const std::vector<Code>& codes,
                         std::size_t rows) -> Status {
      if (rows == 0) return {};
      Executor executor(*this, *chosen, sink, views, false);
      return executor.run_rows(codes, rows, nullptr);
    };
    ANIMA_TRY(run(came, change.inserted, change.inserted_rows));
    ANIMA_TRY(run(went, change.deleted, change.deleted_rows));
  }
  const std::span<const Column> folds = came.columns();
  const bool extremes = std::ranges::any_of(folds, &Column::is_extreme);
  if (extremes && went.keys().size() > 0) return false;

  const RelationId id = component.writes[0];
  touch(id);
  Relation& groups = relation(id);
  const auto width = static_cast<std::uint32_t>(grouping.keys.size());
  std::vector<std::uint32_t> key_columns;
  for (std::uint32_t c = 0; c < width; ++c) key_columns.push_back(c);
  std::vector<std::size_t> places;  // of the results in a row of the groups
  std::size_t count_at = 0;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const auto column =
        std::ranges::find(r.rule.head_arguments, Argument::variable(grouping.reductions[f].result));
    places.push_back(static_cast<std::size_t>(column - r.rule.head_arguments.begin()));
    if (folds[f].is_count()) count_at = f;
  }
  // Every key that anything came to or went from, once.
  KeyNumbers keys(width, thresholds(), 0);
  std::vector<std::uint32_t> plus;
  std::vector<std::uint32_t> minus;
  const auto collect = [&](const GroupSink& sink, std::vector<std::uint32_t>& of_key) {
    for (std::uint32_t g = 0; g < sink.keys().size(); ++g) {
      const std::uint32_t number = keys.number(sink.keys().key(g));
      plus.resize(keys.size(), kNone);
      minus.resize(keys.size(), kNone);
      of_key[number] = g;
    }
  };
  collect(came, plus);
  collect(went, minus);
  std::vector<std::int64_t> totals(folds.size());
  std::vector<Code> results(folds.size());
  std::vector<Code> row;
  for (std::uint32_t k = 0; k < keys.size(); ++k) {
    const RowId last = groups.newest(key_columns, keys.key(k), groups.now(), seen());
    if (last == kNoRow && plus[k] == kNone) {
      return fail(ErrorCode::kInternal, "a group that is not there lost rows, in: " + r.rule.text,
                  r.rule.where);
    }
    for (std::size_t f = 0; f < folds.size(); ++f) {
      const bool known = last != kNoRow;
      std::int64_t& total = totals[f];
      total = known ? values().view(groups.row(last)[places[f]]).number : 0;
      if (plus[k] != kNone) {
        const std::int64_t more = came.columns()[f].total(plus[k]);
        total = known ? folds[f].both(total, more) : more;
      }
      if (minus[k] != kNone) {
        total = Column::without(total, went.columns()[f].total(minus[k]));
      }
      results[f] = values().integer(total);
    }
    row.clear();
    if (totals[count_at] > 0) ANIMA_TRY(came.append_row(keys.key(k), results, row));
    if (last != kNoRow) {
      const Code* old_row = groups.row(last);
      if (std::equal(row.begin(), row.end(), old_row, old_row + groups.columns())) continue;
      kill(id, last);
    }
    if (row.empty()) continue;
    groups.insert_row(row.data(), 0);
    ANIMA_TRY(note_derived(1));
  }
  return true;
}

// Kills the rows of these groups that are not among the fresh ones.
void Database::kill_stale_groups(RelationId id, Relation& keys, Relation& fresh) {
  Relation& groups = relation(id);
  const std::uint32_t key_width = keys.columns();
  std::vector<std::uint32_t> key_columns;
  for (std::uint32_t c = 0; c < key_width; ++c) key_columns.push_back(c);
  const View view = groups.now();
  const Parts parts = key_width == groups.columns() ? groups.scan_parts(view)
                                                    : groups.parts(key_columns, view, seen());
  for (RowId k = 0; k < keys.size(); ++k) {
    const auto gone = [&](const Part& part, RowId local) {
      if (!part.visible(local)) return;
      const Code* row = part.table->row(local);
      if (!std::equal(row, row + key_width, keys.row(k))) return;
      if (fresh.find(row, fresh.now()) == kNoRow) kill(id, local + part.offset);
    };
    if (key_width == groups.columns() && key_width > 0) {
      const RowId known = groups.find(keys.row(k), groups.now());
      if (known != kNoRow && fresh.find(keys.row(k), fresh.now()) == kNoRow) kill(id, known);
      continue;
    }
    for (std::uint32_t p = 0; p < parts.count; ++p) {
      const Part& part = parts.part[p];
      if (part.index == nullptr) {
        for (RowId local = 0; local < part.limit; ++local) gone(part, local);
        continue;
      }
      const std::uint32_t group = part.index->find(*part.table, keys.row(k));
      if (group == Index::kNoGroup) continue;
      const Index::Group& run = part.index->group(group);
      for (std::uint32_t at = run.begin; at < run.end; ++at) gone(part, part.index->postings()[at]);
      for (RowId local = part.index->tail(group); local != kNoRow;
           local = part.index->next(local)) {
        gone(part, local);
      }
    }
  }
}

Status Database::update_groups(const Component& component) {
  const std::uint32_t rule = component.rules[0];
  const auto key_width =
      static_cast<std::uint32_t>(network().rules[rule].rule.grouping->keys.size());
  if (adjustable(network().rules[rule])) {
    ANIMA_ASSIGN(const bool adjusted, adjust_groups(component));
    if (adjusted) return {};
  }
  Relation keys(key_width, thresholds());
  ANIMA_TRY(touched_groups(rule, keys));
  if (keys.size() == 0) return {};
  std::vector<Code> heads;
  for (RowId id = 0; id < keys.size(); ++id) {
    heads.insert(heads.end(), keys.row(id), keys.row(id) + key_width);
  }
  GroupSink sink(*this, network().rules[rule], 0);
  {
    PlanRequest request;
    request.goal = PlanGoal::kGroup;
    const auto chosen = plan(rule, request);
    Executor executor(*this, *chosen, sink, [this](const Access& a) { return now(a.relation); });
    ANIMA_TRY(executor.run_heads(heads, keys.size(), nullptr));
  }
  std::vector<Code> out;
  ANIMA_TRY(sink.finish(out));

  const RelationId id = component.writes[0];
  touch(id);
  Relation& groups = relation(id);
  Relation fresh(groups.columns(), thresholds());
  for (std::size_t i = 0; i < sink.rows(); ++i)
    fresh.insert_row(out.data() + i * groups.columns(), 0);
  kill_stale_groups(id, keys, fresh);
  for (RowId row = 0; row < fresh.size(); ++row) groups.insert_row(fresh.row(row), 0);
  return note_derived(fresh.size());
}

}  // namespace anima::datalog
