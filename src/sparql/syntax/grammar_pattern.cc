// Groups and what stands in them but triples.
#include <utility>

#include "sparql/syntax/grammar.h"

namespace anima::sparql::syntax {

ast::GroupPattern Grammar::group() {
  const Deeper deeper(*this);
  ast::GroupPattern group;
  expect_mark("{");
  const std::uint32_t outer_pattern = pattern_number_;
  const bool outer_aggregates = std::exchange(aggregates_allowed_, false);
  pattern_number_ = ++last_pattern_;
  if (is_word("SELECT")) {
    ast::Element element;
    element.kind = ast::Element::Kind::kSubSelect;
    element.place = token_.place;
    auto query = std::make_shared<ast::Query>();
    select(*query);
    element.query = std::move(query);
    group.elements.push_back(std::move(element));
  } else {
    VariableSet visible;
    while (!failed() && !at_end() && !is_mark("}")) group_part(group, visible);
  }
  aggregates_allowed_ = outer_aggregates;
  pattern_number_ = outer_pattern;
  expect_mark("}");
  return group;
}

void Grammar::add_element(ast::GroupPattern& group, ast::Element element) {
  if (group.elements.size() >= kMaxChain)
    return exceed("a group has more than " + std::to_string(kMaxChain) + " parts");
  group.elements.push_back(std::move(element));
}

// Triples on both sides of a filter are one basic graph pattern.
void Grammar::group_part(ast::GroupPattern& group, VariableSet& visible) {
  using ElementKind = ast::Element::Kind;
  ast::Element element;
  element.place = token_.place;
  if (at_node()) {
    triples(element.triples, true);
    if (at_node()) expected("\".\" or \"}\"");
    add_visible(element, visible);
    for (std::size_t i = group.elements.size(); i-- > 0;) {
      if (group.elements[i].kind == ElementKind::kFilter) continue;
      if (group.elements[i].kind != ElementKind::kTriples) break;
      auto& before = group.elements[i].triples;
      before.insert(before.end(), std::make_move_iterator(element.triples.begin()),
                    std::make_move_iterator(element.triples.end()));
      return;
    }
    return add_element(group, std::move(element));
  }
  if (take_word("FILTER")) {
    element.kind = ElementKind::kFilter;
    element.expression = constraint();
  } else if (take_word("OPTIONAL")) {
    element.kind = ElementKind::kOptional;
    element.groups.push_back(this->group());
  } else if (take_word("MINUS")) {
    element.kind = ElementKind::kMinus;
    element.groups.push_back(this->group());
  } else if (is_mark("{")) {
    union_of(element);
  } else if (is_word("GRAPH") || is_word("SERVICE")) {
    element.kind = take_word("GRAPH") ? ElementKind::kGraph : ElementKind::kService;
    if (element.kind == ElementKind::kService) {
      advance();
      element.silent = take_word("SILENT");
    }
    element.name = variable_or_iri();
    element.groups.push_back(this->group());
  } else if (take_word("BIND")) {
    bind(element, visible);
  } else if (take_word("VALUES")) {
    element.kind = ElementKind::kValues;
    element.data = inline_data();
  } else {
    return expected("a triple, FILTER, OPTIONAL, MINUS, GRAPH, BIND, VALUES, a group or \"}\"");
  }
  if (element.kind != ElementKind::kFilter) pattern_number_ = ++last_pattern_;
  if (failed()) return;
  add_visible(element, visible);
  add_element(group, std::move(element));
  take_mark(".");
}

void Grammar::bind(ast::Element& element, const VariableSet& visible) {
  element.kind = ast::Element::Kind::kBind;
  expect_mark("(");
  element.expression = expression();
  expect_word("AS");
  const ast::Place place = token_.place;
  element.variable = variable();
  if (visible.contains(element.variable)) {
    fail_at(place, "?" + element.variable + " is bound in the group already",
            "give what is computed another name");
  }
  expect_mark(")");
}

void Grammar::union_of(ast::Element& element) {
  element.kind = ast::Element::Kind::kUnion;
  do {
    if (!within_chain(element.groups.size())) return;
    element.groups.push_back(group());
  } while (take_word("UNION"));
}

ast::InlineData Grammar::inline_data() {
  ast::InlineData data;
  if (token_.kind == Kind::kVariable) {
    data.variables.push_back(variable());
    expect_mark("{");
    while (!failed() && !is_mark("}")) data.rows.push_back({data_value()});
    expect_mark("}");
    return data;
  }
  expect_mark("(");
  while (token_.kind == Kind::kVariable) {
    const ast::Place place = token_.place;
    data.variables.push_back(variable());
    for (std::size_t i = 0; i + 1 < data.variables.size(); ++i) {
      if (data.variables[i] == data.variables.back())
        fail_at(place, "VALUES names ?" + data.variables.back() + " twice");
    }
  }
  expect_mark(")");
  expect_mark("{");
  while (!failed() && !is_mark("}")) data.rows.push_back(data_row(data.variables.size()));
  expect_mark("}");
  return data;
}

std::vector<std::optional<ast::Term>> Grammar::data_row(std::size_t width) {
  std::vector<std::optional<ast::Term>> row;
  const ast::Place place = token_.place;
  expect_mark("(");
  while (!failed() && !is_mark(")")) row.push_back(data_value());
  if (row.size() != width && !failed()) {
    fail_at(place, "the row has " + std::to_string(row.size()) + " values for " +
                       std::to_string(width) + " variables");
  }
  expect_mark(")");
  return row;
}

std::optional<ast::Term> Grammar::data_value() {
  if (take_word("UNDEF")) return std::nullopt;
  if (at_iri()) return ast::Term{ast::Term::Kind::kIri, iri(), {}};
  auto value = literal();
  if (!value) expected("an IRI, a literal or UNDEF");
  return value;
}

}  // namespace anima::sparql::syntax
