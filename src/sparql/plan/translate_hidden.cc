// Triples that no statement stands for, as tables.
#include <algorithm>
#include <utility>

#include "sparql/plan/translator.h"
#include "sparql/rdf_mapping.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::plan {

using query::NodePtr;
using query::Ref;
using store::EntityId;
using store::GraphId;
using store::Term;
using store::Triple;

namespace {

// Whether the cells of a row fit the constants, and the slots that stand twice.
bool fits(const std::uint32_t (&cells)[3], const Ref (&refs)[3]) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (!refs[a].is_slot && refs[a].value != 0 && refs[a].value != cells[a]) return false;
    for (std::size_t b = a + 1; b < 3; ++b) {
      if (refs[a].is_slot && refs[b].is_slot && refs[a].value == refs[b].value &&
          cells[a] != cells[b])
        return false;
    }
  }
  return true;
}

}  // namespace

// The hidden triples that fit, null when there are none. `use`: of a constant predicate, whose own
// code is not asked for; null: of any.
NodePtr Translator::hidden(Ref subject, Ref predicate, Ref object, const PredicateUse* use,
                           const Target& target) {
  std::vector<Row> rows;
  if (use == nullptr || use->existence) hidden_existence(target, &rows);
  if (use == nullptr || use->part != PredicateUse::Part::kNone) hidden_parts(use, target, &rows);
  if (use == nullptr) {
    for (Row& row : rows) {
      if (row.predicate == 0) row.predicate = ground_.vocabulary.type_node();
    }
  }
  const Ref refs[3] = {subject, predicate, object};
  return table_of(rows, refs, target.graph);
}

void Translator::hidden_existence(const Target& target, std::vector<Row>* rows) {
  const store::Snapshot& scope = ground_.dataset.scopes()[target.scope];
  for (const HiddenTriples::Existence& one : ground_.hidden().existence) {
    const Triple statement{one.thing, store::kTypePredicate, Term::entity(one.type)};
    Row row;
    row.subject = static_cast<std::uint32_t>(one.thing);
    row.object = Term::entity(one.type).code;
    if (!target.graph) {
      if (scope.contains(statement)) rows->push_back(row);
      continue;
    }
    for (const store::Assertion& assertion : scope.assertions(statement)) {
      row.graph = graph_code(assertion.graph);
      rows->push_back(row);
    }
  }
}

// In the store's default graph, and in no named one.
void Translator::hidden_parts(const PredicateUse* use, const Target& target,
                              std::vector<Row>* rows) {
  using Part = PredicateUse::Part;
  if (!ground_.dataset.has_store_default(target.scope)) return;
  const auto wanted = [use](Part part) { return use == nullptr || use->part == part; };
  const store::Snapshot& everything = ground_.dataset.everything();
  const auto named = [&](std::string_view iri) {
    return use == nullptr ? code_of_iri(ground_.values, iri) : 0;
  };
  const std::uint32_t subject = named(kRdfSubject), predicate = named(kRdfPredicate),
                      object = named(kRdfObject);
  for (const EntityId proposition : ground_.hidden().propositions) {
    const Triple link = everything.triple_of(proposition);
    const auto code = static_cast<std::uint32_t>(proposition);
    if (wanted(Part::kSubject))
      rows->push_back({code, subject, static_cast<std::uint32_t>(link.subject), 0});
    if (wanted(Part::kPredicate))
      rows->push_back(
          {code, predicate, ground_.vocabulary.node_of_link(link.predicate.as_link()), 0});
    if (wanted(Part::kObject))
      rows->push_back({code, object, canonical_code(ground_.values, link.object.code), 0});
  }
}

NodePtr Translator::table_of(const std::vector<Row>& rows, const Ref (&refs)[3],
                             std::optional<Slot> graph) {
  std::vector<Slot> slots;
  std::vector<std::size_t> places;  // which cell each column has; 3 is the graph, 4 nothing
  for (std::size_t i = 0; i < 3; ++i) {
    if (!refs[i].is_slot || std::find(slots.begin(), slots.end(), refs[i].value) != slots.end())
      continue;
    slots.push_back(refs[i].value);
    places.push_back(i);
  }
  if (graph) {
    slots.push_back(*graph);
    places.push_back(3);
  }
  if (slots.empty()) {
    slots.push_back(blind());
    places.push_back(4);
  }
  std::vector<std::vector<std::uint32_t>> columns(slots.size());
  for (const Row& row : rows) {
    const std::uint32_t cells[3] = {row.subject, row.predicate, row.object};
    if (!fits(cells, refs)) continue;
    for (std::size_t k = 0; k < places.size(); ++k)
      columns[k].push_back(places[k] == 4 ? 1u : places[k] == 3 ? row.graph : cells[places[k]]);
  }
  if (columns[0].empty()) return nullptr;
  return query::table(std::move(slots), std::move(columns));
}

}  // namespace anima::sparql::plan
