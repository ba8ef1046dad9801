// Writing what a snapshot says as RDF, by the rules of rdf_mapping.h.
//
// Lines are sorted by their bytes and each stands once, so that two spaces that say the same give
// the same file. What reading back would bring anyway is left out: the definition of a predicate or
// type that is in use and of which nothing more is said, and the existence of an Entity that some
// line mentions. N-Quads names the graph of each assertion; N-Triples is the union of the
// snapshot's scope. Thread-safety: pure functions of a snapshot.
#pragma once

#include <cstdint>
#include <string>

#include "store/snapshot.h"

namespace anima::sparql {

enum class RdfFormat : std::uint8_t { kNTriples, kNQuads };

// The whole text. O(n log n) in the lines; holds them all.
std::string export_rdf(const store::Snapshot& snapshot, RdfFormat format);

}  // namespace anima::sparql
