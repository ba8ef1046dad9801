#include "query/detail/match.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace anima::query::detail {

using store::EntityId;
using store::Pattern;
using store::Predicate;
using store::PredicateClass;
using store::Snapshot;
using store::Term;

void collect_slots(const StatementPattern& pattern, SlotSet* slots) {
  for (const Ref& ref : {pattern.subject, pattern.predicate, pattern.object}) {
    if (ref.is_slot) slots->set(ref.value);
  }
  if (pattern.proposition) slots->set(*pattern.proposition);
  if (pattern.graph) slots->set(*pattern.graph);
}

Pipeline::Pipeline() = default;
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;
Pipeline::~Pipeline() = default;

namespace {

constexpr std::size_t kExhaustiveItems = 12;
constexpr std::size_t kItemsOfARow = 16;  // to weigh so many costs about what a row costs

class Planner {
 public:
  Planner(const Node& node, Run& run, Statistics& statistics, const Bound& before,
          const SlotSet& used)
      : node_(node), run_(run), statistics_(statistics), before_(before), used_(used) {
    for (const Candidates& list : node.candidates) {
      if (list.codes.size() == 1) known_.emplace_back(list.slot, list.codes[0]);
    }
  }

  std::vector<Step> plan() {
    const std::vector<std::size_t> order = choose_order();
    bound_ = before_.certain;
    done_.assign(items(), false);
    rows_ = 1;
    for (const std::size_t item : order) {
      if (!weigh_all()) break;
      if (!done_[item]) take(item);
    }
    return std::move(steps_);
  }

 private:
  // Planning spends from the budget of the run: all items were looked at once more. False when it
  // is used up; the plan is then of no use.
  bool weigh_all() const { return run_.spend(1 + items() / kItemsOfARow) == Flow::kMore; }

  // Items 0 .. p-1 are patterns, the rest candidate lists.
  std::size_t items() const { return node_.patterns.size() + node_.candidates.size(); }
  bool is_list(std::size_t item) const { return item >= node_.patterns.size(); }
  const StatementPattern& pattern(std::size_t item) const { return node_.patterns[item]; }
  const Candidates& list(std::size_t item) const {
    return node_.candidates[item - node_.patterns.size()];
  }

  SlotSet slots_of(std::size_t item) const {
    SlotSet slots;
    if (is_list(item)) {
      slots.set(list(item).slot);
    } else {
      collect_slots(pattern(item), &slots);
    }
    return slots;
  }

  // A constant, or a slot whose only candidate is known.
  std::optional<std::uint32_t> constant(const Ref& ref) const {
    if (!ref.is_slot) return ref.value;
    for (const auto& [slot, code] : known_) {
      if (slot == ref.value) return code;
    }
    return std::nullopt;
  }
  // A predicate slot whose cells are nodes: only a scan knows what they stand for.
  bool holds_nodes(const StatementPattern& it) const {
    return it.predicate.is_slot && run_.plan.predicate_nodes != nullptr;
  }
  std::optional<std::uint32_t> constant_predicate(const StatementPattern& it) const {
    return holds_nodes(it) ? std::nullopt : constant(it.predicate);
  }
  static bool is_bound(const Ref& ref, const SlotSet& bound) {
    return !ref.is_slot || bound.test(ref.value);
  }

  // What the snapshot says about a pattern, asked for once a plan.
  struct Known {
    double rows[4] = {-1, -1, -1, -1};  // by which ends are constants that count
    std::optional<Statistics::Shape> shape;
  };
  Known& known_of(const StatementPattern& it) const {
    if (asked_.empty()) asked_.resize(node_.patterns.size());
    return asked_[static_cast<std::size_t>(&it - node_.patterns.data())];
  }

  double count(const StatementPattern& it, bool subject, bool object) const {
    double& rows = known_of(it).rows[(subject ? 1u : 0u) + (object ? 2u : 0u)];
    if (rows < 0) rows = ask_count(it, subject, object);
    return rows;
  }

  // Requires a constant predicate.
  const Statistics::Shape& shape(const StatementPattern& it) const {
    auto& shape = known_of(it).shape;
    if (shape) return *shape;
    const Snapshot& snapshot = run_.scope(it.scope);
    shape = statistics_.shape(snapshot, Predicate{*constant(it.predicate)}, run_.meter());
    for (const std::uint32_t predicate : it.also) {
      const auto more = statistics_.shape(snapshot, Predicate{predicate}, run_.meter());
      shape->rows += more.rows;
      shape->subjects += more.subjects;
      shape->objects += more.objects;
    }
    return *shape;
  }

  double ask_count(const StatementPattern& it, bool subject, bool object) const {
    Pattern pattern;
    if (subject) pattern.subject = EntityId{*constant(it.subject)};
    if (object) pattern.object = Term{*constant(it.object)};
    const Snapshot& snapshot = run_.scope(it.scope);
    if (const auto predicate = constant_predicate(it)) {
      pattern.predicate = Predicate{*predicate};
      std::uint64_t rows = snapshot.count(pattern);
      for (const std::uint32_t other : it.also) {
        pattern.predicate = Predicate{other};
        rows += snapshot.count(pattern);
      }
      return static_cast<double>(rows);
    }
    double total = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if ((it.classes & (1u << i)) == 0) continue;
      pattern.predicate_class = static_cast<PredicateClass>(i);
      total += static_cast<double>(snapshot.count(pattern));
    }
    return total;
  }

  double list_fan(const Candidates& list, const SlotSet& bound) const {
    return bound.test(list.slot) ? 0.1 : static_cast<double>(list.codes.size());
  }

  // How many values each slot may have, once bound.
  struct Domain {
    std::vector<std::pair<Slot, double>> sizes;
    double of(const Ref& ref) const {
      for (const auto& [slot, size] : sizes) {
        if (ref.is_slot && slot == ref.value) return size;
      }
      return std::numeric_limits<double>::infinity();
    }
  };

  void note_domain(std::size_t item, const SlotSet& bound, Domain* domain) const {
    const auto note = [&](const Ref& ref, double size) {
      if (ref.is_slot && !bound.test(ref.value))
        domain->sizes.emplace_back(ref.value, std::max(1.0, size));
    };
    if (is_list(item))
      return note(Ref::slot(list(item).slot), static_cast<double>(list(item).codes.size()));
    const StatementPattern& it = pattern(item);
    if (!constant_predicate(it)) return;
    const bool subject = constant(it.subject).has_value(), object = constant(it.object).has_value();
    if (subject || object) {
      const double rows = count(it, subject, object);
      note(it.subject, rows);
      note(it.object, rows);
      return;
    }
    note(it.subject, static_cast<double>(shape(it).subjects));
    note(it.object, static_cast<double>(shape(it).objects));
  }

  // Expected rows for one row before.
  double fan(std::size_t item, const SlotSet& bound, const Domain& domain) const {
    if (is_list(item)) return list_fan(list(item), bound);
    const StatementPattern& it = pattern(item);
    if (it.proposition && bound.test(*it.proposition)) return 0.9;
    const bool subject = is_bound(it.subject, bound), object = is_bound(it.object, bound);
    const bool predicate = is_bound(it.predicate, bound);
    const bool known_subject = subject && constant(it.subject),
               known_object = object && constant(it.object);
    if (!predicate || !constant_predicate(it)) return open_fan(it, subject, predicate, object);
    // What is a constant is counted exactly; for what is bound by a slot the average has to do.
    const double rows = count(it, known_subject, known_object);
    if (rows == 0) return 0;
    if (subject == known_subject && object == known_object) return rows;
    double result = rows;
    // A pattern with a constant end picks some of the values that the slot can have, not of all
    // that the predicate has.
    const auto among = [&](const Ref& ref, std::uint64_t all, bool other_known) {
      const double size = static_cast<double>(std::max<std::uint64_t>(all, 1));
      return other_known ? std::max(std::min(size, domain.of(ref)), rows) : size;
    };
    if (subject && !known_subject) result /= among(it.subject, shape(it).subjects, known_object);
    if (object && !known_object) result /= among(it.object, shape(it).objects, known_subject);
    return result;
  }

  double open_fan(const StatementPattern& it, bool subject, bool predicate, bool object) const {
    const double all =
        std::max(1.0, count(it, subject && constant(it.subject), object && constant(it.object)));
    double result = all;
    const double entities = std::max<double>(1, run_.scope(it.scope).entity_bound());
    if (subject && !constant(it.subject)) result /= entities / 4;
    if (object && !constant(it.object)) result /= entities / 4;
    if (predicate) result /= 8;
    return result;
  }

  std::vector<std::size_t> choose_order() const {
    std::vector<std::size_t> best(items());
    for (std::size_t i = 0; i < items(); ++i) best[i] = i;
    if (items() < 2 || !run_.options.optimise) return best;
    double best_cost = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> starts = best;
    if (items() > kExhaustiveItems)
      starts = {cheapest(std::vector<bool>(items()), before_.certain, {})};
    for (const std::size_t start : starts) {
      std::vector<std::size_t> order;
      const double cost = greedy(start, best_cost, &order);
      if (cost < best_cost) {
        best_cost = cost;
        best = std::move(order);
      }
    }
    return best;
  }

  std::size_t cheapest(const std::vector<bool>& taken, const SlotSet& bound,
                       const Domain& domain) const {
    std::size_t best = items();
    double best_fan = std::numeric_limits<double>::infinity();
    for (std::size_t item = 0; item < items(); ++item) {
      if (taken[item]) continue;
      const double next = fan(item, bound, domain);
      if (best == items() || next < best_fan) {
        best = item;
        best_fan = next;
      }
    }
    return best;
  }

  double greedy(std::size_t start, double give_up, std::vector<std::size_t>* order) const {
    std::vector<bool> taken(items());
    SlotSet bound = before_.certain;
    Domain domain;
    double rows = 1, cost = 0;
    for (std::size_t i = 0; i < items(); ++i) {
      if (!weigh_all()) return give_up;
      const std::size_t item = i == 0 ? start : cheapest(taken, bound, domain);
      cost += rows;
      rows *= fan(item, bound, domain);
      note_domain(item, bound, &domain);
      cost += rows;
      if (cost >= give_up) return cost;
      taken[item] = true;
      bound |= slots_of(item);
      order->push_back(item);
    }
    return cost;
  }

  // --- from order to steps

  void finish(Step step, double factor) {
    rows_ *= factor;
    step.estimate = rows_;
    steps_.push_back(std::move(step));
  }

  // A slot that may be unbound in some rows cannot be looked up by when an unbound slot matches
  // everything.
  bool uncertain(const Ref& ref) const {
    return run_.plan.unbound_matches_all && ref.is_slot && !bound_.test(ref.value) &&
           before_.possible.test(ref.value);
  }

  // The pattern as a way to bind `slot` when everything else of it is bound.
  std::optional<Accessor> accessor(std::size_t item, Slot slot) const {
    Accessor result;
    if (is_list(item)) {
      if (list(item).slot != slot) return std::nullopt;
      result.list = &list(item);
      return result;
    }
    const StatementPattern& it = pattern(item);
    const auto is_slot = [slot](const Ref& ref) { return ref.is_slot && ref.value == slot; };
    if (!is_bound(it.predicate, bound_) || holds_nodes(it)) return std::nullopt;
    result.predicate = it.predicate;
    result.also = it.also;
    result.scope = it.scope;
    if (is_slot(it.object) && is_bound(it.subject, bound_)) {
      result.kind = Accessor::Kind::kObjects;
      result.key = it.subject;
      return result;
    }
    if (is_slot(it.subject) && is_bound(it.object, bound_)) {
      result.kind = Accessor::Kind::kSubjects;
      result.key = it.object;
      return result;
    }
    return std::nullopt;
  }

  std::optional<Slot> only_unbound(std::size_t item) const {
    if (is_list(item))
      return bound_.test(list(item).slot) ? std::nullopt : std::optional<Slot>(list(item).slot);
    const StatementPattern& it = pattern(item);
    std::optional<Slot> found;
    for (const Ref& ref : {it.subject, it.predicate, it.object}) {
      if (is_bound(ref, bound_)) continue;
      if (found) return std::nullopt;
      found = ref.value;
    }
    return found;
  }

  void take(std::size_t item) {
    if (!is_list(item)) {
      const StatementPattern& it = pattern(item);
      if (it.proposition && bound_.test(*it.proposition)) return open(item);
      if (uncertain(it.subject) || uncertain(it.predicate) || uncertain(it.object) ||
          holds_nodes(it))
        return scan(item);
    }
    const std::optional<Slot> slot = only_unbound(item);
    if (slot && accessor(item, *slot)) return extend(*slot, item);
    if (fully_bound(item)) return check(item);
    scan(item);
  }

  bool fully_bound(std::size_t item) const {
    if (is_list(item)) return bound_.test(list(item).slot);
    const StatementPattern& it = pattern(item);
    return is_bound(it.subject, bound_) && is_bound(it.predicate, bound_) &&
           is_bound(it.object, bound_);
  }

  void scan(std::size_t item) {
    Step step;
    step.kind = Step::Kind::kScan;
    step.patterns.push_back(&pattern(item));
    done_[item] = true;
    const double factor = fan(item, bound_, domain_);
    note_domain(item, bound_, &domain_);
    const StatementPattern& it = pattern(item);
    for (const Ref& ref : {it.subject, it.predicate, it.object}) {
      if (ref.is_slot) bound_.set(ref.value);
    }
    finish(std::move(step), factor);
    complete(item);
  }

  void extend(Slot slot, std::size_t first) {
    Step step;
    step.kind = Step::Kind::kExtend;
    step.slot = slot;
    std::vector<std::size_t> used;
    double factor = std::numeric_limits<double>::infinity();
    for (std::size_t item = 0; item < items(); ++item) {
      if (done_[item] || only_unbound(item) != slot) continue;
      if (!is_list(item) && pattern(item).proposition && bound_.test(*pattern(item).proposition))
        continue;
      const auto access = accessor(item, slot);
      if (!access || (!run_.options.optimise && item != first)) continue;
      step.accessors.push_back(*access);
      used.push_back(item);
      factor = std::min(factor, fan(item, bound_, domain_));
      note_domain(item, bound_, &domain_);
    }
    bound_.set(slot);
    for (const std::size_t item : used) done_[item] = true;
    finish(std::move(step), factor);
    for (const std::size_t item : used) {
      if (!is_list(item)) complete(item);
    }
  }

  void check(std::size_t first) {
    Step step;
    step.kind = Step::Kind::kCheck;
    double factor = 1;
    std::vector<std::size_t> used;
    for (std::size_t item = 0; item < items(); ++item) {
      if (done_[item] || !fully_bound(item)) continue;
      if (!run_.options.optimise && item != first) continue;
      if (is_list(item)) {
        step.lists.push_back(&list(item));
      } else {
        if (pattern(item).proposition && bound_.test(*pattern(item).proposition)) continue;
        if (holds_nodes(pattern(item))) continue;
        step.patterns.push_back(&pattern(item));
      }
      factor *= std::min(1.0, fan(item, bound_, domain_));
      done_[item] = true;
      used.push_back(item);
    }
    finish(std::move(step), factor);
    for (const std::size_t item : used) {
      if (!is_list(item)) complete(item);
    }
  }

  void open(std::size_t item) {
    Step step;
    step.kind = Step::Kind::kOpen;
    step.patterns.push_back(&pattern(item));
    done_[item] = true;
    for (const Ref& ref : {pattern(item).subject, pattern(item).predicate, pattern(item).object}) {
      if (ref.is_slot) bound_.set(ref.value);
    }
    finish(std::move(step), 0.9);
    resolve_graph(item);
  }

  void complete(std::size_t item) {
    resolve_proposition(item);
    resolve_graph(item);
  }

  void resolve_graph(std::size_t item) {
    const StatementPattern& it = pattern(item);
    if (!it.graph) return;
    Step step;
    step.kind = Step::Kind::kGraph;
    step.slot = *it.graph;
    step.patterns.push_back(&it);
    bound_.set(*it.graph);
    finish(std::move(step), 1);
  }

  // The link's entity, when another item or the outside reads it.
  void resolve_proposition(std::size_t item) {
    const StatementPattern& it = pattern(item);
    if (!it.proposition) return;
    bool wanted = used_.test(*it.proposition) || before_.possible.test(*it.proposition);
    for (std::size_t other = 0; other < items() && !wanted; ++other) {
      wanted = other != item && slots_of(other).test(*it.proposition);
    }
    if (!wanted) return;
    Step step;
    step.kind = Step::Kind::kProposition;
    step.slot = *it.proposition;
    step.patterns.push_back(&it);
    bound_.set(*it.proposition);
    finish(std::move(step), 1);
  }

  const Node& node_;
  Run& run_;
  Statistics& statistics_;
  const Bound& before_;
  const SlotSet& used_;
  std::vector<std::pair<Slot, std::uint32_t>> known_;
  SlotSet bound_;
  Domain domain_;
  std::vector<bool> done_;
  std::vector<Step> steps_;
  mutable std::vector<Known> asked_;
  double rows_ = 1;
};

}  // namespace

std::vector<Step> plan_match(const Node& node, Run& run, Statistics& statistics,
                             const Bound& before, const SlotSet& used) {
  return Planner(node, run, statistics, before, used).plan();
}

}  // namespace anima::query::detail
