// Groups: what stands between braces, and which graph it is matched in.
#include <algorithm>
#include <utility>

#include "sparql/plan/bindings.h"
#include "sparql/plan/checks.h"
#include "sparql/plan/translator.h"
#include "sparql/rdf_mapping.h"
#include "sparql/syntax/lexer.h"
#include "sparql/syntax/scopes.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::plan {

using query::Expr;
using query::Node;
using query::NodePtr;
using query::SlotSet;
using ElementKind = ast::Element::Kind;

namespace {

bool is_graph_by_row(const ast::GroupPattern& group);

bool is_graph_by_row(const ast::Expression& expression) {
  return (expression.pattern == nullptr || is_graph_by_row(*expression.pattern)) &&
         std::all_of(expression.arguments.begin(), expression.arguments.end(),
                     [](const ast::Expression& argument) { return is_graph_by_row(argument); });
}

// A slice, and a group of everything, are of the rows of one graph.
bool is_graph_by_row(const ast::Query& query) {
  const auto by_row = [](const auto& item) { return is_graph_by_row(item.expression); };
  return !query.limit && query.offset == 0 && !(query.grouped && query.group_by.empty()) &&
         is_graph_by_row(query.where) &&
         std::all_of(query.projection.begin(), query.projection.end(),
                     [](const ast::Projection& one) {
                       return !one.expression || is_graph_by_row(*one.expression);
                     }) &&
         std::all_of(query.group_by.begin(), query.group_by.end(), by_row) &&
         std::all_of(query.having.begin(), query.having.end(),
                     [](const ast::Expression& one) { return is_graph_by_row(one); });
}

// Whether all graphs may be matched at once, each row knowing its graph: nothing inside looks at
// the rows of one graph together, but for groups that have the graph as a key.
bool is_graph_by_row(const ast::GroupPattern& group) {
  return std::all_of(group.elements.begin(), group.elements.end(), [](const ast::Element& element) {
    if (element.kind == ElementKind::kSubSelect) return is_graph_by_row(*element.query);
    if (element.expression && !is_graph_by_row(*element.expression)) return false;
    // Another GRAPH goes its own way.
    return element.kind == ElementKind::kGraph ||
           std::all_of(element.groups.begin(), element.groups.end(),
                       [](const ast::GroupPattern& inner) { return is_graph_by_row(inner); });
  });
}

bool names(const ast::GroupPattern& group, const std::string& variable);

bool names(const ast::Term& term, const std::string& variable) {
  return term.is_variable() && term.text == variable;
}

bool names(const ast::Expression& expression, const std::string& variable) {
  return names(expression.term, variable) ||
         (expression.pattern != nullptr && names(*expression.pattern, variable)) ||
         std::any_of(
             expression.arguments.begin(), expression.arguments.end(),
             [&variable](const ast::Expression& argument) { return names(argument, variable); });
}

bool names(const ast::Element& element, const std::string& variable) {
  for (const ast::TriplePattern& triple : element.triples) {
    const auto* const verb = std::get_if<ast::Term>(&triple.predicate);
    if (names(triple.subject, variable) || names(triple.object, variable) ||
        (verb != nullptr && names(*verb, variable)))
      return true;
  }
  if (element.expression && names(*element.expression, variable)) return true;
  if (element.kind == ElementKind::kSubSelect) {
    const auto& shown = element.query->projection;
    return std::any_of(shown.begin(), shown.end(), [&variable](const ast::Projection& one) {
      return one.variable == variable;
    });
  }
  const auto& table = element.data.variables;
  if (element.variable == variable || names(element.name, variable) ||
      std::find(table.begin(), table.end(), variable) != table.end())
    return true;
  return std::any_of(
      element.groups.begin(), element.groups.end(),
      [&variable](const ast::GroupPattern& inner) { return names(inner, variable); });
}

// What a sub-select does not show is no variable of the group.
bool names(const ast::GroupPattern& group, const std::string& variable) {
  return std::any_of(group.elements.begin(), group.elements.end(),
                     [&variable](const ast::Element& element) { return names(element, variable); });
}

}  // namespace

std::uint32_t Translator::graph_code(store::GraphId graph) {
  std::string scratch;
  const RdfTerm term = graph_term(ground_.dataset.everything().graph_name(graph), scratch);
  return sparql::code_of(ground_.values, term);
}

// No rows.
NodePtr Translator::nothing() { return query::table({blind()}, {{}}); }

Result<NodePtr> Translator::filtered(const ast::GroupPattern& group, const Target& target) {
  ANIMA_ASSIGN(Group made, this->group(group, target));
  if (made.filters.empty()) return std::move(made.node);
  return query::filter(std::move(made.node), std::move(made.filters));
}

Result<Translator::Group> Translator::group(const ast::GroupPattern& group, const Target& target) {
  Group made;
  made.node = query::unit();
  const auto outer_row = std::exchange(row_slot_, std::nullopt);
  auto outer_ranges = std::exchange(ranges_, ranges_of(group));
  for (const ast::Element& element : group.elements) {
    if (element.kind == ElementKind::kFilter) continue;
    if (element.kind != ElementKind::kBind) row_slot_.reset();
    ANIMA_ASSIGN(made.node, this->element(element, std::move(made.node), target));
  }
  row_slot_.reset();
  for (const ast::Element& element : group.elements) {
    if (element.kind != ElementKind::kFilter) continue;
    ANIMA_ASSIGN(Expr test, condition(*element.expression, target));
    made.filters.push_back(std::move(test));
  }
  made.node = with_graph(std::move(made.node), target);
  row_slot_ = outer_row;
  ranges_ = std::move(outer_ranges);
  return made;
}

Result<NodePtr> Translator::element(const ast::Element& element, NodePtr node,
                                    const Target& target) {
  switch (element.kind) {
    case ElementKind::kTriples: {
      ANIMA_ASSIGN(NodePtr triples, basic(element.triples, target));
      return join_sides(std::move(node), std::move(triples));
    }
    case ElementKind::kOptional:
      return optional(element, std::move(node), target);
    case ElementKind::kMinus:
      return minus(element, std::move(node), target);
    case ElementKind::kUnion: {
      ANIMA_ASSIGN(NodePtr branches, unite(element, target));
      return join_sides(std::move(node), std::move(branches));
    }
    case ElementKind::kGraph: {
      ANIMA_ASSIGN(NodePtr inside, in_graph(element));
      return join_sides(std::move(node), std::move(inside));
    }
    case ElementKind::kBind:
      return bind(element, std::move(node), target);
    case ElementKind::kValues: {
      ANIMA_ASSIGN(NodePtr table, values(element.data));
      // A few rows first: what follows looks them up.
      const SlotSet slots = bindings_of(*table).possible;
      if (node->kind != Node::Kind::kUnit && is_seed_safe(*node, slots))
        return query::join(std::move(table), std::move(node));
      return join_sides(std::move(node), std::move(table));
    }
    case ElementKind::kSubSelect: {
      ANIMA_ASSIGN(NodePtr inside, sub_select(*element.query, target));
      return join_sides(std::move(node), std::move(inside));
    }
    case ElementKind::kService:
      if (element.silent) return node;  // as one that does not answer
      return fail(ErrorCode::kUnsupported, "SERVICE is not supported: nothing is asked elsewhere",
                  syntax::text_of(element.place), "ask each endpoint by itself");
    case ElementKind::kFilter:
      break;
  }
  return node;
}

Result<NodePtr> Translator::optional(const ast::Element& element, NodePtr node,
                                     const Target& target) {
  ANIMA_ASSIGN(Group inside, group(element.groups[0], target));
  return left_join_sides(std::move(node), std::move(inside.node), std::move(inside.filters));
}

// Rows of one graph have its slot in common, which is no variable: they are removed for another
// slot that both have for certain, or graph by graph.
Result<NodePtr> Translator::minus(const ast::Element& element, NodePtr node, const Target& target) {
  ANIMA_ASSIGN(NodePtr removed, filtered(element.groups[0], target));
  node = with_graph(std::move(node), target);
  const Bindings stay = bindings_of(*node), go = bindings_of(*removed);
  SlotSet shared = stay.possible & go.possible, certain = stay.certain & go.certain;
  if (target.graph) {
    shared.reset(*target.graph);
    certain.reset(*target.graph);
    if (shared.any() && certain.none()) each_graph_ = true;
  }
  if (shared.none()) return node;
  return query::minus(std::move(node), std::move(removed));
}

Result<NodePtr> Translator::unite(const ast::Element& element, const Target& target) {
  std::vector<NodePtr> branches;
  for (const ast::GroupPattern& branch : element.groups) {
    ANIMA_ASSIGN(NodePtr made, filtered(branch, target));
    branches.push_back(std::move(made));
  }
  if (branches.size() == 1) return std::move(branches[0]);
  return query::union_of(std::move(branches));
}

Result<NodePtr> Translator::bind(const ast::Element& element, NodePtr node, const Target& target) {
  const bool had_row = row_slot_.has_value();
  ANIMA_ASSIGN(Expr value, expression(*element.expression, target));
  node = with_row_number(std::move(node), had_row);
  return query::extend(std::move(node), slot_of(element.variable), std::move(value));
}

Result<NodePtr> Translator::values(const ast::InlineData& data) {
  std::vector<Slot> slots;
  for (const std::string& name : data.variables) slots.push_back(slot_of(name));
  std::vector<std::vector<std::uint32_t>> columns(data.variables.size());
  for (const auto& row : data.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      columns[i].push_back(row[i] ? code_of(*row[i]) : 0);
  }
  if (slots.empty()) {  // rows of no variables
    if (data.rows.size() == 1) return query::unit();
    slots.push_back(blind());
    columns.emplace_back(data.rows.size(), 1u);
  }
  return query::table(std::move(slots), std::move(columns));
}

// --- graphs

Result<NodePtr> Translator::in_graph(const ast::Element& element) {
  if (element.name.is_variable()) {
    const ast::GroupPattern& group = element.groups[0];
    if (ground_.dataset.named().empty()) return nothing();
    return is_graph_by_row(group) ? in_any_graph(element) : in_each_graph(element);
  }
  if (!ground_.dataset.has_named(element.name.text)) return nothing();
  Target target;
  ANIMA_ASSIGN(target.scope, ground_.dataset.graph(element.name.text));
  return filtered(element.groups[0], target);
}

NodePtr Translator::graph_table(Slot slot) {
  std::vector<std::uint32_t> codes;
  for (const store::GraphId graph : ground_.dataset.named()) codes.push_back(graph_code(graph));
  return query::table({slot}, {std::move(codes)});
}

// Where rows know their graph, every row of a group has one, also of a group that matches nothing.
NodePtr Translator::with_graph(NodePtr node, const Target& target) {
  if (!target.graph || bindings_of(*node).certain.test(*target.graph)) return node;
  NodePtr graphs = graph_table(*target.graph);
  if (node->kind == Node::Kind::kUnit) return graphs;
  return query::join(std::move(graphs), std::move(node));
}

// All graphs at once: a slot holds the graph of each row. Inside the group its variable is not
// bound yet, so where the group names it the slot is a hidden one.
Result<NodePtr> Translator::in_any_graph(const ast::Element& element) {
  Target target;
  ANIMA_ASSIGN(target.scope, ground_.dataset.all_named());
  const bool hides = names(element.groups[0], element.name.text);
  target.graph = hides ? fresh() : slot_of(element.name.text);
  uses_graphs_ = true;
  const bool outer_each = std::exchange(each_graph_, false);
  ANIMA_ASSIGN(NodePtr node, filtered(element.groups[0], target));
  if (std::exchange(each_graph_, outer_each)) return in_each_graph(element);
  if (!hides) return node;
  const Slot variable = slot_of(element.name.text);
  const Bindings bound = bindings_of(*node);
  if (!bound.possible.test(variable))
    return query::extend(std::move(node), variable, Expr::of_slot(*target.graph));
  if (!bound.certain.test(variable)) return in_each_graph(element);
  std::vector<Expr> same;
  same.push_back(is_same(Expr::of_slot(variable), Expr::of_slot(*target.graph)));
  return query::filter(std::move(node), std::move(same));
}

// Graph by graph.
Result<NodePtr> Translator::in_each_graph(const ast::Element& element) {
  std::vector<NodePtr> branches;
  const Slot variable = slot_of(element.name.text);
  for (const store::GraphId graph : ground_.dataset.named()) {
    Target target;
    ANIMA_ASSIGN(target.scope, ground_.dataset.graph(graph));
    ANIMA_ASSIGN(NodePtr inside, filtered(element.groups[0], target));
    NodePtr table = query::table({variable}, {{graph_code(graph)}});
    branches.push_back(join_sides(std::move(inside), std::move(table)));
  }
  if (branches.size() == 1) return std::move(branches[0]);
  return query::union_of(std::move(branches));
}

}  // namespace anima::sparql::plan
