// Writing what a snapshot says as RDF, by the rules of rdf_mapping.h.
//
// Lines are sorted by their bytes and each stands once, so that two spaces that say the same give
// the same file. What reading back would bring anyway is left out: the definition of a predicate or
// type that is in use and of which nothing more is said, and the existence of an Entity that some
// line mentions. N-Quads names the graph of each assertion; N-Triples is the union of the
// snapshot's scope. Thread-safety: pure functions of a snapshot.
#pragma once

#include <string>

#include "base/result.h"
#include "sparql/rdf_format.h"
#include "store/snapshot.h"

namespace anima::sparql {

// The whole text, in N-Triples or N-Quads: requires one of these. O(n log n) in the lines; holds
// them all.
std::string export_rdf(const store::Snapshot& snapshot, RdfFormat format);

// The same statements in any format, in the same order; TriG graph by graph. Formats that cannot
// name graphs get the union of the scope, and so do all where `graphs` is false. Errors:
// kUnsupported (what RDF/XML cannot say).
Result<std::string> export_document(const store::Snapshot& snapshot, RdfFormat format,
                                    bool graphs = true);

}  // namespace anima::sparql
