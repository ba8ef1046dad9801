#include "sparql/syntax/scopes.h"

namespace anima::sparql::syntax {

namespace {

void add_term(const ast::Term& term, VariableSet& out) {
  if (term.is_variable()) out.add(term.text);
}

void add_triples(const std::vector<ast::TriplePattern>& triples, VariableSet& out) {
  for (const ast::TriplePattern& triple : triples) {
    add_term(triple.subject, out);
    if (const auto* const verb = std::get_if<ast::Term>(&triple.predicate)) add_term(*verb, out);
    add_term(triple.object, out);
  }
}

}  // namespace

void add_visible(const ast::Element& element, VariableSet& out) {
  using Kind = ast::Element::Kind;
  switch (element.kind) {
    case Kind::kTriples:
      return add_triples(element.triples, out);
    case Kind::kFilter:
    case Kind::kMinus:
      return;
    case Kind::kBind:
      return out.add(element.variable);
    case Kind::kGraph:
    case Kind::kService:
      add_term(element.name, out);
      return add_visible(element.groups[0], out);
    case Kind::kOptional:
    case Kind::kUnion:
      for (const ast::GroupPattern& group : element.groups) add_visible(group, out);
      return;
    case Kind::kValues:
      for (const std::string& name : element.data.variables) out.add(name);
      return;
    case Kind::kSubSelect:
      for (const ast::Projection& one : element.query->projection) out.add(one.variable);
      return;
  }
}

void add_visible(const ast::GroupPattern& group, VariableSet& out) {
  for (const ast::Element& element : group.elements) add_visible(element, out);
}

void add_visible_of_where(const ast::Query& query, VariableSet& out) {
  add_visible(query.where, out);
  for (const ast::GroupKey& key : query.group_by) {
    if (!key.variable.empty()) out.add(key.variable);
  }
  if (query.values) {
    for (const std::string& name : query.values->variables) out.add(name);
  }
}

const ast::Expression* first_unknown(const ast::Expression& expression, const VariableSet& known) {
  if (expression.kind == ast::Expression::Kind::kAggregate) return nullptr;
  if (expression.kind == ast::Expression::Kind::kTerm) {
    const bool unknown = expression.term.is_variable() && !known.contains(expression.term.text);
    return unknown ? &expression : nullptr;
  }
  for (const ast::Expression& argument : expression.arguments) {
    if (const auto* const found = first_unknown(argument, known)) return found;
  }
  return nullptr;
}

bool has_aggregate(const ast::Expression& expression) {
  if (expression.kind == ast::Expression::Kind::kAggregate) return true;
  for (const ast::Expression& argument : expression.arguments) {
    if (has_aggregate(argument)) return true;
  }
  return false;
}

}  // namespace anima::sparql::syntax
