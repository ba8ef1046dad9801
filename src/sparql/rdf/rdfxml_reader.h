// RDF/XML by the events of an XML parser (expat), in one pass; see rdf_reader.h for what is
// promised.
//
// Nothing outside the document is read: no external entity, no document type. Entities of the
// document are expanded, within expat's guard against amplification, and at most 1,000 of them.
// Source: RDF 1.1 XML Syntax sections 6 and 7.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "sparql/rdf_reader.h"

namespace anima::sparql::rdf {

Result<std::uint64_t> read_rdfxml(std::string_view text, const RdfReadOptions& options,
                                  const QuadSink& sink);

}  // namespace anima::sparql::rdf
