// RDF texts into the graphs of a transaction, whatever their format.
//
// Statements without a graph go into the graph that is named; those with one, of TriG, N-Quads and
// JSON-LD, into theirs. Blank nodes of two texts with different scopes are different. After an
// error the transaction must be given up. Thread-safety: the transaction's thread. Errors: those of
// rdf_reader.h and rdf_import.h; kDenied for graphs of Anima's own books. O(bytes).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sparql/rdf_format.h"
#include "store/transaction.h"

namespace anima::sparql {

struct RdfLoadOptions {
  RdfFormat format = RdfFormat::kNTriples;
  std::string base_iri;
  std::string file_name;    // begins the place of errors
  std::string graph;        // IRI; empty: the default graph
  std::string blank_scope;  // letters and digits
};

// Gives the number of statements read.
Result<std::uint64_t> load_rdf(store::Transaction& transaction, std::string_view text,
                               const RdfLoadOptions& options);

}  // namespace anima::sparql
