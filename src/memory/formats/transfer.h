// What import and export have in common: the formats, and the text of an export.
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sparql/rdf_format.h"
#include "store/snapshot.h"

namespace anima::memory {

enum class TransferFormat : std::uint8_t {
  kNTriples,
  kNQuads,
  kTurtle,
  kTriG,
  kRdfXml,
  kJsonLd,
  kTriplesJson,
  kCsv,
  kMcpMemory
};

std::string_view format_name(TransferFormat format);  // "ntriples", ...
std::vector<std::string> format_names();
bool can_export(TransferFormat format);
// The format of RDF that it is, if it is one.
std::optional<sparql::RdfFormat> rdf_format(TransferFormat format);
// By its name, else by the file's ending, else (and for .json) by what the file holds, where that
// is given. Errors: kInvalidArgument.
Result<TransferFormat> transfer_format(const std::optional<std::string>& name,
                                       std::string_view file, std::string_view bytes = {});

// What the snapshot says, sorted; requires can_export(format). O(n log n) in the lines; holds them
// all. Errors: kUnsupported (RDF/XML cannot say it).
Result<std::string> export_text(const store::Snapshot& snapshot, TransferFormat format);
// The snapshot narrowed to what one compartment says. Errors: kNotFound.
Result<store::Snapshot> of_compartment(const store::Snapshot& snapshot,
                                       std::string_view compartment);

}  // namespace anima::memory
