// Joins: row by row from the left side, or over a hash table of the right one.
#include <algorithm>
#include <memory>

#include "query/detail/compiler.h"

namespace anima::query::detail {

bool Compiler::is_early(const Expr& condition, const Bound& middle, const Node& node,
                        const Bound& in) {
  SlotSet read = slots_of(condition);
  // What a pattern binds for itself nobody else has to bind.
  if (condition.has_exists()) read &= analyse(node, in).possible;
  return (read & ~middle.certain).none();
}

Result<Part> Compiler::join(const Node& node, const Request& request) {
  const Bound middle = analyse(*node.inputs[0], request.in);
  Request right = request, left = request;
  right.in = middle;
  right.alone = request.alone && node.inputs[0]->kind == Node::Kind::kUnit;
  if (!right.alone) right.top = nullptr;
  right.conditions.clear();
  left.conditions.clear();
  for (const Expr* condition : request.conditions) {
    const bool early = is_early(*condition, middle, node, request.in);
    (early ? left : right).conditions.push_back(condition);
  }
  ANIMA_ASSIGN(const Part part, compile(*node.inputs[1], std::move(right)));
  left.next = part.entry;
  left.live = part.needs;
  return compile(*node.inputs[0], std::move(left));
}

Result<Part> Compiler::seeded(const Node& node, SeededJoin::Kind kind, const Request& request) {
  const Bound middle = analyse(*node.inputs[0], request.in);
  Request left = request;
  left.conditions.clear();
  // Partners come before the rows that found none.
  if (kind == SeededJoin::Kind::kLeft) left.top = nullptr;
  std::vector<const Expr*> late;
  for (const Expr* condition : request.conditions) {
    // What only the left side binds cannot change behind the join.
    const bool early =
        kind != SeededJoin::Kind::kLeft || is_early(*condition, middle, node, request.in);
    (early ? left.conditions : late).push_back(condition);
  }
  ANIMA_ASSIGN(const Part after, filters(late, {request.next, request.live}, node, request.in));
  const auto number = static_cast<Slot>(next_hidden_++);
  SlotSet seeds_wanted = after.needs;
  auto seeded_join =
      std::make_unique<SeededJoin>(run_, after.entry, kind, number, std::vector<Slot>{});
  SeededJoin* join = seeded_join.get();
  const std::size_t from = pipeline_.operators.size();
  Request right;
  right.next = keep(join->make_end());
  right.live = kind == SeededJoin::Kind::kLeft ? after.needs : SlotSet{};
  right.live.set(number);
  right.in = middle;
  right.in.certain.set(number);
  right.in.possible.set(number);
  right.alone = false;
  right.duplicates = kind == SeededJoin::Kind::kLeft && request.duplicates;
  right.marks = join->marks();
  for (const Expr& condition : node.conditions) right.conditions.push_back(&condition);
  ANIMA_ASSIGN(const Part part, compile(*node.inputs[1], std::move(right)));
  indent(from);
  join->set_entry(part.entry);
  keep(std::move(seeded_join));
  seeds_wanted |= part.needs;
  seeds_wanted.reset(number);
  join->set_seeded(list_of(seeds_wanted & (middle.possible | middle.certain)));
  left.next = join;
  left.live = seeds_wanted & (middle.possible | middle.certain);
  return compile(*node.inputs[0], std::move(left));
}

Result<Part> Compiler::hash_join(const Node& node, HashJoin::Kind kind, const Request& request) {
  const Bound left_bound = analyse(*node.inputs[0], request.in),
              right_bound = analyse(*node.inputs[1], {});
  Request left = request;
  left.conditions.clear();
  left.top = nullptr;
  std::vector<const Expr*> late;
  for (const Expr* condition : request.conditions) {
    const bool early = is_early(*condition, left_bound, node, request.in);
    (early ? left.conditions : late).push_back(condition);
  }
  ANIMA_ASSIGN(const Part after, filters(late, {request.next, request.live}, node, request.in));
  SlotSet wanted = after.needs;
  const bool in_stages = std::any_of(node.conditions.begin(), node.conditions.end(),
                                     [](const Expr& it) { return it.has_exists(); });
  for (const Expr& condition : node.conditions) wanted |= slots_of(condition);
  const bool rows = kind == HashJoin::Kind::kInner || kind == HashJoin::Kind::kLeft;
  HashJoin::Sides sides;
  const SlotSet keys = left_bound.certain & right_bound.certain;
  const SlotSet maybe = left_bound.possible & right_bound.possible & ~keys;
  sides.keys = list_of(keys);
  sides.maybe = list_of(maybe);
  sides.carried = list_of(wanted & left_bound.possible);
  if (rows) sides.made = list_of(wanted & right_bound.possible & ~keys);
  sides.needs_shared = node.needs_shared;
  auto joined = std::make_unique<HashJoin>(run_, after.entry, kind, sides,
                                           in_stages ? std::vector<Expr>{} : node.conditions);
  HashJoin* join = joined.get();
  const std::size_t from = pipeline_.operators.size();
  if (in_stages) {
    const auto number = static_cast<Slot>(next_hidden_++);
    Part stage{keep(join->make_end(number)), after.needs};
    stage.needs.set(number);
    std::vector<const Expr*> conditions;
    for (const Expr& condition : node.conditions) conditions.push_back(&condition);
    const Bound both{left_bound.certain | right_bound.certain,
                     left_bound.possible | right_bound.possible};
    ANIMA_ASSIGN(stage, filters(conditions, stage, both));
    join->set_stage(stage.entry);
  }
  const SlotSet right_slots = keys | maybe | (rows ? wanted & right_bound.possible : SlotSet{});
  Sink* sink = keep(std::make_unique<Sink>(run_, list_of(right_slots), false));
  Request right;
  right.next = sink;
  right.live = right_slots;
  right.duplicates = rows && request.duplicates;
  ANIMA_ASSIGN(const Part part, compile(*node.inputs[1], std::move(right)));
  indent(from);
  join->set_right(part.entry, sink);
  left.next = keep(std::move(joined));
  left.live = (wanted | keys | maybe) & left_bound.possible;
  return compile(*node.inputs[0], std::move(left));
}

Result<Part> Compiler::exists(const Node& pattern, SeededJoin::Kind kind, Slot result,
                              const Part& next, const Bound& bound) {
  const auto number = static_cast<Slot>(next_hidden_++);
  auto seeded_join =
      std::make_unique<SeededJoin>(run_, next.entry, kind, number, std::vector<Slot>{});
  SeededJoin* join = seeded_join.get();
  join->set_result(result);
  const std::size_t from = pipeline_.operators.size();
  Request inner;
  inner.next = keep(join->make_end());
  inner.live.set(number);
  inner.in = bound;
  inner.in.certain.set(number);
  inner.in.possible.set(number);
  inner.alone = false;
  inner.duplicates = false;
  inner.marks = join->marks();
  ANIMA_ASSIGN(Part part, compile(pattern, std::move(inner)));
  indent(from);
  join->set_entry(part.entry);
  part.needs &= bound.possible | bound.certain;
  part.needs.reset(number);
  join->set_seeded(list_of(part.needs));
  part.entry = keep(std::move(seeded_join));
  part.needs |= next.needs;
  if (kind == SeededJoin::Kind::kMark) part.needs.reset(result);
  return part;
}

}  // namespace anima::query::detail
