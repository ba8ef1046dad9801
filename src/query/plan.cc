#include "query/plan.h"

namespace anima::query {

Expr Expr::of(store::Term term) {
  Expr expr;
  expr.constant = term;
  return expr;
}
Expr Expr::of_slot(Slot slot) {
  Expr expr;
  expr.kind = Kind::kSlot;
  expr.slot = slot;
  return expr;
}
Expr Expr::call(std::shared_ptr<const Function> function, std::vector<Expr> arguments) {
  Expr expr;
  expr.kind = Kind::kFunction;
  expr.function = std::move(function);
  expr.parts = std::move(arguments);
  return expr;
}
Expr Expr::test(std::shared_ptr<const Condition> condition, std::vector<Expr> arguments) {
  Expr expr;
  expr.kind = Kind::kCondition;
  expr.condition = std::move(condition);
  expr.parts = std::move(arguments);
  return expr;
}
Expr Expr::all(std::vector<Expr> parts) {
  Expr expr;
  expr.kind = Kind::kAnd;
  expr.parts = std::move(parts);
  return expr;
}
Expr Expr::any(std::vector<Expr> parts) {
  Expr expr;
  expr.kind = Kind::kOr;
  expr.parts = std::move(parts);
  return expr;
}
Expr Expr::negate(Expr part) {
  Expr expr;
  expr.kind = Kind::kNot;
  expr.parts.push_back(std::move(part));
  return expr;
}

Expr Expr::exists(NodePtr pattern) {
  Expr expr;
  expr.kind = Kind::kExists;
  expr.pattern = std::move(pattern);
  return expr;
}

bool Expr::has_exists() const {
  if (kind == Kind::kExists) return true;
  for (const Expr& part : parts) {
    if (part.has_exists()) return true;
  }
  return false;
}

bool Expr::varies() const {
  if (function != nullptr && function->varies()) return true;
  for (const Expr& part : parts) {
    if (part.varies()) return true;
  }
  return false;
}

namespace {

void collect(const Ref& ref, SlotSet* slots) {
  if (ref.is_slot) slots->set(ref.value);
}

void collect(const Node& node, SlotSet* slots) {
  for (const StatementPattern& it : node.patterns) {
    for (const Ref& ref : {it.subject, it.predicate, it.object}) collect(ref, slots);
    if (it.proposition) slots->set(*it.proposition);
    if (it.graph) slots->set(*it.graph);
  }
  for (const Candidates& list : node.candidates) slots->set(list.slot);
  if (node.kind == Node::Kind::kPath) {
    collect(node.path.subject, slots);
    collect(node.path.object, slots);
    if (node.path.graph) slots->set(*node.path.graph);
  }
  for (const Expr& condition : node.conditions) condition.collect(slots);
  node.expression.collect(slots);
  for (const Slot slot : node.slots) slots->set(slot);
  for (const Aggregate& it : node.aggregates) slots->set(it.result);
  for (const NodePtr& input : node.inputs) collect(*input, slots);
}

}  // namespace

Node::~Node() {
  std::vector<NodePtr> left = std::move(inputs);
  while (!left.empty()) {
    const NodePtr node = std::move(left.back());
    left.pop_back();
    for (NodePtr& input : node->inputs) left.push_back(std::move(input));
    node->inputs.clear();
  }
}

void Expr::collect(SlotSet* slots) const {
  if (kind == Kind::kSlot) slots->set(slot);
  if (pattern != nullptr) query::collect(*pattern, slots);
  for (const Expr& part : parts) part.collect(slots);
}

namespace {

NodePtr make(Node::Kind kind) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  return node;
}

NodePtr over(Node::Kind kind, NodePtr input) {
  NodePtr node = make(kind);
  node->inputs.push_back(std::move(input));
  return node;
}

NodePtr over(Node::Kind kind, NodePtr left, NodePtr right, bool isolated) {
  NodePtr node = over(kind, std::move(left));
  node->inputs.push_back(std::move(right));
  node->isolated = isolated;
  return node;
}

}  // namespace

NodePtr unit() { return make(Node::Kind::kUnit); }

NodePtr table(std::vector<Slot> slots, std::vector<std::vector<std::uint32_t>> columns) {
  NodePtr node = make(Node::Kind::kTable);
  node->slots = std::move(slots);
  node->columns = std::move(columns);
  return node;
}

NodePtr match(std::vector<StatementPattern> patterns, std::vector<Candidates> candidates) {
  NodePtr node = make(Node::Kind::kMatch);
  node->patterns = std::move(patterns);
  node->candidates = std::move(candidates);
  return node;
}
NodePtr path(PathPattern pattern) {
  NodePtr node = make(Node::Kind::kPath);
  node->path = std::move(pattern);
  return node;
}
NodePtr join(NodePtr left, NodePtr right, bool isolated) {
  return over(Node::Kind::kJoin, std::move(left), std::move(right), isolated);
}
NodePtr left_join(NodePtr left, NodePtr right, std::vector<Expr> condition, bool isolated) {
  NodePtr node = over(Node::Kind::kLeftJoin, std::move(left), std::move(right), isolated);
  node->conditions = std::move(condition);
  return node;
}
NodePtr anti_join(NodePtr left, NodePtr right, bool isolated) {
  return over(Node::Kind::kAntiJoin, std::move(left), std::move(right), isolated);
}
NodePtr minus(NodePtr left, NodePtr right) {
  NodePtr node = anti_join(std::move(left), std::move(right), true);
  node->needs_shared = true;
  return node;
}
NodePtr union_of(std::vector<NodePtr> inputs) {
  NodePtr node = make(Node::Kind::kUnion);
  node->inputs = std::move(inputs);
  return node;
}
NodePtr filter(NodePtr input, std::vector<Expr> conditions) {
  NodePtr node = over(Node::Kind::kFilter, std::move(input));
  node->conditions = std::move(conditions);
  return node;
}
NodePtr extend(NodePtr input, Slot slot, Expr expression) {
  NodePtr node = over(Node::Kind::kExtend, std::move(input));
  node->slots = {slot};
  node->expression = std::move(expression);
  return node;
}
NodePtr distinct(NodePtr input, std::vector<Slot> keys) {
  NodePtr node = over(Node::Kind::kDistinct, std::move(input));
  node->slots = std::move(keys);
  return node;
}
NodePtr group(NodePtr input, std::vector<Slot> keys, std::vector<Aggregate> aggregates) {
  NodePtr node = over(Node::Kind::kGroup, std::move(input));
  node->slots = std::move(keys);
  node->aggregates = std::move(aggregates);
  return node;
}
NodePtr order_by(NodePtr input, std::vector<OrderKey> keys, std::uint64_t limit) {
  NodePtr node = over(Node::Kind::kOrder, std::move(input));
  node->order = std::move(keys);
  node->limit = limit;
  return node;
}
NodePtr slice(NodePtr input, std::uint64_t offset, std::uint64_t limit) {
  NodePtr node = over(Node::Kind::kSlice, std::move(input));
  node->offset = offset;
  node->limit = limit;
  return node;
}

}  // namespace anima::query
