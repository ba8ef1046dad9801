// Files of RDF, read into a transaction: what `anima import` and `anima load` share.
// Thread-safety: plain functions. Errors: those of sparql/rdf_reader.h and of the importer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sparql/rdf_format.h"
#include "sparql/rdf_import.h"

namespace anima::memory {

struct RdfFile {
  std::string file;  // for errors
  std::string_view text;
  sparql::RdfFormat format = sparql::RdfFormat::kNTriples;
  std::string base_iri = {};  // empty: relative IRIs are errors
  bool takes_graphs = true;   // false: a statement in a named graph is an error
  std::function<bool(std::uint64_t bytes)> progress = {};  // false cancels
};

// Gives the number of statements; what they say is asserted by the importer's finish().
Result<std::uint64_t> load_rdf(sparql::RdfImporter& importer, const RdfFile& file);

// "file:///..." of a path, absolute; empty for "-", standard input.
std::string base_iri_of_file(const std::string& file);

}  // namespace anima::memory
