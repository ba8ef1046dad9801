#include "datalog/detail/line.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "datalog/analyze.h"

namespace anima::datalog {

std::shared_ptr<const Plan> PlanCache::get(const Network& network, std::uint32_t rule,
                                           const PlanRequest& request,
                                           const Statistics& statistics) {
  const Key key{rule,          request.goal,     request.delta_literal, request.track,
                request.guard, request.keep_all, request.late};
  const std::lock_guard lock(mutex_);
  auto& plan = plans_[key];
  if (plan == nullptr || is_stale(*plan, statistics)) {
    plan = std::make_shared<const Plan>(make_plan(network, rule, request, statistics));
  }
  return plan;
}

Line::Line(std::shared_ptr<Shared> shared, std::shared_ptr<const ForeignMap> foreign)
    : shared_(std::move(shared)),
      foreign_(std::move(foreign)),
      foreign_before_(foreign_),
      evaluation_{*shared_->values, 0, {}, shared_->max_value_bytes} {
  for (const RelationInfo& info : network().relations) {
    relations_.push_back(std::make_unique<Relation>(info.columns));
  }
  changes_.resize(relations_.size());
}

Line::Line(std::shared_ptr<Shared> shared, std::shared_ptr<const Published> published)
    : shared_(std::move(shared)),
      base_(std::move(published)),
      foreign_(base_->foreign),
      foreign_before_(foreign_),
      evaluation_{*shared_->values, 0, {}, shared_->max_value_bytes},
      epoch_(base_->epoch),
      evaluated_(true),
      prepared_(true) {
  relations_.resize(network().relations.size());
  changes_.resize(relations_.size());
}

Line::~Line() = default;

Relation& Line::relation(RelationId id) {
  if (relations_[id] == nullptr) relations_[id] = std::make_unique<Relation>(base_->relations[id]);
  return *relations_[id];
}

View Line::before(RelationId id) {
  const RowId size = changes_[id].touched ? changes_[id].size_before : relation(id).size();
  return {size, seen()};
}

std::uint64_t Line::rows(RelationId id) const {
  const std::uint64_t own =
      relations_[id] == nullptr ? base_->relations[id]->alive : relations_[id]->alive();
  const auto found = foreign_->find(id);
  return found == foreign_->end() ? own : own + found->second->rows();
}

// Rows over distinct keys: exact when an index knows, else from a sample.
double Line::fan_out(RelationId id, std::span<const std::uint32_t> columns) const {
  if (const auto found = foreign_->find(id); found != foreign_->end()) {
    return found->second->fan_out(columns);
  }
  const std::uint64_t total = rows(id);
  if (total == 0) return network().relations[id].kind == RelationKind::kDerived ? 8.0 : 0.0;
  FanOut& known = fan_outs_[{id, std::vector<std::uint32_t>(columns.begin(), columns.end())}];
  if (known.rows != 0 && known.rows <= total * 2 && total <= known.rows * 2) return known.value;
  const Table& table =
      relations_[id] == nullptr || relations_[id]->own().size() == 0
          ? (base_ == nullptr ? relations_[id]->own() : *base_->relations[id]->table)
          : relations_[id]->own();
  const RowId size =
      relations_[id] == nullptr || relations_[id]->own().size() == 0
          ? (base_ == nullptr ? relations_[id]->own().size() : base_->relations[id]->view.limit)
          : relations_[id]->own().size();
  constexpr RowId kSample = 2048;
  const RowId sample = std::min(kSample, size);
  std::unordered_map<std::uint64_t, std::uint32_t> seen;
  for (RowId i = 0; i < sample; ++i) {
    const auto row = static_cast<RowId>(std::uint64_t{i} * size / sample);
    std::uint64_t hash = 0;
    for (const std::uint32_t c : columns) hash = mix_hash(hash ^ table.row(row)[c]) + 1;
    ++seen[hash];
  }
  double once = 0;
  for (const auto& [hash, count] : seen) once += count == 1 ? 1 : 0;
  const double distinct =
      std::sqrt(static_cast<double>(size) / std::max<double>(sample, 1)) * once +
      (static_cast<double>(seen.size()) - once);
  known.rows = total;
  known.value = static_cast<double>(total) / std::max(1.0, distinct);
  return known.value;
}

void Line::begin(const Limits& limits) {
  ++epoch_;
  limits_ = limits;
  started_ = shared_->clock->monotonic_nanoseconds();
  evaluation_.now = shared_->clock->now().microseconds * 1000;
  work_ = 0;
  next_look_ = 0;
  stats_ = {};
  stats_.strata.resize(network().program->strata.size());
  for (const RelationId id : touched_) changes_[id] = {};
  touched_.clear();
}

// Between transactions: relations that are mostly dead start anew; row ids change.
void Line::compact() {
  for (std::size_t id = 0; id < relations_.size(); ++id) {
    if (relations_[id] != nullptr && relations_[id]->compact()) {
      renewed_.push_back(static_cast<RelationId>(id));
    }
  }
}

Status Line::tick(std::size_t work) {
  work_ += work;
  if (work_ < next_look_) return {};
  next_look_ = work_ + 4096;
  if (limits_.cancel.stop_requested())
    return fail(ErrorCode::kCancelled, "evaluation was cancelled");
  if (limits_.deadline_ms > 0) {
    const std::int64_t spent = shared_->clock->monotonic_nanoseconds() - started_;
    if (spent > limits_.deadline_ms * 1'000'000) {
      return fail(
          ErrorCode::kTimeout,
          "evaluation passed its deadline of " + std::to_string(limits_.deadline_ms) + " ms", {},
          "raise the deadline or look for a rule that derives without end");
    }
  }
  if (limits_.max_bytes > 0 && bytes() > limits_.max_bytes) {
    return fail(ErrorCode::kLimitExceeded,
                "evaluation needs more memory than " + std::to_string(limits_.max_bytes) + " bytes",
                {}, "raise max_bytes or look for a rule that derives without end");
  }
  return {};
}

Status Line::note_derived(std::size_t rows) {
  stats_.rows_derived += rows;
  if (limits_.max_derived_rows > 0 && stats_.rows_derived > limits_.max_derived_rows) {
    return fail(ErrorCode::kLimitExceeded,
                "rules derived more than " + std::to_string(limits_.max_derived_rows) + " rows", {},
                "raise max_derived_rows or look for a rule that derives without end");
  }
  return {};
}

std::size_t Line::bytes() const {
  std::size_t total = values().bytes();
  for (const auto& relation : relations_) {
    if (relation != nullptr) total += relation->bytes();
  }
  return total;
}

void Line::touch(RelationId id) {
  RelationChange& change = changes_[id];
  if (change.touched) return;
  change.touched = true;
  change.size_before = relation(id).size();
  touched_.push_back(id);
}

void Line::kill(RelationId id, RowId row) {
  touch(id);
  relation(id).kill(row, epoch_);
  changes_[id].killed.push_back(row);
}

// From what was killed and appended to what really changed.
void Line::finalize(RelationId id) {
  RelationChange& change = changes_[id];
  if (!change.touched) return;
  Relation& rows = relation(id);
  change.inserted.clear();
  change.deleted.clear();
  change.inserted_rows = change.deleted_rows = 0;
  std::unordered_set<RowId> returned;
  const std::uint32_t width = rows.columns();
  for (const RowId row : change.killed) {
    if (row >= change.size_before) continue;
    const Code* values = rows.row(row);
    const RowId again = rows.find(values, rows.now());
    if (again != kNoRow) {
      returned.insert(again);
    } else {
      change.deleted.insert(change.deleted.end(), values, values + width);
      ++change.deleted_rows;
    }
  }
  const View now = rows.now();
  for (RowId row = change.size_before; row < rows.size(); ++row) {
    if (!rows.visible(row, now) || returned.contains(row)) continue;
    const Code* values = rows.row(row);
    change.inserted.insert(change.inserted.end(), values, values + width);
    ++change.inserted_rows;
  }
}

void Line::roll_back() {
  for (const RelationId id : touched_) {
    RelationChange& change = changes_[id];
    Relation& rows = relation(id);
    rows.abort_from(change.size_before);
    for (const RowId row : change.killed) {
      if (row < change.size_before) rows.revive(row);
    }
    change = {};
  }
  touched_.clear();
  foreign_ = foreign_before_;
  asked_.clear();  // answers of this transaction are gone; the others are asked for once more
}

Status Line::guarded(Status status) {
  if (!status) roll_back();
  foreign_before_ = foreign_;
  stats_.nanoseconds = shared_->clock->monotonic_nanoseconds() - started_;
  return status;
}

Status Line::apply(const Transaction& transaction) {
  for (const Transaction::Step& step : transaction.steps()) {
    const RelationId id = network().given(step.predicate);
    Relation& rows = relation(id);
    const std::uint32_t width = rows.columns();
    if (step.codes.size() != step.rows * width) {
      return fail(ErrorCode::kInvalidArgument, "a row of " + network().predicate(id).name +
                                                   " has " + std::to_string(width) + " columns");
    }
    touch(id);
    for (std::uint64_t r = 0; r < step.rows; ++r) {
      const Code* row = step.codes.data() + r * width;
      if (network().relations[id].hidden != kNone) {
        ANIMA_TRY(step.insert ? insert_beside(id, row) : hide(id, row));
        continue;
      }
      if (step.insert) {
        rows.insert_row(row, 0);
        continue;
      }
      const RowId found = rows.find(row, rows.now());
      if (found != kNoRow) kill(id, found);
    }
    ANIMA_TRY(tick(step.rows));
  }
  return {};
}

Status Line::evaluate(Transaction first, const Limits& limits) {
  begin(limits);
  const auto load = [&](PredicateId predicate, std::uint64_t count,
                        std::span<const Code> codes) -> Status {
    Relation& rows = relation(network().given(predicate));
    const std::uint32_t width = rows.columns();
    if (codes.size() != count * width) {
      return fail(ErrorCode::kInvalidArgument, "a row of " +
                                                   network().program->predicates[predicate].name +
                                                   " has " + std::to_string(width) + " columns");
    }
    if (const RelationId given = network().given(predicate);
        network().relations[given].hidden != kNone) {
      for (std::uint64_t r = 0; r < count; ++r) {
        ANIMA_TRY(insert_beside(given, codes.data() + r * width));
      }
      return {};
    }
    // Column by column in pieces: insertion is in bulk.
    std::vector<Code> columns(std::size_t{kBatch} * std::max(width, 1U));
    std::vector<const Code*> pointers(width);
    for (std::uint32_t c = 0; c < width; ++c)
      pointers[c] = columns.data() + std::size_t{c} * kBatch;
    for (std::uint64_t from = 0; from < count; from += kBatch) {
      const std::uint64_t n = std::min<std::uint64_t>(kBatch, count - from);
      for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint32_t c = 0; c < width; ++c) {
          columns[std::size_t{c} * kBatch + i] = codes[(from + i) * width + c];
        }
      }
      rows.insert(pointers.data(), n, 0);
      ANIMA_TRY(tick(n));
    }
    return {};
  };
  const auto run = [&]() -> Status {
    for (const Facts& facts : network().program->facts) {
      ANIMA_TRY(load(facts.predicate, facts.rows, facts.codes));
    }
    for (Transaction::Step& step : first.steps()) {
      if (!step.insert)
        return fail(ErrorCode::kInvalidArgument, "the first transaction cannot remove facts");
      ANIMA_TRY(load(step.predicate, step.rows, step.codes));
      std::vector<Code>().swap(step.codes);
    }
    ANIMA_TRY(run_components(true));
    return check_constraints();
  };
  Status status = run();
  stats_.nanoseconds = shared_->clock->monotonic_nanoseconds() - started_;
  if (!status) {
    // Nothing was there before: start with nothing again.
    for (std::size_t i = 0; i < relations_.size(); ++i) {
      relations_[i] = std::make_unique<Relation>(network().relations[i].columns);
    }
    asked_.clear();
    return status;
  }
  evaluated_ = true;
  return {};
}

Status Line::update(const Transaction& transaction, const Limits& limits,
                    std::span<const Rebase> rebases) {
  ANIMA_TRY(prepare());
  compact();
  begin(limits);
  const auto run = [&]() -> Status {
    ANIMA_TRY(rebase(rebases));
    ANIMA_TRY(apply(transaction));
    for (const RelationId id : std::vector<RelationId>(touched_)) finalize(id);
    for (const auto& [id, base] : *foreign_) {
      const RelationId hidden = network().relations[id].hidden;
      if (changes_[id].touched || changes_[hidden].touched) {
        ANIMA_TRY(finalize_foreign(id, rebases));
      }
    }
    ANIMA_TRY(run_components(false));
    return check_constraints();
  };
  return guarded(run());
}

Status Line::run_components(bool fresh) {
  for (const Component& component : network().components) {
    const bool affected = fresh || std::ranges::any_of(component.reads, [&](RelationId id) {
                            return changes_[id].changed();
                          });
    if (!affected) continue;
    StratumStats& stats = stats_.strata[component.stratum];
    if (!stats.visited) ++stats_.strata_visited;
    stats.visited = true;
    const std::int64_t start = shared_->clock->monotonic_nanoseconds();
    if (component.grouping) {
      ANIMA_TRY(fresh ? evaluate_groups(component) : update_groups(component));
    } else if (fresh) {
      ANIMA_TRY(evaluate_component(component));
    } else if (component.lattice) {
      ANIMA_TRY(recompute_component(component));
    } else {
      ANIMA_TRY(update_component(component));
    }
    stats.nanoseconds += shared_->clock->monotonic_nanoseconds() - start;
    for (const RelationId id : component.writes) {
      if (!fresh) finalize(id);
      if (component.grouping) continue;
      stats.rows_added += fresh ? relation(id).alive() : changes_[id].inserted_rows;
      stats.rows_removed += fresh ? 0 : changes_[id].deleted_rows;
    }
  }
  return {};
}

Status Line::check_constraints() {
  for (const Constraint& constraint : network().program->constraints) {
    Relation& violations = relation(constraint.violations);
    if (violations.alive() == 0) continue;
    const View now = violations.now();
    for (RowId id = 0; id < violations.size(); ++id) {
      if (!violations.visible(id, now)) continue;
      const Predicate& subject = network().program->predicates[constraint.subject];
      const std::span<const Code> row(violations.row(id), violations.columns());
      return fail(ErrorCode::kInvalidArgument,
                  print_fact(subject, row, values()) + " does not meet " + constraint.text,
                  constraint.where, constraint.hint);
    }
  }
  return {};
}

Status Line::insert_derived(const NetworkRule& rule, Batch& batch, std::uint32_t height,
                            const std::uint32_t* heights) {
  const Rule& r = rule.rule;
  const RelationInfo& info = network().relations[r.head];
  Relation& rows = relation(r.head);
  const auto width = static_cast<std::uint32_t>(r.head_arguments.size());
  std::array<const Code*, 16> few;
  std::vector<const Code*> many;
  std::vector<std::vector<Code>> constants;
  const Code** columns = few.data();
  if (width > few.size()) {
    many.resize(width);
    columns = many.data();
  }
  for (std::uint32_t c = 0; c < width; ++c) {
    if (r.head_arguments[c].constant) {
      constants.emplace_back(batch.size, r.head_arguments[c].value);
      columns[c] = constants.back().data();
    } else {
      columns[c] = batch.column(r.head_arguments[c].value);
    }
  }
  const Predicate& predicate = network().program->predicates[info.predicate];
  const bool lattice = info.kind == RelationKind::kDerived && predicate.lattice.has_value();
  const RowId before = rows.size();
  if (!lattice) {
    rows.insert(columns, batch.size, height, heights);
  } else {
    std::vector<Code> row(width);
    for (std::uint32_t i = 0; i < batch.size; ++i) {
      for (std::uint32_t c = 0; c < width; ++c) row[c] = columns[c][i];
      ANIMA_TRY(
          insert_lattice(rule, *predicate.lattice, row, heights == nullptr ? height : heights[i]));
    }
  }
  if (r.check_bounds) {
    for (RowId id = before; id < rows.size(); ++id) {
      Status fits = check_row(*network().program, info.predicate,
                              std::span<const Code>(rows.row(id), width), values());
      if (!fits) {
        Error error = std::move(fits).error();
        if (error.where.empty()) error.where = r.where;
        error.message += ", in: " + r.text;
        return fail(std::move(error));
      }
    }
  }
  return note_derived(rows.size() - before);
}

Error Line::evaluation_error(const Rule& rule, const Literal& literal) const {
  return evaluation_error(rule, literal.where.empty() ? rule.where : literal.where);
}

Error Line::evaluation_error(const Rule& rule, const std::string& where) const {
  return Error{ErrorCode::kInvalidArgument, evaluation_.error + ", in: " + rule.text, where,
               "guard the expression with a test to its left"};
}

bool Line::evaluate_term(const Term& term, std::span<const Code> bindings, Code& out) {
  if (term.kind == Term::Kind::kVariable) {
    out = bindings[term.value];
    return true;
  }
  if (term.kind == Term::Kind::kConstant) {
    out = term.value;
    return true;
  }
  std::vector<Code> arguments(term.arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!evaluate_term(term.arguments[i], bindings, arguments[i])) return false;
  }
  return anima::datalog::evaluate(term.function, arguments, evaluation_, out);
}

std::shared_ptr<const Plan> Line::plan(std::uint32_t rule, const PlanRequest& request) {
  return shared_->plans.get(network(), rule, request, *this);
}

std::vector<std::uint32_t> Line::ask_places(const Literal& literal) const {
  if (!literal.inputs.empty()) return literal.inputs;
  // A negated call: the places of the first mode that needs no wildcard.
  const Predicate& predicate = network().program->predicates[literal.predicate];
  std::vector<std::uint32_t> places;
  for (std::uint32_t c = 0; c < literal.arguments.size(); ++c) {
    const bool input = predicate.modes.empty() || predicate.modes[0][c] == Mode::kInput;
    if (input) places.push_back(c);
  }
  return places;
}

Status Line::ask(PredicateId predicate, std::span<const std::uint32_t> places,
                 std::span<const Code> inputs, std::size_t count) {
  const auto found = shared_->virtuals.find(predicate);
  if (found == shared_->virtuals.end()) {
    return fail(
        ErrorCode::kNotFound,
        "nobody answers the external predicate " + network().program->predicates[predicate].name,
        network().program->predicates[predicate].where, "register a call-back for it");
  }
  const AskedKey key{predicate, std::vector<std::uint32_t>(places.begin(), places.end())};
  auto& set = asked_[key];
  if (set == nullptr) {
    set = std::make_unique<Relation>(static_cast<std::uint32_t>(places.size()));
    if (base_ != nullptr) {
      const auto known = base_->asked.find(key);
      if (known != base_->asked.end()) set = std::make_unique<Relation>(known->second);
    }
  }
  std::vector<Code> fresh;
  const std::size_t width = places.size();
  std::size_t fresh_count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Code* input = inputs.data() + i * width;
    if (!set->insert_row(input, 0)) continue;
    fresh.insert(fresh.end(), input, input + width);
    ++fresh_count;
  }
  if (fresh_count == 0) return {};
  std::vector<Code> rows;
  Status status = found->second->answer(places, fresh, fresh_count, values(), rows);
  if (!status) {
    // These inputs were not answered: the next question must ask again.
    for (std::size_t i = 0; i < fresh_count; ++i) {
      const RowId row = set->find(fresh.data() + i * width, set->now());
      if (row != kNoRow) set->kill(row, epoch_);
    }
    return status;
  }
  touch(predicate);
  Relation& memo = relation(predicate);
  for (std::size_t at = 0; at + memo.columns() <= rows.size(); at += memo.columns()) {
    const Code* row = rows.data() + at;
    std::vector<Code> given(width);
    for (std::size_t k = 0; k < width; ++k) given[k] = row[places[k]];
    if (set->find(given.data(), set->now()) != kNoRow) memo.insert_row(row, 0);
  }
  return {};
}

// The memo loses what these inputs had, gets what they have now, and the difference is maintained.
Status Line::invalidate(PredicateId predicate, std::span<const std::uint32_t> places,
                        std::span<const Code> inputs, std::size_t count, const Limits& limits) {
  ANIMA_TRY(prepare());
  begin(limits);
  const auto run = [&]() -> Status {
    touch(predicate);
    Relation& memo = relation(predicate);
    Relation wanted(static_cast<std::uint32_t>(places.size()));
    for (std::size_t i = 0; i < count; ++i) wanted.insert_row(inputs.data() + i * places.size(), 0);
    std::vector<Code> key(places.size());
    const View view = memo.now();
    for (RowId row = 0; row < view.limit; ++row) {
      if (!memo.visible(row, view)) continue;
      for (std::size_t k = 0; k < key.size(); ++k) key[k] = memo.row(row)[places[k]];
      if (wanted.find(key.data(), wanted.now()) != kNoRow) kill(predicate, row);
    }
    for (auto& [asked, set] : asked_) {
      if (asked.relation != predicate || !std::ranges::equal(asked.places, places)) continue;
      for (std::size_t i = 0; i < count; ++i) {
        const RowId row = set->find(inputs.data() + i * places.size(), set->now());
        if (row != kNoRow) set->kill(row, epoch_);
      }
    }
    ANIMA_TRY(ask(predicate, places, inputs, count));
    finalize(predicate);
    ANIMA_TRY(run_components(false));
    return check_constraints();
  };
  return guarded(run());
}

}  // namespace anima::datalog
