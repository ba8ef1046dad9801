#include "datalog/engine/database.h"

#include <unordered_set>

namespace anima::datalog {

std::shared_ptr<const Plan> PlanCache::get(const Network& network, std::uint32_t rule,
                                           const PlanRequest& request, const Statistics& statistics,
                                           std::uint64_t& work) {
  const Key key{rule,          request.goal,     request.delta_literal, request.track,
                request.guard, request.keep_all, request.late};
  const MutexLock lock(mutex_);
  auto& plan = plans_[key];
  if (plan == nullptr || is_stale(*plan, statistics)) {
    if (plan != nullptr) bytes_ -= plan->bytes();
    plan = std::make_shared<const Plan>(make_plan(network, rule, request, statistics));
    bytes_ += plan->bytes();
    work += network.rules[rule].rule.body.size();
  }
  return plan;
}

void PlanCache::forget() {
  const MutexLock lock(mutex_);
  plans_.clear();
  bytes_ = 0;
}

Database::Database(std::shared_ptr<Shared> shared, std::shared_ptr<const ForeignMap> foreign)
    : shared_(std::move(shared)),
      foreign_(std::move(foreign)),
      foreign_before_(foreign_),
      evaluation_{*shared_->values, 0, {}, shared_->max_value_bytes} {
  for (const RelationInfo& info : network().relations) {
    relations_.push_back(std::make_unique<Relation>(info.columns, thresholds()));
  }
  changes_.resize(relations_.size());
}

Database::Database(std::shared_ptr<Shared> shared, std::shared_ptr<const Published> published)
    : shared_(std::move(shared)),
      base_(std::move(published)),
      foreign_(base_->foreign),
      foreign_before_(foreign_),
      evaluation_{*shared_->values, 0, {}, shared_->max_value_bytes},
      epoch_(base_->epoch),
      prepared_(true) {
  relations_.resize(network().relations.size());
  changes_.resize(relations_.size());
}

Database::~Database() = default;

Relation& Database::relation(RelationId id) {
  if (relations_[id] == nullptr) relations_[id] = std::make_unique<Relation>(base_->relations[id]);
  return *relations_[id];
}

View Database::before(RelationId id) {
  const RowId size = changes_[id].touched ? changes_[id].size_before : relation(id).size();
  return {size, seen()};
}

Status Database::tick(std::size_t work) {
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

Status Database::note_derived(std::size_t rows) {
  stats_.rows_derived += rows;
  if (limits_.max_derived_rows > 0 && stats_.rows_derived > limits_.max_derived_rows) {
    return fail(ErrorCode::kLimitExceeded,
                "rules derived more than " + std::to_string(limits_.max_derived_rows) + " rows", {},
                "raise max_derived_rows or look for a rule that derives without end");
  }
  return {};
}

std::size_t Database::bytes() const {
  std::size_t total = values().bytes() + shared_->plans.bytes() + held_;
  for (const auto& relation : relations_) {
    if (relation != nullptr) total += relation->bytes();
  }
  for (const auto& [key, answers] : asked_) total += answers->bytes();
  for (const RelationChange& change : changes_) {
    total += (change.inserted.capacity() + change.deleted.capacity()) * sizeof(Code) +
             change.killed.capacity() * sizeof(RowId);
  }
  return total;
}

void Database::touch(RelationId id) {
  RelationChange& change = changes_[id];
  if (change.touched) return;
  change.touched = true;
  change.size_before = relation(id).size();
  touched_.push_back(id);
}

void Database::kill(RelationId id, RowId row) {
  touch(id);
  relation(id).kill(row, epoch_);
  changes_[id].killed.push_back(row);
}

// From what was killed and appended to what really changed.
void Database::finalize(RelationId id) {
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

Error Database::evaluation_error(const Rule& rule, const Literal& literal) const {
  return evaluation_error(rule, literal.where.empty() ? rule.where : literal.where);
}

Error Database::evaluation_error(const Rule& rule, const std::string& where) const {
  return Error{ErrorCode::kInvalidArgument, evaluation_.error + ", in: " + rule.text, where,
               "guard the expression with a test to its left"};
}

bool Database::evaluate_term(const Term& term, std::span<const Code> bindings, Code& out) {
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

std::shared_ptr<const Plan> Database::plan(std::uint32_t rule, const PlanRequest& request) {
  return shared_->plans.get(network(), rule, request, *this, work_);
}

}  // namespace anima::datalog
