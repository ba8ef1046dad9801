#include "datalog/engine/plan.h"

#include <algorithm>
#include <limits>

#include "datalog/engine/body.h"
#include "datalog/engine/plan_slots.h"

namespace anima::datalog {
namespace {

constexpr std::uint32_t kMaxKeyColumns = 32;

class Planner {
 public:
  Planner(const Network& network, std::uint32_t rule, const PlanRequest& request,
          const Statistics& statistics)
      : network_(network), statistics_(statistics), rule_(network.rules[rule].rule) {
    plan_.rule = &network.rules[rule];
    plan_.goal = request.goal;
    plan_.delta_literal = request.delta_literal;
    plan_.track = request.track;
    plan_.guard = request.guard;
    keep_all_ = request.keep_all;
    late_ = request.late;
    delta_rows_ = static_cast<double>(std::max<std::uint64_t>(request.delta_rows, 1));
    plan_.slots = static_cast<std::uint32_t>(rule_.variables.size()) + 3;
    bound_.assign(plan_.slots, false);
    placed_.assign(rule_.body.size(), false);
    component_ = network.relations[rule_.head].component;
    cyclic_ = is_cyclic(rule_.body);
  }

  Plan run() {
    start();
    while (true) {
      place_cheap();
      if (!place_atom()) break;
    }
    for (const Literal& literal : rule_.body) {
      if (literal.predicate != kNone) {
        plan_.sizes.emplace_back(literal.predicate, statistics_.rows(literal.predicate));
      }
    }
    settle_slots(plan_, rule_, bound_, keep_all_);
    return std::move(plan_);
  }

 private:
  void start() {
    if (plan_.goal == PlanGoal::kDelta && !late_) {
      seen_delta_ = true;
      plan_.source = SourceKind::kRows;
      const Literal& literal = rule_.body[plan_.delta_literal];
      plan_.access = access(plan_.delta_literal);
      // A change under a negation brings its rows in; the negation itself is still to be tested.
      if (is_positive(literal)) {
        placed_[plan_.delta_literal] = true;
      } else {
        drop_wildcards(plan_.access, plan_.delta_literal);
      }
      for (const auto& [column, slot] : plan_.access.binds) bound_[slot] = true;
    } else if (plan_.goal == PlanGoal::kCheck || plan_.goal == PlanGoal::kGroup) {
      plan_.source = SourceKind::kHead;
      if (plan_.goal == PlanGoal::kCheck) {
        plan_.head = rule_.head_arguments;
      } else {
        for (const Variable key : rule_.grouping->keys)
          plan_.head.push_back(Argument::variable(key));
      }
      for (const Argument& argument : plan_.head) {
        if (!argument.constant) bound_[argument.value] = true;
      }
      bound_[plan_.origin_slot()] = true;
      bound_[plan_.guard_slot()] = plan_.guard;
    }
    bound_[plan_.height_slot()] = plan_.track;
  }

  Access access(std::uint32_t place) const {
    const Literal& literal = rule_.body[place];
    Access out;
    out.literal = place;
    out.relation = literal.predicate;
    out.recursive = component_ != kNone &&
                    network_.relations[literal.predicate].component == component_ &&
                    !network_.components[component_].grouping;
    out.columns = static_cast<std::uint32_t>(literal.arguments.size());
    std::vector<std::pair<Variable, std::uint32_t>> fresh;
    for (std::uint32_t c = 0; c < out.columns; ++c) {
      const Argument& argument = literal.arguments[c];
      if (argument.constant || bound_[argument.value]) {
        if (out.key_columns.size() < kMaxKeyColumns) {
          out.key_columns.push_back(c);
          out.key.push_back(argument);
        } else {
          out.tests.emplace_back(c, argument);
        }
        continue;
      }
      const auto seen = std::ranges::find_if(
          fresh, [&](const auto& entry) { return entry.first == argument.value; });
      if (seen != fresh.end()) {
        out.same.emplace_back(seen->second, c);
      } else {
        fresh.emplace_back(argument.value, c);
        out.binds.emplace_back(c, argument.value);
      }
    }
    return out;
  }

  void drop_wildcards(Access& out, std::uint32_t place) const {
    const std::vector<Variable> named = needed_variables(rule_, place);
    std::erase_if(out.binds, [&](const auto& bind) {
      return std::ranges::find(named, bind.second) == named.end();
    });
  }

  bool ready(std::uint32_t place) const {
    const Literal& literal = rule_.body[place];
    for (const Variable v : needed_variables(rule_, place)) {
      if (!bound_[v]) return false;
    }
    if (!literal.may_fail) return true;
    for (std::uint32_t i = 0; i < place; ++i) {
      if (!placed_[i]) return false;
    }
    return true;
  }

  // Tests, computations and atoms without new variables, as soon as they can run.
  void place_cheap() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = 0; i < rule_.body.size(); ++i) {
        if (placed_[i] || !ready(i)) continue;
        const Literal& literal = rule_.body[i];
        if (literal.kind == LiteralKind::kAtom) {
          Access a = access(i);
          if (!a.binds.empty()) continue;
          add_filter(OpKind::kExists, std::move(a));
        } else if (is_negative(literal)) {
          Access a = access(i);
          a.binds.clear();
          if (network_.relations[literal.predicate].kind == RelationKind::kExternal) add_ask(i);
          add_filter(OpKind::kMissing, std::move(a));
        } else if (literal.kind == LiteralKind::kCall) {
          continue;
        } else {
          add_computation(i);
        }
        placed_[i] = true;
        changed = true;
        break;
      }
    }
  }

  void add_filter(OpKind kind, Access a) {
    Op op;
    op.kind = kind;
    op.literal = a.literal;
    op.access.push_back(std::move(a));
    plan_.ops.push_back(std::move(op));
  }

  void add_ask(std::uint32_t place) {
    Op op;
    op.kind = OpKind::kAsk;
    op.literal = place;
    plan_.ops.push_back(std::move(op));
  }

  void add_computation(std::uint32_t place) {
    const Literal& literal = rule_.body[place];
    Op op;
    op.literal = place;
    if (literal.kind == LiteralKind::kAssign) {
      op.kind = OpKind::kAssign;
      op.known = bound_[literal.variable];
      bound_[literal.variable] = true;
    } else if (literal.kind == LiteralKind::kCompare) {
      op.kind = OpKind::kCompare;
    } else {
      op.kind = OpKind::kBuiltin;
      for (const Variable v : literal.outputs) op.bound.push_back(bound_[v]);
      for (const Variable v : literal.outputs) bound_[v] = true;
    }
    plan_.ops.push_back(std::move(op));
  }

  double cost(const Access& a) const {
    const double rows = static_cast<double>(statistics_.rows(a.relation));
    double out = a.key_columns.empty() ? rows : rows_for(a);
    if (late_ && a.literal == plan_.delta_literal) out *= delta_rows_ / std::max(rows, 1.0);
    return out;
  }

  double rows_for(const Access& a) const {
    // How often a constant stands there may be far from the mean: most calls succeed, few fail.
    if (std::ranges::all_of(a.key, &Argument::constant)) {
      std::vector<Code> codes;
      for (const Argument& argument : a.key) codes.push_back(argument.value);
      return statistics_.matches(a.relation, a.key_columns, codes);
    }
    // Single rows come most often with the keys that many have.
    const bool single = plan_.goal != PlanGoal::kFull && !late_;
    return single ? statistics_.companions(a.relation, a.key_columns)
                  : statistics_.fan_out(a.relation, a.key_columns);
  }

  // Costs: `width_` bindings for one row of the delta (or for all of it, before it was met).
  void count(std::uint32_t literal, double fan_out) {
    (seen_delta_ ? plan_.cost_per_delta : plan_.fixed_cost) += width_;
    if (late_ && literal == plan_.delta_literal) {
      seen_delta_ = true;
      fan_out /= delta_rows_;
    }
    width_ *= fan_out;
    (seen_delta_ ? plan_.cost_per_delta : plan_.fixed_cost) += width_;
  }

  // The next atom that brings variables: the smallest fan-out; connected ones before products.
  bool place_atom() {
    if (cyclic_ && !late_ && place_meet()) return true;
    std::uint32_t best = kNone;
    double best_cost = std::numeric_limits<double>::infinity();
    bool best_connected = false;
    const bool anything_bound = !plan_.ops.empty() || plan_.source != SourceKind::kUnit;
    for (std::uint32_t i = 0; i < rule_.body.size(); ++i) {
      const Literal& literal = rule_.body[i];
      if (placed_[i]) continue;
      if (!is_positive(literal)) continue;
      if (!ready(i)) continue;
      const Access a = access(i);
      const bool connected = !anything_bound || !a.key_columns.empty();
      const double c = cost(a);
      const bool better = best == kNone || (connected && !best_connected) ||
                          (connected == best_connected && c < best_cost);
      if (!better) continue;
      best = i;
      best_cost = c;
      best_connected = connected;
    }
    if (best == kNone) return false;
    if (rule_.body[best].kind == LiteralKind::kCall) add_ask(best);
    Op op;
    op.access.push_back(access(best));
    op.kind = op.access[0].binds.empty() ? OpKind::kExists : OpKind::kProbe;
    op.literal = best;
    for (const auto& [column, slot] : op.access[0].binds) bound_[slot] = true;
    count(best, best_cost);
    plan_.ops.push_back(std::move(op));
    placed_[best] = true;
    return true;
  }

  // Atoms that lack exactly one variable, the same one, and have something bound.
  bool place_meet() {
    for (Variable v = 0; v < rule_.variables.size(); ++v) {
      if (bound_[v]) continue;
      std::vector<Access> found;
      for (std::uint32_t i = 0; i < rule_.body.size(); ++i) {
        if (placed_[i] || rule_.body[i].kind != LiteralKind::kAtom) continue;
        if (network_.relations[rule_.body[i].predicate].hidden != kNone) continue;
        Access a = access(i);
        if (a.binds.size() != 1 || a.binds[0].second != v || a.key_columns.empty()) continue;
        if (!a.same.empty() || !a.tests.empty() || a.columns != a.key_columns.size() + 1) continue;
        found.push_back(std::move(a));
      }
      if (found.size() < 2) continue;
      Op op;
      op.kind = OpKind::kMeet;
      op.literal = found[0].literal;
      for (const Access& a : found) placed_[a.literal] = true;
      op.access = std::move(found);
      bound_[v] = true;
      plan_.ops.push_back(std::move(op));
      return true;
    }
    return false;
  }

  const Network& network_;
  const Statistics& statistics_;
  const Rule& rule_;
  Plan plan_;
  std::vector<bool> bound_;
  std::vector<bool> placed_;
  std::uint32_t component_ = kNone;
  bool cyclic_ = false;
  bool keep_all_ = false;
  bool late_ = false;
  bool seen_delta_ = false;
  double delta_rows_ = 1;
  double width_ = 1;
};

}  // namespace

Plan make_plan(const Network& network, std::uint32_t rule, const PlanRequest& request,
               const Statistics& statistics) {
  return Planner(network, rule, request, statistics).run();
}

bool is_stale(const Plan& plan, const Statistics& statistics) {
  return std::ranges::any_of(plan.sizes, [&](const auto& entry) {
    const std::uint64_t now = statistics.rows(entry.first);
    return now > entry.second * 4 + 64 || entry.second > now * 4 + 64;
  });
}

}  // namespace anima::datalog
