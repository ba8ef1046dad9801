// RDF in any format as sorted N-Quads, for tests of the readers and writers.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "sparql/rdf_reader.h"
#include "sparql/rdf_writer.h"

namespace anima::test {

// Each statement once, sorted; an error as "! where: message".
inline std::string as_nquads(sparql::RdfFormat format, std::string_view text,
                             std::string_view base = "http://b/d/doc") {
  std::set<std::string> lines;
  sparql::RdfReadOptions options;
  options.base_iri = std::string(base);
  const auto read = sparql::read_rdf(
      format, text, options,
      [&lines](const sparql::RdfTriple& triple, const sparql::RdfTerm* graph) -> Status {
        std::string line;
        sparql::append_nquads(line, triple, graph);
        lines.insert(std::move(line));
        return {};
      });
  if (!read) return "! " + read.error().where + ": " + read.error().message;
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

// What the writer makes of N-Quads; an error as "! message".
inline std::string written(sparql::RdfFormat format, std::string_view nquads) {
  sparql::PrefixFinder finder;
  std::string out;
  const auto ignore =
      sparql::read_rdf(sparql::RdfFormat::kNQuads, nquads, {},
                       [&](const sparql::RdfTriple& triple, const sparql::RdfTerm*) -> Status {
                         finder.see(triple);
                         return {};
                       });
  if (!ignore) return "! " + ignore.error().message;
  const auto writer =
      sparql::make_rdf_writer(format, finder.prefixes(), [&out](std::string_view piece) -> Status {
        out += piece;
        return {};
      });
  const auto read =
      sparql::read_rdf(sparql::RdfFormat::kNQuads, nquads, {},
                       [&](const sparql::RdfTriple& triple, const sparql::RdfTerm* graph) {
                         return writer->add(triple, graph);
                       });
  if (!read) return "! " + read.error().message;
  const Status finished = writer->finish();
  return finished ? out : "! " + finished.error().message;
}

}  // namespace anima::test
