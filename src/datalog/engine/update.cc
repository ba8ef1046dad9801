// Maintenance of a component after its inputs changed: deletion guarded by heights, re-derivation,
// insertion.
//
// Delete: rows that may have lost a derivation are looked at in the order of their heights. A row
// stays when some rule instance derives it from living rows of smaller heights (only atoms of the
// component itself count); that test is well founded, so no cycle of rows can hold itself up. A row
// that fails dies, and rows above it that used it become candidates. Re-derive: what died and still
// follows from what is left comes back with a new height. Insert: semi-naive from the new rows and
// from the changed inputs. Follows spec 2.8 (height-guarded DRed).
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <unordered_map>

#include "datalog/engine/database.h"
#include "datalog/engine/insert_sink.h"

namespace anima::datalog {

namespace {

bool component_writes(const Component& component, RelationId id) {
  return std::ranges::find(component.writes, id) != component.writes.end();
}

// Rows to be looked at, by height.
class Candidates {
 public:
  struct Entry {
    RelationId relation;
    RowId row;
    auto operator<=>(const Entry&) const = default;
  };
  void add(std::uint32_t height, Entry entry) { levels_[height].push_back(entry); }
  bool empty() const { return levels_.empty(); }
  // The lowest level, sorted, each row once.
  std::vector<Entry> take(std::uint32_t& height) {
    auto first = levels_.begin();
    height = first->first;
    std::vector<Entry> out = std::move(first->second);
    levels_.erase(first);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  std::map<std::uint32_t, std::vector<Entry>> levels_;
};

// Columns of a rule's head in a batch.
class HeadColumns {
 public:
  HeadColumns(const Rule& rule, Batch& batch) {
    constants_.reserve(rule.head_arguments.size());
    for (const Argument& argument : rule.head_arguments) {
      if (argument.constant) {
        constants_.emplace_back(batch.size, argument.value);
        columns_.push_back(constants_.back().data());
      } else {
        columns_.push_back(batch.column(argument.value));
      }
    }
  }
  const Code* const* data() const { return columns_.data(); }

 private:
  std::vector<std::vector<Code>> constants_;
  std::vector<const Code*> columns_;
};

// Heads of rule instances that used something that went: rows above what they used become
// candidates.
class CandidateSink : public Sink {
 public:
  CandidateSink(Database& database, const Rule& rule, Slot height_slot, Candidates& out)
      : database_(database), rule_(rule), height_slot_(height_slot), out_(out) {}

  Status take(Batch& batch) override {
    Relation& rows = database_.relation(rule_.head);
    const HeadColumns columns(rule_, batch);
    std::array<RowId, kBatch> found;
    rows.find(columns.data(), batch.size, rows.now(), found.data());
    const Code* used = batch.column(height_slot_);
    for (std::uint32_t i = 0; i < batch.size; ++i) {
      if (found[i] == kNoRow) continue;
      const std::uint32_t height = rows.height(found[i]);
      if (height > used[i]) out_.add(height, {rule_.head, found[i]});
    }
    return {};
  }

 private:
  Database& database_;
  const Rule& rule_;
  Slot height_slot_;
  Candidates& out_;
};

// Which origins have a derivation.
class SupportSink : public Sink {
 public:
  SupportSink(Slot origin_slot, std::vector<std::uint8_t>& answer)
      : origin_slot_(origin_slot), answer_(answer) {}

  Status take(Batch& batch) override {
    const Code* origins = batch.column(origin_slot_);
    for (std::uint32_t i = 0; i < batch.size; ++i) answer_[origins[i]] = 1;
    return {};
  }
  bool wants(Code origin) const override { return answer_[origin] == 0; }
  bool selective() const override { return true; }

 private:
  Slot origin_slot_;
  std::vector<std::uint8_t>& answer_;
};

// Which of some rows a rule derives from below, when the rule runs as a whole.
class WholeSupportSink : public Sink {
 public:
  WholeSupportSink(const Rule& rule, Slot height_slot, Relation& rows,
                   std::span<const std::uint32_t> guards, std::vector<std::uint8_t>& answer)
      : rule_(rule), height_slot_(height_slot), rows_(rows), guards_(guards), answer_(answer) {}

  Status take(Batch& batch) override {
    const HeadColumns columns(rule_, batch);
    std::array<RowId, kBatch> found;
    rows_.find(columns.data(), batch.size, rows_.now(), found.data());
    const Code* used = batch.column(height_slot_);
    for (std::uint32_t i = 0; i < batch.size; ++i) {
      if (found[i] != kNoRow && used[i] < guards_[found[i]]) answer_[found[i]] = 1;
    }
    return {};
  }

 private:
  const Rule& rule_;
  Slot height_slot_;
  Relation& rows_;  // row i is what origin i is elsewhere
  std::span<const std::uint32_t> guards_;
  std::vector<std::uint8_t>& answer_;
};

bool meets(const Plan& plan) {
  return std::ranges::any_of(plan.ops, [](const Op& op) { return op.kind == OpKind::kMeet; });
}

// Whether it is much cheaper to run a rule once than to check so many heads one by one: what a head
// was computed from is found only by going through what may have given it. (Plans that meet say
// nothing of their cost.)
bool better_whole(const Plan& check, const Plan& whole, std::size_t rows) {
  constexpr double kMuch = 4;
  if (meets(check) || meets(whole)) return false;
  return check.fixed_cost * static_cast<double>(rows) > kMuch * (whole.fixed_cost + 1);
}

// The lowest height at which each origin can be derived.
class LowestSink : public Sink {
 public:
  LowestSink(Slot origin_slot, Slot height_slot, std::vector<std::uint32_t>& lowest)
      : origin_slot_(origin_slot), height_slot_(height_slot), lowest_(lowest) {}

  Status take(Batch& batch) override {
    const Code* origins = batch.column(origin_slot_);
    const Code* heights = batch.column(height_slot_);
    for (std::uint32_t i = 0; i < batch.size; ++i) {
      lowest_[origins[i]] = std::min(lowest_[origins[i]], heights[i] + 1);
    }
    return {};
  }

 private:
  Slot origin_slot_;
  Slot height_slot_;
  std::vector<std::uint32_t>& lowest_;
};

PlanRequest delta_request(std::uint32_t literal) {
  PlanRequest request;
  request.goal = PlanGoal::kDelta;
  request.delta_literal = literal;
  request.track = true;
  return request;
}

}  // namespace

Status Database::update_component(const Component& component) {
  for (const RelationId id : component.writes) touch(id);
  ANIMA_TRY(delete_phase(component));
  std::unordered_map<RelationId, RowId> low;
  for (const RelationId id : component.writes) low[id] = relation(id).size();
  if (component.recursive) ANIMA_TRY(rederive(component));
  return insert_phase(component, std::move(low));
}

// Which of these living rows have a derivation from below.
Status Database::supported(RelationId id, const std::vector<RowId>& rows,
                           std::vector<std::uint8_t>& answer) {
  Relation& relation_rows = relation(id);
  const std::uint32_t width = relation_rows.columns();
  std::vector<Code> codes;
  std::vector<std::uint32_t> guards;
  codes.reserve(rows.size() * width);
  for (const RowId row : rows) {
    const Code* values = relation_rows.row(row);
    codes.insert(codes.end(), values, values + width);
    guards.push_back(relation_rows.height(row));
  }
  answer.assign(rows.size(), 0);
  stats_.rows_checked += rows.size();
  const Component& component = network().components[network().relations[id].component];
  for (const std::uint32_t rule : component.rules) {
    if (network().rules[rule].rule.head != id) continue;
    PlanRequest request;
    request.goal = PlanGoal::kCheck;
    request.guard = true;
    const auto chosen = plan(rule, request);
    const ViewPolicy views = [this](const Access& a) { return now(a.relation); };
    if (rows.size() > thresholds().check_rows) {
      PlanRequest at_once;
      at_once.track = true;
      const auto whole = plan(rule, at_once);
      if (better_whole(*chosen, *whole, rows.size())) {
        Relation wanted(width, thresholds());
        for (std::size_t i = 0; i < rows.size(); ++i) {
          wanted.insert_row(codes.data() + i * width, 0);
        }
        WholeSupportSink sink(network().rules[rule].rule, whole->height_slot(), wanted, guards,
                              answer);
        Executor executor(*this, *whole, sink, views);
        ANIMA_TRY(executor.run_unit());
        continue;
      }
    }
    SupportSink sink(chosen->origin_slot(), answer);
    Executor executor(*this, *chosen, sink, views);
    ANIMA_TRY(executor.run_heads(codes, rows.size(), guards.data()));
  }
  return {};
}

Status Database::delete_phase(const Component& component) {
  Candidates queue;
  const ViewPolicy old = [this](const Access& a) { return before(a.relation); };
  const auto spread = [&](std::uint32_t rule, std::uint32_t literal, std::span<const Code> codes,
                          std::size_t rows, const std::uint32_t* heights) -> Status {
    const auto chosen = plan(rule, delta_request(literal));
    CandidateSink sink(*this, network().rules[rule].rule, chosen->height_slot(), queue);
    Executor executor(*this, *chosen, sink, old, false);
    return executor.run_rows(codes, rows, heights);
  };
  for (const std::uint32_t rule : component.rules) {
    const auto& body = network().rules[rule].rule.body;
    for (std::uint32_t d = 0; d < body.size(); ++d) {
      if (body[d].predicate == kNone || component_writes(component, body[d].predicate)) continue;
      const RelationChange& change = changes_[body[d].predicate];
      if (is_positive(body[d]) && change.deleted_rows > 0) {
        ANIMA_TRY(spread(rule, d, change.deleted, change.deleted_rows, nullptr));
      } else if (is_negative(body[d]) && change.inserted_rows > 0) {
        ANIMA_TRY(spread(rule, d, change.inserted, change.inserted_rows, nullptr));
      }
    }
  }
  while (!queue.empty()) {
    std::uint32_t height = 0;
    const std::vector<Candidates::Entry> level = queue.take(height);
    std::unordered_map<RelationId, std::vector<Code>> dead;
    std::unordered_map<RelationId, std::size_t> dead_rows;
    for (std::size_t i = 0; i < level.size();) {
      const RelationId id = level[i].relation;
      Relation& rows = relation(id);
      std::vector<RowId> alive;
      for (; i < level.size() && level[i].relation == id; ++i) {
        if (rows.visible(level[i].row, rows.now())) alive.push_back(level[i].row);
      }
      std::vector<std::uint8_t> stays;
      ANIMA_TRY(supported(id, alive, stays));
      for (std::size_t k = 0; k < alive.size(); ++k) {
        if (stays[k] != 0) continue;
        const Code* values = rows.row(alive[k]);
        dead[id].insert(dead[id].end(), values, values + rows.columns());
        ++dead_rows[id];
        kill(id, alive[k]);
      }
    }
    for (const std::uint32_t rule : component.rules) {
      const auto& body = network().rules[rule].rule.body;
      for (std::uint32_t d = 0; d < body.size(); ++d) {
        if (body[d].predicate == kNone || !is_positive(body[d])) continue;
        const auto found = dead.find(body[d].predicate);
        if (found == dead.end()) continue;
        const std::size_t count = dead_rows[found->first];
        const std::vector<std::uint32_t> heights(count, height);
        ANIMA_TRY(spread(rule, d, found->second, count, heights.data()));
      }
    }
  }
  return {};
}

// What died and follows from what is left, at the lowest height that the living rows allow.
Status Database::rederive(const Component& component) {
  for (const RelationId id : component.writes) {
    const std::vector<RowId> killed = changes_[id].killed;
    if (killed.empty()) continue;
    Relation& rows = relation(id);
    const std::uint32_t width = rows.columns();
    std::vector<Code> codes;
    codes.reserve(killed.size() * width);
    for (const RowId row : killed) codes.insert(codes.end(), rows.row(row), rows.row(row) + width);
    std::vector<std::uint32_t> lowest(killed.size(), 0xFFFFFFFFU);
    for (const std::uint32_t rule : component.rules) {
      if (network().rules[rule].rule.head != id) continue;
      PlanRequest request;
      request.goal = PlanGoal::kCheck;
      request.track = true;
      const auto chosen = plan(rule, request);
      LowestSink sink(chosen->origin_slot(), chosen->height_slot(), lowest);
      Executor executor(*this, *chosen, sink, [this](const Access& a) { return now(a.relation); });
      ANIMA_TRY(executor.run_heads(codes, killed.size(), nullptr));
    }
    for (std::size_t i = 0; i < killed.size(); ++i) {
      if (lowest[i] == 0xFFFFFFFFU) continue;
      rows.insert_row(codes.data() + i * width, lowest[i]);
      ANIMA_TRY(note_derived(1));
    }
  }
  return {};
}

Status Database::insert_phase(const Component& component,
                              std::unordered_map<RelationId, RowId> low) {
  const ViewPolicy views = [this](const Access& a) { return now(a.relation); };
  for (const std::uint32_t rule : component.rules) {
    const auto& body = network().rules[rule].rule.body;
    for (std::uint32_t d = 0; d < body.size(); ++d) {
      if (body[d].predicate == kNone || component_writes(component, body[d].predicate)) continue;
      const RelationChange& change = changes_[body[d].predicate];
      const bool positive = is_positive(body[d]);
      const bool negated = is_negative(body[d]);
      const std::size_t rows = positive ? change.inserted_rows : negated ? change.deleted_rows : 0;
      if (rows == 0) continue;
      const auto chosen = plan(rule, delta_request(d));
      InsertSink sink(*this, network().rules[rule], 0, chosen->height_slot(), true);
      Executor executor(*this, *chosen, sink, views);
      ANIMA_TRY(executor.run_rows(positive ? change.inserted : change.deleted, rows, nullptr));
    }
  }
  if (!component.recursive) return {};
  return run_rounds(component, std::move(low), 0, true);
}

}  // namespace anima::datalog
