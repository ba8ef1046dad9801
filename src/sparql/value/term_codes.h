// RDF terms as codes and back: one code for one term, wherever it stands.
//
// An IRI or blank node is the entity that it names where there is one, whichever graph says so,
// else a literal of kind kIri or kBlank. A literal is the value that rdf_mapping.h reads it as. So
// terms are equal where their codes are. The Values have to be those of a snapshot with every graph
// (Snapshot::with_books). Thread-safety: as Values. Complexity: O(length of the term).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "query/values.h"
#include "sparql/ntriples.h"
#include "sparql/proposition_names.h"
#include "store/snapshot.h"

namespace anima::sparql {

// The entity that is written as this IRI, or as the blank node with this label. The finder is one
// for the snapshot.
std::optional<store::EntityId> entity_of_iri(const store::Snapshot& everything,
                                             std::string_view iri, PropositionFinder& propositions);
std::optional<store::EntityId> entity_of_blank(const store::Snapshot& everything,
                                               std::string_view label);

// The code of a term; made for this query where nothing has it. 0 once the memory of the query is
// used up.
std::uint32_t code_of_iri(query::Values& values, std::string_view iri);
std::uint32_t code_of_blank(query::Values& values, std::string_view label);
std::uint32_t code_of(query::Values& values, const RdfTerm& term);

// The term of a bound code. `text` may point into the scratch or into the values.
RdfTerm term_of(const query::Values& values, std::uint32_t code, std::string& scratch);

// The one code of a value that was read from a statement: an IRI or blank node that names an entity
// is that entity. Anything else stays.
std::uint32_t canonical_code(query::Values& values, std::uint32_t code);

}  // namespace anima::sparql
