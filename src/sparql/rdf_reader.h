// Reading RDF in any of its formats, statement by statement.
//
// The reader walks the text once and hands each statement to the sink as soon as it is known: the
// memory it needs does not grow with a Turtle, TriG, N-Triples, N-Quads or RDF/XML file (but for
// prefixes, and the IDs of RDF/XML, which must be unique). JSON-LD is held whole, for its contexts
// may stand anywhere. Reading is strict: the first fault ends it. What was handed out before it
// stays handed out, so the sink's owner works in a transaction.
//
// Blank nodes keep their labels; those that the format leaves without one get labels of their own
// that no label of the document can equal. Relative IRIs are resolved below `base_iri` and what the
// document says about its base. JSON-LD: contexts stand in the document; one that would have to be
// fetched is refused, for reading a file must not open a connection.
//
// Thread-safety: pure, but for what the call-backs do. Errors: kSyntax with "file:line:column",
// kLimitExceeded (nesting), kUnsupported (a remote context), kCancelled, those of the sink.
// Complexity: O(bytes). Sources: RDF 1.1 Turtle, TriG, N-Triples, N-Quads, RDF 1.1 XML Syntax
// (2014); JSON-LD 1.1 and its Processing Algorithms and API (2020), "Deserialize JSON-LD to RDF".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sparql/ntriples.h"
#include "sparql/rdf_format.h"

namespace anima::sparql {

// `graph` is null for the default graph. The views are valid during the call.
using QuadSink = std::function<Status(const RdfTriple& triple, const RdfTerm* graph)>;

struct RdfReadOptions {
  std::string base_iri = {};   // empty: relative IRIs are errors
  std::string file_name = {};  // begins the place of errors
  // Told now and then how many bytes are read; false cancels.
  std::function<bool(std::uint64_t bytes)> progress = {};
  std::size_t max_depth = 256;  // of brackets in brackets, elements in elements, values in values
};

// Gives the number of statements handed out.
Result<std::uint64_t> read_rdf(RdfFormat format, std::string_view text,
                               const RdfReadOptions& options, const QuadSink& sink);

}  // namespace anima::sparql
