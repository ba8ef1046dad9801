// Expressions: variables are slots, constants codes; operators and functions come from value/.
#include <utility>

#include "sparql/plan/bindings.h"
#include "sparql/plan/translator.h"

namespace anima::sparql::plan {

using query::Expr;
using query::Node;
using query::NodePtr;
using ExprKind = ast::Expression::Kind;

namespace {

bool looks_at_all_rows(const Node& node) {
  return node.kind == Node::Kind::kGroup || node.kind == Node::Kind::kDistinct ||
         node.kind == Node::Kind::kOrder || node.kind == Node::Kind::kSlice;
}

// Inside EXISTS every part is seeded with the outer row; what looks at all rows has to stand alone.
NodePtr fit_for_seed(NodePtr node) {
  if (looks_at_all_rows(*node)) return query::join(query::unit(), std::move(node), true);
  for (std::size_t i = 0; i < node->inputs.size(); ++i) {
    if (i == 1 && node->isolated) continue;
    node->inputs[i] = fit_for_seed(std::move(node->inputs[i]));
  }
  return node;
}

}  // namespace

Result<Expr> Translator::expression(const ast::Expression& expression, const Target& target) {
  // An aggregate, or what stands for a variable in a group.
  const auto known = aggregate_slots_.find(&expression);
  if (known != aggregate_slots_.end()) return Expr::of_slot(known->second);
  if (expression.kind == ExprKind::kTerm) {
    if (expression.term.is_variable()) return Expr::of_slot(slot_of(expression.term.text));
    return Expr::of(store::Term{code_of(expression.term)});
  }
  if (expression.kind == ExprKind::kExists || expression.kind == ExprKind::kNotExists)
    return exists(expression, target);
  if (expression.kind == ExprKind::kAggregate)
    return fail(ErrorCode::kInvalidArgument, expression.name + " stands outside of any group");
  std::vector<Expr> arguments;
  for (const ast::Expression& argument : expression.arguments) {
    ANIMA_ASSIGN(Expr made, this->expression(argument, target));
    arguments.push_back(std::move(made));
  }
  const bool labelled =
      expression.kind == ExprKind::kBuiltIn && expression.name == "BNODE" && !arguments.empty();
  if (labelled) {
    if (!row_slot_) row_slot_ = fresh();
    arguments.push_back(Expr::of_slot(*row_slot_));
  }
  return make_expression(expression, std::move(arguments), ground_.expressions);
}

Result<Expr> Translator::condition(const ast::Expression& expression, const Target& target) {
  ANIMA_ASSIGN(Expr made, this->expression(expression, target));
  return as_condition(std::move(made));
}

Result<Expr> Translator::exists(const ast::Expression& expression, const Target& target) {
  ANIMA_ASSIGN(NodePtr inside, filtered(*expression.pattern, target));
  Expr test = Expr::exists(fit_for_seed(std::move(inside)));
  return expression.kind == ExprKind::kExists ? std::move(test) : Expr::negate(std::move(test));
}

NodePtr Translator::with_row_number(NodePtr node, bool had_one) {
  if (had_one || !row_slot_) return node;
  return query::extend(std::move(node), *row_slot_, row_number());
}

}  // namespace anima::sparql::plan
