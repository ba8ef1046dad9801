#include "datalog/engine/plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

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
    needed_ = needed_variables(rule_);
    readers_.resize(plan_.slots);
    needs_.resize(rule_.body.size());
    lacks_.resize(rule_.body.size());
    costs_.resize(rule_.body.size());
    for (std::uint32_t i = 0; i < rule_.body.size(); ++i) watch(i);
  }

  Plan run() {
    start();
    for (std::uint32_t i = 0; i < rule_.body.size(); ++i) consider(i);
    while (true) {
      place_cheap();
      if (!place_atom()) break;
    }
    for (const Literal& literal : rule_.body) {
      if (literal.predicate != kNone) {
        plan_.sizes.emplace_back(literal.predicate, statistics_.rows(literal.predicate));
      }
    }
    settle_slots(plan_, rule_, needed_, bound_, keep_all_);
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
        set_placed(plan_.delta_literal);
      } else {
        drop_wildcards(plan_.access, plan_.delta_literal);
      }
      for (const auto& [column, slot] : plan_.access.binds) bind(slot);
    } else if (plan_.goal == PlanGoal::kCheck || plan_.goal == PlanGoal::kGroup) {
      plan_.source = SourceKind::kHead;
      if (plan_.goal == PlanGoal::kCheck) {
        plan_.head = rule_.head_arguments;
      } else {
        for (const Variable key : rule_.grouping->keys)
          plan_.head.push_back(Argument::variable(key));
      }
      for (const Argument& argument : plan_.head) {
        if (!argument.constant) bind(argument.value);
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
    const std::vector<Variable>& named = needed_[place];
    std::erase_if(out.binds, [&](const auto& bind) {
      return std::ranges::find(named, bind.second) == named.end();
    });
  }

  // What happens when a variable becomes bound is known from the start, so that placing a literal
  // looks at those only that it concerns.
  void watch(std::uint32_t place) {
    const Literal& literal = rule_.body[place];
    std::vector<Variable> own = needed_[place];
    sort_out(own);
    needs_[place] = static_cast<std::uint32_t>(own.size());
    for (const Variable v : own) readers_[v].push_back({place, true});
    if (!is_positive(literal)) return;
    std::vector<Variable> all = bound_variables(literal);
    sort_out(all);
    lacks_[place] = static_cast<std::uint32_t>(all.size());
    for (const Variable v : all) readers_[v].push_back({place, false});
  }
  static void sort_out(std::vector<Variable>& list) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  void bind(Slot slot) {
    if (bound_[slot]) return;
    bound_[slot] = true;
    meets_.erase(slot);
    for (const auto& [place, needs] : readers_[slot]) {
      --(needs ? needs_ : lacks_)[place];
      if (started_) consider(place);
    }
  }

  void set_placed(std::uint32_t place) {
    placed_[place] = true;
    cheap_.erase(place);
    forget_cost(place);
    // One that may fail waits until all to its left stand.
    while (first_ < placed_.size() && placed_[first_]) ++first_;
    if (started_ && first_ < placed_.size()) consider(first_);
  }

  void forget_cost(std::uint32_t place) {
    if (!costs_[place]) return;
    order_.erase({!costs_[place]->connected, costs_[place]->cost, place});
    costs_[place].reset();
  }

  bool ready(std::uint32_t place) const {
    return needs_[place] == 0 && (!rule_.body[place].may_fail || first_ >= place);
  }

  // Puts a literal where place_cheap(), place_atom() and place_meet() look for what they may place.
  void consider(std::uint32_t place) {
    started_ = true;
    if (placed_[place] || !ready(place)) return;
    const Literal& literal = rule_.body[place];
    if (!is_positive(literal)) {
      cheap_.insert(place);
      return;
    }
    if (literal.kind == LiteralKind::kAtom && lacks_[place] == 0) {
      forget_cost(place);
      cheap_.insert(place);
      return;
    }
    const Access a = access(place);
    forget_cost(place);
    costs_[place] = {!a.key_columns.empty(), cost(a)};
    order_.insert({!costs_[place]->connected, costs_[place]->cost, place});
    if (cyclic_ && lacks_[place] == 1) consider_meet(a);
  }

  void consider_meet(const Access& a) {
    const Literal& literal = rule_.body[a.literal];
    if (literal.kind != LiteralKind::kAtom) return;
    if (network_.relations[literal.predicate].hidden != kNone) return;
    if (a.binds.size() != 1 || a.key_columns.empty()) return;
    if (!a.same.empty() || !a.tests.empty() || a.columns != a.key_columns.size() + 1) return;
    meets_[a.binds[0].second].insert(a.literal);
  }

  // Tests, computations and atoms without new variables, as soon as they can run.
  void place_cheap() {
    while (!cheap_.empty()) {
      const std::uint32_t i = *cheap_.begin();
      const Literal& literal = rule_.body[i];
      set_placed(i);
      if (literal.kind == LiteralKind::kAtom) {
        add_filter(OpKind::kExists, access(i));
      } else if (is_negative(literal)) {
        Access a = access(i);
        a.binds.clear();
        if (network_.relations[literal.predicate].kind == RelationKind::kExternal) add_ask(i);
        add_filter(OpKind::kMissing, std::move(a));
      } else {
        add_computation(i);
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
      bind(literal.variable);
    } else if (literal.kind == LiteralKind::kCompare) {
      op.kind = OpKind::kCompare;
    } else {
      op.kind = OpKind::kBuiltin;
      for (const Variable v : literal.outputs) op.bound.push_back(bound_[v]);
      for (const Variable v : literal.outputs) bind(v);
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
    if (order_.empty()) return false;
    std::uint32_t best = std::get<2>(*order_.begin());
    // Nothing is bound yet: everything is as good as connected.
    if (plan_.ops.empty() && plan_.source == SourceKind::kUnit) {
      for (const auto& [apart, cost, place] : order_) {
        const double least = costs_[best]->cost;
        if (cost < least || (!(least < cost) && place < best)) best = place;
      }
    }
    const double best_cost = costs_[best]->cost;
    set_placed(best);
    if (rule_.body[best].kind == LiteralKind::kCall) add_ask(best);
    Op op;
    op.access.push_back(access(best));
    op.kind = op.access[0].binds.empty() ? OpKind::kExists : OpKind::kProbe;
    op.literal = best;
    for (const auto& [column, slot] : op.access[0].binds) bind(slot);
    count(best, best_cost);
    plan_.ops.push_back(std::move(op));
    return true;
  }

  // Atoms that lack exactly one variable, the same one, and have something bound.
  bool place_meet() {
    const auto found =
        std::ranges::find_if(meets_, [](const auto& entry) { return entry.second.size() > 1; });
    if (found == meets_.end()) return false;
    const Variable v = found->first;
    Op op;
    op.kind = OpKind::kMeet;
    for (const std::uint32_t place : found->second) op.access.push_back(access(place));
    op.literal = op.access[0].literal;
    for (const Access& a : op.access) set_placed(a.literal);
    bind(v);
    plan_.ops.push_back(std::move(op));
    return true;
  }

  struct Cost {
    bool connected = false;
    double cost = 0;
  };

  const Network& network_;
  const Statistics& statistics_;
  const Rule& rule_;
  Plan plan_;
  std::vector<bool> bound_;
  std::vector<bool> placed_;
  std::vector<std::vector<Variable>> needed_;
  // By variable: the literals that need it (true) and the positive ones that have it (false).
  std::vector<std::vector<std::pair<std::uint32_t, bool>>> readers_;
  std::vector<std::uint32_t> needs_;  // by literal: variables that it needs and that are not bound
  std::vector<std::uint32_t> lacks_;  // by positive literal: its variables that are not bound
  std::uint32_t first_ = 0;           // the first literal that is not placed
  bool started_ = false;
  std::set<std::uint32_t> cheap_;
  std::vector<std::optional<Cost>> costs_;
  std::set<std::tuple<bool, double, std::uint32_t>> order_;  // not connected, cost, place
  std::map<Variable, std::set<std::uint32_t>> meets_;        // by the one that they lack
  std::uint32_t component_ = kNone;
  bool cyclic_ = false;
  bool keep_all_ = false;
  bool late_ = false;
  bool seen_delta_ = false;
  double delta_rows_ = 1;
  double width_ = 1;
};

}  // namespace

std::size_t Plan::bytes() const {
  std::size_t total = sizeof(Plan) + ops.size() * sizeof(Op) + sizes.size() * sizeof(sizes[0]);
  for (const Op& op : ops) {
    total += op.carry.size() * sizeof(Slot) + op.access.size() * sizeof(Access);
    for (const Access& a : op.access) {
      total += a.columns * (sizeof(std::uint32_t) + sizeof(Argument));
    }
  }
  return total;
}

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
