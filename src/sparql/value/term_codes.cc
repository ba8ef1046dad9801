#include "sparql/value/term_codes.h"

#include "sparql/detail/language_tag.h"
#include "sparql/rdf_mapping.h"
#include "sparql/value/companion.h"

namespace anima::sparql {

using query::Values;
using store::EntityId;
using store::Snapshot;
using store::ValueKind;

namespace {

std::optional<EntityId> concept_called(const Snapshot& everything, const Named& named) {
  const auto type = everything.find_type(named.type);
  return type ? everything.known_concept(*type, named.name) : std::nullopt;
}

}  // namespace

std::optional<EntityId> entity_of_iri(const Snapshot& everything, std::string_view iri,
                                      PropositionFinder& propositions) {
  if (!iri.starts_with(kAnima)) {
    return is_absolute_iri(iri) ? everything.known_concept(store::kEntityType, iri) : std::nullopt;
  }
  const Named named = read_iri(iri);
  std::optional<EntityId> entity;
  if (named.kind == Named::Kind::kConcept) entity = concept_called(everything, named);
  if (named.kind == Named::Kind::kProposition) entity = propositions.find(everything, named.name);
  if (!entity) return std::nullopt;
  // Another spelling of an entity's IRI is another IRI.
  std::string scratch;
  const RdfTerm written = entity_term(everything, *entity, scratch);
  if (written.kind != RdfKind::kIri || written.text != iri) return std::nullopt;
  return entity;
}

namespace {

std::optional<EntityId> entity_of_iri(Values& values, std::string_view iri) {
  return entity_of_iri(values.snapshot(), iri, value::companion_of(values).propositions());
}

}  // namespace

std::optional<EntityId> entity_of_blank(const Snapshot& everything, std::string_view label) {
  if (!is_blank_label(label)) return std::nullopt;
  return everything.known_concept(store::kEntityType, "_:" + std::string(label));
}

std::uint32_t code_of_iri(Values& values, std::string_view iri) {
  if (const auto entity = entity_of_iri(values, iri)) return static_cast<std::uint32_t>(*entity);
  store::ValueView view;
  view.kind = ValueKind::kIri;
  view.text = iri;
  return values.intern(view).code;
}

std::uint32_t code_of_blank(Values& values, std::string_view label) {
  if (const auto entity = entity_of_blank(values.snapshot(), label))
    return static_cast<std::uint32_t>(*entity);
  store::ValueView view;
  view.kind = ValueKind::kBlank;
  view.text = label;
  return values.intern(view).code;
}

std::uint32_t code_of(Values& values, const RdfTerm& term) {
  if (term.kind == RdfKind::kIri) return code_of_iri(values, term.text);
  if (term.kind == RdfKind::kBlank) return code_of_blank(values, term.text);
  if (term.kind != RdfKind::kLanguageString) return values.intern(literal_value(term)).code;
  std::string scratch;
  RdfTerm usual = term;
  // Another spelling may be in the space from before there was a usual one.
  if (!values.snapshot().find(literal_value(term)))
    usual.extra = usual_language_tag(term.extra, scratch);
  return values.intern(literal_value(usual)).code;
}

RdfTerm term_of(const Values& values, std::uint32_t code, std::string& scratch) {
  const store::Term term{code};
  if (term.is_entity()) return entity_term(values.snapshot(), term.as_entity(), scratch);
  return value_term(values.view(code), scratch);
}

std::uint32_t canonical_code(Values& values, std::uint32_t code) {
  const store::Term term{code};
  if (code == 0 || term.tag() == store::Tag::kEntity || term.tag() == store::Tag::kInteger)
    return code;
  const store::ValueView view = values.view(code);
  std::optional<EntityId> entity;
  if (view.kind == ValueKind::kIri) entity = entity_of_iri(values, view.text);
  if (view.kind == ValueKind::kBlank) entity = entity_of_blank(values.snapshot(), view.text);
  return entity ? static_cast<std::uint32_t>(*entity) : code;
}

}  // namespace anima::sparql
