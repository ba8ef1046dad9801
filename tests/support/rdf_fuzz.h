// What the fuzzers of the RDF readers check: a reader of any bytes ends, names a place for its
// error, and what it hands out can be written in every format that can say it, and reads back.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "sparql/rdf_reader.h"
#include "sparql/rdf_writer.h"

namespace anima::test {

// False on a fault. The statements, sorted, as N-Quads.
inline bool read_lines(sparql::RdfFormat format, std::string_view text,
                       std::set<std::string>& out) {
  sparql::RdfReadOptions options;
  options.base_iri = "http://b/d";
  options.file_name = "f";
  const auto read = sparql::read_rdf(
      format, text, options,
      [&out](const sparql::RdfTriple& triple, const sparql::RdfTerm* graph) -> Status {
        std::string line;
        sparql::append_nquads(line, triple, graph);
        out.insert(std::move(line));
        return {};
      });
  if (!read && read.error().where.find(':') == std::string::npos) std::abort();
  return read.has_value();
}

// Labels of blank nodes may change on the way, so the number of statements is compared; without
// blank nodes, the statements.
inline void check_round_trip(const std::set<std::string>& lines, sparql::RdfFormat format) {
  std::string nquads;
  bool blank = false;
  for (const std::string& line : lines) {
    nquads += line;
    blank = blank || line.find("_:") != std::string::npos;
  }
  std::string text;
  const auto writer = sparql::make_rdf_writer(
      format, {{"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"}, {"b", "http://b/"}},
      [&text](std::string_view piece) -> Status {
        text += piece;
        return {};
      });
  Status status;
  const auto again =
      sparql::read_rdf(sparql::RdfFormat::kNQuads, nquads, {},
                       [&](const sparql::RdfTriple& triple, const sparql::RdfTerm* graph) {
                         status = writer->add(triple, graph);
                         return status;
                       });
  if (!status) return;       // what this format cannot say
  if (!again) std::abort();  // what was handed out is no statement
  if (!writer->finish()) return;
  std::set<std::string> back;
  if (!read_lines(format, text, back)) std::abort();
  if (blank ? back.size() > lines.size() : back != lines) std::abort();
}

inline int fuzz_rdf(sparql::RdfFormat format, const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::set<std::string> lines;
  read_lines(format, text, lines);
  for (const sparql::RdfFormatInfo& info : sparql::rdf_formats()) {
    check_round_trip(lines, info.format);
  }
  return 0;
}

}  // namespace anima::test
