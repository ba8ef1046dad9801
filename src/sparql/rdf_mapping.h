// How the facts of a space are RDF, and RDF the facts of a space. Total in both directions.
//
// * A concept of type Entity named by an absolute IRI is that IRI.
// * A concept of type Entity named "_:label" is that blank node.
// * Any other concept is urn:anima:concept:TYPE:NAME.
// * A link predicate named by an absolute IRI is that IRI, else urn:anima:predicate:NAME.
// * An attribute key that is an absolute IRI is that IRI (for literal values), else
//   urn:anima:attribute:KEY; a metadata key is urn:anima:metadata:KEY.
// * A proposition is urn:anima:proposition:S:P:O, reified (rdf:subject ...) where something is said
//   about it. S, P and O are the percent-encoded texts of its terms; one that is a proposition
//   itself stands as (S:P:O). Where that gets too long it is a digest (proposition_names.h).
// * Existence is CONCEPT rdf:type urn:anima:concept:%24ConceptType:TYPE.
// * A graph is the IRI or blank node that names it, else urn:anima:graph:NAME.
//
// TYPE, NAME and KEY are percent-encoded but for letters, digits, "-", "_", "." and "~". An IRI
// that begins with urn:anima: is never taken for a name of its own. Literals keep their lexical
// form: only what prints back the same becomes a number, a boolean, a date or JSON. Thread-safety:
// pure functions. Source: docs/rdf.md, RDF 1.1 Concepts 3.3 and 5.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sparql/ntriples.h"
#include "store/snapshot.h"
#include "store/value.h"

namespace anima::sparql {

inline constexpr std::string_view kRdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
inline constexpr std::string_view kRdfSubject =
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#subject";
inline constexpr std::string_view kRdfPredicate =
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#predicate";
inline constexpr std::string_view kRdfObject = "http://www.w3.org/1999/02/22-rdf-syntax-ns#object";
inline constexpr std::string_view kAnima = "urn:anima:";

// --- from the space to RDF

// The term of a concept by its type's name and its name. `out.text` may point into `scratch` or
// `name`.
RdfTerm concept_term(std::string_view type, std::string_view name, std::string& scratch);
// The term of any entity of the snapshot. O(its text), for a proposition with those that it is
// about.
RdfTerm entity_term(const store::Snapshot& snapshot, store::EntityId entity, std::string& scratch);
// The IRI of the link predicate of this name.
std::string link_iri(std::string_view name);
// The IRI of a predicate: link, attribute or metadata. `literal_value`: what it is said of.
std::string predicate_iri(const store::Snapshot& snapshot, store::Predicate predicate,
                          bool literal_value);
// The term of a named graph: the IRI or blank node ("_:LABEL") that its name is, else
// urn:anima:graph:NAME.
RdfTerm graph_term(std::string_view name, std::string& scratch);
// A value that is no entity.
RdfTerm value_term(const store::ValueView& value, std::string& scratch);

// --- from RDF to the space

// What an IRI or blank node stands for. The views live as long as the text and the scratch.
struct Named {
  enum class Kind : std::uint8_t {
    kEntity,
    kConcept,
    kPredicate,
    kAttribute,
    kMetadata,
    kProposition
  };
  Kind kind = Kind::kEntity;  // kEntity: type Entity, named by the text itself
  std::string type;           // of kConcept
  // Decoded; the IRI itself for kEntity, what proposition_names.h says for kProposition.
  std::string name;
};
// The name of the graph that graph_term() gives this IRI.
std::string graph_name(std::string_view iri);
// kEntity for every IRI that does not begin with urn:anima:, and for one that follows none of the
// forms.
Named read_iri(std::string_view iri);
// The value of a literal, an IRI (kIri) or a blank node (kBlank). It views the term's texts.
store::ValueView literal_value(const RdfTerm& term);

}  // namespace anima::sparql
