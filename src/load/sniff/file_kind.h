// What a file is: by its first bytes, then by its ending, then by what its text looks like.
// Thread-safety: pure. O(what is looked at: at most 64 KiB).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sparql/rdf_format.h"

namespace anima::load {

enum class FileKind : std::uint8_t {
  kTable,  // separated values
  kJson,
  kJsonLines,
  kSqlite,
  kMarkdown,
  kText,
  kRdf,  // rdf_kind() says which
  kTriplesJson,
  kMcpMemory,
};

// `bytes`: all of the file, or its beginning.
FileKind file_kind(std::string_view file, std::string_view bytes);
// Whether the name alone says that it is one of these.
bool has_known_ending(std::string_view file);
// The format, where the kind is kRdf: by the ending; JSON, XML and files without an ending by what
// they hold.
std::optional<sparql::RdfFormat> rdf_kind(std::string_view file, std::string_view bytes);

}  // namespace anima::load
