// Turtle and TriG by recursive descent, in one pass; see rdf_reader.h for what is promised.
//
// Source: RDF 1.1 Turtle section 6 and RDF 1.1 TriG section 4 (the numbered grammars).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "sparql/rdf_reader.h"

namespace anima::sparql::rdf {

enum class TurtleDialect : std::uint8_t { kTurtle, kTriG };

Result<std::uint64_t> read_turtle(TurtleDialect dialect, std::string_view text,
                                  const RdfReadOptions& options, const QuadSink& sink);

}  // namespace anima::sparql::rdf
