// Updates.
#include <utility>

#include "sparql/syntax/grammar.h"

namespace anima::sparql::syntax {

using OperationKind = ast::Operation::Kind;

ast::Update Grammar::update() {
  ast::Update update;
  do {
    prologue();
    if (at_end()) break;
    operation(update);
  } while (take_mark(";"));
  if (!at_end()) expected("\";\" or the end of the update");
  return update;
}

void Grammar::operation(ast::Update& update) {
  ast::Operation operation;
  operation.place = token_.place;
  ++operation_number_;
  if (is_word("LOAD")) {
    load(operation);
  } else if (is_word("CLEAR") || is_word("DROP")) {
    clear_or_drop(operation);
  } else if (is_word("CREATE")) {
    create(operation);
  } else if (is_word("ADD")) {
    transfer(operation, OperationKind::kAdd);
  } else if (is_word("MOVE")) {
    transfer(operation, OperationKind::kMove);
  } else if (is_word("COPY")) {
    transfer(operation, OperationKind::kCopy);
  } else if (is_word("INSERT") || is_word("DELETE") || is_word("WITH")) {
    insert_or_delete(operation);
  } else {
    expected("INSERT, DELETE, WITH, LOAD, CLEAR, DROP, CREATE, ADD, MOVE or COPY");
  }
  operation.base = base_.text();
  if (!failed()) update.operations.push_back(std::move(operation));
}

void Grammar::insert_or_delete(ast::Operation& operation) {
  if (take_word("WITH")) {
    operation.with = iri();
    return modify(operation);
  }
  const bool insert = is_word("INSERT");
  advance();
  if (is_word("DATA")) return data(operation, insert);
  if (!insert && take_word("WHERE")) return delete_where(operation);
  modify_behind(operation, insert);
}

void Grammar::data(ast::Operation& operation, bool insert) {
  expect_word("DATA");
  operation.kind = insert ? OperationKind::kInsertData : OperationKind::kDeleteData;
  variables_allowed_ = false;
  (insert ? operation.inserts : operation.deletes) =
      quads(insert ? BlankRule::kData : BlankRule::kForbidden);
  variables_allowed_ = true;
}

void Grammar::modify(ast::Operation& operation) {
  const bool insert = is_word("INSERT");
  if (!insert && !is_word("DELETE")) return expected("DELETE or INSERT");
  advance();
  modify_behind(operation, insert);
}

// From behind the first DELETE or INSERT on.
void Grammar::modify_behind(ast::Operation& operation, bool insert) {
  operation.kind = OperationKind::kModify;
  if (!insert) operation.deletes = quads(BlankRule::kForbidden);
  if (insert || take_word("INSERT")) operation.inserts = quads(BlankRule::kTemplate);
  dataset(operation.usings, "USING");
  expect_word("WHERE");
  operation.where = group();
}

void Grammar::delete_where(ast::Operation& operation) {
  operation.kind = OperationKind::kModify;
  operation.deletes = quads(BlankRule::kForbidden);
  // What is deleted is what is matched, graph by graph.
  for (const ast::Quad& quad : operation.deletes) {
    ast::GroupPattern* group = &operation.where;
    if (quad.graph) {
      auto& elements = operation.where.elements;
      if (elements.empty() || elements.back().kind != ast::Element::Kind::kGraph ||
          !(elements.back().name == *quad.graph)) {
        ast::Element graph;
        graph.kind = ast::Element::Kind::kGraph;
        graph.name = *quad.graph;
        graph.place = quad.triple.place;
        graph.groups.emplace_back();
        elements.push_back(std::move(graph));
      }
      group = &elements.back().groups[0];
    }
    if (group->elements.empty() || group->elements.back().kind != ast::Element::Kind::kTriples) {
      ast::Element triples;
      triples.place = quad.triple.place;
      group->elements.push_back(std::move(triples));
    }
    group->elements.back().triples.push_back(quad.triple);
  }
}

std::vector<ast::Quad> Grammar::quads(BlankRule rule) {
  std::vector<ast::Quad> out;
  const BlankRule outer = std::exchange(blank_rule_, rule);
  expect_mark("{");
  quad_triples(out, std::nullopt);
  while (take_word("GRAPH")) {
    const ast::Term graph = variable_or_iri();
    expect_mark("{");
    quad_triples(out, graph);
    expect_mark("}");
    take_mark(".");
    quad_triples(out, std::nullopt);
  }
  expect_mark("}");
  blank_rule_ = outer;
  return out;
}

void Grammar::quad_triples(std::vector<ast::Quad>& out, const std::optional<ast::Term>& graph) {
  Triples found;
  triples(found, false);
  for (ast::TriplePattern& triple : found) out.push_back({graph, std::move(triple)});
}

void Grammar::load(ast::Operation& operation) {
  operation.kind = OperationKind::kLoad;
  advance();
  operation.silent = take_word("SILENT");
  operation.document = iri();
  if (!take_word("INTO")) return;
  expect_word("GRAPH");
  operation.target = {ast::GraphTarget::Kind::kGraph, iri()};
}

void Grammar::clear_or_drop(ast::Operation& operation) {
  operation.kind = is_word("CLEAR") ? OperationKind::kClear : OperationKind::kDrop;
  advance();
  operation.silent = take_word("SILENT");
  operation.target = graph_reference(true);
}

void Grammar::create(ast::Operation& operation) {
  operation.kind = OperationKind::kCreate;
  advance();
  operation.silent = take_word("SILENT");
  operation.target = graph_reference(false);
}

void Grammar::transfer(ast::Operation& operation, OperationKind kind) {
  operation.kind = kind;
  advance();
  operation.silent = take_word("SILENT");
  operation.source = graph_or_default();
  expect_word("TO");
  operation.target = graph_or_default();
}

ast::GraphTarget Grammar::graph_or_default() {
  if (take_word("DEFAULT")) return {};
  take_word("GRAPH");
  return {ast::GraphTarget::Kind::kGraph, iri()};
}

ast::GraphTarget Grammar::graph_reference(bool all) {
  if (take_word("GRAPH")) return {ast::GraphTarget::Kind::kGraph, iri()};
  if (all && take_word("DEFAULT")) return {};
  if (all && take_word("NAMED")) return {ast::GraphTarget::Kind::kNamed, {}};
  if (all && take_word("ALL")) return {ast::GraphTarget::Kind::kAll, {}};
  expected(all ? "GRAPH, DEFAULT, NAMED or ALL" : "GRAPH");
  return {};
}

}  // namespace anima::sparql::syntax
