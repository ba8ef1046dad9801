// LOAD: the triples of a file below a folder that its owner allows. Nothing is fetched from
// elsewhere. Thread-safety: pure but for the reading of the file. Source: SPARQL 1.1 Update, 3.1.4.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sparql/update/changes.h"

namespace anima::sparql::update {

inline constexpr std::uint64_t kMaxLoadBytes = std::uint64_t{1} << 30;

struct LoadTarget {
  std::string root;                  // empty: nothing may be read
  std::optional<std::string> graph;  // all of it goes there; else where the file says
  std::string blank_scope;           // before the label of each blank node
};

// Errors: kDenied (no root, an IRI that is no file, a file elsewhere), those of the file and of its
// format.
Result<std::vector<OwnQuad>> load_file(std::string_view iri, const LoadTarget& target);

}  // namespace anima::sparql::update
