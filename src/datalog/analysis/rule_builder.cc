#include "datalog/analysis/rule_builder.h"

#include <algorithm>

namespace anima::datalog::detail {

using ast::Comparison;
using ast::TermKind;

RuleBuilder::RuleBuilder(Context& context, const WorkClause& work)
    : context_(context), work_(work), clause_(work.clause) {
  origin_ = {work.unit, clause_.at, clause_.end, {}};
  at_ = clause_.at;
}

// ---- Reports

Context::Place RuleBuilder::place(Offset at, Offset end) const {
  return {work_.unit, at, std::max(end, at + 1), clause_.at, clause_.end};
}

bool RuleBuilder::report(Problem problem, Offset at, std::string message, std::string hint) {
  context_.report(problem, place(at), std::move(message), std::move(hint));
  return false;
}

bool RuleBuilder::unsafe(Offset at, std::string_view name, std::string_view hint) {
  std::string text = hint.empty() ? "bind " + std::string(name) +
                                        " by a positive atom or an equation to the left of its use"
                                  : std::string(hint);
  return report(Problem::kSafety, at, "the variable " + std::string(name) + " is not bound",
                std::move(text));
}

// ---- Variables

Variable RuleBuilder::fresh(std::string_view name) {
  const auto v = static_cast<Variable>(variables_.size());
  const bool named = !name.empty() && name.find('#') == std::string_view::npos;
  variables_.push_back({std::string(name.empty() ? "_" : name), named});
  parents_.push_back(v);
  bound_.push_back(false);
  let_variables_.push_back(false);
  return v;
}

Variable RuleBuilder::variable(std::string_view name) {
  const auto [entry, added] = names_.try_emplace(std::string(name), 0);
  if (added) entry->second = fresh(name);
  return find(entry->second);
}

Variable RuleBuilder::find(Variable v) const {
  while (parents_[v] != v) v = parents_[v];
  return v;
}

void RuleBuilder::alias(Variable a, Variable b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  if (!variables_[b].named) std::swap(a, b);  // a named one stays
  parents_[a] = b;
  bound_[b] = bound_[a] || bound_[b];
}

namespace {

void renumber_term(Term& term, const std::vector<Variable>& numbers) {
  if (term.kind == Term::Kind::kVariable) term.value = numbers[term.value];
  for (Term& argument : term.arguments) renumber_term(argument, numbers);
}

void renumber_arguments(std::vector<Argument>& arguments, const std::vector<Variable>& numbers) {
  for (Argument& argument : arguments) {
    if (!argument.constant) argument.value = numbers[argument.value];
  }
}

}  // namespace

// Aliases become one variable, and numbers are dense again.
void RuleBuilder::renumber(Rule& rule) {
  std::vector<Variable> numbers(variables_.size(), kNone);
  for (Variable v = 0; v < variables_.size(); ++v) {
    if (find(v) != v) continue;
    numbers[v] = static_cast<Variable>(rule.variables.size());
    rule.variables.push_back(variables_[v]);
  }
  for (Variable v = 0; v < variables_.size(); ++v) numbers[v] = numbers[find(v)];

  renumber_arguments(rule.head_arguments, numbers);
  for (Variable& input : rule.inputs) input = numbers[input];
  for (Literal& literal : rule.body) {
    renumber_arguments(literal.arguments, numbers);
    for (Variable& output : literal.outputs) output = numbers[output];
    if (literal.variable != kNone) literal.variable = numbers[literal.variable];
    renumber_term(literal.left, numbers);
    renumber_term(literal.right, numbers);
  }
  if (!rule.grouping) return;
  for (Variable& key : rule.grouping->keys) key = numbers[key];
  std::vector<Variable>& rows = rule.grouping->row_variables;
  for (Variable& row : rows) row = numbers[row];
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (Reduction& reduction : rule.grouping->reductions) {
    reduction.result = numbers[reduction.result];
    for (Variable& argument : reduction.arguments) argument = numbers[argument];
  }
  for (Assignment& assignment : rule.grouping->after) {
    assignment.variable = numbers[assignment.variable];
    renumber_term(assignment.value, numbers);
  }
}

// The '+' places of a deferred rule's head.
bool RuleBuilder::inputs(Rule& rule) {
  for (const std::uint32_t place : work_.inputs) {
    const ast::Term& from = clause_.head.arguments[place];
    const bool plain = from.kind == TermKind::kVariable && from.text != "_" && !all_bound(from);
    const Variable v = plain ? variable(from.text) : fresh();
    bind(v);
    rule.inputs.push_back(v);
    if (plain || (from.kind == TermKind::kVariable && from.text == "_")) continue;
    Term value;
    if (!term(from, false, value)) return false;
    compare_bound(Comparison::kEqual, as_term(Argument::variable(v)), std::move(value));
  }
  return true;
}

std::optional<Rule> RuleBuilder::build() {
  Rule rule;
  rule.head = context_.program.find(clause_.head.predicate);
  if (rule.head == kNone) return std::nullopt;
  if (clause_.head.arguments.size() != context_.predicate(rule.head).arity) return std::nullopt;
  const LineIndex& lines = context_.lines[work_.unit];
  rule.where = lines.where(clause_.at);
  rule.text = lines.source().snippet(clause_.at, clause_.end);
  rule.internal = work_.internal;
  if (!inputs(rule)) return std::nullopt;
  bool good = true;
  for (const ast::Literal& literal : clause_.body) {
    if (!body_literal(literal)) {
      good = false;
      break;
    }
  }
  if (!good || !release(true) || !transforms(rule) || !head(rule)) return std::nullopt;
  rule.body = std::move(body_);
  rule.grouping = std::move(grouping_);
  renumber(rule);
  return rule;
}

}  // namespace anima::datalog::detail
