// Query forms, solution modifiers, grouping and sub-selects.
#include <algorithm>
#include <utility>

#include "sparql/plan/bindings.h"
#include "sparql/plan/translator.h"
#include "sparql/syntax/scopes.h"

namespace anima::sparql::plan {

using query::Expr;
using query::Node;

namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

bool is_variable(const ast::Expression& expression) {
  return expression.kind == ast::Expression::Kind::kTerm && expression.term.is_variable();
}

}  // namespace

// --- slots

query::Slot Translator::fresh() {
  if (next_slot_ >= query::kMaxSlots) {
    next_slot_ = query::kMaxSlots + 1;
    return query::kMaxSlots - 1;
  }
  slot_names_.emplace_back();
  return next_slot_++;
}

query::Slot Translator::blind() {
  if (!blind_slot_) blind_slot_ = fresh();
  return *blind_slot_;
}

query::Slot Translator::slot_of(const std::string& name) {
  const auto known = names_.find(name);
  if (known != names_.end()) return known->second;
  const Slot slot = fresh();
  if (slot < slot_names_.size()) slot_names_[slot] = name;
  return names_.emplace(name, slot).first->second;
}

Result<query::Plan> Translator::finish(NodePtr root, const std::vector<std::string>& wanted) {
  query::Plan plan;
  plan.root = std::move(root);
  for (const std::string& name : wanted) plan.results.push_back(slot_of(name));
  if (next_slot_ > query::kMaxSlots) {
    return fail(ErrorCode::kLimitExceeded,
                "the query needs more than " + std::to_string(query::kMaxSlots) +
                    " variables, with those that its paths and expressions need",
                {}, "split it");
  }
  plan.slot_count = next_slot_;
  plan.slot_names = slot_names_;
  plan.scopes = ground_.dataset.scopes();
  plan.unbound_matches_all = true;
  if (uses_nodes_) plan.predicate_nodes = ground_.vocabulary.nodes();
  if (uses_graphs_) {
    for (const store::GraphId graph : ground_.dataset.named())
      plan.named_graphs.push_back({graph, graph_code(graph)});
  }
  return plan;
}

Result<query::Plan> Translator::query(const ast::Query& query,
                                      const std::vector<std::string>& wanted) {
  ANIMA_ASSIGN(NodePtr root, select(query, Target{}));
  return finish(std::move(root), wanted);
}

Result<query::Plan> Translator::pattern(const ast::GroupPattern& group,
                                        const std::vector<std::string>& wanted) {
  ANIMA_ASSIGN(NodePtr root, filtered(group, Target{}));
  return finish(std::move(root), wanted);
}

Result<query::Plan> Translator::description(std::uint32_t node) {
  Basic found;
  const Slot predicate = slot_of("p"), object = slot_of("o");
  stated(query::Ref::constant(node), predicate, query::Ref::slot(object), Target{}, {}, &found);
  return finish(arrange(std::move(found)), {"p", "o"});
}

// --- queries

Result<query::NodePtr> Translator::select(const ast::Query& query, const Target& target) {
  const auto outer_aggregates = std::exchange(aggregates_, {});
  const auto outer_slots = std::exchange(aggregate_slots_, {});
  const Target outer_target = std::exchange(select_target_, target);
  ANIMA_ASSIGN(NodePtr node, filtered(query.where, target));
  if (query.grouped) {
    ANIMA_ASSIGN(node, grouping(query, std::move(node)));
  }
  row_slot_.reset();
  if (!query.having.empty()) {
    std::vector<Expr> conditions;
    for (const ast::Expression& having : query.having) {
      ANIMA_ASSIGN(Expr test, condition(having, target));
      conditions.push_back(std::move(test));
    }
    node = query::filter(std::move(node), std::move(conditions));
  }
  if (query.values) {
    ANIMA_ASSIGN(NodePtr table, values(*query.values));
    node = join_sides(std::move(node), std::move(table));
  }
  ANIMA_ASSIGN(node, computed(query, std::move(node)));
  ANIMA_ASSIGN(node, ordered(query, std::move(node)));
  if (query.distinct) {
    std::vector<Slot> keys;
    for (const ast::Projection& one : query.projection) keys.push_back(slot_of(one.variable));
    if (target.graph) keys.push_back(*target.graph);
    node = query::distinct(std::move(node), std::move(keys));
  }
  node = sliced(query, std::move(node));
  aggregates_ = outer_aggregates;
  aggregate_slots_ = outer_slots;
  select_target_ = outer_target;
  return node;
}

Result<query::NodePtr> Translator::computed(const ast::Query& query, NodePtr node) {
  row_slot_.reset();
  std::vector<std::pair<Slot, Expr>> made;
  for (const ast::Projection& one : query.projection) {
    if (!one.expression) continue;
    const auto known = aggregate_slots_.find(&*one.expression);
    if (known != aggregate_slots_.end() && known->second == slot_of(one.variable)) continue;
    ANIMA_ASSIGN(Expr value, expression(*one.expression, select_target_));
    made.emplace_back(slot_of(one.variable), std::move(value));
  }
  node = with_row_number(std::move(node), false);
  for (auto& [slot, value] : made) node = query::extend(std::move(node), slot, std::move(value));
  return node;
}

Result<query::NodePtr> Translator::ordered(const ast::Query& query, NodePtr node) {
  if (query.order_by.empty()) return node;
  row_slot_.reset();
  std::vector<query::OrderKey> keys;
  for (const ast::OrderKey& by : query.order_by) {
    query::OrderKey key;
    key.descending = by.descending;
    key.unbound_last = false;
    key.maker = sparql_sort_key;
    if (is_variable(by.expression) && aggregate_slots_.count(&by.expression) == 0) {
      key.slot = slot_of(by.expression.term.text);
    } else {
      ANIMA_ASSIGN(Expr value, expression(by.expression, select_target_));
      key.slot = fresh();
      node = query::extend(std::move(node), key.slot, std::move(value));
    }
    keys.push_back(key);
  }
  std::uint64_t wanted = kNoLimit;
  if (query.limit && !query.distinct && *query.limit < kNoLimit - query.offset)
    wanted = *query.limit + query.offset;
  return query::order_by(std::move(node), std::move(keys), wanted);
}

query::NodePtr Translator::sliced(const ast::Query& query, NodePtr node) {
  if (query.form == ast::Query::Form::kAsk) return query::slice(std::move(node), query.offset, 1);
  if (!query.limit && query.offset == 0) return node;
  return query::slice(std::move(node), query.offset, query.limit.value_or(kNoLimit));
}

// --- grouping (18.2.4.1)

Result<query::NodePtr> Translator::grouping(const ast::Query& query, NodePtr node) {
  std::vector<Slot> keys;
  ANIMA_ASSIGN(node, group_keys(query, std::move(node), &keys));
  if (select_target_.graph) keys.push_back(*select_target_.graph);
  // The group gives the variables of the first aggregates itself. HAVING and what is computed
  // before a variable do not see it.
  bool direct = query.having.empty();
  for (const ast::Projection& one : query.projection) {
    if (!one.expression) continue;
    direct = direct && one.expression->kind == ast::Expression::Kind::kAggregate;
    const auto result = direct ? std::optional(slot_of(one.variable)) : std::nullopt;
    ANIMA_TRY(collect_aggregates(*one.expression, result, &node));
  }
  for (const ast::Expression& having : query.having) {
    ANIMA_TRY(collect_aggregates(having, {}, &node));
    ANIMA_TRY(sample_others(having, keys, query));
  }
  for (const ast::OrderKey& key : query.order_by) {
    ANIMA_TRY(collect_aggregates(key.expression, {}, &node));
    ANIMA_TRY(sample_others(key.expression, keys, query));
  }
  return query::group(std::move(node), std::move(keys), std::exchange(aggregates_, {}));
}

Result<query::NodePtr> Translator::group_keys(const ast::Query& query, NodePtr node,
                                              std::vector<Slot>* keys) {
  for (const ast::GroupKey& key : query.group_by) {
    Slot slot = 0;
    if (is_variable(key.expression) && key.variable == key.expression.term.text) {
      slot = slot_of(key.variable);
    } else {
      row_slot_.reset();
      ANIMA_ASSIGN(Expr value, expression(key.expression, select_target_));
      node = with_row_number(std::move(node), false);
      slot = key.variable.empty() ? fresh() : slot_of(key.variable);
      node = query::extend(std::move(node), slot, std::move(value));
    }
    if (std::find(keys->begin(), keys->end(), slot) == keys->end()) keys->push_back(slot);
  }
  return node;
}

Status Translator::collect_aggregates(const ast::Expression& expression, std::optional<Slot> result,
                                      NodePtr* input) {
  if (expression.kind == ast::Expression::Kind::kAggregate) {
    ANIMA_ASSIGN(query::Aggregate made, aggregate(expression, result, input));
    aggregate_slots_.emplace(&expression, made.result);
    aggregates_.push_back(std::move(made));
    return {};
  }
  for (const ast::Expression& argument : expression.arguments)
    ANIMA_TRY(collect_aggregates(argument, {}, input));
  return {};
}

Result<query::Aggregate> Translator::aggregate(const ast::Expression& expression,
                                               std::optional<Slot> result, NodePtr* input) {
  if (expression.arguments.empty()) {  // COUNT(*)
    query::Aggregate count;
    count.kind = query::AggregateKind::kCountRows;
    count.distinct = expression.distinct;
    count.result = result ? *result : fresh();
    if (count.distinct) {
      const query::SlotSet bound = bindings_of(**input).possible;
      for (const auto& [name, slot] : names_) {
        if (bound.test(slot) && !name.starts_with("_:")) count.row.push_back(slot);
      }
      std::sort(count.row.begin(), count.row.end());
    }
    return count;
  }
  Slot argument = 0;
  if (is_variable(expression.arguments[0])) {
    argument = slot_of(expression.arguments[0].term.text);
  } else {
    row_slot_.reset();
    ANIMA_ASSIGN(Expr value, this->expression(expression.arguments[0], select_target_));
    *input = with_row_number(std::move(*input), false);
    argument = fresh();
    *input = query::extend(std::move(*input), argument, std::move(value));
  }
  return make_aggregate(expression, argument, result ? *result : fresh(), ground_.expressions);
}

// A variable that is no key stands for a value that it has in the group.
Status Translator::sample_others(const ast::Expression& expression, const std::vector<Slot>& keys,
                                 const ast::Query& query) {
  if (expression.kind == ast::Expression::Kind::kAggregate) return {};
  for (const ast::Expression& argument : expression.arguments)
    ANIMA_TRY(sample_others(argument, keys, query));
  if (!is_variable(expression)) return {};
  const std::string& name = expression.term.text;
  for (const ast::Projection& one : query.projection) {
    if (one.expression && one.variable == name) return {};
  }
  if (query.values && std::find(query.values->variables.begin(), query.values->variables.end(),
                                name) != query.values->variables.end())
    return {};
  const Slot slot = slot_of(name);
  if (std::find(keys.begin(), keys.end(), slot) != keys.end()) return {};
  query::Aggregate sample;
  sample.kind = query::AggregateKind::kSample;
  sample.argument = slot;
  sample.result = fresh();
  aggregate_slots_.emplace(&expression, sample.result);
  aggregates_.push_back(std::move(sample));
  return {};
}

// --- sub-selects

// What it projects has the slots of the group around it; everything else has its own.
Result<query::NodePtr> Translator::sub_select(const ast::Query& query, const Target& target) {
  Names inner;
  for (const ast::Projection& one : query.projection)
    inner.emplace(one.variable, slot_of(one.variable));
  Names outer = std::exchange(names_, std::move(inner));
  const auto row = std::exchange(row_slot_, std::nullopt);
  auto node = select(query, target);
  names_ = std::move(outer);
  row_slot_ = row;
  return node;
}

}  // namespace anima::sparql::plan
