#include "sparql/plan/bindings.h"

#include <algorithm>
#include <utility>

namespace anima::sparql::plan {

using query::Expr;
using query::Node;
using query::NodePtr;
using query::Ref;
using query::Slot;
using query::SlotSet;

namespace {

Bindings both(const SlotSet& slots) { return {slots, slots}; }

Bindings bindings_of_match(const Node& node) {
  SlotSet slots;
  for (const query::StatementPattern& pattern : node.patterns) {
    for (const Ref& ref : {pattern.subject, pattern.predicate, pattern.object}) {
      if (ref.is_slot) slots.set(ref.value);
    }
    if (pattern.graph) slots.set(*pattern.graph);
    if (pattern.proposition) slots.set(*pattern.proposition);
  }
  for (const query::Candidates& list : node.candidates) slots.set(list.slot);
  return both(slots);
}

Bindings bindings_of_path(const query::PathPattern& path) {
  SlotSet slots;
  for (const Ref& ref : {path.subject, path.object}) {
    if (ref.is_slot) slots.set(ref.value);
  }
  if (path.graph) slots.set(*path.graph);
  return both(slots);
}

Bindings bindings_of_table(const Node& node) {
  Bindings out;
  for (std::size_t i = 0; i < node.slots.size(); ++i) {
    const auto& column = node.columns[i];
    out.possible.set(node.slots[i]);
    if (std::find(column.begin(), column.end(), 0u) == column.end()) out.certain.set(node.slots[i]);
  }
  return out;
}

Bindings bindings_of_union(const Node& node) {
  Bindings out = bindings_of(*node.inputs[0]);
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Bindings branch = bindings_of(*node.inputs[i]);
    out.certain &= branch.certain;
    out.possible |= branch.possible;
  }
  return out;
}

}  // namespace

SlotSet slots_of(const Expr& expression) {
  SlotSet slots;
  expression.collect(&slots);
  return slots;
}

Bindings bindings_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kUnit:
      return {};
    case Node::Kind::kTable:
      return bindings_of_table(node);
    case Node::Kind::kMatch:
      return bindings_of_match(node);
    case Node::Kind::kPath:
      return bindings_of_path(node.path);
    case Node::Kind::kJoin: {
      const Bindings left = bindings_of(*node.inputs[0]), right = bindings_of(*node.inputs[1]);
      return {left.certain | right.certain, left.possible | right.possible};
    }
    case Node::Kind::kLeftJoin: {
      const Bindings left = bindings_of(*node.inputs[0]), right = bindings_of(*node.inputs[1]);
      return {left.certain, left.possible | right.possible};
    }
    case Node::Kind::kUnion:
      return bindings_of_union(node);
    case Node::Kind::kExtend: {
      Bindings out = bindings_of(*node.inputs[0]);
      out.possible.set(node.slots[0]);
      if (node.expression.kind == Expr::Kind::kConstant && node.expression.constant.code != 0)
        out.certain.set(node.slots[0]);
      return out;
    }
    case Node::Kind::kGroup: {
      Bindings out = bindings_of(*node.inputs[0]);
      SlotSet keys;
      for (const Slot slot : node.slots) keys.set(slot);
      out.certain &= keys;
      out.possible &= keys;
      for (const query::Aggregate& aggregate : node.aggregates) {
        out.possible.set(aggregate.result);
        if (aggregate.kind == query::AggregateKind::kCountRows ||
            aggregate.kind == query::AggregateKind::kCount)
          out.certain.set(aggregate.result);
      }
      return out;
    }
    default:
      return node.inputs.empty() ? Bindings{} : bindings_of(*node.inputs[0]);
  }
}

bool is_seed_safe(const Node& node, const SlotSet& outer) {
  const auto certain = [](const Node& input) { return bindings_of(input).certain; };
  switch (node.kind) {
    case Node::Kind::kUnit:
    case Node::Kind::kTable:
    case Node::Kind::kMatch:
    case Node::Kind::kPath:
      return true;
    case Node::Kind::kJoin:
      return is_seed_safe(*node.inputs[0], outer) &&
             (node.isolated || is_seed_safe(*node.inputs[1], outer));
    case Node::Kind::kUnion:
      return std::all_of(node.inputs.begin(), node.inputs.end(),
                         [&outer](const NodePtr& input) { return is_seed_safe(*input, outer); });
    case Node::Kind::kFilter: {
      if (!is_seed_safe(*node.inputs[0], outer)) return false;
      SlotSet read;
      for (const Expr& condition : node.conditions) condition.collect(&read);
      return (read & outer & ~certain(*node.inputs[0])).none();
    }
    case Node::Kind::kExtend: {
      if (!is_seed_safe(*node.inputs[0], outer) || outer.test(node.slots[0])) return false;
      return (slots_of(node.expression) & outer & ~certain(*node.inputs[0])).none();
    }
    case Node::Kind::kLeftJoin:
    case Node::Kind::kAntiJoin: {
      if (!is_seed_safe(*node.inputs[0], outer)) return false;
      SlotSet read = bindings_of(*node.inputs[1]).possible;
      for (const Expr& condition : node.conditions) condition.collect(&read);
      if ((read & outer & ~certain(*node.inputs[0])).any()) return false;
      // What the inner parts of a seeded side see beside that.
      return node.isolated || is_seed_safe(*node.inputs[1], outer);
    }
    default:
      return false;
  }
}

NodePtr join_sides(NodePtr left, NodePtr right) {
  if (left->kind == Node::Kind::kUnit) return right;
  if (right->kind == Node::Kind::kUnit) return left;
  const SlotSet outer = bindings_of(*left).possible;
  if (is_seed_safe(*right, outer)) return query::join(std::move(left), std::move(right));
  return query::join(std::move(left), std::move(right), true);
}

NodePtr left_join_sides(NodePtr left, NodePtr right, std::vector<Expr> conditions) {
  const bool safe = is_seed_safe(*right, bindings_of(*left).possible);
  return query::left_join(std::move(left), std::move(right), std::move(conditions), !safe);
}

}  // namespace anima::sparql::plan
