// A transaction of a database from its beginning to its end: what is given goes in, components are
// evaluated or maintained in order, constraints are checked; a failure undoes all of it.
#include <algorithm>
#include <memory>
#include <span>

#include "datalog/analyze.h"
#include "datalog/engine/database.h"

namespace anima::datalog {

void Database::begin_budget(const Limits& limits) {
  limits_ = limits;
  started_ = shared_->clock->monotonic_nanoseconds();
  work_ = 0;
  next_look_ = 0;
}

void Database::begin(const Limits& limits) {
  ++epoch_;
  begin_budget(limits);
  evaluation_.now = shared_->clock->now().microseconds * 1000;
  stats_ = {};
  stats_.strata.resize(network().program->strata.size());
  for (const RelationId id : touched_) changes_[id] = {};
  touched_.clear();
}

// Between transactions: relations that are mostly dead start anew; row ids change. Plans do too,
// for what lives may have become different from what they were made for.
void Database::compact() {
  bool any = false;
  for (std::size_t id = 0; id < relations_.size(); ++id) {
    if (relations_[id] == nullptr || !relations_[id]->compact()) continue;
    renewed_.push_back(static_cast<RelationId>(id));
    any = true;
  }
  if (!any) return;
  fan_outs_.clear();
  shared_->plans.forget();
}

void Database::roll_back() {
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

Status Database::guarded(Status status) {
  if (!status) roll_back();
  foreign_before_ = foreign_;
  stats_.work = work_;
  stats_.nanoseconds = shared_->clock->monotonic_nanoseconds() - started_;
  return status;
}

Status Database::check_width(PredicateId predicate, std::uint64_t rows, std::span<const Code> codes,
                             std::uint32_t width) const {
  if (codes.size() == rows * width) return {};
  return fail(ErrorCode::kInvalidArgument, "a row of " +
                                               network().program->predicates[predicate].name +
                                               " has " + std::to_string(width) + " columns");
}

Status Database::apply(const Transaction& transaction) {
  for (const Transaction::Step& step : transaction.steps()) {
    const RelationId id = network().given(step.predicate);
    Relation& rows = relation(id);
    const std::uint32_t width = rows.columns();
    ANIMA_TRY(check_width(step.predicate, step.rows, step.codes, width));
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

// First facts of a relation, in bulk.
Status Database::load(PredicateId predicate, std::uint64_t count, std::span<const Code> codes) {
  const RelationId id = network().given(predicate);
  Relation& rows = relation(id);
  const std::uint32_t width = rows.columns();
  ANIMA_TRY(check_width(predicate, count, codes, width));
  if (network().relations[id].hidden != kNone) {
    for (std::uint64_t r = 0; r < count; ++r)
      ANIMA_TRY(insert_beside(id, codes.data() + r * width));
    return {};
  }
  // Column by column in pieces: insertion is in bulk.
  std::vector<Code> columns(std::size_t{kBatch} * std::max(width, 1U));
  std::vector<const Code*> pointers(width);
  for (std::uint32_t c = 0; c < width; ++c) pointers[c] = columns.data() + std::size_t{c} * kBatch;
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
}

Status Database::evaluate(Transaction first, const Limits& limits) {
  begin(limits);
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
  stats_.work = work_;
  stats_.nanoseconds = shared_->clock->monotonic_nanoseconds() - started_;
  if (!status) {
    // Nothing was there before: start with nothing again.
    for (std::size_t i = 0; i < relations_.size(); ++i) {
      relations_[i] = std::make_unique<Relation>(network().relations[i].columns, thresholds());
    }
    asked_.clear();
    return status;
  }
  return {};
}

Status Database::update(const Transaction& transaction, const Limits& limits,
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

Status Database::run_components(bool fresh) {
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

Status Database::check_constraints() {
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

}  // namespace anima::datalog
