// Evaluation from scratch: semi-naive, one component at a time, deltas as row ranges.
//
// Exactly once by ranges: with the delta at literal d, recursive atoms before d read rows below the
// delta, those behind it rows up to its end. A round's rows get the round's number as their height.
#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "datalog/analyze.h"
#include "datalog/engine/database.h"
#include "datalog/engine/insert_sink.h"

namespace anima::datalog {

namespace {

constexpr double kIndexCost = 4;  // of indexing a row of the delta, in rows looked at

bool writes(const Component& component, RelationId id) {
  return std::ranges::find(component.writes, id) != component.writes.end();
}

// How many intervals each atom of the temporal predicates of a recursion has: one that extends its
// own intervals need not end.
class IntervalCounts {
 public:
  IntervalCounts(std::uint64_t limit, Epoch seen) : limit_(limit), epoch_(seen) {}

  // Takes in the rows [from, end) of a relation; of their atoms, those below the first `from` too.
  Status take(Relation& rows, RowId from, RowId end, const Predicate& predicate) {
    if (limit_ == 0 || !predicate.temporal || predicate.internal) return {};
    auto& [first, counts] = relations_.try_emplace(&rows, Seen{from, {}}).first->second;
    const View now = rows.now();
    for (; from < end; ++from) {
      if (!rows.visible(from, now)) continue;
      const Code* atom = rows.row(from);
      const auto [count, fresh] = counts.try_emplace(hash_row(atom, predicate.arity), 0);
      if (fresh && first > 0) count->second = known(rows, atom, first, predicate.arity);
      if (++count->second <= limit_) continue;
      return fail(ErrorCode::kLimitExceeded,
                  "recursion gives one atom of " + predicate.name + " more than " +
                      std::to_string(limit_) + " intervals",
                  predicate.where, "bound the recursion, or raise max_intervals");
    }
    return {};
  }

 private:
  // How many intervals the atom has in the rows below `first`.
  std::uint64_t known(Relation& rows, const Code* atom, RowId first, std::uint32_t arity) const {
    std::vector<std::uint32_t> columns(arity);
    for (std::uint32_t c = 0; c < arity; ++c) columns[c] = c;
    View below = rows.now();
    below.limit = first;
    return rows.matches(columns, atom, below, epoch_);
  }

  struct Seen {
    RowId first = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> counts;  // by the hash of an atom
  };
  std::uint64_t limit_;
  Epoch epoch_;
  std::unordered_map<const Relation*, Seen> relations_;
};

}  // namespace

Status Database::insert_derived(const NetworkRule& rule, Batch& batch, std::uint32_t height,
                                const std::uint32_t* heights) {
  const Rule& r = rule.rule;
  const RelationInfo& info = network().relations[r.head];
  Relation& rows = relation(r.head);
  const auto width = static_cast<std::uint32_t>(r.head_arguments.size());
  const ArgumentColumns columns(batch, r.head_arguments);
  const Predicate& predicate = network().program->predicates[info.predicate];
  const bool lattice = info.kind == RelationKind::kDerived && predicate.lattice.has_value();
  const RowId before = rows.size();
  if (!lattice) {
    rows.insert(columns.data(), batch.size, height, heights);
  } else {
    std::vector<Code> row(width);
    for (std::uint32_t i = 0; i < batch.size; ++i) {
      for (std::uint32_t c = 0; c < width; ++c) row[c] = columns.data()[c][i];
      ANIMA_TRY(
          insert_lattice(rule, *predicate.lattice, row, heights == nullptr ? height : heights[i]));
    }
  }
  if (r.check_bounds) ANIMA_TRY(check_derived(r, info.predicate, before));
  return note_derived(rows.size() - before);
}

// The rows of the rule's head from `first` on against the head's declared bounds.
Status Database::check_derived(const Rule& rule, PredicateId predicate, RowId first) {
  Relation& rows = relation(rule.head);
  for (RowId id = first; id < rows.size(); ++id) {
    Status fits = check_row(*network().program, predicate,
                            std::span<const Code>(rows.row(id), rows.columns()), values());
    if (fits) continue;
    Error error = std::move(fits).error();
    if (error.where.empty()) error.where = rule.where;
    error.message += ", in: " + rule.text;
    return fail(std::move(error));
  }
  return {};
}

Status Database::run_rule(std::uint32_t rule, std::uint32_t height) {
  const auto chosen = plan(rule, {});
  InsertSink sink(*this, network().rules[rule], height, 0, false);
  Executor executor(*this, *chosen, sink, [this](const Access& a) { return now(a.relation); });
  return executor.run_unit();
}

Status Database::evaluate_component(const Component& component) {
  std::unordered_map<RelationId, RowId> low;
  for (const RelationId id : component.writes) low[id] = relation(id).size();
  for (const std::uint32_t rule : component.rules) {
    const auto& body = network().rules[rule].rule.body;
    const bool recursive = std::ranges::any_of(body, [&](const Literal& literal) {
      return is_positive(literal) && writes(component, literal.predicate);
    });
    if (!recursive) ANIMA_TRY(run_rule(rule, 1));
  }
  if (!component.recursive) return {};
  return run_rounds(component, std::move(low), 2, false);
}

// Rounds until nothing is new. `low`: where each relation's first delta begins. With `track`
// heights follow from the rows that were met, else a round has one height, starting with `height`.
Status Database::run_rounds(const Component& component, std::unordered_map<RelationId, RowId> low,
                            std::uint32_t height, bool track) {
  StratumStats& stats = stats_.strata[component.stratum];
  IntervalCounts intervals(limits_.max_intervals, seen());
  for (;; ++height) {
    ++stats.rounds;
    std::unordered_map<RelationId, RowId> high;
    bool any = false;
    for (const RelationId id : component.writes) {
      high[id] = relation(id).size();
      any |= high[id] > low[id];
      if (high[id] > low[id]) {
        ANIMA_TRY(intervals.take(relation(id), low[id], high[id], network().predicate(id)));
      }
    }
    if (!any) return {};
    for (const std::uint32_t rule : component.rules) {
      const Rule& r = network().rules[rule].rule;
      for (std::uint32_t d = 0; d < r.body.size(); ++d) {
        const RelationId delta = r.body[d].predicate;
        if (!is_positive(r.body[d]) || delta == kNone || !writes(component, delta)) continue;
        if (low[delta] == high[delta]) continue;
        PlanRequest request;
        request.goal = PlanGoal::kDelta;
        request.delta_literal = d;
        request.track = track;
        auto chosen = plan(rule, request);
        // A large delta may better be met on the way than come first.
        bool late = false;
        if (!track && high[delta] - low[delta] >= thresholds().late_delta_rows &&
            r.body.size() > 1) {
          PlanRequest other = request;
          other.late = true;
          other.delta_rows = high[delta] - low[delta];
          const auto rival = plan(rule, other);
          const auto rows = static_cast<double>(other.delta_rows);
          const double rival_cost = rival->fixed_cost + (rival->cost_per_delta + kIndexCost) * rows;
          late = rival_cost < chosen->cost_per_delta * rows / 2;
          if (late) chosen = rival;
        }
        InsertSink sink(*this, network().rules[rule], height, chosen->height_slot(), track);
        Executor executor(*this, *chosen, sink, [&](const Access& a) {
          View view = now(a.relation);
          if (a.recursive)
            view.limit = !track && a.literal < d ? low[a.relation] : high[a.relation];
          if (late && a.literal == d) view.from = low[delta];
          return view;
        });
        if (late) {
          ANIMA_TRY(executor.run_unit());
          continue;
        }
        Relation& source = relation(delta);
        View view = source.now();
        view.limit = high[delta];
        ANIMA_TRY(executor.run_range(source, low[delta], high[delta], view));
      }
    }
    low = std::move(high);
  }
}

// For components whose maintenance has no cheaper form: everything goes, everything is derived
// again, and what comes back is no change.
Status Database::recompute_component(const Component& component) {
  for (const RelationId id : component.writes) {
    touch(id);
    Relation& rows = relation(id);
    const View view = rows.now();
    for (RowId row = 0; row < view.limit; ++row) {
      if (rows.visible(row, view)) kill(id, row);
    }
  }
  return evaluate_component(component);
}

}  // namespace anima::datalog
