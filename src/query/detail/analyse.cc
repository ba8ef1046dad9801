#include "query/detail/analyse.h"

namespace anima::query::detail {

SlotSet set_of(const std::vector<Slot>& slots) {
  SlotSet set;
  for (const Slot slot : slots) set.set(slot);
  return set;
}

SlotSet slots_of_match(const Node& node) {
  SlotSet slots;
  for (const StatementPattern& pattern : node.patterns) collect_slots(pattern, &slots);
  for (const Candidates& list : node.candidates) slots.set(list.slot);
  return slots;
}

SlotSet slots_of_path(const PathPattern& path) {
  SlotSet slots;
  if (path.subject.is_slot) slots.set(path.subject.value);
  if (path.object.is_slot) slots.set(path.object.value);
  if (path.graph) slots.set(*path.graph);
  return slots;
}

namespace {

// A slot of a table is bound in every row unless a cell of it is open.
Bound adds_table(const Node& node, Bound in) {
  for (std::size_t k = 0; k < node.slots.size(); ++k) {
    bool everywhere = true;
    for (const std::uint32_t cell : node.columns[k]) everywhere = everywhere && cell != 0;
    in.possible.set(node.slots[k]);
    if (everywhere) in.certain.set(node.slots[k]);
  }
  return in;
}

}  // namespace

Bound analyse(const Node& node, const Bound& in) {
  const auto adds = [&in](const SlotSet& slots) {
    return Bound{in.certain | slots, in.possible | slots};
  };
  switch (node.kind) {
    case Node::Kind::kUnit:
      return in;
    case Node::Kind::kTable:
      return adds_table(node, in);
    case Node::Kind::kMatch:
      return adds(slots_of_match(node));
    case Node::Kind::kPath:
      return adds(slots_of_path(node.path));
    case Node::Kind::kJoin: {
      const Bound left = analyse(*node.inputs[0], in);
      if (!node.isolated) return analyse(*node.inputs[1], left);
      const Bound right = analyse(*node.inputs[1], {});
      return {left.certain | right.certain, left.possible | right.possible};
    }
    case Node::Kind::kLeftJoin: {
      Bound left = analyse(*node.inputs[0], in);
      left.possible |= analyse(*node.inputs[1], node.isolated ? Bound{} : left).possible;
      return left;
    }
    case Node::Kind::kUnion: {
      Bound out = analyse(*node.inputs[0], in);
      for (std::size_t i = 1; i < node.inputs.size(); ++i) {
        const Bound branch = analyse(*node.inputs[i], in);
        out.certain &= branch.certain;
        out.possible |= branch.possible;
      }
      return out;
    }
    case Node::Kind::kExtend: {
      Bound out = analyse(*node.inputs[0], in);
      out.possible.set(node.slots[0]);
      if (node.expression.kind == Expr::Kind::kConstant && node.expression.constant.code != 0)
        out.certain.set(node.slots[0]);
      return out;
    }
    case Node::Kind::kGroup: {
      Bound out = analyse(*node.inputs[0], in);
      out.certain &= set_of(node.slots);
      out.possible &= set_of(node.slots);
      for (const Aggregate& aggregate : node.aggregates) out.possible.set(aggregate.result);
      return out;
    }
    default:
      return analyse(*node.inputs[0], in);
  }
}

bool is_set(const Node& node, const SlotSet& keys) {
  switch (node.kind) {
    case Node::Kind::kUnit:
      return true;
    case Node::Kind::kMatch: {
      SlotSet slots;
      for (const Candidates& list : node.candidates) slots.set(list.slot);
      for (const StatementPattern& it : node.patterns) {
        if (it.graph) slots.set(*it.graph);
        const bool single = !it.predicate.is_slot && it.subject.is_slot && it.also.empty() &&
                            (store::Predicate{it.predicate.value} == store::kTypePredicate ||
                             store::Predicate{it.predicate.value} == store::kNamePredicate);
        for (const Ref& ref : {it.subject, it.predicate}) {
          if (ref.is_slot) slots.set(ref.value);
        }
        if (it.object.is_slot && !single) slots.set(it.object.value);
      }
      return (slots & ~keys).none();
    }
    case Node::Kind::kJoin:
    case Node::Kind::kLeftJoin:
      return !node.isolated && is_set(*node.inputs[0], keys) && is_set(*node.inputs[1], keys);
    case Node::Kind::kFilter:
    case Node::Kind::kExtend:
    case Node::Kind::kAntiJoin:
      return is_set(*node.inputs[0], keys);
    default:
      return false;
  }
}

}  // namespace anima::query::detail
