// A query's answer as text in the formats of the recommendations, piece by piece.
// Thread-safety: the answer's thread. Errors: those of `out`, which end the writing, and of the
// writers (RDF/XML cannot say every triple). Complexity: O(bytes written).
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "sparql/engine.h"
#include "sparql/rdf_format.h"
#include "sparql/results.h"

namespace anima::sparql {

using TextOut = std::function<Status(std::string_view)>;

// The rows of SELECT, or the truth of ASK.
Status write_rows(const QueryAnswer& answer, ResultFormat format, const TextOut& out);
// The triples of CONSTRUCT and DESCRIBE, with prefixes for the namespaces that come often.
Status write_triples(const QueryAnswer& answer, RdfFormat format, const TextOut& out);

}  // namespace anima::sparql
