#include "sparql/rdf_reader.h"

#include <array>

#include "sparql/rdf/emitter.h"
#include "sparql/rdf/jsonld_reader.h"
#include "sparql/rdf/rdfxml_reader.h"
#include "sparql/rdf/turtle_reader.h"

namespace anima::sparql {
namespace {

constexpr std::size_t kRowsAtOnce = 512;

// N-Triples or N-Quads, by the kind of the row.
template <typename Row, typename HandOut>
Result<std::uint64_t> read_lines(std::string_view text, const RdfReadOptions& options,
                                 const HandOut& hand_out) {
  NTriplesReader reader(text, options.file_name);
  std::array<Row, kRowsAtOnce> rows;
  std::uint64_t statements = 0;
  for (;;) {
    if (options.progress && !options.progress(reader.position())) {
      return fail(ErrorCode::kCancelled, "reading was interrupted", options.file_name);
    }
    ANIMA_ASSIGN(const std::size_t count, reader.next(rows));
    if (count == 0) return statements;
    for (std::size_t i = 0; i < count; ++i) ANIMA_TRY(hand_out(rows[i]));
    statements += count;
  }
}

}  // namespace

Result<std::uint64_t> read_rdf(RdfFormat format, std::string_view text,
                               const RdfReadOptions& options, const QuadSink& sink) {
  if (!options.base_iri.empty() && !is_absolute_iri(options.base_iri)) {
    return fail(ErrorCode::kInvalidArgument, "the base IRI is no absolute IRI", options.base_iri);
  }
  switch (format) {
    case RdfFormat::kNTriples:
      return read_lines<RdfTriple>(text, options,
                                   [&](const RdfTriple& row) { return sink(row, nullptr); });
    case RdfFormat::kNQuads:
      return read_lines<RdfQuad>(text, options, [&](const RdfQuad& row) {
        return sink(row.triple, row.named ? &row.graph : nullptr);
      });
    case RdfFormat::kTurtle:
      return rdf::read_turtle(rdf::TurtleDialect::kTurtle, text, options, sink);
    case RdfFormat::kTriG:
      return rdf::read_turtle(rdf::TurtleDialect::kTriG, text, options, sink);
    case RdfFormat::kRdfXml:
      return rdf::read_rdfxml(text, options, sink);
    case RdfFormat::kJsonLd:
      return rdf::read_jsonld(text, options, sink);
  }
  return fail(ErrorCode::kUnsupported, "there is no such format of RDF");
}

}  // namespace anima::sparql
