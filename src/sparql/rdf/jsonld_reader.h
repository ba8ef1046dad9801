// JSON-LD 1.1 to RDF: expansion, then statements; see rdf_reader.h for what is promised.
//
// The items of a top-level array or "@graph" are expanded and handed out one by one. Statements
// with a predicate, type or name that is no absolute IRI are left out, as the recommendation says;
// so are text directions. Source: JSON-LD 1.1 Processing Algorithms and API, chapters 5 and 8;
// RFC 8785 for the canonical text of JSON literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "base/result.h"
#include "sparql/rdf_reader.h"

namespace anima::sparql::rdf {

Result<std::uint64_t> read_jsonld(std::string_view text, const RdfReadOptions& options,
                                  const QuadSink& sink);

// Whether a statement of JSON-LD may hold the IRI: a second "#" is no part of one.
bool is_jsonld_iri(std::string_view text);

// RFC 8785: members sorted by UTF-16 code units, numbers as ECMAScript writes them.
void append_canonical_json(std::string& out, const Json& json);

}  // namespace anima::sparql::rdf
