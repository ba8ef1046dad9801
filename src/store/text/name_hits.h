// Who asks for a name that is a stop word somewhere ("Will", "IT") gets the texts that have it as a
// name before those that have it as a word (language/names/written_names.h).
//
// An index knows no capital letters: the best hits are read for them. A hit without the name counts
// half, and a hundredth where the name is all that is asked for; one that is called so keeps what
// it has. Thread-safety: pure. Complexity: O(texts of kNamesCompared hits), nothing for a query
// without such a name.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/snapshot.h"
#include "store/text/text_search.h"

namespace anima::store::detail {

inline constexpr std::size_t kNamesCompared = 256;  // hits, at least what is asked for
inline constexpr double kWordBehind = 0.5;          // of a name, what the word counts

// Those of the query, folded for finding.
std::vector<std::string> names_asked(const TextQuery& query);
// Orders the hits anew and keeps the best `limit`.
void put_names_first(const Snapshot& snapshot, const TextGraph& graph,
                     const std::vector<std::string>& names, const TextQuery& query,
                     std::vector<TextHit>& hits);

}  // namespace anima::store::detail
