#include "query/detail/compile.h"

#include <algorithm>
#include <memory>
#include <string>

#include "query/detail/compiler.h"

namespace anima::query::detail {
namespace {

bool is_seeded_join(const Node& node) {
  return !node.isolated &&
         (node.kind == Node::Kind::kLeftJoin || node.kind == Node::Kind::kAntiJoin);
}

std::size_t count_hidden_slots(const Node& node);

// Each pattern has a slot for the number of a row and one for its truth.
std::size_t count_hidden_slots(const Expr& expr) {
  std::size_t count = expr.kind == Expr::Kind::kExists ? 2 + count_hidden_slots(*expr.pattern) : 0;
  for (const Expr& part : expr.parts) count += count_hidden_slots(part);
  return count;
}

std::size_t count_hidden_slots(const Node& node) {
  std::size_t count = is_seeded_join(node) ? 1 : 0;
  for (const Expr& condition : node.conditions) {
    count += count_hidden_slots(condition);
    if (node.isolated && condition.has_exists()) ++count;
  }
  count += count_hidden_slots(node.expression);
  for (const NodePtr& input : node.inputs) count += count_hidden_slots(*input);
  return count;
}

// Conjuncts of conjuncts are conjuncts.
void split(const Expr& condition, std::vector<const Expr*>* conjuncts) {
  if (condition.kind != Expr::Kind::kAnd) return conjuncts->push_back(&condition);
  for (const Expr& part : condition.parts) split(part, conjuncts);
}

}  // namespace

std::vector<Slot> list_of(const SlotSet& set) {
  std::vector<Slot> slots;
  for (std::size_t slot = set._Find_first(); slot < kMaxSlots; slot = set._Find_next(slot)) {
    slots.push_back(static_cast<Slot>(slot));
  }
  return slots;
}

SlotSet slots_of(const Expr& expr) {
  SlotSet slots;
  expr.collect(&slots);
  return slots;
}

Result<Part> Compiler::compile(const Node& node, Request request) {
  if (run_.spend(1) == Flow::kEnough) return fail(*run_.error());
  switch (node.kind) {
    case Node::Kind::kUnit:
      return filters(request.conditions, {request.next, request.live}, request.in);
    case Node::Kind::kTable:
      return table(node, request);
    case Node::Kind::kMatch:
      return match(node, request);
    case Node::Kind::kPath:
      return path(node, request);
    case Node::Kind::kJoin:
      return node.isolated ? hash_join(node, HashJoin::Kind::kInner, request) : join(node, request);
    case Node::Kind::kLeftJoin:
      return node.isolated ? hash_join(node, HashJoin::Kind::kLeft, request)
                           : seeded(node, SeededJoin::Kind::kLeft, request);
    case Node::Kind::kAntiJoin:
      return node.isolated ? hash_join(node, HashJoin::Kind::kAnti, request)
                           : seeded(node, SeededJoin::Kind::kAnti, request);
    case Node::Kind::kUnion:
      return unite(node, request);
    case Node::Kind::kFilter:
      for (const Expr& condition : node.conditions) split(condition, &request.conditions);
      return compile(*node.inputs[0], std::move(request));
    case Node::Kind::kExtend:
      return extend(node, request);
    default:
      break;
  }
  if (!request.alone) {
    return fail(ErrorCode::kInternal,
                "a group, order, slice or distinct under a join must be isolated");
  }
  return whole(node, request);
}

Pipeline Compiler::take(Operator* entry) {
  pipeline_.entry = entry;
  return std::move(pipeline_);
}

void Compiler::indent(std::size_t from) {
  for (std::size_t i = from; i < pipeline_.operators.size(); ++i) ++pipeline_.operators[i]->depth;
}

Result<Part> Compiler::filters(const std::vector<const Expr*>& conditions, Part part,
                               const Bound& bound) {
  std::vector<const Expr*> plain;
  for (const Expr* condition : conditions) {
    if (!condition->has_exists()) {
      plain.push_back(condition);
      continue;
    }
    const bool negated = condition->kind == Expr::Kind::kNot;
    const Expr& inner = negated ? condition->parts[0] : *condition;
    if (inner.kind == Expr::Kind::kExists) {
      const auto kind = negated ? SeededJoin::Kind::kAnti : SeededJoin::Kind::kSemi;
      ANIMA_ASSIGN(part, exists(*inner.pattern, kind, 0, part, bound));
      continue;
    }
    part.entry = keep(make_filter(run_, part.entry, {condition}));
    ANIMA_ASSIGN(part, marks(*condition, part, bound));
  }
  if (plain.empty()) return part;
  part.entry = keep(make_filter(run_, part.entry, plain));
  for (const Expr* condition : plain) part.needs |= slots_of(*condition);
  return part;
}

Result<Part> Compiler::filters(const std::vector<const Expr*>& conditions, const Part& part,
                               const Node& node, const Bound& in) {
  const bool patterns = std::any_of(conditions.begin(), conditions.end(),
                                    [](const Expr* it) { return it->has_exists(); });
  return filters(conditions, part, patterns ? analyse(node, in) : Bound{});
}

Result<Part> Compiler::marks(const Expr& expr, Part part, const Bound& bound) {
  if (expr.kind == Expr::Kind::kSlot) part.needs.set(expr.slot);
  if (expr.kind == Expr::Kind::kExists) {
    const auto truth = static_cast<Slot>(next_hidden_++);
    run_.put_exists(expr, truth);
    return exists(*expr.pattern, SeededJoin::Kind::kMark, truth, part, bound);
  }
  for (const Expr& it : expr.parts) {
    ANIMA_ASSIGN(part, marks(it, part, bound));
  }
  return part;
}

Result<Request> Compiler::below(const Node& node, const Request& request) {
  ANIMA_ASSIGN(const Part part,
               filters(request.conditions, {request.next, request.live}, node, request.in));
  Request inner = request;
  inner.conditions.clear();
  inner.next = part.entry;
  inner.live = part.needs;
  return inner;
}

Shelves* Compiler::shelves() const {
  return run_.options.current ? statistics_.shelves().get() : nullptr;
}

Result<Part> Compiler::unite(const Node& node, const Request& request) {
  ANIMA_ASSIGN(const Request inner, below(node, request));
  Merge* merge = keep(std::make_unique<Merge>(run_, inner.next, node.inputs.size()));
  auto fork = std::make_unique<Fork>(run_);
  Part part;
  std::vector<Operator*> branches;
  for (std::size_t i = node.inputs.size(); i-- > 0;) {
    Request branch = inner;
    branch.next = merge;
    branch.top = nullptr;
    const std::size_t from = pipeline_.operators.size();
    ANIMA_ASSIGN(const Part compiled, compile(*node.inputs[i], std::move(branch)));
    indent(from);
    branches.push_back(compiled.entry);
    part.needs |= compiled.needs;
  }
  for (std::size_t i = branches.size(); i-- > 0;) fork->add(branches[i]);
  part.entry = keep(std::move(fork));
  return part;
}

Result<Part> Compiler::extend(const Node& node, const Request& request) {
  const Slot slot = node.slots[0];
  Request inner = request;
  std::vector<const Expr*> late;
  inner.conditions.clear();
  for (const Expr* condition : request.conditions)
    (slots_of(*condition).test(slot) ? late : inner.conditions).push_back(condition);
  ANIMA_ASSIGN(Part part, filters(late, {request.next, request.live}, node, request.in));
  if (part.needs.test(slot)) {
    part.entry = keep(make_extend(run_, part.entry, slot, node.expression));
    part.needs.reset(slot);
    if (node.expression.has_exists()) {
      const Bound bound = analyse(*node.inputs[0], request.in);
      ANIMA_ASSIGN(part, marks(node.expression, part, bound));
    } else {
      part.needs |= slots_of(node.expression);
    }
    inner.duplicates = inner.duplicates || node.expression.varies();
  }
  inner.next = part.entry;
  inner.live = part.needs;
  return compile(*node.inputs[0], std::move(inner));
}

Result<Part> Compiler::whole(const Node& node, const Request& request) {
  ANIMA_ASSIGN(Request inner, below(node, request));
  const Bound bound = analyse(*node.inputs[0], request.in);
  switch (node.kind) {
    case Node::Kind::kDistinct:
      if (run_.plan.unbound_matches_all || !is_set(*node.inputs[0], set_of(node.slots)))
        inner.next = keep(make_distinct(run_, inner.next, node.slots));
      inner.live |= set_of(node.slots);
      inner.duplicates = false;
      break;
    case Node::Kind::kGroup: {
      std::vector<Aggregate> aggregates = node.aggregates;
      for (Aggregate& it : aggregates) {
        // What is bound in every row is counted by the rows.
        const bool every = it.kind == AggregateKind::kCountBound && !it.distinct;
        if (every && bound.certain.test(it.argument)) it.kind = AggregateKind::kCountRows;
      }
      if (auto counter = make_count_predicates(run_, inner.next, node, aggregates))
        return Part{keep(std::move(counter)), {}};
      inner.next = keep(make_group(run_, inner.next, node, aggregates));
      inner.top = nullptr;
      inner.live = set_of(node.slots);
      inner.duplicates = false;
      for (const Aggregate& aggregate : aggregates) {
        if (aggregate.kind != AggregateKind::kCountRows) inner.live.set(aggregate.argument);
        inner.live |= set_of(aggregate.row);
        const bool indifferent = aggregate.distinct || aggregate.kind == AggregateKind::kMinimum ||
                                 aggregate.kind == AggregateKind::kMaximum ||
                                 aggregate.kind == AggregateKind::kSample;
        inner.duplicates =
            inner.duplicates || !indifferent || aggregate.kind == AggregateKind::kCountRows;
      }
      break;
    }
    case Node::Kind::kOrder: {
      auto order = make_order(run_, inner.next, node, list_of(inner.live & bound.possible));
      inner.top = order->early() ? order.get() : nullptr;
      inner.next = keep(std::move(order));
      for (const OrderKey& key : node.order) inner.live.set(key.slot);
      inner.duplicates = inner.duplicates || node.limit != ~std::uint64_t{0};
      break;
    }
    default:
      inner.next = keep(make_slice(run_, inner.next, node.offset, node.limit));
      inner.top = nullptr;
      inner.duplicates = true;
      break;
  }
  return compile(*node.inputs[0], std::move(inner));
}

Result<Pipeline> compile(Run& run, Statistics& statistics, Sink& sink) {
  run.slot_count = run.plan.slot_count + count_hidden_slots(*run.plan.root);
  if (run.slot_count > kMaxSlots) {
    return fail(ErrorCode::kLimitExceeded,
                "the query has more than " + std::to_string(kMaxSlots) + " variables");
  }
  Compiler compiler(run, statistics);
  Request request;
  request.next = &sink;
  request.live = set_of(run.plan.results);
  ANIMA_ASSIGN(const Part part, compiler.compile(*run.plan.root, std::move(request)));
  return compiler.take(part.entry);
}

}  // namespace anima::query::detail
